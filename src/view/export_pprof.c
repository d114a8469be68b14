/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * profile.proto, uncompressed (the output file compresses). Samples of one stack, task, CPU and event are merged. A recording that was
 * imported from pprof keeps its value types and labels: there, samples of one stack with the same labels are merged over all events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/sample_groups.h"
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

#define NO_GROUP UINT32_MAX

enum { BY_TASK, BY_LABELS = BY_TASK, BY_CPU, BY_EVENT }; /* of struct sample_group; labels where the source had some */

/* Groups of one sample, whose values are those of all events. */
struct joined {
	uint32_t next; /* the next one; of the first: … */
	uint32_t last; /* … the last one */
	bool is_first;
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
		const struct imported_type *t = &w->values->types.v[i];

		if (only < 0 || t->event == (uint32_t)only || t->event == IMPORTED_COUNT)
			vec_push(&w->types,
				 ((struct pprof_type){ imported_str(w->values, t->name), imported_str(w->values, t->unit), t->event }));
	}
}

/* The number of samples behind imported sums is unknown; an event named "samples" has it already. */
static bool has_count(const struct export *x)
{
	for (uint32_t i = 0; i < x->events.nr; i++)
		if (!strcmp(export_event_name(x, x->events.v[i]), "samples"))
			return false;
	return !recording_has_sums(x->p->recording);
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
		vec_push(&w->types, ((struct pprof_type){ "samples", "count", IMPORTED_COUNT }));
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
static bool is_nowhere(const struct export *x, uint32_t stack, uint32_t event)
{
	return stack == STACK_NONE && recording_has_whole_stacks(x->p->recording) &&
	       x->p->recording->info->events.v[event].attr.sample_type & SAMPLE_CALLCHAIN;
}

static void group_samples(struct sample_groups *groups, const struct pprof *w)
{
	const struct export *x = w->x;
	const struct profile_samples *s = &x->p->samples;

	for (uint32_t i = 0; i < x->samples.nr; i++) {
		uint32_t sample = x->samples.v[i], event = s->event[sample];
		struct sample_group key = { .stack = s->stack[sample], .by[BY_EVENT] = event, .sample = sample };

		key.location = key.stack == STACK_NONE && !is_nowhere(x, key.stack, event) ? s->location[sample] : 0;
		/* Labels tell the task and the CPU, where anything does. */
		key.by[BY_TASK] = w->values ? s->labels[sample] : s->task[sample];
		key.by[BY_CPU] = !w->values && export_has_cpu(x, event) ? s->cpu[sample] : 0;
		sample_groups_add_to(groups, &key, s->period[sample]);
	}
	sample_groups_seal(groups);
}

/* Groups that differ in their event alone are one sample where there are values of all. The caller frees. */
static struct joined *join_groups(const struct sample_groups *groups, bool joins)
{
	struct joined *joined = mem_alloc((groups->v.nr + 1ul) * sizeof(*joined));
	struct hindex index = { 0 };

	for (uint32_t i = 0; i < groups->v.nr; i++) {
		const struct sample_group *g = &groups->v.v[i];
		uint64_t h = joins ? hash_pair((uint64_t)g->stack << 32 | g->location, g->by[BY_LABELS]) : 0;
		uint32_t id = HINDEX_FIND_ITEM(&index, h, &groups->v, first,
					       first->stack == g->stack && first->location == g->location &&
						       first->by[BY_LABELS] == g->by[BY_LABELS]);

		joined[i] = (struct joined){ NO_GROUP, i, id == NO_GROUP };
		if (id != NO_GROUP) {
			joined[joined[id].last].next = i;
			joined[id].last = i;
		} else if (joins) {
			hindex_add(&index, h, i);
		}
	}
	hindex_fini(&index);
	return joined;
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
	const struct imported *n = w->values;
	const struct imported_label *labels = imported_labels(n, set, &nr);

	for (uint32_t i = 0; i < nr; i++)
		put_label(w, imported_str(n, labels[i].key), labels[i].str == IMPORTED_NONE ? NULL : imported_str(n, labels[i].str),
			  labels[i].num, imported_str(n, labels[i].unit));
}

static void put_labels(struct pprof *w, const struct sample_group *g)
{
	const struct export *x = w->x;
	const struct profile_task *t = &x->p->tasks.v[g->by[BY_TASK]];
	const char *comm = profile_str(x->p, t->comm);
	char cpu[16];

	/* Folded stacks know of no task. */
	if (*comm || t->pid || t->tid) {
		put_label(w, "comm", comm, 0, "");
		put_label(w, "pid", NULL, t->pid, "");
		put_label(w, "tid", NULL, t->tid, "");
	}
	/* As a string, since go's reader drops the number 0. */
	snprintf(cpu, sizeof(cpu), "%u", g->by[BY_CPU]);
	if (export_has_cpu(x, g->by[BY_EVENT]))
		put_label(w, "cpu", cpu, 0, "");
	if (export_has_many_events(x))
		put_label(w, "event", export_event_name(x, g->by[BY_EVENT]), 0, "");
}

/* `periods`: by event, all zero. */
static void put_values(struct pprof *w, const struct sample_groups *groups, const struct joined *joined, uint32_t first, uint64_t *periods)
{
	uint64_t nr = 0;

	for (uint32_t i = first; i != NO_GROUP; i = joined[i].next) {
		nr += groups->v.v[i].nr;
		periods[groups->v.v[i].by[BY_EVENT]] = groups->v.v[i].period;
	}
	for (uint32_t i = 0; i < w->types.nr; i++) {
		uint32_t event = w->types.v[i].event;

		protobuf_varint(&w->inner, event == IMPORTED_COUNT ? nr : event < w->x->p->recording->info->events.nr ? periods[event] : 0);
	}
	protobuf_message(&w->message, SAMPLE_VALUES, &w->inner);
	for (uint32_t i = first; i != NO_GROUP; i = joined[i].next)
		periods[groups->v.v[i].by[BY_EVENT]] = 0;
}

/* Locations are messages of their own, so all are written before the sample is begun. */
static void put_locations(struct pprof *w, const struct sample_group *g, struct out *ids)
{
	const struct profile *p = w->x->p;

	if (g->stack == STACK_NONE && !is_nowhere(w->x, g->stack, g->by[BY_EVENT]))
		protobuf_varint(ids, pprof_location(w, g->location));
	for (uint32_t n = profile_stack_node(p, g->stack); n != STACK_TREE_ROOT; n = stack_tree_parent(&p->tree, n))
		protobuf_varint(ids, pprof_location(w, stack_tree_frame(&p->tree, n)));
	protobuf_message(&w->message, SAMPLE_LOCATIONS, ids);
}

static void put_samples(struct pprof *w)
{
	uint64_t *periods = mem_zalloc((w->x->p->recording->info->events.nr + 1ul) * sizeof(*periods));
	struct sample_groups groups = { 0 };
	struct joined *joined;
	struct out ids;

	out_init(&ids, -1);
	group_samples(&groups, w);
	joined = join_groups(&groups, w->values);
	for (uint32_t i = 0; i < groups.v.nr; i++) {
		if (!joined[i].is_first)
			continue;
		put_locations(w, &groups.v.v[i], &ids);
		put_values(w, &groups, joined, i, periods);
		if (w->values)
			put_imported_labels(w, groups.v.v[i].by[BY_LABELS]);
		else
			put_labels(w, &groups.v.v[i]);
		protobuf_message(w->x->o, PROFILE_SAMPLE, &w->message);
	}
	out_fini(&ids);
	free(periods);
	free(joined);
	sample_groups_fini(&groups);
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
	const struct imported *n = w->values;
	const char *type = imported_str(n, n->period_type), *unit = imported_str(n, n->period_unit);

	if (*type || *unit)
		put_value_type(w, PROFILE_PERIOD_TYPE, type, unit);
	protobuf_i64(w->x->o, PROFILE_PERIOD, n->period);
	for (uint32_t i = 0; i < w->types.nr; i++) {
		if (!strcmp(w->types.v[i].type, imported_str(n, n->default_type))) {
			put_string(w, PROFILE_DEFAULT_TYPE, imported_str(n, n->default_type));
			break;
		}
	}
	put_string(w, PROFILE_DROP_FRAMES, imported_str(n, n->drop));
	put_string(w, PROFILE_KEEP_FRAMES, imported_str(n, n->keep));
	for (uint32_t i = 0; i < n->notes.nr; i++)
		put_line(w, imported_str(n, n->notes.v[i]));
}

static void put_recorded_header(struct pprof *w)
{
	const struct export *x = w->x;
	uint32_t event = x->events.v[0];
	const struct attr *a = &x->p->recording->info->events.v[event].attr;
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
	const struct recording *r = x->p->recording;

	/* Of what was imported without one, the time of the import is not it. */
	if (!r->is_imported || r->info->features >> FEAT_CLOCK_DATA & 1)
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
