/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads the text of a filter. Operators wait on a stack of their own until their right side is there: brackets may nest, the code does not.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "session/field_filter.h"

#define TEXT_MAX 65535
#define OPEN 0 /* a bracket on the stack */

struct filter_parser {
	struct field_filter *f;
	const char *text, *pos;
	int16_t waiting[FIELD_FILTER_MAX_DEPTH];
	uint32_t waiting_at[FIELD_FILTER_MAX_DEPTH]; /* where they stand */
	uint32_t nr_waiting;
	struct errbuf *eb;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void skip_spaces(struct filter_parser *p)
{
	while (is_space(*p->pos))
		p->pos++;
}

static int fail(struct filter_parser *p, const char *at, const char *what)
{
	return errbuf_set(p->eb, -EINVAL, "column %u: %s", (unsigned)(at - p->text) + 1, what);
}

static bool take(struct filter_parser *p, const char *mark)
{
	size_t len = strlen(mark);

	if (strncmp(p->pos, mark, len))
		return false;
	p->pos += len;
	return true;
}

static void emit(struct filter_parser *p, int16_t code)
{
	vec_push(&p->f->code, code);
}

static int wait(struct filter_parser *p, int16_t what, const char *at)
{
	if (p->nr_waiting == FIELD_FILTER_MAX_DEPTH)
		return fail(p, at, "there are too many brackets and operators in each other");
	p->waiting_at[p->nr_waiting] = (uint32_t)(at - p->text);
	p->waiting[p->nr_waiting++] = what;
	return 0;
}

/* Emits what waits and binds at least as tightly. */
static void emit_until(struct filter_parser *p, int16_t loosest)
{
	while (p->nr_waiting && p->waiting[p->nr_waiting - 1] != OPEN &&
	       (p->waiting[p->nr_waiting - 1] == FIELD_FILTER_NOT || p->waiting[p->nr_waiting - 1] >= loosest))
		emit(p, p->waiting[--p->nr_waiting]);
}

/* Behind an operand: what is negated is known. */
static void emit_nots(struct filter_parser *p)
{
	while (p->nr_waiting && p->waiting[p->nr_waiting - 1] == FIELD_FILTER_NOT)
		emit(p, p->waiting[--p->nr_waiting]);
}

static int take_op(struct filter_parser *p, enum field_filter_op *op)
{
	/* Longer ones first. */
	static const struct {
		const char *mark;
		enum field_filter_op op;
	} ops[] = {
		{ "==", FIELD_FILTER_EQ }, { "!=", FIELD_FILTER_NE }, { "<=", FIELD_FILTER_LE },  { ">=", FIELD_FILTER_GE },
		{ "<", FIELD_FILTER_LT },  { ">", FIELD_FILTER_GT },  { "&", FIELD_FILTER_BITS }, { "~", FIELD_FILTER_GLOB },
	};

	skip_spaces(p);
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]) && strncmp(p->pos, "&&", 2); i++)
		if (take(p, ops[i].mark)) {
			*op = ops[i].op;
			return 0;
		}
	if (*p->pos == '=')
		return fail(p, p->pos, "'=' is no operator; '==' compares");
	if (*p->pos == '.')
		return fail(p, p->pos, "suffixes of fields (.function, .ustring) are for the kernel alone");
	return fail(p, p->pos, "expected an operator: == != < <= > >= & ~");
}

static int take_value(struct filter_parser *p, struct field_filter_test *t)
{
	const char *start, *end;

	skip_spaces(p);
	start = p->pos;
	if (*start == '"' || *start == '\'') {
		end = strchr(start + 1, *start);
		if (!end)
			return fail(p, start, "the quote is not closed");
		t->is_quoted = true;
		t->value_at = (uint32_t)(start + 1 - p->text);
		t->value_len = (uint32_t)(end - start - 1);
		p->pos = end + 1;
		return 0;
	}
	for (end = start; *end && !is_space(*end) && !strchr("()&|", *end); end++)
		;
	if (end == start)
		return fail(p, start, "expected a number or a text");
	t->value_at = (uint32_t)(start - p->text);
	t->value_len = (uint32_t)(end - start);
	p->pos = end;
	return 0;
}

/* FIELD OP VALUE */
static int parse_test(struct filter_parser *p)
{
	struct field_filter_test t = { .at = (uint32_t)(p->pos - p->text) };
	int err;

	while (is_word(*p->pos))
		p->pos++;
	t.field_len = (uint32_t)(p->pos - p->text) - t.at;
	if (!t.field_len)
		return fail(p, p->pos, "expected the name of a field");
	err = take_op(p, &t.op);
	if (!err)
		err = take_value(p, &t);
	if (err)
		return err;
	if (p->f->tests.nr == FIELD_FILTER_MAX_TESTS)
		return fail(p, p->text + t.at, "there are too many comparisons");
	emit(p, (int16_t)p->f->tests.nr);
	vec_push(&p->f->tests, t);
	emit_nots(p);
	return 0;
}

/* Up to the end of an operand; *has_operand: one is complete. */
static int parse_operand(struct filter_parser *p, bool *has_operand)
{
	const char *at = p->pos;

	if (take(p, "!"))
		return wait(p, FIELD_FILTER_NOT, at);
	if (take(p, "("))
		return wait(p, OPEN, at);
	*has_operand = true;
	return parse_test(p);
}

/* What stands behind an operand; *has_operand: another one need not follow. */
static int parse_join(struct filter_parser *p, bool *has_operand)
{
	const char *at = p->pos;
	int16_t op;

	if (take(p, ")")) {
		emit_until(p, FIELD_FILTER_OR);
		if (!p->nr_waiting)
			return fail(p, at, "this bracket was not opened");
		p->nr_waiting--;
		emit_nots(p);
		return 0;
	}
	if (take(p, "&&"))
		op = FIELD_FILTER_AND;
	else if (take(p, "||"))
		op = FIELD_FILTER_OR;
	else
		return fail(p, at, "expected && or ||");
	emit_until(p, op);
	*has_operand = false;
	return wait(p, op, at);
}

static int parse(struct filter_parser *p)
{
	bool has_operand = false;
	int err = 0;

	for (skip_spaces(p); *p->pos && !err; skip_spaces(p))
		err = has_operand ? parse_join(p, &has_operand) : parse_operand(p, &has_operand);
	if (err)
		return err;
	if (!has_operand)
		return fail(p, p->pos, p->f->tests.nr ? "the filter ends in the middle" : "expected the name of a field");
	emit_until(p, FIELD_FILTER_OR);
	return p->nr_waiting ? fail(p, p->text + p->waiting_at[p->nr_waiting - 1], "this bracket is not closed") : 0;
}

int field_filter_parse(struct field_filter **f, const char *text, struct errbuf *eb)
{
	struct filter_parser p = { .eb = eb };
	int err;

	*f = NULL;
	if (strlen(text) > TEXT_MAX)
		return errbuf_set(eb, -E2BIG, "the filter has more than %d characters", TEXT_MAX);
	p.f = mem_zalloc(sizeof(*p.f));
	p.f->text = mem_strdup(text);
	p.text = p.pos = p.f->text;
	err = parse(&p);
	if (err) {
		field_filter_free(p.f);
		return err;
	}
	*f = p.f;
	return 0;
}

void field_filter_program_fini(struct field_filter_program *p)
{
	vec_fini(&p->tests);
}

void field_filter_free(struct field_filter *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->programs.nr; i++)
		field_filter_program_fini(&f->programs.v[i]);
	vec_fini(&f->programs);
	vec_fini(&f->tests);
	vec_fini(&f->code);
	free(f->text);
	free(f);
}
