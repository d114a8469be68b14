/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which events the types of a profile's values become. A number of samples in front ("samples", "count") is how often the sample is handed
 * out, where that tells everything: each sample is then of one event, the only one, or the one that its label names. Otherwise every type
 * is an event, and its sums are what counts. The default type comes first, since that is what views show.
 */
#include <stdlib.h>

#include "import/pprof.h"

#define MAX_COUNTED_TYPES 256u /* labels are held against each: many samples times many types is no honest profile */

struct pprof_text pprof_event_of(const struct pprof *x, const struct pprof_sample *p)
{
	for (uint32_t i = 0; i < p->labels.nr; i++)
		if (p->labels.v[i].str && pprof_equals(pprof_text_of(x, p->labels.v[i].key), "event"))
			return pprof_text_of(x, p->labels.v[i].str);
	return (struct pprof_text){ "", 0 };
}

static bool is_clock(const struct pprof *x, const struct pprof_type *type)
{
	return pprof_equals(pprof_text_of(x, type->type), "cpu") && pprof_equals(pprof_text_of(x, type->unit), "nanoseconds");
}

/* Of two clocks each keeps its name; a single one is called "cpu", and only labels tell which it was. */
uint32_t pprof_type_of_event(const struct pprof *x, struct pprof_text event)
{
	uint32_t clock = PPROF_NONE;

	for (uint32_t i = 1; i < x->t.types.nr; i++) {
		if (pprof_same(pprof_text_of(x, x->t.types.v[i].type), event))
			return i;
		if (is_clock(x, &x->t.types.v[i]))
			clock = i;
	}
	return event.len && (!x->clock.len || pprof_same(x->clock, event)) ? clock : PPROF_NONE;
}

/* ---- may the first value be taken for a number of samples? ---- */

struct survey {
	struct pprof *x;
	uint64_t total;
};

static bool is_of_one_event(struct pprof *x, const struct pprof_sample *p)
{
	struct pprof_text event;
	uint32_t type;

	if (x->t.types.nr == 2)
		return true;
	event = pprof_event_of(x, p);
	type = pprof_type_of_event(x, event);
	if (type == PPROF_NONE)
		return false;
	for (uint32_t i = 1; i < p->values.nr; i++)
		if (i != type && p->values.v[i])
			return false;
	if (!pprof_same(pprof_text_of(x, x->t.types.v[type].type), event))
		x->clock = event;
	return true;
}

static int look_at(void *ctx, const struct pprof_sample *p)
{
	struct survey *s = ctx;
	bool is_zero = true, is_negative = false;

	for (uint32_t i = 0; p && i < p->values.nr; i++) {
		is_zero &= !p->values.v[i];
		is_negative |= p->values.v[i] < 0;
	}
	if (!p || is_zero || is_negative)
		return 0; /* left out */
	s->x->has_count = p->values.v[0] > 0 && p->values.v[0] <= IMPORT_MAX_COUNTED && is_of_one_event(s->x, p);
	s->total += s->x->has_count ? (uint64_t)p->values.v[0] : 0;
	s->x->has_count &= s->total <= IMPORT_MAX_COUNTED;
	return !s->x->has_count;
}

static void find_count(struct pprof *x)
{
	struct survey s = { .x = x };

	x->has_count = x->t.types.nr > 1 && x->t.types.nr <= MAX_COUNTED_TYPES &&
		       pprof_equals(pprof_text_of(x, x->t.types.v[0].type), "samples") &&
		       pprof_equals(pprof_text_of(x, x->t.types.v[0].unit), "count");
	if (x->has_count)
		pprof_wire_samples(&x->t, look_at, &s);
	if (!x->has_count || !x->clock.len)
		x->clock = (struct pprof_text){ "cpu-clock", 9 };
	x->is_count = x->t.types.nr == 1 && pprof_equals(pprof_text_of(x, x->t.types.v[0].unit), "count");
}

/* ---- events ---- */

/* As readers of pprof choose it: the one that is named, or the last. */
static uint32_t default_type(const struct pprof *x)
{
	struct pprof_text name = pprof_text_of(x, x->t.default_type);

	for (uint32_t i = x->has_count; name.len && i < x->t.types.nr; i++)
		if (pprof_same(pprof_text_of(x, x->t.types.v[i].type), name))
			return i;
	return x->t.types.nr - 1;
}

/* An event of its own, whatever others are called. */
static uint32_t new_event(struct pprof *x, struct pprof_text name, struct pprof_text unit, uint32_t type)
{
	uint32_t nr = x->b->events.nr, event = import_event(x->b, name.len ? name.s : "samples", name.len ? name.len : 7);
	char *other;

	if (event < nr) {
		other = mem_printf("%.*s/%.*s", (int)(name.len < 80 ? name.len : 80), name.s, (int)(unit.len < 80 ? unit.len : 80), unit.s);
		event = import_event(x->b, other, strlen(other));
		free(other);
	}
	if (event < nr) {
		other = mem_printf("%.*s#%u", (int)(name.len < 80 ? name.len : 80), name.s, type);
		event = import_event(x->b, other, strlen(other));
		free(other);
	}
	return event;
}

static void make_event(struct pprof *x, uint32_t type, bool is_default)
{
	struct pprof_text name = pprof_text_of(x, x->t.types.v[type].type), unit = pprof_text_of(x, x->t.types.v[type].unit);
	struct pprof_text of_period = pprof_text_of(x, x->t.period_type.unit);
	uint32_t event = new_event(x, is_clock(x, &x->t.types.v[type]) ? x->clock : name, unit, type);
	struct import_event *e = &x->b->events.v[event];

	e->has_period = e->has_chain = true;
	/* A period is one of what is counted in the same unit. */
	e->period = x->t.period > 0 && (of_period.len ? pprof_same(unit, of_period) : is_default) ? (uint64_t)x->t.period : 0;
	x->event_of_type.v[type] = event;
}

void pprof_make_types(struct pprof *x)
{
	struct import_values *v = &x->b->values;
	uint32_t first;

	find_count(x);
	first = default_type(x);
	vec_reserve(&x->event_of_type, x->t.types.nr);
	x->event_of_type.nr = x->t.types.nr;
	for (uint32_t i = 0; i < x->t.types.nr; i++)
		vec_push(&x->total_of_type, 0);
	x->event_of_type.v[0] = EMBEDDED_COUNT;
	make_event(x, first, true);
	for (uint32_t i = x->has_count; i < x->t.types.nr; i++)
		if (i != first)
			make_event(x, i, false);
	for (uint32_t i = 0; i < x->t.types.nr; i++)
		vec_push(&v->types, ((struct import_type){ pprof_string_of(x, x->t.types.v[i].type),
							   pprof_string_of(x, x->t.types.v[i].unit), x->event_of_type.v[i] }));
	v->default_type = pprof_string_of(x, x->t.default_type);
	v->period_type = pprof_string_of(x, x->t.period_type.type);
	v->period_unit = pprof_string_of(x, x->t.period_type.unit);
	v->drop = pprof_string_of(x, x->t.drop);
	v->keep = pprof_string_of(x, x->t.keep);
	v->period = x->t.period;
	x->b->has_sums = !x->has_count && !x->is_count;
}
