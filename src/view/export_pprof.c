/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * profile.proto, uncompressed: whoever opens the output has it gzipped. Samples of one stack, task, CPU and event are one. What was
 * imported from such a profile has its types of values and its labels again: samples of one stack with the same labels are one there,
 * whose values are those of all events.
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
	LABEL_NUM_UNIT = 4,
};

#define NO_PILE UINT32_MAX

struct pile {
	uint64_t period, nr;
	uint32_t task, cpu, stack, location;
	uint32_t labels;
	uint32_t next, last; /* piles of one sample: the next one; of the first: the last one */
	uint16_t event;
	bool is_first;
};

struct piles {
	VEC(struct pile) v;
	struct hindex index, sample_index;
};

/* ---- values ---- */

static uint32_t count_clocks(const struct export *x)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < x->events.nr; i++)
		nr += export_is_clock(x, x->events.v[i]);
	return nr;
}

/* "cpu" in nanoseconds is what readers of pprof know; of two clocks each keeps its name. */
static struct pprof_type type_of(const struct export *x, uint32_t event, uint32_t nr_clocks)
{
	if (!export_is_clock(x, event))
		return (struct pprof_type){ export_event_name(x, event), "count", event };
	return (struct pprof_type){ nr_clocks > 1 ? export_event_name(x, event) : "cpu", "nanoseconds", event };
}

static void take_imported_types(struct pprof *w)
{
	int32_t only = w->x->options->event;

	for (uint32_t i = 0; i < w->values->types.nr; i++) {
		const struct embedded_type *t = &w->values->types.v[i];

		if (only < 0 || t->event == (uint32_t)only || t->event == EMBEDDED_COUNT)
			vec_push(&w->types, ((struct pprof_type){ t->name, t->unit, t->event }));
	}
}

/* Of sums nobody knows how many samples they are; where an event is called that already, it is what that says. */
static bool has_count(const struct export *x)
{
	for (uint32_t i = 0; i < x->events.nr; i++)
		if (!strcmp(export_event_name(x, x->events.v[i]), "samples"))
			return false;
	return !session_has_sums(x->p->session);
}

static void choose_types(struct pprof *w)
{
	const struct export *x = w->x;
	uint32_t nr_clocks = count_clocks(x);

	if (w->values) {
		take_imported_types(w);
		return;
	}
	if (!x->events.nr || has_count(x))
		vec_push(&w->types, ((struct pprof_type){ "samples", "count", EMBEDDED_COUNT }));
	for (uint32_t i = 0; i < x->events.nr; i++)
		vec_push(&w->types, type_of(x, x->events.v[i], nr_clocks));
}

static void put_value_type(struct pprof *w, uint32_t field, const char *type, const char *unit)
{
	protobuf_u64(&w->message, VALUE_TYPE, pprof_string(w, type));
	protobuf_u64(&w->message, VALUE_UNIT, pprof_string(w, unit));
	protobuf_message(w->x->o, field, &w->message);
}

/* ---- samples ---- */

/* Where it was is not known: its chain is empty, and chains are all that the source had. */
static bool is_nowhere(const struct export *x, const struct pile *p)
{
	return p->stack == STACK_NONE && session_has_whole_stacks(x->p->session) &&
	       x->p->session->info->events.v[p->event].attr.sample_type & SAMPLE_CALLCHAIN;
}

static bool same_sample(const struct pile *a, const struct pile *b)
{
	return a->stack == b->stack && a->location == b->location && a->labels == b->labels && a->task == b->task && a->cpu == b->cpu;
}

/* The pile that a sample's values begin with, and it at their end. */
static void join_sample(struct piles *piles, uint64_t h, uint32_t id)
{
	struct hindex_iter it = hindex_find(&piles->sample_index, h);
	struct pile *p = &piles->v.v[id];

	for (uint32_t i; (i = hindex_next(&it)) != HINDEX_NONE;) {
		struct pile *first = &piles->v.v[i];

		if (!same_sample(first, p))
			continue;
		piles->v.v[first->last].next = id;
		first->last = id;
		return;
	}
	p->is_first = true;
	p->last = id;
	hindex_add(&piles->sample_index, h, id);
}

static struct pile *find_pile(struct piles *piles, const struct pile *key, bool joins)
{
	uint64_t sample = hash_pair((uint64_t)key->task << 32 | key->stack, (uint64_t)key->location << 32 | key->labels);
	uint64_t h = hash_pair(sample, key->cpu << 8 ^ key->event);
	struct hindex_iter it = hindex_find(&piles->index, h);
	uint32_t id;

