/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the rectangles of a flame graph lie: a pure function of the tree. x runs in exact units of weight (0 … total), y in rows; pixels are
 * the emitter's business. SVG, the viewer page and the terminal draw from the same rectangles.
 */
#ifndef ASSAY_VIEW_FLAME_LAYOUT_H
#define ASSAY_VIEW_FLAME_LAYOUT_H

#include <stdint.h>

#include "base/vec.h"
#include "model/flame.h"

struct flame_rect {
	uint64_t x0, x1; /* units of weight */
	uint32_t node;
	uint32_t row;	/* 0: the root */
	uint32_t above; /* the rectangle of its parent; of the root: itself */
};

/* How wide weights are, one of each column: the first, or of a diff the mean of both sides. Children of a node may not exceed it. */
typedef uint64_t flame_width_fn(const struct flame *f, const uint64_t *weights, const void *ctx);
flame_width_fn flame_width_first; /* column 0 */

struct flame_layout {
	flame_width_fn *width_of; /* what it was built with */
	const void *ctx;
	VEC(struct flame_rect) rects; /* row by row, left to right */
	uint64_t total;		      /* width of the root */
	uint32_t nr_rows;
	uint64_t nr_hidden; /* nodes narrower than the least width; what stands on them is not counted */
};

/* Children stand from the left end of their parent on, in their order. Nodes narrower than `least` units, and those of no width, are
 * left out with all on them; the others stand where they would with them. */
void flame_layout_build(struct flame_layout *l, const struct flame *f, flame_width_fn *width_of, const void *ctx, uint64_t least);
void flame_layout_fini(struct flame_layout *l);

#endif
