/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Filters bound to events, and evaluated. The name of the task and the CPU are there for every event, as they are in the kernel: comm
 * (COMM) and cpu (CPU), unless the event has a field of that name.
 */
#include "session/field_filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool is_name(const struct field_filter *f, const struct field_filter_test *t, const char *name)
{
	return t->field_len == strlen(name) && !memcmp(f->text + t->at, name, t->field_len);
}

static const struct trace_field *find_field(const struct field_filter *f, const struct field_filter_test *t,
					    const struct trace_field *fields, uint32_t nr, bool is_common)
{
	for (uint32_t i = 0; i < nr; i++)
		if (fields[i].is_common == is_common && is_name(f, t, fields[i].name))
			return &fields[i];
	return NULL;
}

static int refuse(const struct field_filter *f, uint32_t at, uint32_t len, const char *what, struct errbuf *eb)
{
	return errbuf_set(eb, -EINVAL, "column %u: '%.*s' %s", at + 1, (int)len, f->text + at, what);
}

static int refuse_field(const struct field_filter *f, const struct field_filter_test *t, const char *what, struct errbuf *eb)
{
	return refuse(f, t->at, t->field_len, what, eb);
}

static uint64_t cut_to(uint64_t v, struct trace_type type)
{
	unsigned unused = 64 - 8u * type.size;

	return type.is_signed ? (uint64_t)((int64_t)(v << unused) >> unused) : v << unused >> unused;
}

static int bind_number(const struct field_filter *f, const struct field_filter_test *t, struct trace_type type, uint64_t *number,
		       struct errbuf *eb)
{
	const char *value = f->text + t->value_at;
	char word[32] = "", *end;

	if (t->op == FIELD_FILTER_GLOB)
		return refuse_field(f, t, "is a number, and ~ compares text", eb);
	if (t->value_len < sizeof(word))
		memcpy(word, value, t->value_len);
	errno = 0;
	*number = *word == '-' ? (uint64_t)strtoll(word, &end, 0) : strtoull(word, &end, 0);
	if (t->is_quoted || !t->value_len || end == word || *end || errno || *word == '+')
		return refuse(f, t->value_at, t->value_len, "is no number, which the field is", eb);
	if (*word == '-' && !type.is_signed)
		return refuse(f, t->value_at, t->value_len, "is negative, which the field never is", eb);
	*number = cut_to(*number, type);
	return 0;
}

static int check_text(const struct field_filter *f, const struct field_filter_test *t, struct errbuf *eb)
{
	if (t->op == FIELD_FILTER_EQ || t->op == FIELD_FILTER_NE || t->op == FIELD_FILTER_GLOB)
		return 0;
	return refuse_field(f, t, "is text, which is compared by ==, != and ~", eb);
}

static int bind_field(const struct field_filter *f, const struct field_filter_test *t, struct field_filter_bound *b, struct errbuf *eb)
{
	if (b->field->is_text) {
		b->kind = FILTER_TEXT;
		return check_text(f, t, eb);
	}
	if (b->field->is_array || b->field->is_dynamic || !b->field->item.size)
		return refuse_field(f, t, "is neither a number nor text", eb);
	b->kind = FILTER_NUMBER;
	return bind_number(f, t, b->field->item, &b->number, eb);
}

static int bind_test(const struct field_filter *f, const struct field_filter_test *t, const struct trace_field *fields, uint32_t nr,
		     struct field_filter_bound *b, struct errbuf *eb)
{
	*b = (struct field_filter_bound){ .field = find_field(f, t, fields, nr, false) };
	if (b->field)
		return bind_field(f, t, b, eb);
	if (is_name(f, t, "comm") || is_name(f, t, "COMM")) {
		b->kind = FILTER_COMM;
		return check_text(f, t, eb);
	}
	if (is_name(f, t, "cpu") || is_name(f, t, "CPU")) {
		b->kind = FILTER_CPU;
		return bind_number(f, t, (struct trace_type){ 4, true }, &b->number, eb);
	}
	b->field = find_field(f, t, fields, nr, true);
	if (b->field)
		return bind_field(f, t, b, eb);
	refuse_field(f, t, "is no field of this event", eb);
	return -ENOENT;
}

int field_filter_bind(const struct field_filter *f, struct field_filter_program *p, const struct trace_field *fields, uint32_t nr,
		      struct errbuf *eb)
{
	p->is_bound = true;
	p->err = 0;
	p->tests.nr = 0;
	for (uint32_t i = 0; i < f->tests.nr; i++) {
		struct field_filter_bound b;

		p->err = bind_test(f, &f->tests.v[i], fields, nr, &b, eb);
		if (p->err)
			return p->err;
		vec_push(&p->tests, b);
	}
	return 0;
}

void field_filter_attach(struct field_filter *f, const struct recording *r, const struct machine *m)
{
	for (uint32_t i = 0; i < f->programs.nr; i++)
		field_filter_program_fini(&f->programs.v[i]);
	f->programs.nr = 0;
	f->recording = r;
	f->machine = m;
}

static struct field_filter_program *program_of(struct field_filter *f, uint32_t event, struct errbuf *eb)
{
	const struct attr *a = &f->recording->info->events.v[event].attr;
	const struct trace_field *fields = NULL;
	uint32_t nr = 0;

	while (f->programs.nr <= event)
		*vec_add(&f->programs) = (struct field_filter_program){ 0 };
	if (a->type == ATTR_TYPE_TRACEPOINT)
		fields = tracepoints_fields(f->recording->tracepoints, a->config, &nr);
	field_filter_bind(f, &f->programs.v[event], fields, nr, eb);
	return &f->programs.v[event];
}

