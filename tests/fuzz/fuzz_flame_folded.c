/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/flame_folded, then the tree, the layout and the picture: any text as folded stacks. The totals of children add up to no more than
 * their parent's, and no markup comes of a name.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/flame_folded.h"
#include "view/flame_svg.h"

static void check_layout(const struct flame *f, const struct flame_layout *l)
{
	uint64_t end = 0;

	for (uint32_t i = 1; i < l->rects.nr; i++) {
		const struct flame_rect *r = &l->rects.v[i], *above = &l->rects.v[r->above];

		if (r->row != r[-1].row)
			end = 0;
		if (r->x0 < end || r->x1 <= r->x0 || r->x0 < above->x0 || r->x1 > above->x1 || f->nodes.v[r->node].depth != r->row)
			abort();
		end = r->x1;
	}
}

static void draw(const struct flame *f, const struct flame_layout *l)
{
	struct flame_svg_options opts = { .title = "t", .unit = "samples", .width = 400, .palette = FLAME_PALETTE_JS };
	const char *at;
	struct out o;
	int nr = 0;

	out_init(&o, -1);
	flame_svg(&o, f, l, &opts);
	out_char(&o, 0);
	for (at = o.buf; (at = strstr(at, "<script")); at++)
		nr++;
	if (nr != 2)
		abort();
	out_fini(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t least = size ? data[0] : 0;
	struct flame_folded ff;
	struct flame_layout l;
	struct flame f;

	flame_init(&f, 1);
	flame_folded_init(&ff, &f, 0, &(struct flame_options){ .bottom_up = size % 2 });
	flame_folded_feed(&ff, (const char *)data, size / 2);
	flame_folded_feed(&ff, (const char *)data + size / 2, size - size / 2);
	flame_folded_end(&ff);
	flame_finish(&f, size % 3 ? &least : NULL);
	flame_layout_build(&l, &f, flame_width_first, NULL, 0);
	check_layout(&f, &l);
	draw(&f, &l);
	flame_layout_fini(&l);
	flame_folded_fini(&ff);
	flame_fini(&f);
	return 0;
}
