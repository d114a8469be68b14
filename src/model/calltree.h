/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A call tree: the paths that lead to (or from) an entry of a histogram, with what was seen on each. It is grown for one entry from its
 * paths, without the branches that are too small to show, and thrown away: a million distinct stacks cost no more than their list.
 */
#ifndef ASSAY_MODEL_CALLTREE_H
#define ASSAY_MODEL_CALLTREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

#define CALLTREE_NONE 0u
#define CALLTREE_ROOT 1u
#define CALLTREE_MAX_NODES 2000000u

struct calltree_node {
	uint32_t frame;
	uint32_t parent;
	uint32_t first_child, next_sibling; /* of those that are large enough */
	uint32_t nr_children;		    /* of all */
	uint64_t hit;			    /* of paths that end here */
	uint64_t below;			    /* of paths that go on */
	uint64_t nr_hit, nr_below;
};

/* A zeroed struct is an empty tree. */
struct calltree {
	VEC(struct calltree_node) nodes; /* [0] is CALLTREE_NONE, [1] the root */
	/* scratch of the grower, kept for the next tree */
	VEC(uint32_t) bucket_of_frame;
	VEC(uint32_t) stamp_of_frame;
	uint32_t stamp;
	bool is_cut; /* it would have had more than CALLTREE_MAX_NODES */
};

struct calltree_path {
	const uint32_t *frames; /* borrowed */
	uint32_t nr_frames;
	uint64_t period, nr;
};

/* Which branches are kept: those of at least `total`, and of at least `share` (0–1) of what goes on below their parent. */
struct calltree_least {
	uint64_t total;
	double share;
};

/* Grows the tree of these paths (which are reordered) in place of the one before. `nr_frames`: frame ids are below this. Paths without
 * frames add nothing. */
void calltree_grow(struct calltree *t, struct calltree_path *paths, uint32_t nr, uint32_t nr_frames,
		   const struct calltree_least *least);
void calltree_fini(struct calltree *t);

static inline uint64_t calltree_total(const struct calltree *t, uint32_t node)
{
	return t->nodes.v[node].hit + t->nodes.v[node].below;
}

#endif