/* Does any event have it? */
static bool is_anywhere(const struct field_filter *f, const struct field_filter_test *t)
{
	for (uint32_t i = 0; i < f->recording->info->events.nr; i++) {
		const struct attr *a = &f->recording->info->events.v[i].attr;
		struct field_filter_bound b;
		const struct trace_field *fields;
		uint32_t nr = 0;

		fields = a->type == ATTR_TYPE_TRACEPOINT ? tracepoints_fields(f->recording->tracepoints, a->config, &nr) : NULL;
		if (bind_test(f, t, fields, nr, &b, NULL) != -ENOENT)
			return true;
	}
	return false;
}

/* No event has all fields: one that none has is the reason, where there is such. */
static int refuse_fields(const struct field_filter *f, struct errbuf *eb)
{
	char *typed, *list, *nearest;
	uint32_t i = 0;

	while (i < f->tests.nr && is_anywhere(f, &f->tests.v[i]))
		i++;
	if (i == f->tests.nr)
		return errbuf_set(eb, -EINVAL, "--filter '%s': no event of the recording has all of these fields", f->text);
	typed = mem_strndup(f->text + f->tests.v[i].at, f->tests.v[i].field_len);
	list = trace_field_list(f->recording, typed, NULL, NULL, &nearest);
	errbuf_set(eb, -EINVAL, "--filter '%s': column %u: there is no field '%s'%s%s%s (%s)", f->text, f->tests.v[i].at + 1, typed,
		   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "",
		   list ? list : "the recording has no tracepoints; there are comm and cpu");
	free(typed);
	free(list);
	free(nearest);
	return -EINVAL;
}

int field_filter_check(struct field_filter *f, struct errbuf *eb)
{
	struct errbuf misfit = { 0 };

	for (uint32_t i = 0; i < f->recording->info->events.nr; i++) {
		struct errbuf why = { 0 };
		int err = program_of(f, i, &why)->err;

		if (!err)
			return 0;
		if (err == -EINVAL && !misfit.text[0])
			misfit = why;
	}
	if (!f->recording->info->events.nr)
		return 0;
	if (misfit.text[0])
		return errbuf_set(eb, -EINVAL, "--filter '%s': %s", f->text, misfit.text);
	return refuse_fields(f, eb);
}

static bool compare_numbers(enum field_filter_op op, uint64_t a, uint64_t b, bool is_signed)
{
	int order = is_signed ? ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b) : (a > b) - (a < b);

	switch (op) {
	case FIELD_FILTER_EQ:
		return a == b;
	case FIELD_FILTER_NE:
		return a != b;
	case FIELD_FILTER_LE:
		return order <= 0;
	case FIELD_FILTER_LT:
		return order < 0;
	case FIELD_FILTER_GE:
		return order >= 0;
	case FIELD_FILTER_GT:
		return order > 0;
	default:
		return a & b;
	}
}

static bool compare_texts(const struct field_filter *f, const struct field_filter_test *t, const char *text, size_t len)
{
	const char *value = f->text + t->value_at;
	bool is_same;

	if (t->op == FIELD_FILTER_GLOB)
		return trace_glob_matches(value, t->value_len, text, len);
	is_same = len == t->value_len && !memcmp(text, value, len);
	return is_same == (t->op == FIELD_FILTER_EQ);
}

/* False, and *is_missing, where the record is too short. */
static bool passes_test(const struct field_filter *f, uint32_t i, const struct field_filter_bound *b, const struct session_record *sr,
			bool *is_missing)
{
	const struct field_filter_test *t = &f->tests.v[i];
	const struct sample *s = &sr->rec.sample;
	struct tracepoints_value v;
	const char *comm;

	if (b->kind == FILTER_CPU)
		return compare_numbers(t->op, cut_to(s->cpu, (struct trace_type){ 4, true }), b->number, true);
	if (b->kind == FILTER_COMM) {
		comm = sr->task ? machine_comm(f->machine, sr->task) : "";
		return compare_texts(f, t, comm, strlen(comm));
	}
	if (!s->raw || !tracepoints_value(f->recording->tracepoints, b->field, s->raw, s->raw_size, &v)) {
		*is_missing = true;
		return false;
	}
	if (b->kind == FILTER_TEXT)
		return compare_texts(f, t, v.bytes ? v.bytes : "", v.bytes ? v.size : 0);
	return compare_numbers(t->op, v.number, b->number, b->field->item.is_signed);
}

static bool run(const struct field_filter *f, const struct field_filter_program *p, const struct session_record *sr)
{
	bool stack[FIELD_FILTER_MAX_TESTS], is_missing = false;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < f->code.nr; i++) {
		int16_t code = f->code.v[i];

		if (code >= 0) {
			stack[nr++] = passes_test(f, (uint32_t)code, &p->tests.v[code], sr, &is_missing);
		} else if (code == FIELD_FILTER_NOT) {
			stack[nr - 1] = !stack[nr - 1];
		} else {
			nr--;
			stack[nr - 1] = code == FIELD_FILTER_AND ? stack[nr - 1] && stack[nr] : stack[nr - 1] || stack[nr];
		}
	}
	return stack[0] && !is_missing;
}

bool field_filter_passes(struct field_filter *f, const struct session_record *sr)
{
	const struct field_filter_program *p = NULL;

	if (sr->event < 0)
		return false;
	if ((uint32_t)sr->event < f->programs.nr)
		p = &f->programs.v[sr->event];
	if (!p || !p->is_bound)
		p = program_of(f, (uint32_t)sr->event, NULL);
	return !p->err && run(f, p, sr);
}
