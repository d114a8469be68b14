/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The frames of a flame graph as a picture that stands still, for whoever runs no script: an <img>, a converter, an editor. A picture of
 * ordinary size is all there. Of a deep or a crowded one, the rows next to the root and the widest frames are, so that what a script throws
 * away and draws anew from the data has a bound: all frames are in the data, and nowhere else.
 */
#ifndef ASSAY_VIEW_FLAME_SVG_STILL_H
#define ASSAY_VIEW_FLAME_SVG_STILL_H

#include "view/flame_svg.h"

#define FLAME_STILL_TENTHS 10 /* its paths are in tenths of a pixel */
#define FLAME_STILL_ROWS 400u
#define FLAME_STILL_RECTS 50000u

/* px; where rows are left out, it says so in a line of its own. */
int flame_svg_still_height(const struct flame_layout *l);

/* From `top` on. With `edges`, kernel and JIT frames are marked at their lower edge. */
void flame_svg_still(struct out *o, const struct flame *f, const struct flame_layout *l, const struct flame_svg_options *opts, int top, bool edges);

#endif
