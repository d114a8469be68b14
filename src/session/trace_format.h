/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The format text of a tracepoint, as tracefs writes it:
 *
 *	name: sched_switch
 *	ID: 233
 *	format:
 *		field:int common_pid;	offset:4;	size:4;	signed:1;
 *		(empty line: what follows is the event's own)
 *		field:char prev_comm[16];	offset:8;	size:16;	signed:0;
 *
 *	print fmt: "prev_comm=%s …", REC->prev_comm, …
 *
 * The text comes out of a file: hostile. This part reads the fields and finds where `print fmt`
 * begins; it knows nothing of expressions. A field line that makes no sense is left out: what
 * needs it then does not compile, and the other fields can still be shown.
 */
#ifndef ASSAY_SESSION_TRACE_FORMAT_H
#define ASSAY_SESSION_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

#define TRACE_FORMAT_MAX_SIZE (256 << 10) /* kernels write some 5 kB at most */
#define TRACE_FORMAT_MAX_FIELDS 512
#define TRACE_RECORD_MAX 65536 /* raw bytes of a sample; offsets have 16 bits */

/* What C makes of a value: its size and whether it has a sign. */
struct trace_type {
	uint8_t size; /* 1, 2, 4 or 8 */
	bool is_signed;
};

struct trace_field {
	const char *name;
	uint32_t offset, size;	/* size 0: an array up to the record's end */
	struct trace_type item; /* of an array: its items; else the field; size 0: not a number */
	bool is_common;
	bool is_array;
	bool is_text; /* an array of bytes that may be text */
	bool is_pointer;
	bool is_long;	  /* shown in hexadecimal where there is nothing better */
	bool is_dynamic;  /* 4 bytes that say where (low half) and how long (high half) it is */
	bool is_relative; /* … counted from behind these 4 bytes */
};

struct trace_format {
	struct arena arena;
	uint8_t long_size; /* of the recorded machine */
	VEC(struct trace_field) fields;
	const char *print; /* behind "print fmt:"; not NUL-terminated; NULL: there is none */
	size_t print_size;
};

/* `text` must outlive the format. -EBADMSG: no fields, -E2BIG: too long. trace_format_fini() in any case. */
int trace_format_init(struct trace_format *f, const char *text, size_t size, uint8_t long_size);
void trace_format_fini(struct trace_format *f);
/* NULL where there is none. */
const struct trace_field *trace_format_find(const struct trace_format *f, const char *name, size_t len);

/* The type of these words ("unsigned long", "const u32 *"); false: its size is not known. *pointed (may be NULL) is the type behind the
 * last '*', with size 0 where it is unknown or there is no '*'. */
bool trace_type_parse(struct trace_type *t, struct trace_type *pointed, const char *words, size_t len, uint8_t long_size);

#endif
