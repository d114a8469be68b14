/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How a differential flame graph looks: the colours, the details and the legend that view/flame_svg.h draws it with. Red grew, blue shrank, what
 * is noise is pale.
 */
#ifndef ASSAY_VIEW_FLAME_DIFF_H
#define ASSAY_VIEW_FLAME_DIFF_H

#include "model/flame_diff.h"
#include "view/flame_svg.h"

/* Sets what differs from a graph of one recording; `d` is borrowed. */
void flame_diff_style(struct flame_svg_options *opts, const struct flame_diff *d);

/* What the colours and intervals rest on, as a line at the foot. */
void flame_diff_basis(struct out *o, const struct flame_diff *d);

#endif
