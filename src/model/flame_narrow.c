/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is too narrow to be drawn, kept for whoever looks for a name: a search that left it out would tell wrong shares. The widest
 * first, and no more than FLAME_MAX_NARROW nodes: what is beyond stays in its parent's total, from which it can be told how much
 * is not known. Memory is bounded by that, too, however many stacks there are.
 */
#include "model/flame_grow.h"

#include <stdlib.h>

static bool is_wider(const struct narrow *a, const struct narrow *b)
{
	return a->share != b->share ? a->share > b->share : a->order < b->order;
}

static int cmp_widest_first(const void *a, const void *b)
{
	return is_wider(a, b) ? -1 : 1;
}

/* Those that could not be reached any more go. What is sorted is a heap, too. */
static void sort_and_trim(struct grower *g)
{
	if (!g->narrow.nr)
		return;
	qsort(g->narrow.v, g->narrow.nr, sizeof(*g->narrow.v), cmp_widest_first);
	if (g->narrow.nr > FLAME_MAX_NARROW)
		g->narrow.nr = FLAME_MAX_NARROW;
}

void flame_narrow_add(struct grower *g, const struct range *r, const struct bucket *b)
{
	const uint64_t *totals = &g->totals.v[(uint64_t)b->totals * g->f->nr_columns];
	struct narrow n = {
		.order = g->nr_narrow++,
		.parent = r->node,
		.frame = b->frame,
		.depth = r->depth + 1,
		.from = r->from + b->start,
		.to = r->from + b->start + b->nr_paths,
	};

	for (uint32_t c = 0; c < g->f->nr_columns; c++)
		if (totals[c])
			n.share += (double)totals[c] / (double)g->f->sum[c];
	if (!(n.share > 0))
		return;
	if (g->narrow.nr >= 2 * FLAME_MAX_NARROW)
		sort_and_trim(g);
	vec_push(&g->narrow, n);
}

static void swap(struct narrow *a, struct narrow *b)
{
	struct narrow t = *a;

	*a = *b;
	*b = t;
}

/* The items from `first` on were added behind a heap. */
static void heap_rise(struct grower *g, uint32_t first)
{
	struct narrow *v = g->narrow.v;

	for (uint32_t i = first; i < g->narrow.nr; i++)
		for (uint32_t k = i; k && is_wider(&v[k], &v[(k - 1) / 2]); k = (k - 1) / 2)
			swap(&v[k], &v[(k - 1) / 2]);
}

static struct narrow heap_pop(struct grower *g)
{
	struct narrow *v = g->narrow.v, top = v[0];
	uint32_t nr = --g->narrow.nr;

	v[0] = v[nr];
	for (uint32_t k = 0, child; (child = 2 * k + 1) < nr; k = child) {
		if (child + 1 < nr && is_wider(&v[child + 1], &v[child]))
			child++;
		if (!is_wider(&v[child], &v[k]))
			break;
		swap(&v[child], &v[k]);
	}
	return top;
}

static uint32_t add_node(struct flame *f, const struct narrow *n)
{
	uint32_t id = f->nodes.nr + f->narrow.nr;
	uint32_t *first = n->parent < f->nodes.nr ? &f->first_narrow[n->parent] : &f->narrow.v[n->parent - f->nodes.nr].first_child;
	struct flame_node node = {
		.frame = n->frame, .parent = n->parent, .first_child = FLAME_NONE, .next_sibling = *first, .depth = n->depth,
	};

	*first = id;
	vec_push(&f->narrow, node);
	for (uint32_t c = 0; c < f->nr_columns; c++) {
		vec_push(&f->total, 0);
		vec_push(&f->self, 0);
	}
	for (uint32_t i = n->from; i < n->to; i++)
		f->total.v[(uint64_t)id * f->nr_columns + f->paths.v[i].column] += f->paths.v[i].weight;
	return id;
}

static void add_children(struct grower *g, struct range r)
{
	uint32_t start = 0, first;

	r.from += flame_take_ends(g->f, &r);
	if (r.from == r.to)
		return;
	flame_fill_buckets(g, &r);
	for (uint32_t i = 0; i < g->buckets.nr; i++) {
		g->buckets.v[i].start = start;
		start += g->buckets.v[i].nr_paths;
	}
	if (g->narrow.nr + (uint64_t)g->buckets.nr >= 2 * FLAME_MAX_NARROW)
		sort_and_trim(g);
	first = g->narrow.nr;
	for (uint32_t i = 0; i < g->buckets.nr; i++)
		flame_narrow_add(g, &r, &g->buckets.v[i]);
	/* Where that trimmed, no more than FLAME_MAX_NARROW were there before: `first` lies in what was sorted, or at its end. */
	heap_rise(g, first);
	flame_place_paths(g, &r);
}

void flame_narrow_grow(struct grower *g)
{
	struct flame *f = g->f;

	f->first_narrow = mem_alloc(f->nodes.nr * sizeof(*f->first_narrow));
	for (uint32_t i = 0; i < f->nodes.nr; i++)
		f->first_narrow[i] = FLAME_NONE;
	sort_and_trim(g);
	while (g->narrow.nr && f->narrow.nr < FLAME_MAX_NARROW) {
		struct narrow n = heap_pop(g);

		add_children(g, (struct range){ .node = add_node(f, &n), .depth = n.depth, .from = n.from, .to = n.to });
	}
}
