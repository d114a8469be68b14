/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which part of an event's text shows a field: what stands behind its label, "prev_state=%s%s", "flags: 0x%x", "dev %d,%d". A format
 * is searched once; a value is then printed without the rest of the text. Formats are hostile, as in trace_print.h.
 */
#include <string.h>

#include "session/trace_print.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Behind "NAME=", "NAME: " or "NAME " at the end of a piece's text, if nothing but the beginning of the value follows; NULL: it is no such
 * label. */
static const char *value_behind(const char *label, const char *end)
{
	const char *s = label;

	while (s < end && is_space(*s))
		s++;
	if (s < end && (*s == '=' || *s == ':'))
		for (s++; s < end && is_space(*s); s++)
			;
	for (const char *c = s; c < end; c++)
		if (is_space(*c) || *c == '=' || (is_word(*c) && *c != '0' && *c != 'x'))
			return NULL;
	return s > label ? s : NULL;
}

static const char *find_label(const struct trace_piece *p, const char *name)
{
	const char *start = p->before, *end = start + p->before_len;
	size_t len = strlen(name);

	for (const char *at = end; at-- > start;) {
		const char *value;

		if ((size_t)(end - at) < len || memcmp(at, name, len) || (at > start && is_word(at[-1])))
			continue;
		value = value_behind(at + len, end);
		if (value)
			return value;
	}
	return NULL;
}

/* How much of the text behind a conversion belongs to its value; *is_end: the value ends there. */
static uint32_t tail_length(const struct trace_piece *next, bool *is_end)
{
	uint32_t len = 0;
	bool has_label = false;

	while (len < next->before_len && !is_space(next->before[len]))
		has_label |= next->before[len++] == '=';
	*is_end = len < next->before_len || has_label || !next->conversion;
	for (uint32_t i = 0; has_label && i < len; i++)
		if (strchr(",;|", next->before[i]))
			return i;
	return has_label ? 0 : len;
}

static bool opens(const struct trace_shown *s, char c)
{
	return s->before_len && memchr(s->before, c, s->before_len);
}

/* Punctuation of the sentence, not of the value. */
static void trim_tail(struct trace_shown *s)
{
	while (s->after_len) {
		char c = s->after[s->after_len - 1];
		char open = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : c == '>' ? '<' : 0;

		if (!strchr(",;:.", c) && !(open && !opens(s, open)))
			return;
		s->after_len--;
	}
}

struct field_list {
	const struct trace_field **v;
	uint32_t nr, cap;
};

static void add_field(struct field_list *list, const struct trace_field *f)
{
	for (uint32_t i = 0; i < list->nr; i++)
		if (list->v[i] == f)
			return;
	vec_push(list, f);
}

/* What an expression reads. Trees are as high as the format makes them: what is still to be looked at is a list. */
static void add_fields_of(struct field_list *list, const struct trace_expr *root)
{
	VEC(const struct trace_expr *) open = { 0 };

	vec_push(&open, root);
	while (open.nr) {
		const struct trace_expr *e = open.v[--open.nr];

		if (!e)
			continue;
		if (e->field)
			add_field(list, e->field);
		vec_push(&open, e->a);
		vec_push(&open, e->b);
		vec_push(&open, e->c);
		for (const struct trace_pair *pair = e->pairs; pair; pair = pair->next)
			vec_push(&open, pair->value);
	}
	vec_fini(&open);
}

static void set_fields(struct trace_shown *s, const struct trace_print *p, struct trace_format *f)
{
	struct field_list list = { 0 };

	for (uint32_t i = s->first; i < s->first + s->nr; i++) {
		add_fields_of(&list, p->pieces[i].arg);
		add_fields_of(&list, p->pieces[i].width_arg);
		add_fields_of(&list, p->pieces[i].precision_arg);
	}
	s->nr_fields = list.nr;
	s->fields = list.nr ? arena_copy(&f->arena, list.v, list.nr * sizeof(struct trace_field *)) : NULL;
	vec_fini(&list);
}

static bool shows(const struct trace_shown *s, const struct trace_field *field)
{
	for (uint32_t i = 0; i < s->nr_fields; i++)
		if (s->fields[i] == field)
			return true;
	return false;
}

/* A constant string of the kernel is its text, whatever stands before it. */
static bool find_string(struct trace_shown *s, const struct trace_print *p, struct trace_format *f, const struct trace_field *field)
{
	for (uint32_t i = 0; field->is_pointer && !field->is_array && i + 1 < p->nr; i++) {
		const struct trace_expr *arg = trace_expr_strip(p->pieces[i].arg);

		if (p->pieces[i].conversion != 's' || arg->op != TRACE_FIELD || arg->field != field)
			continue;
		*s = (struct trace_shown){ .first = i, .nr = 1, .before = "", .after = "" };
		set_fields(s, p, f);
		return true;
	}
	return false;
}

bool trace_shown_find(struct trace_shown *s, const struct trace_print *p, struct trace_format *f, const struct trace_field *field)
{
	for (uint32_t i = 0; i + 1 < p->nr; i++) {
		const char *value = find_label(&p->pieces[i], field->name);
		bool is_end = false;

		if (!value)
			continue;
		*s = (struct trace_shown){ .first = i, .before = value };
		s->before_len = (uint32_t)(p->pieces[i].before + p->pieces[i].before_len - value);
		while (!is_end) {
			const struct trace_piece *next = &p->pieces[s->first + ++s->nr];

			s->after = next->before;
			s->after_len = tail_length(next, &is_end);
		}
		trim_tail(s);
		set_fields(s, p, f);
		/* A label of that name may be of something else. */
		if (shows(s, field))
			return true;
	}
	return find_string(s, p, f, field);
}

static bool reads(const struct trace_expr *e, const struct trace_field *field)
{
	struct field_list list = { 0 };
	bool found = false;

	add_fields_of(&list, e);
	for (uint32_t i = 0; i < list.nr; i++)
		found |= list.v[i] == field;
	vec_fini(&list);
	return found;
}

/* Does a part of the expression give names to values of the field? */
static bool has_names_of(const struct trace_expr *root, const struct trace_field *field)
{
	VEC(const struct trace_expr *) open = { 0 };
	bool found = false;

	vec_push(&open, root);
	while (open.nr && !found) {
		const struct trace_expr *e = open.v[--open.nr];

		if (e && (e->op == TRACE_FLAGS || e->op == TRACE_SYMBOLIC)) {
			found = reads(e->a, field);
		} else if (e) {
			vec_push(&open, e->a);
			vec_push(&open, e->b);
			vec_push(&open, e->c);
		}
	}
	vec_fini(&open);
	return found;
}

bool trace_shown_find_name(struct trace_shown *s, const struct trace_print *p, struct trace_format *f, const struct trace_field *field)
{
	for (uint32_t i = 0; i + 1 < p->nr; i++) {
		if (!has_names_of(p->pieces[i].arg, field))
			continue;
		*s = (struct trace_shown){ .first = i, .nr = 1, .before = "", .after = "" };
		set_fields(s, p, f);
		return true;
	}
	return false;
}

void trace_shown_print(const struct trace_shown *s, const struct trace_print *p, struct trace_record *r, const struct trace_names *names,
		       struct trace_text *out)
{
	trace_text_add(out, s->before, s->before_len);
	for (uint32_t i = 0; i < s->nr; i++) {
		const struct trace_piece *piece = &p->pieces[s->first + i];

		if (i)
			trace_text_add(out, piece->before, piece->before_len);
		trace_print_conversion(piece, r, names, out);
	}
	trace_text_add(out, s->after, s->after_len);
}
