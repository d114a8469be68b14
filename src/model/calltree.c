/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A trie of frames with a hash for the step down: cost does not depend on how many callers a function has.
 */
#include "model/calltree.h"

#include <string.h>

void calltree_init(struct calltree *t)
{
	memset(t, 0, sizeof(*t));
	*vec_add(&t->nodes) = (struct calltree_node){ 0 };
}

void calltree_fini(struct calltree *t)
{
	vec_fini(&t->nodes);
	hindex_fini(&t->index);
}

uint32_t calltree_new_root(struct calltree *t)
{
	*vec_add(&t->nodes) = (struct calltree_node){ 0 };
	return t->nodes.nr - 1;
}

uint32_t calltree_step(struct calltree *t, uint32_t node, uint32_t frame)
{
	uint64_t h = hash_pair(node, frame);
	struct hindex_iter it = hindex_find(&t->index, h);
	uint32_t id;

	while ((id = hindex_next(&it)) != HINDEX_NONE)
		if (t->nodes.v[id].parent == node && t->nodes.v[id].frame == frame)
			return id;
	id = t->nodes.nr;

	struct calltree_node n = { .frame = frame, .parent = node, .next_sibling = t->nodes.v[node].first_child };

	vec_push(&t->nodes, n);
	t->nodes.v[node].first_child = id;
	hindex_add(&t->index, h, id);
	return id;
}

void calltree_add(struct calltree *t, uint32_t node, uint64_t period, uint64_t nr)
{
	t->nodes.v[node].hit += period;
	t->nodes.v[node].nr_hit += nr;
	for (uint32_t n = t->nodes.v[node].parent; n != CALLTREE_NONE; n = t->nodes.v[n].parent) {
		t->nodes.v[n].below += period;
		t->nodes.v[n].nr_below += nr;
	}
}
