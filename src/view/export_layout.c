/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The order is that of a walk through the tree, heavy children first and a function's own samples
 * behind those of its callees: nodes are ranked by the weight below them, samples sorted by task,
 * event and rank, and times run on from sample to sample. Of several events each has the same say.
 */
#include "view/export_layout.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LENGTH_NS (UINT64_MAX / 4)
#define FULL_SHARE    (UINT64_C(1) << 32) /* the weight of all samples of an event */

/* A period that nobody knows is one. */
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
	uint64_t *total = mem_zalloc((x->p->session->info->events.nr + 1ul) * sizeof(*total));

	for (uint32_t i = 0; i < x->samples.nr; i++) {
		uint32_t sample = x->samples.v[i], event = x->p->samples.event[sample];

		total[event] = add_capped(total[event], weight_of(x, sample));
	}
	return total;
}

/* Ranks by what was sampled below. A parent stands before its children, so the way back adds all up. */
static uint32_t *rank_nodes(const struct export *x, const struct export_tree *t,
			    const uint64_t *total, const uint32_t *node_of)
{
	uint64_t *below = mem_zalloc(t->tree.frames.nr * sizeof(*below));
	uint32_t *rank;

	for (uint32_t i = 0; i < x->samples.nr; i++) {
		uint32_t sample = x->samples.v[i];
		double all = (double)total[x->p->samples.event[sample]];

		if (all > 0)
			below[node_of[sample]] +=
				(uint64_t)((double)weight_of(x, sample) / all * (double)FULL_SHARE);
	}
	for (uint32_t i = t->tree.frames.nr; i-- > 1;)
		below[stack_tree_parent(&t->tree, i)] += below[i];
	rank = export_tree_rank(t, below);
	free(below);
	return rank;
}

struct by_place {
	const struct export *x;
	const uint32_t *node_of, *rank;
};

static int compare(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_series(const struct export *x, uint32_t a, uint32_t b)
{
	const struct profile_samples *s = &x->p->samples;
	int order = compare(s->task[a], s->task[b]);

	return order ? order : compare(s->event[a], s->event[b]);
}

/* Ranks count light siblings first and functions before what they call: their end is the beginning. */
static int cmp_places(const void *va, const void *vb, void *ctx)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	const struct by_place *c = ctx;
	int order = compare_series(c->x, a, b);

	if (!order)
		order = compare(c->rank[c->node_of[b]], c->rank[c->node_of[a]]);
	return order ? order : compare(a, b);
}

static void sort_samples(struct export *x, struct export_tree *t, const uint64_t *total)
{
	uint32_t *node_of = mem_alloc((x->p->samples.nr + 1ul) * sizeof(*node_of)), *rank;

	for (uint32_t i = 0; i < x->samples.nr; i++)
		node_of[x->samples.v[i]] = export_tree_node(t, x->samples.v[i]);
	rank = rank_nodes(x, t, total, node_of);
	if (x->samples.nr)
		qsort_r(x->samples.v, x->samples.nr, sizeof(*x->samples.v), cmp_places,
			&(struct by_place){ x, node_of, rank });
	free(node_of);
	free(rank);
}

/* Times are as long as they are. The lengths of all counts are the same, and one that fits. */
static void choose_lengths(struct export *x, const uint64_t *total, uint64_t ns_per_count)
{
	x->laid_ns = mem_zalloc((x->p->session->info->events.nr + 1ul) * sizeof(*x->laid_ns));
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
