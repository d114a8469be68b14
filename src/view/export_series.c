/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Samples by thread and event, for formats that have a list for each thread: counted, placed one behind the other, filled in. They stay
 * in the order of time.
 */
#include <stdlib.h>
#include <string.h>

#include "view/export.h"

static int cmp_series(const void *va, const void *vb, void *ctx)
{
	const struct export_series *a = va, *b = vb;
	const struct export *x = ctx;
	const struct profile_task *ta = &x->p->tasks.v[a->task], *tb = &x->p->tasks.v[b->task];
	int64_t order = (int64_t)ta->pid - tb->pid;

	if (!order && ta->tid != tb->tid) /* the first thread of a process has its number */
		order = ta->tid == ta->pid ? -1 : tb->tid == tb->pid ? 1 : (int64_t)ta->tid - tb->tid;
	if (!order)
		order = (int64_t)a->task - b->task;
	if (!order)
		order = (int64_t)a->event - b->event;
	return order < 0 ? -1 : order > 0;
}

static uint32_t find_series(struct export_series_list *l, struct hindex *ix, uint32_t task, uint32_t event)
{
	struct export_series se = { .task = task, .event = event, .first = l->v.nr };
	uint64_t h = hash_pair(task, event);
	struct hindex_iter it = hindex_find(ix, h);

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;)
		if (l->v.v[id].task == task && l->v.v[id].event == event)
			return id;
	vec_push(&l->v, se);
	hindex_add(ix, h, l->v.nr - 1);
	return l->v.nr - 1;
}

/* Sorted, with their places; returns where each of the unsorted ones is now. The caller frees. */
static uint32_t *place_series(struct export_series_list *l, const struct export *x)
{
	uint32_t *now_at = mem_alloc((l->v.nr + 1ul) * sizeof(*now_at)), first = 0;

	if (l->v.nr)
		qsort_r(l->v.v, l->v.nr, sizeof(*l->v.v), cmp_series, (void *)(uintptr_t)x);
	for (uint32_t i = 0; i < l->v.nr; i++) {
		struct export_series *se = &l->v.v[i];

		now_at[se->first] = i;
		se->first = first;
		first += se->nr;
		se->nr = 0;
	}
	return now_at;
}

void export_series_init(struct export_series_list *l, const struct export *x)
{
	const struct profile_samples *s = &x->p->samples;
	uint32_t *of_sample = mem_alloc((x->samples.nr + 1ul) * sizeof(*of_sample)), *now_at;
	struct hindex ix = { 0 };

	memset(l, 0, sizeof(*l));
	for (uint32_t i = 0; i < x->samples.nr; i++) {
		uint32_t sample = x->samples.v[i];

		of_sample[i] = find_series(l, &ix, s->task[sample], s->event[sample]);
		l->v.v[of_sample[i]].nr++;
		l->v.v[of_sample[i]].sum += s->period[sample];
	}
	hindex_fini(&ix);
	now_at = place_series(l, x);
	l->samples = mem_alloc((x->samples.nr + 1ul) * sizeof(*l->samples));
	for (uint32_t i = 0; i < x->samples.nr; i++) {
		struct export_series *se = &l->v.v[now_at[of_sample[i]]];

		l->samples[se->first + se->nr++] = x->samples.v[i];
	}
	free(of_sample);
	free(now_at);
}

void export_series_fini(struct export_series_list *l)
{
	vec_fini(&l->v);
	free(l->samples);
}

void export_series_name(struct out *o, const struct export *x, const struct export_series *s)
{
	const struct profile_task *t = &x->p->tasks.v[s->task];

	o->len = 0;
	out_str(o, export_task_name(x, s->task));
	if (t->tid != t->pid)
		out_printf(o, " %d/%d", t->pid, t->tid);
	else if (export_has_id(t) || !x->p->recording->has_names)
		out_printf(o, " %d", t->pid);
	if (export_has_many_events(x))
		out_printf(o, " (%s)", export_event_name(x, s->event));
}
