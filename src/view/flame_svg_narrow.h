/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is too narrow to be drawn, for the search of a flame graph's script, so that its share is right:
 *
 *	"narrow": [[rectangle, (up, name…, −weight)…], …]
 *
 * Of each rectangle that has such, the stacks on it, each against the one before: go `up` so many frames, then these names, and there
 * stacks of this weight end. Where `up` is negative (−1 is 0, −2 is 1, …), more frames stand there that nobody listed, and the weight
 * is the most that these can have.
 */
#ifndef ASSAY_VIEW_FLAME_SVG_NARROW_H
#define ASSAY_VIEW_FLAME_SVG_NARROW_H

#include "base/out.h"
#include "view/flame_layout.h"
#include "view/renumbering.h"

/* Writes the array; nothing where all is drawn. Names get their numbers in `names`. */
void flame_svg_narrow(struct out *o, const struct flame *f, const struct flame_layout *l, struct renumbering *names);

#endif
