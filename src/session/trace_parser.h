/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Inside the parser of `print fmt`: what trace_expr.c (C's expressions) and trace_call.c (the
 * functions that kernels use in them) share. Nobody else includes this.
 */
#ifndef ASSAY_SESSION_TRACE_PARSER_H
#define ASSAY_SESSION_TRACE_PARSER_H

#include "session/trace_expr.h"
#include "session/trace_lexer.h"

struct trace_parser {
	struct trace_lexer lex;
	struct trace_format *format;
	uint32_t depth, nr_nodes;
	bool too_big;
};

/* All give NULL where the text is not of the grammar, or past the limits (too_big). */
struct trace_expr *trace_parser_node(struct trace_parser *p, enum trace_op op,
				     const struct trace_expr *a, const struct trace_expr *b,
				     const struct trace_expr *c);
struct trace_expr *trace_parser_number(struct trace_parser *p, uint64_t v, struct trace_type type);
struct trace_expr *trace_parser_expr(struct trace_parser *p);
/* "NAME" of a field */
const struct trace_field *trace_parser_field(struct trace_parser *p);
/* "->NAME" */
struct trace_expr *trace_parser_member(struct trace_parser *p);
/* Bytes of the record: a field or a dynamic array, with casts or without. */
bool trace_parser_is_memory(const struct trace_expr *e);

/* trace_call.c: the arguments of the function of this name, behind its "(". */
struct trace_expr *trace_parser_call(struct trace_parser *p, const char *name, size_t len);

#endif
