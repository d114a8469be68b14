/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stacks of a snapshot, merged into a tree from the outermost function down. Functions are told apart by name; those without
 * one by their address.
 */
#include <stdlib.h>
#include <string.h>

#include "model/snapshot.h"

#define NONE UINT32_MAX

static uint32_t add_node(struct snapshot_tree *t, uint32_t parent, const struct snapshot_node *like)
{
	uint32_t id = t->nodes.nr;

	vec_push(&t->nodes, *like);
	t->nodes.v[id].parent = parent;
	t->nodes.v[id].first_child = t->nodes.v[id].next = NONE;
	t->nodes.v[id].tid = -1;
	if (parent != NONE) {
		t->nodes.v[id].next = t->nodes.v[parent].first_child;
		t->nodes.v[parent].first_child = id;
	}
	return id;
}

/* The child that is like that, made where there is none: found by hash, for a node may have any number. */
static uint32_t get_child(struct snapshot_tree *t, struct hindex *index, uint32_t parent, const struct snapshot_node *like)
{
	uint64_t marks = (uint64_t)like->is_inlined << 1 | like->is_kernel;
	uint64_t h = hash_pair((uint64_t)parent << 2 | marks, (uint64_t)like->name << 32 | like->place);
	struct hindex_iter it = hindex_find(index, h);
	uint32_t id;

	while ((id = hindex_next(&it)) != HINDEX_NONE) {
		const struct snapshot_node *n = &t->nodes.v[id];

		if (n->parent == parent && n->name == like->name && n->place == like->place && n->is_inlined == like->is_inlined &&
		    n->is_kernel == like->is_kernel)
			return id;
	}
	id = add_node(t, parent, like);
	hindex_add(index, h, id);
	return id;
}

static uint32_t get_group(struct snapshot_tree *t, struct hindex *index, const struct snapshot_sighting *g, bool per_thread)
{
	uint32_t nr_before = t->nodes.nr;
	struct snapshot_node like = { .name = g->comm, .place = per_thread ? (uint32_t)g->tid : NONE };
	uint32_t id = get_child(t, index, NONE, &like);

	if (t->nodes.nr > nr_before) {
		t->nodes.v[id].tid = per_thread ? g->tid : -1;
		vec_push(&t->groups, id);
	}
	return id;
}

static void add_stack(struct snapshot_tree *t, struct hindex *index, const struct snapshot *s, const struct snapshot_sighting *g,
		      uint32_t node)
{
	const struct snapshot_stack *k = &s->stacks.v[g->stack];

	t->nodes.v[node].count += g->count;
	for (uint32_t i = k->nr; i-- > 0;) {
		const struct snapshot_place *p = &s->places.v[s->chain.v[k->first + i]];

		for (uint32_t j = p->nr_frames; j-- > 0;) {
			const struct snapshot_frame *f = &s->frames.v[p->first_frame + j];
			struct snapshot_node like = {
				.name = f->function,
				.place = f->function ? NONE : s->chain.v[k->first + i],
				.is_inlined = f->is_inlined,
				.is_kernel = f->is_kernel,
			};

			node = get_child(t, index, node, &like);
			t->nodes.v[node].count += g->count;
		}
	}
}

struct heavier {
	uint32_t count, id;
};

static int by_weight(const void *a, const void *b)
{
	const struct heavier *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Children heaviest first; among equals in the order they were met. */
static void sort_children(struct snapshot_tree *t, uint32_t parent)
{
	VEC(struct heavier) all = { 0 };
	uint32_t *link = &t->nodes.v[parent].first_child;

	for (uint32_t id = *link; id != NONE; id = t->nodes.v[id].next)
		vec_push(&all, ((struct heavier){ t->nodes.v[id].count, id }));
	if (all.nr > 1) {
		qsort(all.v, all.nr, sizeof(*all.v), by_weight);
		for (uint32_t i = 0; i < all.nr; i++) {
			*link = all.v[i].id;
			link = &t->nodes.v[all.v[i].id].next;
		}
		*link = NONE;
	}
	vec_fini(&all);
}

static void sort_groups(struct snapshot_tree *t)
{
	VEC(struct heavier) all = { 0 };

	for (uint32_t i = 0; i < t->groups.nr; i++)
		vec_push(&all, ((struct heavier){ t->nodes.v[t->groups.v[i]].count, t->groups.v[i] }));
	if (all.nr)
		qsort(all.v, all.nr, sizeof(*all.v), by_weight);
	for (uint32_t i = 0; i < all.nr; i++)
		t->groups.v[i] = all.v[i].id;
	vec_fini(&all);
}

void snapshot_tree_init(struct snapshot_tree *t, const struct snapshot *s, bool per_thread)
{
	struct hindex index = { 0 };

	memset(t, 0, sizeof(*t));
	for (uint32_t i = 0; i < s->sightings.nr; i++) {
		const struct snapshot_sighting *g = &s->sightings.v[i];

		add_stack(t, &index, s, g, get_group(t, &index, g, per_thread));
	}
	hindex_fini(&index);
	for (uint32_t i = 0; i < t->nodes.nr; i++)
		sort_children(t, i);
	sort_groups(t);
}

void snapshot_tree_fini(struct snapshot_tree *t)
{
	vec_fini(&t->nodes);
	vec_fini(&t->groups);
}
