/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct weighted_tree: paths of numbered frames merged from their first frame on; a node has the weight of the paths through it. Flame
 * graphs and call trees of reports grow in it.
 *
 * Nodes that are too small to show are not made: the tree of a million distinct stacks is never built.
 */
#ifndef ASSAY_MODEL_WEIGHTED_TREE_H
#define ASSAY_MODEL_WEIGHTED_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

#define WEIGHTED_ROOT 0u
#define WEIGHTED_NONE UINT32_MAX
#define WEIGHTED_MAX_NARROW 50000u

struct weighted_path {
	uint64_t weight;
	uint32_t first, nr; /* in weighted_options.steps */
	uint32_t column;
	uint32_t count; /* samples */
};

struct weighted_node {
	uint32_t frame, parent;
	uint32_t first_child, next_sibling; /* WEIGHTED_NONE ends */
	uint32_t depth;			    /* of the root: 0 */
	uint32_t nr_children;		    /* with those that were left out */
};

/* A zeroed struct is an empty tree. */
struct weighted_tree {
	uint32_t nr_columns;
	VEC(struct weighted_node) nodes; /* a parent stands before its children, siblings side by side */
	VEC(uint64_t) self, total;	 /* node * nr_columns + column; self: of paths that end there */
	uint64_t nr_hidden;		 /* children that were left out, without those on them */
	/* The widest of these with what stands on them, for searches. Ids go on behind those of `nodes`, also in self and total. What is
	 * missing even here is in the total of its parent. */
	VEC(struct weighted_node) narrow;
	VEC(uint32_t) first_narrow; /* by node */
	bool is_cut;		    /* it would have more than max_nodes */
	/* scratch, kept for the next tree */
	VEC(uint32_t) bucket_of, stamp_of; /* by frame */
	uint32_t stamp;
};

struct weighted_options {
	uint32_t nr_columns;
	const uint32_t *steps;	  /* of all paths */
	const uint32_t *frame_of; /* by step; NULL: steps are frames */
	uint32_t nr_frames;
	const uint32_t *rank;  /* by frame: the order of siblings. NULL: as they are met, the last first */
	const uint64_t *least; /* by column: a node that is below all of these is left out. NULL: none is */
	double share;	       /* the same of what goes on below its parent, by the first column */
	bool has_counts;       /* the second column is of path.count; all paths are of the first */
	bool keeps_narrow;
	uint32_t max_nodes; /* 0: any number */
	/* Called for each node with all paths through it; may be NULL. */
	void (*visit)(void *ctx, const struct weighted_tree *t, uint32_t node, const struct weighted_path *paths, uint32_t nr);
	void *ctx;
};

/* Grows the tree of these paths, which are reordered, in place of the one before. */
void weighted_tree_grow(struct weighted_tree *t, struct weighted_path *paths, uint32_t nr, const struct weighted_options *o);
void weighted_tree_fini(struct weighted_tree *t);

/* Of all columns. */
static inline const uint64_t *weighted_totals(const struct weighted_tree *t, uint32_t node)
{
	return &t->total.v[(uint64_t)node * t->nr_columns];
}
static inline const uint64_t *weighted_selves(const struct weighted_tree *t, uint32_t node)
{
	return &t->self.v[(uint64_t)node * t->nr_columns];
}
static inline uint64_t weighted_total(const struct weighted_tree *t, uint32_t node, uint32_t column)
{
	return weighted_totals(t, node)[column];
}
static inline uint64_t weighted_self(const struct weighted_tree *t, uint32_t node, uint32_t column)
{
	return weighted_selves(t, node)[column];
}

#endif
