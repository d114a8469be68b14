/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stacks of a snapshot, merged into a tree from the outermost function down, by name or, without one, by address.
 */
#include <stdlib.h>
#include <string.h>

#include "model/snapshot.h"
#include "model/stack_tree.h"

#define NONE SNAPSHOT_NONE

struct builder {
	const struct snapshot *s;
	VEC(struct snapshot_node) labels; /* the frames of the tree: nodes without a place in it */
	struct hindex label_index;
	struct stack_tree tree;
	VEC(uint32_t) path; /* labels of the stack at hand, innermost first */
};

static void push_label(struct builder *b, const struct snapshot_node *like)
{
	uint64_t marks = (uint64_t)like->is_inlined << 1 | like->is_kernel;
	uint64_t h = hash_pair((uint64_t)(uint32_t)like->tid << 2 | marks, (uint64_t)like->name << 32 | like->place);
	uint32_t id = HINDEX_INTERN(&b->label_index, h, &b->labels, n,
				    n->name == like->name && n->place == like->place && n->tid == like->tid &&
					    n->is_inlined == like->is_inlined && n->is_kernel == like->is_kernel &&
					    n->is_group == like->is_group,
				    *like);

	vec_push(&b->path, id);
}

/* The node of a stack, below that of its group. */
static uint32_t add_sighting(struct builder *b, const struct snapshot_sighting *g, bool per_thread)
{
	const struct snapshot_stack *k = &b->s->stacks.v[g->stack];

	b->path.nr = 0;
	for (uint32_t i = 0; i < k->nr; i++) {
		uint32_t place = b->s->chain.v[k->first + i];
		const struct snapshot_place *p = &b->s->places.v[place];

		for (uint32_t j = 0; j < p->nr_frames; j++) {
			const struct snapshot_frame *f = &b->s->frames.v[p->first_frame + j];

			push_label(b, &(struct snapshot_node){ .name = f->function,
							       .place = f->function ? NONE : place,
							       .tid = -1,
							       .is_inlined = f->is_inlined,
							       .is_kernel = f->is_kernel });
		}
	}
	push_label(b, &(struct snapshot_node){ .name = g->comm, .place = NONE, .tid = per_thread ? g->tid : -1, .is_group = true });
	return stack_tree_add(&b->tree, b->path.v, b->path.nr);
}

struct heavier {
	uint32_t count, id;
};

static int by_weight(const void *a, const void *b)
{
	const struct heavier *x = a, *y = b;

	return COMPARE(y->count, x->count) ?: COMPARE(x->id, y->id);
}

/* Children heaviest first; among equals in the order they were met. */
static void sort_children(struct snapshot_tree *t, uint32_t parent)
{
	VEC(struct heavier) all = { 0 };
	uint32_t *link = &t->nodes.v[parent].first_child;

	for (uint32_t id = *link; id != NONE; id = t->nodes.v[id].next)
		vec_push(&all, ((struct heavier){ t->nodes.v[id].count, id }));
	vec_sort(&all, by_weight);
	for (uint32_t i = 0; i < all.nr; i++) {
		*link = all.v[i].id;
		link = &t->nodes.v[all.v[i].id].next;
	}
	*link = NONE;
	vec_fini(&all);
}

/* A parent stands before its children: the way back adds counts up. */
static void link_nodes(struct snapshot_tree *t)
{
	for (uint32_t i = t->nodes.nr; i-- > 1;) {
		struct snapshot_node *n = &t->nodes.v[i], *up = &t->nodes.v[n->parent];

		up->count += n->count;
		n->next = up->first_child;
		up->first_child = i;
	}
	for (uint32_t i = 0; i < t->nodes.nr; i++)
		sort_children(t, i);
}

void snapshot_tree_init(struct snapshot_tree *t, const struct snapshot *s, bool per_thread)
{
	struct builder b = { .s = s };
	VEC(uint32_t) ends = { 0 };

	memset(t, 0, sizeof(*t));
	stack_tree_init(&b.tree);
	for (uint32_t i = 0; i < s->sightings.nr; i++)
		vec_push(&ends, add_sighting(&b, &s->sightings.v[i], per_thread));
	for (uint32_t i = 0; i < b.tree.frames.nr; i++) {
		struct snapshot_node n = { 0 };

		if (i != SNAPSHOT_ROOT)
			n = b.labels.v[stack_tree_frame(&b.tree, i)];
		n.parent = stack_tree_parent(&b.tree, i);
		n.first_child = n.next = NONE;
		vec_push(&t->nodes, n);
	}
	for (uint32_t i = 0; i < ends.nr; i++)
		t->nodes.v[ends.v[i]].count += s->sightings.v[i].count;
	link_nodes(t);
	stack_tree_fini(&b.tree);
	hindex_fini(&b.label_index);
	vec_fini(&b.labels);
	vec_fini(&b.path);
	vec_fini(&ends);
}

void snapshot_tree_fini(struct snapshot_tree *t)
{
	vec_fini(&t->nodes);
}
