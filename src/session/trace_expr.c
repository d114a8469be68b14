/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The parser of `print fmt` arguments: recursive descent with C's precedences. A function returns NULL where the text is not of the
 * grammar; memory is the format's arena.
 */
#include "session/trace_print.h"

#include <errno.h>
#include <string.h>

static struct trace_expr *parse_unary(struct trace_parser *p);

struct trace_expr *trace_parser_node(struct trace_parser *p, enum trace_op op, const struct trace_expr *a, const struct trace_expr *b,
				     const struct trace_expr *c)
{
	const struct trace_expr *children[] = { a, b, c };
	struct trace_expr *e;
	uint32_t height = 1;

	for (int i = 0; i < 3; i++)
		if (children[i] && children[i]->height >= height)
			height = children[i]->height + 1;
	if (++p->nr_nodes > TRACE_EXPR_MAX_NODES || height > TRACE_EXPR_MAX_HEIGHT) {
		p->too_big = true;
		return NULL;
	}
	e = arena_alloc(&p->format->arena, sizeof(*e));
	*e = (struct trace_expr){ .op = op, .height = height, .a = a, .b = b, .c = c };
	return e;
}

/* Folds constants: flags of kernels are long sums of shifts. */
static struct trace_expr *fold(struct trace_expr *e)
{
	const struct trace_expr *children[] = { e->a, e->b, e->c };
	struct trace_record none = { 0 };
	struct trace_value v;

	for (int i = 0; i < 3; i++)
		if (children[i] && children[i]->op != TRACE_NUMBER)
			return e;
	v = trace_record_eval(&none, e);
	*e = (struct trace_expr){ .op = TRACE_NUMBER, .height = 1, .number = v.v, .type = v.type };
	return e;
}

struct trace_expr *trace_parser_number(struct trace_parser *p, uint64_t v, struct trace_type type)
{
	struct trace_expr *e = trace_parser_node(p, TRACE_NUMBER, NULL, NULL, NULL);

	if (e) {
		e->number = v;
		e->type = type;
	}
	return e;
}

