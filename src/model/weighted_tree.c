/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Growing by partition: the paths at a node are sorted into buckets by their next frame, and only large buckets are followed. Memory is
 * the list of paths plus the nodes that stay. No recursion: the depth is the file's.
 */
#include "model/weighted_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The paths [from, to) that go through a node, whose children are to be found. */
struct range {
	uint32_t node, depth; /* depth: frames of the paths up to the node */
	uint32_t from, to;
};

struct bucket {
	uint32_t frame;
	uint32_t nr_paths, start;
	uint32_t totals; /* which of grower.totals */
};

/* Paths that were left out at a node because they are narrow together. */
struct narrow {
	double share;	/* of the columns' sums, added up */
	uint32_t order; /* of those that are as wide: the first one met */
	uint32_t parent, frame, depth;
	uint32_t from, to;
};

struct grower {
	struct weighted_tree *t;
	const struct weighted_options *o;
	struct weighted_path *paths, *sorted; /* sorted: scratch, as long as all paths */
	VEC(struct bucket) buckets;	      /* of the node at hand */
	VEC(uint64_t) totals;		      /* of buckets, by column */
	VEC(struct range) todo;
	VEC(struct narrow) narrow; /* a heap, the widest on top, once the tree is done */
	uint32_t nr_narrow;	   /* that were ever added */
};

void weighted_tree_fini(struct weighted_tree *t)
{
	vec_fini(&t->nodes);
	vec_fini(&t->self);
	vec_fini(&t->total);
	vec_fini(&t->narrow);
	vec_fini(&t->first_narrow);
	vec_fini(&t->bucket_of);
	vec_fini(&t->stamp_of);
}

static inline uint32_t frame_at(const struct weighted_options *o, const struct weighted_path *p, uint32_t depth)
{
	uint32_t step = o->steps[p->first + depth];

	return o->frame_of ? o->frame_of[step] : step;
}

static inline void add_weights(const struct grower *g, uint64_t *weights, const struct weighted_path *p)
{
	weights[p->column] += p->weight;
	if (g->o->has_counts)
		weights[1] += p->count;
}

/* Figures of one more node. */
static void push_figures(struct weighted_tree *t, const uint64_t *totals)
{
	for (uint32_t c = 0; c < t->nr_columns; c++) {
		vec_push(&t->total, totals ? totals[c] : 0);
		vec_push(&t->self, 0);
	}
}

/* Paths that end at the node are counted as its own and go to the front; the range is without them. */
static void take_ends(struct grower *g, struct range *r)
{
	uint64_t *self = &g->t->self.v[(uint64_t)r->node * g->t->nr_columns];

	for (uint32_t i = r->from; i < r->to; i++) {
		struct weighted_path p = g->paths[i];

		if (p.nr != r->depth)
			continue;
		add_weights(g, self, &p);
		g->paths[i] = g->paths[r->from];
		g->paths[r->from++] = p;
	}
}

/* One bucket for each frame that stands on the node, in the order of the paths. */
static void fill_buckets(struct grower *g, const struct range *r)
{
	struct weighted_tree *t = g->t;

	t->stamp++;
	g->buckets.nr = g->totals.nr = 0;
	for (uint32_t i = r->from; i < r->to; i++) {
		const struct weighted_path *p = &g->paths[i];
		uint32_t frame = frame_at(g->o, p, r->depth);

		if (t->stamp_of.v[frame] != t->stamp) {
			t->stamp_of.v[frame] = t->stamp;
			t->bucket_of.v[frame] = g->buckets.nr;
			*vec_add(&g->buckets) = (struct bucket){ .frame = frame, .totals = t->bucket_of.v[frame] };
			for (uint32_t c = 0; c < t->nr_columns; c++)
				vec_push(&g->totals, 0);
		}
		g->buckets.v[t->bucket_of.v[frame]].nr_paths++;
		add_weights(g, &g->totals.v[(uint64_t)t->bucket_of.v[frame] * t->nr_columns], p);
	}
}

static int cmp_buckets(const void *va, const void *vb, void *ctx)
{
	const uint32_t *rank = ctx, a = rank[((const struct bucket *)va)->frame], b = rank[((const struct bucket *)vb)->frame];

	return COMPARE(a, b);
}

static void sort_buckets(struct grower *g)
{
	struct bucket *v = g->buckets.v;

	if (g->o->rank) {
		qsort_r(v, g->buckets.nr, sizeof(*v), cmp_buckets, (void *)(uintptr_t)g->o->rank);
		return;
	}
	for (uint32_t i = 0, k = g->buckets.nr; i + 1 < k; i++) {
		struct bucket b = v[--k];

		v[k] = v[i];
		v[i] = b;
	}
}

