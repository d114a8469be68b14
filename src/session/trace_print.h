/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `print fmt`, compiled: literal text and conversions with their arguments, printed for one record
 * after the other the way perf prints them. Where a format does not compile, or a record does not
 * hold what it promises, the fields are listed as they are instead.
 */
#ifndef ASSAY_SESSION_TRACE_PRINT_H
#define ASSAY_SESSION_TRACE_PRINT_H

#include <stdint.h>

#include "session/trace_expr.h"
#include "session/trace_record.h"
#include "session/trace_text.h"

/* What addresses mean; both may give NULL. */
struct trace_names {
	void *ctx;
	/* the symbol of a kernel address, its start in *start */
	const char *(*symbol)(void *ctx, uint64_t addr, uint64_t *start);
	/* the text of a constant string in the kernel */
	const char *(*string)(void *ctx, uint64_t addr);
};

/* A conversion, and the literal text before it. */
struct trace_piece {
	const char *before;
	uint32_t before_len;
	char conversion;				    /* d u x X o c s p; 0: only the text */
	char flags[6];					    /* of "-+ #0" */
	uint8_t size;					    /* of a number, in bytes */
	int32_t width, precision;			    /* -1: none */
	const struct trace_expr *width_arg, *precision_arg; /* '*' */
	char kind[8]; /* of a pointer: what stands behind the p */
	const struct trace_expr *arg;
};

struct trace_print {
	const struct trace_piece *pieces;
	uint32_t nr;
};

/* Compiles f->print; what it makes lies in f->arena. -EBADMSG or -E2BIG where it cannot be. */
int trace_print_compile(struct trace_print *p, struct trace_format *f);
/* Adds the text of a record; look at r->is_bad then. */
void trace_print_record(const struct trace_print *p, struct trace_record *r,
			const struct trace_names *names, struct trace_text *out);
/* trace_fields.c: adds " name=value" of each field that the event has of its own. */
void trace_print_fields(const struct trace_format *f, struct trace_record *r,
			struct trace_text *out);

/* trace_pointer.c: can this argument be printed as %p with these letters behind it? */
bool trace_pointer_check(const char *kind, const struct trace_expr *arg);
void trace_pointer_print(const struct trace_piece *p, int64_t width, struct trace_record *r,
			 const struct trace_names *names, struct trace_text *out);
/* "0-3,7" of the first `nr_bits` bits of a mask of longs. */
void trace_bitlist_print(const struct trace_record *r, struct trace_memory m, uint32_t nr_bits,
			 struct trace_text *out);

#endif