static char unescape(char c)
{
	return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

/* Neighbouring strings are one, as in C. */
static const char *parse_text(struct trace_parser *p)
{
	struct trace_lexer from = p->lex;
	size_t size = 0, n = 0;
	char *s;

	if (p->lex.kind != TRACE_TOKEN_STRING)
		return NULL;
	for (; p->lex.kind == TRACE_TOKEN_STRING; trace_lexer_next(&p->lex))
		size += p->lex.len;
	s = arena_alloc(&p->format->arena, size + 1);
	for (; from.kind == TRACE_TOKEN_STRING; trace_lexer_next(&from))
		for (size_t i = 0; i < from.len; i++) {
			if (from.s[i] == '\\')
				s[n++] = unescape(from.s[++i]); /* the lexer saw that one follows */
			else
				s[n++] = from.s[i];
		}
	s[n] = 0;
	return s;
}

/* "(TYPE)" at an opening parenthesis, followed by something to cast. Otherwise the lexer does not move. */
static bool parse_cast(struct trace_parser *p, struct trace_type *type, struct trace_type *pointed)
{
	struct trace_lexer start = p->lex;
	const char *from = p->lex.pos;
	uint32_t nr_names = 0, nr_stars = 0;
	const struct trace_lexer *l = &p->lex;
	bool known, is_start;

	trace_lexer_next(&p->lex);
	for (; l->kind == TRACE_TOKEN_NAME || trace_lexer_is(l, "*"); trace_lexer_next(&p->lex)) {
		if (trace_lexer_is_name(l, "REC"))
			goto no;
		l->kind == TRACE_TOKEN_NAME ? nr_names++ : nr_stars++;
	}
	if (!nr_names || !trace_lexer_is(l, ")"))
		goto no;
	known = trace_type_parse(type, pointed, from, (size_t)(l->s - from), p->format->long_size);
	trace_lexer_next(&p->lex);
	is_start = l->kind == TRACE_TOKEN_NAME || l->kind == TRACE_TOKEN_NUMBER || l->kind == TRACE_TOKEN_STRING ||
		   trace_lexer_is(l, "(") || trace_lexer_is(l, "~") || trace_lexer_is(l, "!");
	if (known || nr_stars || nr_names > 1)
		is_start |= trace_lexer_is(l, "-") || trace_lexer_is(l, "+");
	if (is_start)
		return true;
no:
	p->lex = start;
	return false;
}

const struct trace_field *trace_parser_field(struct trace_parser *p)
{
	const struct trace_field *f = NULL;

	if (p->lex.kind == TRACE_TOKEN_NAME)
		f = trace_format_find(p->format, p->lex.s, p->lex.len);
	if (f)
		trace_lexer_next(&p->lex);
	return f;
}

/* "->NAME" */
struct trace_expr *trace_parser_member(struct trace_parser *p)
{
	const struct trace_field *f;
	struct trace_expr *e;

	if (!trace_lexer_accept(&p->lex, "->"))
		return NULL;
	f = trace_parser_field(p);
	e = f ? trace_parser_node(p, TRACE_FIELD, NULL, NULL, NULL) : NULL;
	if (e)
		e->field = f;
	return e;
}

const struct trace_expr *trace_expr_strip(const struct trace_expr *e)
{
	while (e->op == TRACE_CAST)
		e = e->a;
	return e;
}

/* Bytes of the record, by a field or a dynamic array, with casts or without. */
bool trace_parser_is_memory(const struct trace_expr *e)
{
	e = trace_expr_strip(e);
	return e->op == TRACE_FIELD || e->op == TRACE_DYNAMIC;
}

/* Names whose values kernels forget to write into some formats, and never changed. */
static bool known_name(const struct trace_lexer *l, uint64_t *v)
{
	static const struct {
		const char *name;
		uint64_t value;
	} known[] = {
		{ "true", 1 },
		{ "false", 0 },
		{ "HI_SOFTIRQ", 0 },
		{ "TIMER_SOFTIRQ", 1 },
		{ "NET_TX_SOFTIRQ", 2 },
		{ "NET_RX_SOFTIRQ", 3 },
		{ "BLOCK_SOFTIRQ", 4 },
		{ "IRQ_POLL_SOFTIRQ", 5 },
		{ "BLOCK_IOPOLL_SOFTIRQ", 5 },
		{ "TASKLET_SOFTIRQ", 6 },
		{ "SCHED_SOFTIRQ", 7 },
		{ "HRTIMER_SOFTIRQ", 8 },
		{ "RCU_SOFTIRQ", 9 },
		{ "HRTIMER_NORESTART", 0 },
		{ "HRTIMER_RESTART", 1 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (trace_lexer_is_name(l, known[i].name)) {
			*v = known[i].value;
			return true;
		}
	return false;
}

static struct trace_expr *parse_name(struct trace_parser *p)
{
	struct trace_lexer name = p->lex;
	uint64_t v;

	trace_lexer_next(&p->lex);
	if (trace_lexer_is_name(&name, "REC"))
		return trace_parser_member(p);
	if (trace_lexer_accept(&p->lex, "("))
		return trace_parser_call(p, name.s, name.len);
	if (known_name(&name, &v))
		return trace_parser_number(p, v, (struct trace_type){ 4, true });
	return trace_parser_node(p, TRACE_UNKNOWN, NULL, NULL, NULL);
}

static struct trace_expr *parse_paren(struct trace_parser *p)
{
	struct trace_type type = { 0 }, pointed = { 0 };
	struct trace_expr *e;

	if (parse_cast(p, &type, &pointed)) {
		e = parse_unary(p);
		e = e ? trace_parser_node(p, TRACE_CAST, e, NULL, NULL) : NULL;
		if (e) {
			e->type = type;
			e->pointed = pointed;
			fold(e);
		}
		return e;
	}
	trace_lexer_next(&p->lex);
	if (trace_lexer_is_name(&p->lex, "REC")) { /* (REC)->field */
		struct trace_lexer here = p->lex;

		trace_lexer_next(&p->lex);
		if (trace_lexer_accept(&p->lex, ")"))
			return trace_parser_member(p);
		p->lex = here;
	}
	e = trace_parser_expr(p);
	return e && trace_lexer_accept(&p->lex, ")") ? e : NULL;
}

static struct trace_expr *parse_primary(struct trace_parser *p)
{
	struct trace_expr *e = NULL;

	if (p->lex.kind == TRACE_TOKEN_NUMBER) {
		e = trace_parser_number(p, p->lex.number, p->lex.type);
		trace_lexer_next(&p->lex);
	} else if (p->lex.kind == TRACE_TOKEN_STRING) {
		const char *s = parse_text(p);

		e = trace_parser_node(p, TRACE_STRING, NULL, NULL, NULL);
		if (e)
			e->str = s;
	} else if (p->lex.kind == TRACE_TOKEN_NAME) {
		e = parse_name(p);
	} else if (trace_lexer_is(&p->lex, "(")) {
		e = parse_paren(p);
	}
	while (e && trace_lexer_accept(&p->lex, "[")) {
		struct trace_expr *index = trace_parser_expr(p);

		if (!index || !trace_lexer_accept(&p->lex, "]") || !trace_parser_is_memory(e))
			return NULL;
		e = trace_parser_node(p, TRACE_INDEX, e, index, NULL);
	}
	return e;
}

static struct trace_expr *parse_unary(struct trace_parser *p)
{
	static const struct {
		const char *mark;
		enum trace_op op;
	} ops[] = { { "-", TRACE_NEGATE }, { "!", TRACE_NOT }, { "~", TRACE_COMPLEMENT } };
	struct trace_expr *e;

	if (p->depth >= TRACE_EXPR_MAX_DEPTH) {
		p->too_big = true;
		return NULL;
	}
	p->depth++;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (trace_lexer_accept(&p->lex, ops[i].mark)) {
			e = parse_unary(p);
			p->depth--;
			e = e ? trace_parser_node(p, ops[i].op, e, NULL, NULL) : NULL;
			return e ? fold(e) : NULL;
		}
	e = trace_lexer_accept(&p->lex, "+") ? parse_unary(p) : parse_primary(p);
	p->depth--;
	return e;
}

static const struct binary {
	const char *mark;
	int level; /* higher binds tighter */
	enum trace_op op;
} binaries[] = {
	{ "*", 10, TRACE_MUL }, { "/", 10, TRACE_DIV },	    { "%", 10, TRACE_MOD },   { "+", 9, TRACE_ADD }, { "-", 9, TRACE_SUB },
	{ "<<", 8, TRACE_SHL }, { ">>", 8, TRACE_SHR },	    { "<", 7, TRACE_LT },     { ">", 7, TRACE_GT },  { "<=", 7, TRACE_LE },
	{ ">=", 7, TRACE_GE },	{ "==", 6, TRACE_EQ },	    { "!=", 6, TRACE_NE },    { "&", 5, TRACE_AND }, { "^", 4, TRACE_XOR },
	{ "|", 3, TRACE_OR },	{ "&&", 2, TRACE_AND_AND }, { "||", 1, TRACE_OR_OR },
};

static const struct binary *binary_at(const struct trace_lexer *l)
{
	for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++)
		if (trace_lexer_is(l, binaries[i].mark))
			return &binaries[i];
	return NULL;
}

static struct trace_expr *parse_binary(struct trace_parser *p, int level)
{
	struct trace_expr *left = parse_unary(p), *right;
	const struct binary *b;

	while (left && (b = binary_at(&p->lex)) && b->level >= level) {
		trace_lexer_next(&p->lex);
		right = parse_binary(p, b->level + 1);
		left = right ? trace_parser_node(p, b->op, left, right, NULL) : NULL;
		if (left)
			fold(left);
	}
	return left;
}

static struct trace_expr *parse_condition(struct trace_parser *p)
{
	struct trace_expr *test = parse_binary(p, 1), *yes, *no;

	if (!test || !trace_lexer_accept(&p->lex, "?"))
		return test;
	yes = trace_parser_expr(p);
	if (!yes || !trace_lexer_accept(&p->lex, ":"))
		return NULL;
	no = trace_parser_expr(p);
	return no ? trace_parser_node(p, TRACE_CONDITION, test, yes, no) : NULL;
}

struct trace_expr *trace_parser_expr(struct trace_parser *p)
{
	struct trace_expr *e;

	if (p->depth >= TRACE_EXPR_MAX_DEPTH) {
		p->too_big = true;
		return NULL;
	}
	p->depth++;
	e = parse_condition(p);
	p->depth--;
	return e;
}

int trace_args_compile(struct trace_args *out, struct trace_format *f)
{
	struct trace_parser p = { .format = f };
	const struct trace_expr **to = &out->first;

	*out = (struct trace_args){ 0 };
	if (!f->print)
		return -EBADMSG;
	trace_lexer_init(&p.lex, f->print, f->print_size, f->long_size);
	out->format = parse_text(&p);
	if (!out->format)
		return -EBADMSG;
	while (trace_lexer_accept(&p.lex, ",")) {
		struct trace_expr *e = trace_parser_expr(&p);

		if (!e)
			return p.too_big ? -E2BIG : -EBADMSG;
		*to = e;
		to = &e->next;
		out->nr++;
	}
	return p.lex.kind == TRACE_TOKEN_END ? 0 : -EBADMSG;
}
