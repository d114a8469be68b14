/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A heat map as one SVG file: cells with tooltips, axes, percentile lines, the colour scale, and a small script (web/heat.js) for details
 * under the pointer and by keyboard. Without script it is still a picture with tooltips. Titles and names in it are hostile and escaped here.
 */
#ifndef ASSAY_VIEW_HEAT_SVG_H
#define ASSAY_VIEW_HEAT_SVG_H

#include <stdint.h>

#include "base/out.h"
#include "model/heat.h"
#include "view/heat_layout.h"
#include "view/heat_unit.h"

#define HEAT_MAX_NOTES 8

/* What a picture or a table says beside its numbers. */
struct heat_words {
	const char *title, *subtitle;
	const char *x_axis, *y_axis; /* "time", "latency"; units are added */
	const char *things;	     /* what is counted: "pairs", "samples", "lines" */
	const char *notes[HEAT_MAX_NOTES]; /* lines below the picture */
	uint32_t nr_notes;
};

struct heat_svg_options {
	enum heat_unit unit;
	enum heat_colours colours;
};

void heat_svg(struct out *o, const struct heat *h, const struct heat_words *w, const struct heat_svg_options *opts);

#endif
