/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Samples by thread and event in time order (series); then times for samples that have none: the order of a walk through the tree, heavy
 * children first and a function's own samples after those of its callees. Nodes are ranked by the weight below them, samples sorted by
 * task, event and rank. All events have the same influence.
 */
#include "view/export.h"

#include <stdlib.h>
#include <string.h>

/* Series: counted, placed one behind the other, filled in. */

static int cmp_series(const void *va, const void *vb, void *ctx)
{
	const struct export_series *a = va, *b = vb;
	const struct export *x = ctx;
	const struct profile_task *ta = &x->p->tasks.v[a->task], *tb = &x->p->tasks.v[b->task];
	/* The first thread of a process has its number. */
	int64_t tid_a = ta->tid == ta->pid ? INT64_MIN : ta->tid, tid_b = tb->tid == tb->pid ? INT64_MIN : tb->tid;

	return COMPARE(ta->pid, tb->pid) ?: COMPARE(tid_a, tid_b) ?: COMPARE(a->task, b->task) ?: COMPARE(a->event, b->event);
}

static uint32_t find_series(struct export_series_list *l, struct hindex *ix, uint32_t task, uint32_t event)
{
	struct export_series se = { .task = task, .event = event, .first = l->v.nr };

	return HINDEX_INTERN(ix, hash_pair(task, event), &l->v, known, known->task == task && known->event == event, se);
}

/* Sorted, with their places; returns where each of the unsorted ones is now. The caller frees. */
static uint32_t *place_series(struct export_series_list *l, const struct export *x)
{
	uint32_t *now_at = mem_alloc((l->v.nr + 1ul) * sizeof(*now_at)), first = 0;

	vec_sort_r(&l->v, cmp_series, x);
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
	else if (export_has_id(t) || !x->p->recording->is_imported)
		out_printf(o, " %d", t->pid);
	if (export_has_many_events(x))
		out_printf(o, " (%s)", export_event_name(x, s->event));
}

/* Times of samples that have none */

#define MAX_LENGTH_NS (UINT64_MAX / 4)
#define FULL_SHARE (UINT64_C(1) << 32) /* the weight of all samples of an event */

/* An unknown period counts as 1. */
static uint64_t weight_of(const struct export *x, uint32_t sample)
{
	uint64_t period = x->p->samples.period[sample];

	return period || x->weight_is_period ? period : 1;
}

