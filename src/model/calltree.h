/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Call trees: the paths that lead to (or from) an entry of a histogram, with what was seen on each. All trees of a histogram share one
 * pool of nodes; a tree is named by its root.
 */
#ifndef ASSAY_MODEL_CALLTREE_H
#define ASSAY_MODEL_CALLTREE_H

#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"

#define CALLTREE_NONE 0u

struct calltree_node {
	uint32_t frame;
	uint32_t parent;
	uint32_t first_child, next_sibling;
	uint64_t hit;	    /* of chains that end here */
	uint64_t below;	    /* of chains that go on */
	uint64_t nr_hit, nr_below;
};

struct calltree {
	VEC(struct calltree_node) nodes; /* [0] is CALLTREE_NONE */
	struct hindex index;		 /* (parent, frame) → node */
};

void calltree_init(struct calltree *t);
void calltree_fini(struct calltree *t);
uint32_t calltree_new_root(struct calltree *t);
/* Walks one step down from `node`, making the child if need be. */
uint32_t calltree_step(struct calltree *t, uint32_t node, uint32_t frame);
/* Adds the weight of a chain that ends at `node` to it and to all above it, up to and with the root. */
void calltree_add(struct calltree *t, uint32_t node, uint64_t period, uint64_t nr);

static inline uint64_t calltree_total(const struct calltree *t, uint32_t node)
{
	return t->nodes.v[node].hit + t->nodes.v[node].below;
}

#endif
