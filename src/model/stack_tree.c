/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Runs of nodes, and how the run of a node is found: by counting the bits of its block.
 */
#include "model/stack_tree.h"

#define BLOCK 64u /* nodes: as many words are looked at to find a run */

static void push_node(struct stack_tree *t, uint32_t frame)
{
	if (t->frames.nr % BLOCK == 0)
		vec_push(&t->runs_before, t->runs.nr);
	vec_push(&t->frames, frame);
}

static void begin_run(struct stack_tree *t, uint32_t parent, uint32_t frame)
{
	uint32_t node = t->frames.nr;

	push_node(t, frame | STACK_TREE_RUN);
	hindex_add(&t->index, hash_pair(parent, frame), t->runs.nr);
	vec_push(&t->runs, ((struct stack_tree_run){ node, parent }));
}

void stack_tree_init(struct stack_tree *t)
{
	*t = (struct stack_tree){ 0 };
	push_node(t, STACK_TREE_RUN);
	vec_push(&t->runs, ((struct stack_tree_run){ STACK_TREE_ROOT, STACK_TREE_NONE }));
}

void stack_tree_fini(struct stack_tree *t)
{
	vec_fini(&t->frames);
	vec_fini(&t->runs);
	vec_fini(&t->runs_before);
	hindex_fini(&t->index);
}

void stack_tree_clear(struct stack_tree *t)
{
	t->frames.nr = t->runs.nr = t->runs_before.nr = 1;
	hindex_clear(&t->index);
}

void stack_tree_seal(struct stack_tree *t)
{
	hindex_fini(&t->index);
}

uint64_t stack_tree_size_bytes(const struct stack_tree *t)
{
	return t->frames.nr * sizeof(*t->frames.v) + t->runs.nr * (sizeof(*t->runs.v) + 3 * sizeof(struct hindex_slot));
}

uint32_t stack_tree_run_of(const struct stack_tree *t, uint32_t node)
{
	uint32_t run = t->runs_before.v[node / BLOCK];

	for (uint32_t i = node / BLOCK * BLOCK; i <= node; i++)
		run += t->frames.v[i] / STACK_TREE_RUN;
	return run - 1;
}

static uint32_t find_child(const struct stack_tree *t, uint32_t parent, uint32_t frame)
{
	uint32_t id;

	if (parent + 1 < t->frames.nr && t->frames.v[parent + 1] == frame)
		return parent + 1;
	id = HINDEX_FIND_ITEM(&t->index, hash_pair(parent, frame), &t->runs, run,
			      run->parent == parent && stack_tree_frame(t, run->node) == frame);
	return id == HINDEX_NONE ? STACK_TREE_NONE : t->runs.v[id].node;
}

uint32_t stack_tree_add(struct stack_tree *t, const uint32_t *frames, uint32_t nr)
{
	uint32_t node = STACK_TREE_ROOT, found;

	for (; nr && (found = find_child(t, node, frames[nr - 1])) != STACK_TREE_NONE; nr--)
		node = found;
	if (!nr)
		return node;
	vec_reserve(&t->frames, (uint64_t)t->frames.nr + nr);
	if (node + 1 != t->frames.nr)
		begin_run(t, node, frames[--nr]);
	while (nr)
		push_node(t, frames[--nr]);
	return t->frames.nr - 1;
}
