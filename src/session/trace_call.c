/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The functions that `print fmt` may call: a fixed list. A format that calls others is not compiled.
 */
#include "session/trace_print.h"

#include <string.h>

/* "NAME)" of a field with a length of its own */
static struct trace_expr *parse_dynamic(struct trace_parser *p, enum trace_op op)
{
	const struct trace_field *f = trace_parser_field(p);
	struct trace_expr *e;

	if (!f || !f->is_dynamic || !trace_lexer_accept(&p->lex, ")"))
		return NULL;
	e = trace_parser_node(p, op, NULL, NULL, NULL);
	if (e)
		e->field = f;
	return e;
}

/* "sizeof(" stands before. */
static struct trace_expr *parse_sizeof(struct trace_parser *p)
{
	struct trace_type type, result = { p->format->long_size, false };
	const char *from = p->lex.s;
	struct trace_expr *e;
	size_t size;

	if (trace_lexer_is_name(&p->lex, "REC")) {
		trace_lexer_next(&p->lex);
		e = trace_parser_member(p);
		if (!e || e->field->is_dynamic)
			return NULL;
		size = e->field->size;
		if (trace_lexer_accept(&p->lex, "[")) {
			if (!trace_parser_expr(p) || !trace_lexer_accept(&p->lex, "]"))
				return NULL;
			size = e->field->item.size;
		}
	} else {
		while (p->lex.kind == TRACE_TOKEN_NAME || trace_lexer_is(&p->lex, "*"))
			trace_lexer_next(&p->lex);
		if (!trace_type_parse(&type, NULL, from, (size_t)(p->lex.s - from), p->format->long_size))
			return NULL;
		size = type.size;
	}
	return trace_lexer_accept(&p->lex, ")") ? trace_parser_number(p, size, result) : NULL;
}

/* "{ VALUE, TEXT }, …)". A pair without a text ends the list in the kernel. */
static bool parse_pairs(struct trace_parser *p, struct trace_pair **to)
{
	while (trace_lexer_accept(&p->lex, "{")) {
		struct trace_expr *value, *text;
		struct trace_pair *pair;

		if (trace_lexer_accept(&p->lex, "}")) {
			if (!trace_lexer_accept(&p->lex, ","))
				break;
			continue;
		}
		value = trace_parser_expr(p);
		if (!value || !trace_lexer_accept(&p->lex, ","))
			return false;
		text = trace_parser_expr(p);
		if (!text || !trace_lexer_accept(&p->lex, "}"))
			return false;
		if (text->op == TRACE_STRING) {
			pair = arena_alloc(&p->format->arena, sizeof(*pair));
			*pair = (struct trace_pair){ .value = value, .text = text->str };
			*to = pair;
			to = &pair->next;
		} else if (trace_expr_strip(text)->op != TRACE_NUMBER) {
			return false;
		}
		if (!trace_lexer_accept(&p->lex, ","))
			break;
	}
	return trace_lexer_accept(&p->lex, ")");
}

static struct trace_expr *parse_names(struct trace_parser *p, enum trace_op op)
{
	struct trace_expr *value = trace_parser_expr(p), *delim, *e;
	const char *between = NULL;

	if (!value || !trace_lexer_accept(&p->lex, ","))
		return NULL;
	if (op == TRACE_FLAGS) {
		delim = trace_parser_expr(p);
		if (!delim || !trace_lexer_accept(&p->lex, ","))
			return NULL;
		between = delim->op == TRACE_STRING ? delim->str : "";
	}
	e = trace_parser_node(p, op, value, NULL, NULL);
	if (!e || !parse_pairs(p, &e->pairs))
		return NULL;
	e->str = between;
	return e;
}

static struct trace_expr *parse_bytes(struct trace_parser *p, enum trace_op op)
{
	struct trace_expr *memory = trace_parser_expr(p), *nr, *size = NULL;

	if (!memory || !trace_parser_is_memory(memory) || !trace_lexer_accept(&p->lex, ","))
		return NULL;
	nr = trace_parser_expr(p);
	if (!nr)
		return NULL;
	if (op == TRACE_ARRAY) {
		if (!trace_lexer_accept(&p->lex, ","))
			return NULL;
		size = trace_parser_expr(p);
		if (!size)
			return NULL;
	}
	return trace_lexer_accept(&p->lex, ")") ? trace_parser_node(p, op, memory, nr, size) : NULL;
}

/* __builtin_expect(a, b) is a. */
static struct trace_expr *parse_expect(struct trace_parser *p)
{
	struct trace_expr *e = trace_parser_expr(p);

	if (!e || !trace_lexer_accept(&p->lex, ",") || !trace_parser_expr(p) || !trace_lexer_accept(&p->lex, ")"))
		return NULL;
	return e;
}

enum function_kind { NAMES, BYTES, DYNAMIC, SIZEOF, EXPECT };

static const struct function {
	const char *name;
	enum function_kind kind;
	enum trace_op op;
} functions[] = {
	{ "__print_flags", NAMES, TRACE_FLAGS },
	{ "__print_flags_u64", NAMES, TRACE_FLAGS },
	{ "__print_symbolic", NAMES, TRACE_SYMBOLIC },
	{ "__print_symbolic_u64", NAMES, TRACE_SYMBOLIC },
	{ "__print_hex", BYTES, TRACE_HEX },
	{ "__print_hex_str", BYTES, TRACE_HEX_STR },
	{ "__print_array", BYTES, TRACE_ARRAY },
	{ "__get_str", DYNAMIC, TRACE_DYNAMIC_STR },
	{ "__get_rel_str", DYNAMIC, TRACE_DYNAMIC_STR },
	{ "__get_dynamic_array", DYNAMIC, TRACE_DYNAMIC },
	{ "__get_rel_dynamic_array", DYNAMIC, TRACE_DYNAMIC },
	{ "__get_sockaddr", DYNAMIC, TRACE_DYNAMIC },
	{ "__get_rel_sockaddr", DYNAMIC, TRACE_DYNAMIC },
	{ "__get_dynamic_array_len", DYNAMIC, TRACE_DYNAMIC_LEN },
	{ "__get_rel_dynamic_array_len", DYNAMIC, TRACE_DYNAMIC_LEN },
	{ "__get_bitmask", DYNAMIC, TRACE_BITMASK },
	{ "__get_rel_bitmask", DYNAMIC, TRACE_BITMASK },
	{ "__get_cpumask", DYNAMIC, TRACE_CPUMASK },
	{ "__get_rel_cpumask", DYNAMIC, TRACE_CPUMASK },
	{ "sizeof", SIZEOF, TRACE_NUMBER },
	{ "__builtin_expect", EXPECT, TRACE_NUMBER },
};

/* Behind "NAME(". */
struct trace_expr *trace_parser_call(struct trace_parser *p, const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		const struct function *f = &functions[i];

		if (strlen(f->name) != len || memcmp(f->name, name, len))
			continue;
		switch (f->kind) {
		case NAMES:
			return parse_names(p, f->op);
		case BYTES:
			return parse_bytes(p, f->op);
		case DYNAMIC:
			return parse_dynamic(p, f->op);
		case SIZEOF:
			return parse_sizeof(p);
		case EXPECT:
			return parse_expect(p);
		}
	}
	return NULL;
}
