/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * profile.proto, uncompressed: whoever opens the output has it gzipped. Samples of one stack, task, CPU and event are one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/export_pprof.h"

/* Numbers of fields */
enum {
	VALUE_TYPE = 1,
	VALUE_UNIT = 2,
	SAMPLE_LOCATIONS = 1,
	SAMPLE_VALUES = 2,
	SAMPLE_LABEL = 3,
	LABEL_KEY = 1,
	LABEL_STR = 2,
	LABEL_NUM = 3,
};

struct pile {
	uint64_t period, nr;
	uint32_t task, cpu, stack, location;
	uint16_t event;
};

struct piles {
	VEC(struct pile) v;
	struct hindex index;
};

/* ---- values ---- */

struct value_type {
	const char *type, *unit;
};

/* "cpu" in nanoseconds is what readers of pprof know; of two clocks each keeps its name. */
static struct value_type type_of(const struct export *x, uint32_t event)
{
	uint32_t nr_clocks = 0;

	for (uint32_t i = 0; i < x->events.nr; i++)
		nr_clocks += export_is_clock(x, x->events.v[i]);
	if (!export_is_clock(x, event))
		return (struct value_type){ export_event_name(x, event), "count" };
	return (struct value_type){ nr_clocks > 1 ? export_event_name(x, event) : "cpu", "nanoseconds" };
}

static void put_value_type(struct pprof *w, uint32_t field, struct value_type v)
{
	protobuf_u64(&w->message, VALUE_TYPE, pprof_string(w, v.type));
	protobuf_u64(&w->message, VALUE_UNIT, pprof_string(w, v.unit));
	protobuf_message(w->x->o, field, &w->message);
}

static void put_value_types(struct pprof *w)
{
	put_value_type(w, PROFILE_SAMPLE_TYPE, (struct value_type){ "samples", "count" });
	for (uint32_t i = 0; i < w->x->events.nr; i++)
		put_value_type(w, PROFILE_SAMPLE_TYPE, type_of(w->x, w->x->events.v[i]));
}

/* ---- samples ---- */

static struct pile *find_pile(struct piles *piles, const struct pile *key)
{
	uint64_t h = hash_pair((uint64_t)key->task << 32 | key->stack, (uint64_t)key->location << 32 | (key->cpu << 8 ^ key->event));
	struct hindex_iter it = hindex_find(&piles->index, h);

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;) {
		struct pile *p = &piles->v.v[id];

		if (p->task == key->task && p->stack == key->stack && p->location == key->location && p->cpu == key->cpu && p->event == key->event)
			return p;
	}
	vec_push(&piles->v, *key);
	hindex_add(&piles->index, h, piles->v.nr - 1);
	return &piles->v.v[piles->v.nr - 1];
}

static void pile_up(struct piles *piles, const struct export *x)
{
	const struct profile_samples *s = &x->p->samples;

	for (uint32_t i = 0; i < x->samples.nr; i++) {
		uint32_t sample = x->samples.v[i];
		struct pile key = { .task = s->task[sample], .stack = s->stack[sample], .event = s->event[sample] }, *pile;

		key.location = key.stack == STACK_NONE ? s->location[sample] : 0;
		key.cpu = export_has_cpu(x, key.event) ? s->cpu[sample] : 0;
		pile = find_pile(piles, &key);
		pile->period += s->period[sample];
		pile->nr++;
	}
}

static void put_label(struct pprof *w, const char *key, const char *str, int64_t num)
{
	protobuf_u64(&w->inner, LABEL_KEY, pprof_string(w, key));
	if (str)
		protobuf_u64(&w->inner, LABEL_STR, pprof_string(w, str));
	else
		protobuf_i64(&w->inner, LABEL_NUM, num);
	protobuf_message(&w->message, SAMPLE_LABEL, &w->inner);
}

static void put_sample(struct pprof *w, const struct pile *pile, struct out *ids)
{
	const struct export *x = w->x;
	const struct profile_task *t = &x->p->tasks.v[pile->task];
	char cpu[16];

	/* Locations are messages of their own, so all are written before the sample is begun. */
	if (pile->stack == STACK_NONE)
		protobuf_varint(ids, pprof_location(w, pile->location));
	for (uint32_t s = pile->stack; s != STACK_NONE; s = x->p->stacks.v[s].parent)
		protobuf_varint(ids, pprof_location(w, x->p->stacks.v[s].location));
	protobuf_message(&w->message, SAMPLE_LOCATIONS, ids);
	protobuf_varint(&w->inner, pile->nr);
	for (uint32_t i = 0; i < x->events.nr; i++)
		protobuf_varint(&w->inner, x->events.v[i] == pile->event ? pile->period : 0);
	protobuf_message(&w->message, SAMPLE_VALUES, &w->inner);
	put_label(w, "comm", profile_str(x->p, t->comm), 0);
	put_label(w, "pid", NULL, t->pid);
	put_label(w, "tid", NULL, t->tid);
	/* As a string, since go's reader drops the number 0. */
	snprintf(cpu, sizeof(cpu), "%u", pile->cpu);
	if (export_has_cpu(x, pile->event))
		put_label(w, "cpu", cpu, 0);
	if (export_has_many_events(x))
		put_label(w, "event", export_event_name(x, pile->event), 0);
	protobuf_message(x->o, PROFILE_SAMPLE, &w->message);
}

static void put_samples(struct pprof *w)
{
	struct piles piles = { 0 };
	struct out ids;

	out_init(&ids, -1);
	pile_up(&piles, w->x);
	for (uint32_t i = 0; i < piles.v.nr; i++)
		put_sample(w, &piles.v.v[i], &ids);
	out_fini(&ids);
	vec_fini(&piles.v);
	hindex_fini(&piles.index);
}

/* ---- the rest ---- */

static void put_comment(void *ctx, const char *label, const char *text)
{
	struct pprof *w = ctx;
	char *line = mem_printf("%s: %s", label, text);

	protobuf_tag(w->x->o, PROFILE_COMMENT, PROTOBUF_VARINT);
	protobuf_varint(w->x->o, pprof_string(w, line));
	free(line);
}

static void put_header(struct pprof *w)
{
	const struct export *x = w->x;
	uint32_t event = x->events.nr ? x->events.v[0] : 0;

	protobuf_u64(x->o, PROFILE_TIME_NS, export_wall_ns(x));
	protobuf_u64(x->o, PROFILE_DURATION_NS, x->last_ns - x->first_ns);
	if (x->events.nr) {
		const struct attr *a = &x->p->session->info->events.v[event].attr;
		struct value_type v = type_of(x, event);

		put_value_type(w, PROFILE_PERIOD_TYPE, v);
		if (!(a->flags & ATTR_FREQ))
			protobuf_u64(x->o, PROFILE_PERIOD, a->sample_period);
		else if (export_is_clock(x, event))
			protobuf_u64(x->o, PROFILE_PERIOD, export_interval_ns(x, event));
		protobuf_u64(x->o, PROFILE_DEFAULT_TYPE, pprof_string(w, v.type));
	}
	export_notes(x, put_comment, w);
}

void export_pprof(struct export *x)
{
	struct pprof w;

	pprof_tables_init(&w, x);
	put_value_types(&w);
	put_samples(&w);
	pprof_put_mappings(&w);
	put_header(&w);
	pprof_put_strings(&w);
	pprof_tables_fini(&w);
}
