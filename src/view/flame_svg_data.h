/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a flame graph's script works on, as JSON: every rectangle with its exact figures, names once.
 *
 *	{ "unit": "samples", "total": 350123, "width": 1200, "top": 80, "row": 18, "char": 6.65,
 *	  "inverted": false, "fixed": false, "edges": true,
 *	  "names": ["all", "main", …], "modules": ["", "libc.so.6", …],
 *	  "frames": [name, module, kind, marks, colour, …],         5 each; kind and marks as in model/flame.h
 *	  "rows": [[gap, width, frame, self, …], …],                4 each; gap: from the end of the rectangle before, or from 0
 *	  "colours": [colour, …], "details": [text, …] }          one each, where they are of the rectangle and not of its frame
 *
 *	  "files": ["", "src/main.c", …], "spots": [file, line, …],   2 each
 *	  "lines": [gap, spot, percent, …]                          3 each rectangle whose lines are known: how far behind the one before, the line
 *	                                                            that most of it is in, and how much of it that is (0: all)
 * and "narrow" (view/flame_svg_narrow.h) where frames are too narrow to be drawn, and "factor" where weights are told times that.
 *
 * The root's row is the first. A rectangle's parent is the one of the row before that it lies in.
 */
#ifndef ASSAY_VIEW_FLAME_SVG_DATA_H
#define ASSAY_VIEW_FLAME_SVG_DATA_H

#include "view/flame_svg.h"

#define FLAME_SVG_ROW 18
#define FLAME_SVG_PAD 10
#define FLAME_SVG_CHAR 6.65 /* px of a character: 11 px of a monospaced font */

void flame_svg_data(struct out *o, const struct flame *f, const struct flame_layout *l, const struct flame_svg_options *opts, int top, bool edges);

#endif