static uint64_t add_capped(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t export_laid_ns(const struct export *x, uint32_t sample)
{
	uint64_t ns = x->laid_ns[x->p->samples.event[sample]], length;

	if (__builtin_mul_overflow(weight_of(x, sample), ns, &length))
		return MAX_LENGTH_NS;
	return length < MAX_LENGTH_NS ? length : MAX_LENGTH_NS;
}

static uint64_t *total_of_events(const struct export *x)
{
	uint64_t *total = mem_zalloc((x->p->recording->info->events.nr + 1ul) * sizeof(*total));

	for (uint32_t i = 0; i < x->samples.nr; i++) {
		uint32_t sample = x->samples.v[i], event = x->p->samples.event[sample];

		total[event] = add_capped(total[event], weight_of(x, sample));
	}
	return total;
}

/* What was sampled at nodes, or at all that stands on a run; sums are of all up to there. */
struct weight {
	uint32_t node; /* first: they are sorted by it */
	uint64_t sum;
};

struct weights {
	struct export_tree *t;
	VEC(struct weight) v; /* by node, once they are sorted */
	VEC(uint32_t) nodes;  /* those that were sampled, sorted */
};

/* Of all nodes in front of one. */
static uint64_t sum_before(const struct weights *w, uint32_t node)
{
	uint32_t nr = vec_search(w->v.nr, i, w->v.v[i].node >= node);

	return nr ? w->v.v[nr - 1].sum : 0;
}

/* Of a node and all that stands on it, which is in the rest of its run or stands on that. */
static uint64_t weight_below(const void *ctx, uint32_t node, uint32_t frame)
{
	const struct weights *w = ctx;

	(void)frame;
	return sum_before(w, export_tree_run_end(w->t, export_tree_run(w->t, node))) - sum_before(w, node);
}

static void add_samples(struct weights *w, const struct export *x, const uint64_t *total)
{
	for (uint32_t i = 0; i < x->samples.nr; i++) {
		uint32_t sample = x->samples.v[i];
		double all = (double)total[x->p->samples.event[sample]];
		struct weight at = { export_tree_node(w->t, sample), 0 };

		if (all > 0)
			at.sum = (uint64_t)((double)weight_of(x, sample) / all * (double)FULL_SHARE);
		vec_push(&w->v, at);
	}
	vec_sort(&w->v, compare_u32);
	for (uint32_t i = 0; i < w->v.nr; i++)
		if (!i || w->v.v[i].node != w->v.v[i - 1].node)
			vec_push(&w->nodes, w->v.v[i].node);
}

/* A run weighs at the node that it stands on. Runs stand on earlier ones, so the way back adds all up. */
static void add_runs(struct weights *w)
{
	uint64_t *of_run = mem_zalloc((w->t->runs.nr + 1ul) * sizeof(*of_run));

	for (uint32_t i = 0, run = 0; i < w->v.nr; i++) {
		while (w->v.v[i].node >= export_tree_run_end(w->t, run))
			run++;
		of_run[run] += w->v.v[i].sum;
	}
	for (uint32_t i = w->t->runs.nr; i-- > 1;) {
		uint32_t parent = w->t->runs.v[i].parent;

		of_run[export_tree_run(w->t, parent)] += of_run[i];
		vec_push(&w->v, ((struct weight){ parent, of_run[i] }));
	}
	free(of_run);
	vec_sort(&w->v, compare_u32);
	for (uint32_t i = 1; i < w->v.nr; i++)
		w->v.v[i].sum += w->v.v[i - 1].sum;
}

/* Ranks of samples, by what was sampled below. The caller frees. */
static uint32_t *rank_samples(const struct export *x, struct export_tree *t, const uint64_t *total)
{
	uint32_t *rank_of = mem_alloc((x->p->samples.nr + 1ul) * sizeof(*rank_of)), *rank;
	struct weights w = { .t = t };

	add_samples(&w, x, total);
	add_runs(&w);
	rank = export_tree_rank(t, w.nodes.v, w.nodes.nr, weight_below, &w);
	for (uint32_t i = 0; i < x->samples.nr; i++) {
		uint32_t node = export_tree_node(t, x->samples.v[i]);
		const uint32_t *at = bsearch(&node, w.nodes.v, w.nodes.nr, sizeof(node), compare_u32);

		rank_of[x->samples.v[i]] = rank[at - w.nodes.v];
	}
	vec_fini(&w.v);
	vec_fini(&w.nodes);
	free(rank);
	return rank_of;
}

struct by_place {
	const struct export *x;
	const uint32_t *rank_of; /* by sample */
};

static int compare_series(const struct export *x, uint32_t a, uint32_t b)
{
	const struct profile_samples *s = &x->p->samples;

	return COMPARE(s->task[a], s->task[b]) ?: COMPARE(s->event[a], s->event[b]);
}

/* Ranks count light siblings first and functions before what they call: their end is the beginning. */
static int cmp_places(const void *va, const void *vb, void *ctx)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	const struct by_place *c = ctx;

	return compare_series(c->x, a, b) ?: COMPARE(c->rank_of[b], c->rank_of[a]) ?: COMPARE(a, b);
}

static void sort_samples(struct export *x, struct export_tree *t, const uint64_t *total)
{
	uint32_t *rank_of = rank_samples(x, t, total);

	vec_sort_r(&x->samples, cmp_places, (&(struct by_place){ x, rank_of }));
	free(rank_of);
}

/* Times are as long as they are. The lengths of all counts are the same, and one that fits. */
static void choose_lengths(struct export *x, const uint64_t *total, uint64_t ns_per_count)
{
	x->laid_ns = mem_zalloc((x->p->recording->info->events.nr + 1ul) * sizeof(*x->laid_ns));
	for (uint32_t i = 0; i < x->events.nr; i++) {
		uint32_t event = x->events.v[i];

		x->laid_ns[event] = export_time_unit_ns(x, event);
		while (!x->laid_ns[event] && ns_per_count > 1 && total[event] > MAX_LENGTH_NS / ns_per_count)
			ns_per_count /= 10;
	}
	for (uint32_t i = 0; i < x->events.nr; i++)
		if (!x->laid_ns[x->events.v[i]])
			x->laid_ns[x->events.v[i]] = ns_per_count;
	x->ns_per_count = ns_per_count;
}

void export_lay_out(struct export *x, struct export_tree *t, uint64_t ns_per_count)
{
	uint64_t *times, *total, now = x->first_ns;

	if (x->has_times)
		return;
	total = total_of_events(x);
	choose_lengths(x, total, ns_per_count);
	sort_samples(x, t, total);
	times = mem_alloc((x->p->samples.nr + 1ul) * sizeof(*times));
	x->last_ns = x->first_ns;
	for (uint32_t i = 0; i < x->samples.nr; i++) {
		uint32_t sample = x->samples.v[i];

		if (i && compare_series(x, x->samples.v[i - 1], sample))
			now = x->first_ns;
		times[sample] = now;
		now = add_capped(now, export_laid_ns(x, sample));
		x->last_ns = now > x->last_ns ? now : x->last_ns;
	}
	x->time_ns = x->laid_times = times;
	free(total);
}
