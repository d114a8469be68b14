/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One pass, row by row: the rectangles of a row are the children of those in the row before, in the same order.
 */
#include "view/flame_layout.h"

#include <string.h>

uint64_t flame_width_first(const struct flame *f, const uint64_t *weights, const void *ctx)
{
	(void)f, (void)ctx;
	return weights[0];
}

static void add_rect(struct flame_layout *l, uint32_t node, uint64_t x0, uint64_t width, uint32_t above)
{
	struct flame_rect r = { .node = node, .x0 = x0, .x1 = x0 + width, .above = above };

	if (l->rects.nr)
		r.row = l->rects.v[above].row + 1;
	vec_push(&l->rects, r);
	l->nr_rows = r.row + 1;
}

void flame_layout_build(struct flame_layout *l, const struct flame *f, flame_width_fn *width_of, const void *ctx, uint64_t least)
{
	memset(l, 0, sizeof(*l));
	l->width_of = width_of;
	l->ctx = ctx;
	l->total = width_of(f, weighted_totals(&f->tree, WEIGHTED_ROOT), ctx);
	add_rect(l, WEIGHTED_ROOT, 0, l->total, 0);
	for (uint32_t i = 0; i < l->rects.nr; i++) {
		uint64_t x = l->rects.v[i].x0;

		for (uint32_t c = f->tree.nodes.v[l->rects.v[i].node].first_child; c != WEIGHTED_NONE; c = f->tree.nodes.v[c].next_sibling) {
			uint64_t width = width_of(f, weighted_totals(&f->tree, c), ctx);

			if (width && width >= least)
				add_rect(l, c, x, width, i);
			else
				l->nr_hidden++;
			x += width;
		}
	}
}

void flame_layout_fini(struct flame_layout *l)
{
	vec_fini(&l->rects);
}
