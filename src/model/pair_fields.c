/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Fields are looked for once an event, and read from each of its samples.
 */
#include "model/pair_fields.h"

#include <string.h>

#define MAX_ORDER 40 /* a terabyte of pages and more is no allocation */

/* The first of the names that the event has. */
static const struct trace_field *field_of(const struct pair_sums *s, uint32_t event, const char *names)
{
	const struct attr *a = &s->recording->info->events.v[event].attr;
	const struct trace_field *fields;
	uint32_t nr = 0;

	if (!names || a->type != ATTR_TYPE_TRACEPOINT)
		return NULL;
	fields = tracepoints_fields(s->recording->tracepoints, a->config, &nr);
	for (const char *name = names; fields; name++) {
		size_t len = strcspn(name, ",");

		for (uint32_t i = 0; i < nr; i++)
			if (strlen(fields[i].name) == len && !memcmp(fields[i].name, name, len))
				return &fields[i];
		name += len;
		if (!*name)
			break;
	}
	return NULL;
}

static void find_begin(struct pair_sums *s, uint32_t event, struct pair_event *e)
{
	const struct perfdata_event *known = &s->recording->info->events.v[event];
	const struct pair_sum_def *def = s->def;
	const struct trace_field *const *made_of;
	uint32_t nr;

	e->object = field_of(s, event, def->object);
	e->label = field_of(s, event, def->label);
	e->flags = field_of(s, event, def->flags);
	e->wanted = field_of(s, event, def->wanted);
	e->node = field_of(s, event, def->node);
	e->mobility = field_of(s, event, def->mobility);
	if (e->flags && def->mobility)
		e->flags_shown = tracepoints_shown(s->recording->tracepoints, known->attr.config, e->flags, false, &made_of, &nr);
	if (!def->is_futex)
		return;
	e->op = field_of(s, event, "op");
	e->other_address = field_of(s, event, "uaddr2");
	e->futex_effects = pair_futex_effects(known->name);
}

/* Of a pipe, events become known while it is read. */
void pair_fields_find(struct pair_sums *s)
{
	const struct perfdata_info *info = s->recording->info;

	s->events.nr = 0;
	s->page_bytes = s->recording->tracepoints ? tracepoints_page_bytes(s->recording->tracepoints) : 0;
	if (!s->page_bytes)
		s->page_bytes = PAIR_PAGE_BYTES;
	for (uint32_t i = 0; i < info->events.nr; i++) {
		struct pair_event e = {
			.is_from = event_patterns_match(&s->from, info->events.v[i].name),
			.is_to = event_patterns_match(&s->to, info->events.v[i].name),
		};

		if (e.is_from)
			find_begin(s, i, &e);
		if (e.is_from || e.is_to) {
			e.size = field_of(s, i, s->def->size);
			e.order = field_of(s, i, s->def->order);
		}
		if (e.is_to && s->def->is_futex)
			e.result = field_of(s, i, "ret");
		vec_push(&s->events, e);
	}
}

uint64_t pair_fields_number(const struct pair_sums *s, const struct trace_field *f, const struct session_record *sr)
{
	const struct sample *sample = &sr->rec.sample;
	struct tracepoints_value v;

	if (!f || !sample->raw || !tracepoints_value(s->recording->tracepoints, f, sample->raw, sample->raw_size, &v) || v.bytes)
		return 0;
	return v.number;
}

uint32_t pair_fields_text(struct pair_sums *s, const struct trace_field *f, const struct session_record *sr)
{
	const struct sample *sample = &sr->rec.sample;
	struct tracepoints_value v;

	if (!f || !sample->raw || !tracepoints_value(s->recording->tracepoints, f, sample->raw, sample->raw_size, &v) || !v.bytes)
		return 0;
	return strtab_intern_len(&s->profile->strings, v.bytes, v.size);
}

uint32_t pair_fields_flags(struct pair_sums *s, const struct pair_event *e, const struct session_record *sr)
{
	const struct sample *sample = &sr->rec.sample;
	const char *text;

	if (!e->flags_shown || !sample->raw)
		return 0;
	text = tracepoints_field_text(s->recording->tracepoints, s->recording->info->events.v[sr->event].attr.config, e->flags,
				      e->flags_shown, sample->raw, sample->raw_size);
	return text ? strtab_intern(&s->profile->strings, text) : 0;
}

uint64_t pair_fields_size(const struct pair_sums *s, const struct pair_event *e, const struct session_record *sr)
{
	uint64_t order;

	if (!s->def->order)
		return pair_fields_number(s, e->size, sr);
	order = pair_fields_number(s, e->order, sr);
	return order < MAX_ORDER ? (uint64_t)s->page_bytes << order : 0;
}