/* Where the paths of each bucket will lie, in the order of the buckets. */
static void place_buckets(struct grower *g)
{
	uint32_t start = 0;

	for (uint32_t i = 0; i < g->buckets.nr; i++) {
		g->t->bucket_of.v[g->buckets.v[i].frame] = i;
		g->buckets.v[i].start = start;
		start += g->buckets.v[i].nr_paths;
	}
}

/* Brings the paths of a range into that order. */
static void sort_paths(struct grower *g, const struct range *r)
{
	if (g->buckets.nr == 1)
		return;
	for (uint32_t i = r->from; i < r->to; i++)
		g->sorted[g->buckets.v[g->t->bucket_of.v[frame_at(g->o, &g->paths[i], r->depth)]].start++] = g->paths[i];
	memcpy(g->paths + r->from, g->sorted, (r->to - r->from) * sizeof(*g->sorted));
}

static const uint64_t *totals_of(const struct grower *g, const struct bucket *b)
{
	return &g->totals.v[(uint64_t)b->totals * g->t->nr_columns];
}

static bool is_wide(const struct grower *g, const uint64_t *totals, uint64_t least)
{
	if (totals[0] >= least)
		return true;
	for (uint32_t c = 1; g->o->least && c < g->t->nr_columns; c++)
		if (totals[c] >= g->o->least[c])
			return true;
	return false;
}

/* The least that a child of the node has in the first column. */
static uint64_t least_of(const struct grower *g)
{
	uint64_t below = 0, least = g->o->least ? g->o->least[0] : 0, part;

	if (!(g->o->share > 0))
		return least;
	for (uint32_t i = 0; i < g->buckets.nr; i++)
		below += *totals_of(g, &g->buckets.v[i]);
	part = (uint64_t)ceil((double)below * g->o->share);
	return part > least ? part : least;
}

/* Nodes too narrow to draw, kept for searches: the widest first, at most WEIGHTED_MAX_NARROW. */

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
	if (g->narrow.nr > WEIGHTED_MAX_NARROW)
		g->narrow.nr = WEIGHTED_MAX_NARROW;
}

