/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Filters by fields of tracepoints, in the language of the kernel's event filters:
 *
 *	prev_state == 1 && (prev_comm ~ "ba*" || !(next_pid < 100))
 *
 * A text is read once (field_filter_parse.c) into tests in postfix order, bound to the fields of an event when that is first met, and
 * evaluated on raw bytes without allocating (field_filter.c). Texts and bytes are hostile; nesting is a list, not a recursion.
 */
#ifndef ASSAY_SESSION_FIELD_FILTER_H
#define ASSAY_SESSION_FIELD_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/vec.h"
#include "session/recording.h"

#define FIELD_FILTER_MAX_TESTS 256
#define FIELD_FILTER_MAX_DEPTH 256 /* operators that wait for their right side */

enum field_filter_op {
	FIELD_FILTER_EQ,
	FIELD_FILTER_NE,
	FIELD_FILTER_LE,
	FIELD_FILTER_LT,
	FIELD_FILTER_GE,
	FIELD_FILTER_GT,
	FIELD_FILTER_BITS, /* & */
	FIELD_FILTER_GLOB, /* ~ */
};

/* FIELD OP VALUE, with places in the text. */
struct field_filter_test {
	uint32_t at, field_len;
	enum field_filter_op op;
	uint32_t value_at, value_len; /* without quotes */
	bool is_quoted;
};

/* What is in postfix order: numbers of tests, or these. */
enum { FIELD_FILTER_AND = -1, FIELD_FILTER_OR = -2, FIELD_FILTER_NOT = -3 };

struct field_filter_bound {
	enum { FILTER_NUMBER, FILTER_TEXT, FILTER_COMM, FILTER_CPU } kind;
	const struct trace_field *field;
	uint64_t number; /* as the field has it: cut to its size, with its sign */
};

/* The tests of a filter, as the fields of one event are. */
struct field_filter_program {
	bool is_bound; /* it was tried */
	int err;       /* the event lacks a field, or a test does not suit it */
	VEC(struct field_filter_bound) tests;
};

struct field_filter {
	char *text;
	VEC(struct field_filter_test) tests;
	VEC(int16_t) code;
	const struct recording *recording;
	const struct machine *machine;
	VEC(struct field_filter_program) programs; /* by event */
};

/* "column 5: …" where the text is not of the language (-EINVAL), or too long (-E2BIG). */
int field_filter_parse(struct field_filter **f, const char *text, struct errbuf *eb);
void field_filter_free(struct field_filter *f);

/* -ENOENT: there is no such field; -EINVAL: a test does not suit its field. With the sentence, as above. */
int field_filter_bind(const struct field_filter *f, struct field_filter_program *p, const struct trace_field *fields, uint32_t nr,
		      struct errbuf *eb);
void field_filter_program_fini(struct field_filter_program *p);

/* Whose samples are going to be asked for. */
void field_filter_attach(struct field_filter *f, const struct recording *r, const struct machine *m);
/* Where no event of the recording, as far as it is known, can be tested: the sentence, and what fields there are. */
int field_filter_check(struct field_filter *f, struct errbuf *eb);
bool field_filter_passes(struct field_filter *f, const struct session_record *sr);

/* Does all of a text match a pattern of *, ?, [a-z], [!a-z] and \? Both have a length; time is bounded by the product of the two. */
bool trace_glob_matches(const char *pattern, size_t pattern_len, const char *text, size_t len);

/* trace_field_list.c: "EVENT has a b c; …" of the tracepoints that `wants` picks (NULL: all), as far as it fits into a sentence, and the
 * field whose name is nearest to what was typed (or NULL). NULL where there is none. The caller frees both. */
char *trace_field_list(const struct recording *r, const char *typed, bool (*wants)(const void *ctx, uint32_t event), const void *ctx,
		       char **nearest);

#endif
