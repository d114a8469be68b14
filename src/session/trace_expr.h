/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The arguments of `print fmt` as trees: C expressions over the fields of a record, with the few
 * functions that kernels use there. Compiled from hostile text by a parser that gives up on what
 * it does not know, with limits on depth and on the number of nodes.
 */
#ifndef ASSAY_SESSION_TRACE_EXPR_H
#define ASSAY_SESSION_TRACE_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/trace_format.h"

#define TRACE_EXPR_MAX_DEPTH 100  /* of nesting in the text */
#define TRACE_EXPR_MAX_HEIGHT 500 /* of a tree; a + b + c grows higher without nesting */
#define TRACE_EXPR_MAX_NODES 16384

enum trace_op {
	TRACE_NUMBER,
	TRACE_UNKNOWN, /* a name that the text does not explain: counts as 0 */
	TRACE_STRING,
	TRACE_FIELD,   /* REC->field */
	TRACE_INDEX,   /* a[b]; a is a FIELD or a DYNAMIC */
	TRACE_DYNAMIC, /* __get_dynamic_array(field), __get_sockaddr(field) */
	TRACE_DYNAMIC_LEN,
	TRACE_DYNAMIC_STR,
	TRACE_BITMASK,
	TRACE_CPUMASK,
	TRACE_FLAGS,	/* __print_flags(a, delim, pairs) */
	TRACE_SYMBOLIC, /* __print_symbolic(a, pairs) */
	TRACE_HEX,	/* __print_hex(a, b bytes) */
	TRACE_HEX_STR,
	TRACE_ARRAY, /* __print_array(a, b items of c bytes) */
	TRACE_CAST,
	TRACE_NEGATE,
	TRACE_NOT,
	TRACE_COMPLEMENT,
	TRACE_CONDITION, /* a ? b : c */
	TRACE_MUL,
	TRACE_DIV,
	TRACE_MOD,
	TRACE_ADD,
	TRACE_SUB,
	TRACE_SHL,
	TRACE_SHR,
	TRACE_LT,
	TRACE_GT,
	TRACE_LE,
	TRACE_GE,
	TRACE_EQ,
	TRACE_NE,
	TRACE_AND,
	TRACE_XOR,
	TRACE_OR,
	TRACE_AND_AND,
	TRACE_OR_OR,
};

/* { value, "text" } of __print_flags() and __print_symbolic(). */
struct trace_pair {
	const struct trace_expr *value;
	const char *text;
	struct trace_pair *next;
};

struct trace_expr {
	enum trace_op op;
	uint32_t height;	   /* of the tree: bounds the recursion of all that walk it */
	struct trace_type type;	   /* of a NUMBER; of a CAST: size 0 leaves the value as it is */
	struct trace_type pointed; /* of a CAST to a pointer: what is behind it; size 0: unknown */
	const struct trace_expr *a, *b, *c;
	uint64_t number;
	const char *str; /* of a STRING; the delimiter of FLAGS */
	const struct trace_field *field;
	struct trace_pair *pairs;
	const struct trace_expr *next; /* the next argument */
};

/* What is below the casts. */
const struct trace_expr *trace_expr_strip(const struct trace_expr *e);

/* The format string and its arguments. Trees lie in f->arena and refer to f->fields. */
struct trace_args {
	const char *format; /* escapes resolved; NUL-terminated */
	const struct trace_expr *first;
	uint32_t nr;
};

/* Compiles f->print. -EBADMSG where it is not of the grammar, -E2BIG past the limits. */
int trace_args_compile(struct trace_args *out, struct trace_format *f);

#endif
