/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A flame graph as one SVG file: a picture for whoever shows pictures, and a page that zooms, searches and tells details for whoever runs
 * its script (web/flame_*.js). Needs no other file and no network.
 *
 * Fed by a layout. Where the colours and the details are not those of a palette and a count (a diff), the caller gives functions.
 */
#ifndef ASSAY_VIEW_FLAME_SVG_H
#define ASSAY_VIEW_FLAME_SVG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "model/flame.h"
#include "view/flame_layout.h"
#include "view/flame_palette.h"

#define FLAME_SVG_WIDTH 1200u
#define FLAME_SVG_FADED (1u << 24) /* beside a colour: drawn faintly */

struct flame_svg_key { /* an entry of the legend */
	const char *label;
	uint32_t colour;
};

struct flame_svg_options {
	const char *title, *subtitle; /* subtitle may be NULL */
	const char *unit;	      /* "samples": what the width counts */
	double factor;		      /* that weights are told times; 0: as they are. Widths are what they are */
	const char *const *notes;     /* lines at the foot */
	uint32_t nr_notes;
	uint32_t width;	   /* px */
	bool fixed_width;  /* the page does not follow its window */
	bool inverted;	   /* root on top: an icicle */
	enum flame_palette palette;
	/* For those who draw something else than one column of counts; all may be NULL. */
	uint32_t (*colour_of)(const struct flame *f, uint32_t node, const void *ctx); /* 0xRRGGBB, FLAME_SVG_FADED */
	void (*details_of)(struct out *o, const struct flame *f, uint32_t node, const void *ctx); /* one line of text, in place of the count */
	const struct flame_svg_key *keys; /* in place of the palette's */
	uint32_t nr_keys;
	const void *ctx;
};

void flame_svg(struct out *o, const struct flame *f, const struct flame_layout *l, const struct flame_svg_options *opts);

#endif
