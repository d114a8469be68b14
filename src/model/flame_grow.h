/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Inside model/flame: the tree while it grows out of paths. flame.c makes the nodes that are wide enough to be drawn; flame_narrow.c
 * follows what was left out, as far as there is room. Nobody else includes this.
 */
#ifndef ASSAY_MODEL_FLAME_GROW_H
#define ASSAY_MODEL_FLAME_GROW_H

#include "model/flame.h"

/* The paths [from, to) that go through a node, and their children to be found. */
struct range {
	uint32_t node, depth; /* depth: frames of the paths up to the node */
	uint32_t from, to;
};

struct bucket {
	uint32_t frame;
	uint32_t nr_paths, start;
	uint32_t totals; /* which of grower.totals */
	bool kept;
};

/* Paths that were left out at a node because they are narrow together. */
struct narrow {
	double share; /* of the columns' sums, added up */
	uint32_t order; /* of those that are as wide: who came first */
	uint32_t parent, frame, depth;
	uint32_t from, to;
};

struct grower {
	struct flame *f;
	const uint64_t *least;
	uint32_t *rank;		        /* of frames, by name */
	uint32_t *bucket_of, *stamp_of; /* of frames, for the node at hand */
	uint32_t stamp;
	uint64_t *weight_of_spot; /* for the node at hand; NULL: no lines are known */
	uint32_t *spot_stamp;
	struct flame_path *sorted; /* scratch, as long as all paths */
	VEC(struct bucket) buckets;
	VEC(uint64_t) totals; /* of buckets, by column */
	VEC(struct range) todo;
	VEC(struct narrow) narrow; /* a heap, the widest on top, from flame_narrow_grow() on */
	uint32_t nr_narrow;	   /* that ever came */
};

/* Paths that end at the node are counted as its own and go to the front; returns how many. */
uint32_t flame_take_ends(struct flame *f, const struct range *r);
/* One bucket for each frame that stands on the node, in the order of the paths. */
void flame_fill_buckets(struct grower *g, const struct range *r);
/* The paths of a range by bucket, each where its bucket's `start` (from 0) says; bucket_of must be true. */
void flame_place_paths(struct grower *g, const struct range *r);

/* A bucket that is not drawn, as it was placed. */
void flame_narrow_add(struct grower *g, const struct range *r, const struct bucket *b);
/* After the tree is done. */
void flame_narrow_grow(struct grower *g);

#endif