/* A bucket that gets no node, as it was placed. */
static void put_aside(struct grower *g, const struct range *r, const struct bucket *b)
{
	const uint64_t *totals = totals_of(g, b), *sums = weighted_totals(g->t, WEIGHTED_ROOT);
	struct narrow n = {
		.order = g->nr_narrow++,
		.parent = r->node,
		.frame = b->frame,
		.depth = r->depth + 1,
		.from = r->from + b->start,
		.to = r->from + b->start + b->nr_paths,
	};

	for (uint32_t c = 0; c < g->t->nr_columns; c++)
		if (totals[c])
			n.share += (double)totals[c] / (double)sums[c];
	if (!(n.share > 0))
		return;
	if (g->narrow.nr >= 2 * WEIGHTED_MAX_NARROW)
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

static uint32_t add_narrow_node(struct grower *g, const struct narrow *n)
{
	struct weighted_tree *t = g->t;
	uint32_t id = t->nodes.nr + t->narrow.nr;
	uint32_t *first = n->parent < t->nodes.nr ? &t->first_narrow.v[n->parent] : &t->narrow.v[n->parent - t->nodes.nr].first_child;
	struct weighted_node node = {
		.frame = n->frame,
		.parent = n->parent,
		.first_child = WEIGHTED_NONE,
		.next_sibling = *first,
		.depth = n->depth,
	};

	*first = id;
	vec_push(&t->narrow, node);
	push_figures(t, NULL);
	for (uint32_t i = n->from; i < n->to; i++)
		add_weights(g, &t->total.v[(uint64_t)id * t->nr_columns], &g->paths[i]);
	return id;
}

static void follow_narrow(struct grower *g, struct range r)
{
	uint32_t first;

	take_ends(g, &r);
	if (r.from == r.to)
		return;
	fill_buckets(g, &r);
	place_buckets(g);
	if (g->narrow.nr + (uint64_t)g->buckets.nr >= 2 * WEIGHTED_MAX_NARROW)
		sort_and_trim(g);
	first = g->narrow.nr;
	for (uint32_t i = 0; i < g->buckets.nr; i++)
		put_aside(g, &r, &g->buckets.v[i]);
	/* Where that trimmed, no more than WEIGHTED_MAX_NARROW were there before: `first` lies in what was sorted, or at its end. */
	heap_rise(g, first);
	sort_paths(g, &r);
}

static void grow_narrow(struct grower *g)
{
	struct weighted_tree *t = g->t;

	for (uint32_t i = 0; i < t->nodes.nr; i++)
		vec_push(&t->first_narrow, WEIGHTED_NONE);
	sort_and_trim(g);
	while (g->narrow.nr && t->narrow.nr < WEIGHTED_MAX_NARROW) {
		struct narrow n = heap_pop(g);

		follow_narrow(g, (struct range){ .node = add_narrow_node(g, &n), .depth = n.depth, .from = n.from, .to = n.to });
	}
}

/* The tree itself */

/* A bucket that is wide enough becomes the child behind `last`. */
static uint32_t add_child(struct grower *g, const struct range *r, const struct bucket *b, uint32_t last)
{
	struct weighted_tree *t = g->t;
	uint32_t node = t->nodes.nr, from = r->from + b->start;

	vec_push(&t->nodes, ((struct weighted_node){ b->frame, r->node, WEIGHTED_NONE, WEIGHTED_NONE, r->depth + 1, 0 }));
	push_figures(t, totals_of(g, b));
	*(last == WEIGHTED_NONE ? &t->nodes.v[r->node].first_child : &t->nodes.v[last].next_sibling) = node;
	vec_push(&g->todo, ((struct range){ .node = node, .depth = r->depth + 1, .from = from, .to = from + b->nr_paths }));
	return node;
}

static void add_children(struct grower *g, const struct range *r)
{
	uint32_t last = WEIGHTED_NONE;
	uint64_t least = least_of(g);

	g->t->nodes.v[r->node].nr_children = g->buckets.nr;
	sort_buckets(g);
	place_buckets(g);
	for (uint32_t i = 0; i < g->buckets.nr; i++) {
		const struct bucket *b = &g->buckets.v[i];

		if (is_wide(g, totals_of(g, b), least)) {
			last = add_child(g, r, b, last);
			continue;
		}
		g->t->nr_hidden++;
		if (g->o->keeps_narrow)
			put_aside(g, r, b);
	}
	sort_paths(g, r);
}

static void grow_range(struct grower *g, struct range r)
{
	if (g->o->visit)
		g->o->visit(g->o->ctx, g->t, r.node, g->paths + r.from, r.to - r.from);
	take_ends(g, &r);
	if (r.from == r.to)
		return;
	fill_buckets(g, &r);
	add_children(g, &r);
}

static void begin(struct weighted_tree *t, const struct weighted_options *o)
{
	uint32_t had = t->stamp_of.nr;

	t->nr_columns = o->nr_columns;
	t->nodes.nr = t->self.nr = t->total.nr = t->narrow.nr = t->first_narrow.nr = 0;
	t->nr_hidden = 0;
	t->is_cut = false;
	if (o->nr_frames > had) {
		vec_reserve(&t->bucket_of, o->nr_frames);
		vec_reserve(&t->stamp_of, o->nr_frames);
		memset(t->stamp_of.v + had, 0, (o->nr_frames - had) * sizeof(uint32_t));
		t->stamp_of.nr = t->bucket_of.nr = o->nr_frames;
	}
	vec_push(&t->nodes,
		 ((struct weighted_node){ .parent = WEIGHTED_NONE, .first_child = WEIGHTED_NONE, .next_sibling = WEIGHTED_NONE }));
	push_figures(t, NULL);
}

void weighted_tree_grow(struct weighted_tree *t, struct weighted_path *paths, uint32_t nr, const struct weighted_options *o)
{
	struct grower g = { .t = t, .o = o, .paths = paths, .sorted = mem_realloc(NULL, nr + 1ul, sizeof(*g.sorted)) };

	begin(t, o);
	for (uint32_t i = 0; i < nr; i++)
		add_weights(&g, t->total.v, &paths[i]);
	vec_push(&g.todo, ((struct range){ .node = WEIGHTED_ROOT, .to = nr }));
	while (g.todo.nr && !t->is_cut) {
		grow_range(&g, g.todo.v[--g.todo.nr]);
		t->is_cut = o->max_nodes && t->nodes.nr >= o->max_nodes;
	}
	if (o->keeps_narrow)
		grow_narrow(&g);
	vec_fini(&g.buckets);
	vec_fini(&g.totals);
	vec_fini(&g.todo);
	vec_fini(&g.narrow);
	free(g.sorted);
}
