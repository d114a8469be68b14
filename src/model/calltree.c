/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Growing by partition: the paths at a node are sorted into buckets by their next frame, and only large buckets are followed. Memory is the
 * list of paths plus the nodes that stay; time is a pass over the paths for each level that stays. What is still to grow is a list, not
 * a recursion: paths have thousands of frames.
 */
#include "model/calltree.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct bucket {
	uint32_t frame;
	uint32_t nr_paths, start;
	uint64_t total, nr;
	bool kept;
};

struct bucket_list {
	struct bucket *v;
	uint32_t nr, cap;
};

/* Paths that are alike up to `depth`, and the node they get. */
struct branch {
	uint32_t parent, frame;
	struct calltree_path *paths;
	uint32_t nr, depth;
};

struct grower {
	struct calltree *t;
	struct bucket_list buckets; /* scratch, of one node */
	VEC(struct branch) todo;
	struct calltree_path *sorted; /* scratch, as long as all paths */
	const struct calltree_least *least;
};

void calltree_fini(struct calltree *t)
{
	vec_fini(&t->nodes);
	vec_fini(&t->bucket_of_frame);
	vec_fini(&t->stamp_of_frame);
}

static uint32_t add_node(struct calltree *t, uint32_t parent, uint32_t frame)
{
	uint32_t id = t->nodes.nr;
	struct calltree_node n = { .frame = frame, .parent = parent };

	if (parent != CALLTREE_NONE)
		n.next_sibling = t->nodes.v[parent].first_child;
	vec_push(&t->nodes, n);
	if (parent != CALLTREE_NONE)
		t->nodes.v[parent].first_child = id;
	return id;
}

/* Paths that end at this depth go to the front and are counted there; returns how many. */
static uint32_t take_ends(struct calltree_node *n, struct calltree_path *paths, uint32_t nr, uint32_t depth)
{
	uint32_t nr_ends = 0;

	for (uint32_t i = 0; i < nr; i++) {
		struct calltree_path p = paths[i];

		if (p.nr_frames != depth)
			continue;
		n->hit += p.period;
		n->nr_hit += p.nr;
		paths[i] = paths[nr_ends];
		paths[nr_ends++] = p;
	}
	return nr_ends;
}

static void make_buckets(struct calltree *t, struct bucket_list *l, const struct calltree_path *paths, uint32_t nr, uint32_t depth)
{
	l->nr = 0;
	t->stamp++;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t frame = paths[i].frames[depth];

		if (t->stamp_of_frame.v[frame] != t->stamp) {
			t->stamp_of_frame.v[frame] = t->stamp;
			t->bucket_of_frame.v[frame] = l->nr;
			*vec_add(l) = (struct bucket){ .frame = frame };
		}

		struct bucket *b = &l->v[t->bucket_of_frame.v[frame]];

		b->nr_paths++;
		b->total += paths[i].period;
		b->nr += paths[i].nr;
	}
}

/* Brings the paths into the order of their buckets, those that are kept first. */
static void sort_into_buckets(struct grower *g, struct bucket_list *l, struct calltree_path *paths, uint32_t nr, uint32_t depth)
{
	uint32_t start = 0;

	for (int kept = 1; kept >= 0; kept--) {
		for (uint32_t i = 0; i < l->nr; i++) {
			if (l->v[i].kept != kept)
				continue;
			l->v[i].start = start;
			start += l->v[i].nr_paths;
			l->v[i].nr_paths = 0;
		}
	}
	for (uint32_t i = 0; i < nr; i++) {
		struct bucket *b = &l->v[g->t->bucket_of_frame.v[paths[i].frames[depth]]];

		g->sorted[b->start + b->nr_paths++] = paths[i];
	}
	memcpy(paths, g->sorted, nr * sizeof(*paths));
}

static void grow_node(struct grower *g, uint32_t node, struct calltree_path *paths, uint32_t nr, uint32_t depth)
{
	uint32_t nr_ends = take_ends(&g->t->nodes.v[node], paths, nr, depth);
	struct calltree_node *n = &g->t->nodes.v[node];
	struct bucket_list *l = &g->buckets;
	uint64_t least;

	paths += nr_ends;
	nr -= nr_ends;
	if (!nr)
		return;
	make_buckets(g->t, l, paths, nr, depth);
	n->nr_children = l->nr;
	for (uint32_t i = 0; i < l->nr; i++) {
		n->below += l->v[i].total;
		n->nr_below += l->v[i].nr;
	}
	least = (uint64_t)ceil((double)n->below * g->least->share);
	if (least < g->least->total)
		least = g->least->total;
	for (uint32_t i = 0; i < l->nr; i++)
		l->v[i].kept = l->v[i].total >= least;
	sort_into_buckets(g, l, paths, nr, depth);
	/* The last one that is added is grown first. */
	for (uint32_t i = l->nr; i-- > 0;)
		if (l->v[i].kept)
			vec_push(&g->todo, ((struct branch){ node, l->v[i].frame, paths + l->v[i].start, l->v[i].nr_paths, depth + 1 }));
}

static void make_scratch(struct calltree *t, uint32_t nr_frames)
{
	uint32_t had = t->stamp_of_frame.nr;

	if (nr_frames > had) {
		vec_reserve(&t->bucket_of_frame, nr_frames);
		vec_reserve(&t->stamp_of_frame, nr_frames);
		memset(t->stamp_of_frame.v + had, 0, (nr_frames - had) * sizeof(uint32_t));
		t->stamp_of_frame.nr = t->bucket_of_frame.nr = nr_frames;
	}
}

void calltree_grow(struct calltree *t, struct calltree_path *paths, uint32_t nr, uint32_t nr_frames,
		   const struct calltree_least *least)
{
	struct grower g = { .t = t, .least = least };
	uint32_t used = 0;

	t->nodes.nr = 0;
	t->is_cut = false;
	add_node(t, CALLTREE_NONE, 0);
	add_node(t, CALLTREE_NONE, 0);
	for (uint32_t i = 0; i < nr; i++)
		if (paths[i].nr_frames)
			paths[used++] = paths[i];
	if (!used)
		return;
	make_scratch(t, nr_frames);
	g.sorted = mem_realloc(NULL, used, sizeof(*g.sorted));
	grow_node(&g, CALLTREE_ROOT, paths, used, 0);
	while (g.todo.nr && !t->is_cut) {
		struct branch b = g.todo.v[--g.todo.nr];

		grow_node(&g, add_node(t, b.parent, b.frame), b.paths, b.nr, b.depth);
		t->is_cut = t->nodes.nr >= CALLTREE_MAX_NODES;
	}
	vec_fini(&g.todo);
	vec_fini(&g.buckets);
	free(g.sorted);
}