	while ((id = hindex_next(&it)) != HINDEX_NONE) {
		struct pile *p = &piles->v.v[id];

		if (same_sample(p, key) && p->event == key->event)
			return p;
	}
	id = piles->v.nr;
	vec_push(&piles->v, *key);
	piles->v.v[id].next = NO_PILE;
	hindex_add(&piles->index, h, id);
	if (joins)
		join_sample(piles, sample, id);
	else
		piles->v.v[id].is_first = true;
	return &piles->v.v[id];
}

static void pile_up(struct piles *piles, const struct pprof *w)
{
	const struct export *x = w->x;
	const struct profile_samples *s = &x->p->samples;

	for (uint32_t i = 0; i < x->samples.nr; i++) {
		uint32_t sample = x->samples.v[i];
		struct pile key = { .stack = s->stack[sample], .event = s->event[sample] }, *pile;

		key.location = key.stack == STACK_NONE && !is_nowhere(x, &key) ? s->location[sample] : 0;
		/* Labels tell the task and the CPU, where anything does. */
		if (w->values) {
			key.labels = s->labels[sample];
		} else {
			key.task = s->task[sample];
			key.cpu = export_has_cpu(x, key.event) ? s->cpu[sample] : 0;
		}
		pile = find_pile(piles, &key, w->values);
		pile->period += s->period[sample];
		pile->nr++;
	}
}

static void put_label(struct pprof *w, const char *key, const char *str, int64_t num, const char *unit)
{
	protobuf_u64(&w->inner, LABEL_KEY, pprof_string(w, key));
	if (str)
		protobuf_u64(&w->inner, LABEL_STR, pprof_string(w, str));
	else
		protobuf_i64(&w->inner, LABEL_NUM, num);
	if (!str)
		protobuf_u64(&w->inner, LABEL_NUM_UNIT, pprof_string(w, unit));
	protobuf_message(&w->message, SAMPLE_LABEL, &w->inner);
}

static void put_imported_labels(struct pprof *w, uint32_t set)
{
	uint32_t nr;
	const struct embedded_label *labels = embedded_values_labels(w->values, set, &nr);

	for (uint32_t i = 0; i < nr; i++)
		put_label(w, labels[i].key, labels[i].str, labels[i].num, labels[i].unit);
}

static void put_labels(struct pprof *w, const struct pile *pile)
{
	const struct export *x = w->x;
	const struct profile_task *t = &x->p->tasks.v[pile->task];
	const char *comm = profile_str(x->p, t->comm);
	char cpu[16];

	/* Folded stacks know of no task. */
	if (*comm || t->pid || t->tid) {
		put_label(w, "comm", comm, 0, "");
		put_label(w, "pid", NULL, t->pid, "");
		put_label(w, "tid", NULL, t->tid, "");
	}
	/* As a string, since go's reader drops the number 0. */
	snprintf(cpu, sizeof(cpu), "%u", pile->cpu);
	if (export_has_cpu(x, pile->event))
		put_label(w, "cpu", cpu, 0, "");
	if (export_has_many_events(x))
		put_label(w, "event", export_event_name(x, pile->event), 0, "");
}

/* `periods`: by event, all zero. */
static void put_values(struct pprof *w, const struct piles *piles, const struct pile *first, uint64_t *periods)
{
	uint64_t nr = 0;

	for (const struct pile *p = first; p; p = p->next == NO_PILE ? NULL : &piles->v.v[p->next]) {
		nr += p->nr;
		periods[p->event] = p->period;
	}
	for (uint32_t i = 0; i < w->types.nr; i++) {
		uint32_t event = w->types.v[i].event;

		protobuf_varint(&w->inner, event == EMBEDDED_COUNT ? nr : event < w->x->p->session->info->events.nr ? periods[event] : 0);
	}
	protobuf_message(&w->message, SAMPLE_VALUES, &w->inner);
	for (const struct pile *p = first; p; p = p->next == NO_PILE ? NULL : &piles->v.v[p->next])
		periods[p->event] = 0;
}

static void put_sample(struct pprof *w, const struct piles *piles, const struct pile *pile, struct out *ids, uint64_t *periods)
{
	const struct export *x = w->x;

	/* Locations are messages of their own, so all are written before the sample is begun. */
	if (pile->stack == STACK_NONE && !is_nowhere(x, pile))
		protobuf_varint(ids, pprof_location(w, pile->location));
	for (uint32_t n = profile_stack_node(x->p, pile->stack); n != STACK_TREE_ROOT; n = stack_tree_parent(&x->p->tree, n))
		protobuf_varint(ids, pprof_location(w, stack_tree_frame(&x->p->tree, n)));
	protobuf_message(&w->message, SAMPLE_LOCATIONS, ids);
	put_values(w, piles, pile, periods);
	if (w->values)
		put_imported_labels(w, pile->labels);
	else
		put_labels(w, pile);
	protobuf_message(x->o, PROFILE_SAMPLE, &w->message);
}

static void put_samples(struct pprof *w)
{
	struct piles piles = { 0 };
	uint64_t *periods = mem_zalloc((w->x->p->session->info->events.nr + 1ul) * sizeof(*periods));
	struct out ids;

	out_init(&ids, -1);
	pile_up(&piles, w);
	for (uint32_t i = 0; i < piles.v.nr; i++)
		if (piles.v.v[i].is_first)
			put_sample(w, &piles, &piles.v.v[i], &ids, periods);
	out_fini(&ids);
	free(periods);
	vec_fini(&piles.v);
	hindex_fini(&piles.index);
	hindex_fini(&piles.sample_index);
}

/* ---- the rest ---- */

static void put_line(struct pprof *w, const char *line)
{
	protobuf_tag(w->x->o, PROFILE_COMMENT, PROTOBUF_VARINT);
	protobuf_varint(w->x->o, pprof_string(w, line));
}

static void put_comment(void *ctx, const char *label, const char *text)
{
	struct pprof *w = ctx;
	char *line = mem_printf("%s: %s", label, text);

	put_line(w, line);
	free(line);
}

static void put_string(struct pprof *w, uint32_t field, const char *s)
{
	if (*s)
		protobuf_u64(w->x->o, field, pprof_string(w, s));
}

/* What the source said of itself. */
static void put_imported_header(struct pprof *w)
{
	const struct embedded_values *v = w->values;

	if (*v->period_type || *v->period_unit)
		put_value_type(w, PROFILE_PERIOD_TYPE, v->period_type, v->period_unit);
	protobuf_i64(w->x->o, PROFILE_PERIOD, v->period);
	for (uint32_t i = 0; i < w->types.nr; i++) {
		if (!strcmp(w->types.v[i].type, v->default_type)) {
			put_string(w, PROFILE_DEFAULT_TYPE, v->default_type);
			break;
		}
	}
	put_string(w, PROFILE_DROP_FRAMES, v->drop);
	put_string(w, PROFILE_KEEP_FRAMES, v->keep);
	for (uint32_t i = 0; i < w->x->p->session->names.notes.nr; i++)
		put_line(w, w->x->p->session->names.notes.v[i]);
}

static void put_recorded_header(struct pprof *w)
{
	const struct export *x = w->x;
	uint32_t event = x->events.v[0];
	const struct attr *a = &x->p->session->info->events.v[event].attr;
	struct pprof_type t = type_of(x, event, count_clocks(x));

	put_value_type(w, PROFILE_PERIOD_TYPE, t.type, t.unit);
	if (!(a->flags & ATTR_FREQ))
		protobuf_u64(x->o, PROFILE_PERIOD, a->sample_period);
	else if (export_is_clock(x, event))
		protobuf_u64(x->o, PROFILE_PERIOD, export_interval_ns(x, event));
	protobuf_u64(x->o, PROFILE_DEFAULT_TYPE, pprof_string(w, t.type));
}

static void put_header(struct pprof *w)
{
	const struct export *x = w->x;
	const struct session *s = x->p->session;

	/* Of what was imported without one, the time of the import is not it. */
	if (!s->has_names || s->info->features >> FEAT_CLOCK_DATA & 1)
		protobuf_u64(x->o, PROFILE_TIME_NS, export_wall_ns(x));
	protobuf_u64(x->o, PROFILE_DURATION_NS, x->last_ns - x->first_ns);
	if (w->values) {
		put_imported_header(w);
		return;
	}
	if (x->events.nr)
		put_recorded_header(w);
	export_notes(x, put_comment, w);
}

void export_pprof(struct export *x)
{
	struct pprof w;

	pprof_tables_init(&w, x);
	choose_types(&w);
	for (uint32_t i = 0; i < w.types.nr; i++)
		put_value_type(&w, PROFILE_SAMPLE_TYPE, w.types.v[i].type, w.types.v[i].unit);
	put_samples(&w);
	if (w.values)
		pprof_put_imported_mappings(&w);
	else
		pprof_put_mappings(&w);
	put_header(&w);
	pprof_put_strings(&w);
	pprof_tables_fini(&w);
}
