/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A flame graph as one SVG file: a still picture without a script, and a page that zooms, searches and shows details with it
 * (web/flame_*.js). Layout, colours, then the file. A diff supplies functions for its colours and details.
 */
#ifndef ASSAY_VIEW_FLAME_SVG_H
#define ASSAY_VIEW_FLAME_SVG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "base/vec.h"
#include "model/flame.h"

/* Where the rectangles lie: a pure function of the tree. x is in exact units of weight (0 … total), y in rows. */

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

/* Children start at the left end of their parent, in order. Nodes narrower than `least` units or without width are left out with their
 * children; the others do not move. */
void flame_layout_build(struct flame_layout *l, const struct flame *f, flame_width_fn *width_of, const void *ctx, uint64_t least);
void flame_layout_fini(struct flame_layout *l);

/* Colours: a pure function of the frame, the same in every picture. Kinds that a palette does not distinguish are marked by the emitter. */

enum flame_palette {
	FLAME_PALETTE_HOT,
	FLAME_PALETTE_MEM,
	FLAME_PALETTE_IO,
	FLAME_PALETTE_JAVA,
	FLAME_PALETTE_JS,
	FLAME_PALETTE_MODULE,
	FLAME_PALETTE_KERNEL,
	FLAME_NR_PALETTES,
};

#define FLAME_PALETTES "hot|mem|io|java|js|module|kernel" /* in that order */

/* 0xRRGGBB of a frame. */
uint32_t flame_palette_colour(enum flame_palette p, const struct flame *f, const struct flame_frame *frame);

/* What the colours of a palette mean, the nth of them; NULL: no more. Those that speak for themselves have none. */
const char *flame_palette_legend(enum flame_palette p, uint32_t nth, uint32_t *colour);

/* The colour of frames without a symbol, of palettes that tell them by it. */
bool flame_palette_unresolved(enum flame_palette p, uint32_t *colour);

/* Hue in degrees, saturation and lightness 0–1. */
uint32_t flame_palette_hsl(double hue, double saturation, double lightness);

/* The page */

#define FLAME_SVG_WIDTH 1200u
#define FLAME_SVG_FADED (1u << 24) /* beside a colour: drawn faintly */

struct flame_svg_key { /* an entry of the legend */
	const char *label;
	uint32_t colour;
};

struct flame_svg_options {
	const char *title, *subtitle; /* subtitle may be NULL */
	const char *unit;	      /* "samples": what the width counts */
	double factor;		      /* by which weights are multiplied in texts; 0: none */
	const char *const *notes;     /* lines at the foot */
	uint32_t nr_notes;
	const char *nonce; /* of the HTML document that it becomes a part of; NULL: a file of its own */
	uint32_t width;	   /* px */
	bool fixed_width;  /* the page does not follow its window */
	bool inverted;	   /* root on top: an icicle */
	enum flame_palette palette;
	/* For those who draw something else than one column of counts; all may be NULL. */
	uint32_t (*colour_of)(const struct flame *f, uint32_t node, const void *ctx); /* 0xRRGGBB, FLAME_SVG_FADED */
	void (*details_of)(struct out *o, const struct flame *f, uint32_t node,
			   const void *ctx); /* one line of text, in place of the count */
	const struct flame_svg_key *keys;    /* in place of the palette's */
	uint32_t nr_keys;
	const void *ctx;
};

void flame_svg(struct out *o, const struct flame *f, const struct flame_layout *l, const struct flame_svg_options *opts);

/* Colours and legend by the states of tasks (FLAME_BY_STATE); `keys` live as long as the options. */
#define FLAME_STATE_KEYS 8
void flame_state_style(struct flame_svg_options *opts, struct flame_svg_key keys[FLAME_STATE_KEYS], const struct flame *f);

/* What the script works on, as JSON: every rectangle with its exact figures, names once.
 *
 *	{ "unit": "samples", "total": 350123, "width": 1200, "top": 80, "row": 18, "char": 6.65,
 *	  "inverted": false, "fixed": false, "edges": true,
 *	  "names": ["all", "main", …], "modules": ["", "libc.so.6", …],
 *	  "frames": [name, module, kind, marks, colour, …],         5 each; kind and marks as in model/flame.h
 *	  "rows": [[gap, width, frame, self, …], …],                4 each; gap: from the end of the rectangle before, or from 0
 *	  "colours": [colour, …], "details": [text, …],           one each, where they are of the rectangle and not of its frame
 *	  "files": ["", "src/main.c", …], "spots": [file, line, …],   2 each
 *	  "lines": [gap, spot, percent, …],                         3 each rectangle whose lines are known: how far behind the one before, the line
 *	                                                            that most of it is in, and how much of it that is (0: all)
 *	  "factor": 0.001,                                          where weights are shown times that
 *	  "narrow": [[rectangle, (up, name…, −weight)…], …] }
 *
 * The root's row is the first. A rectangle's parent is the one of the row before that it lies in.
 *
 * "narrow" has what is too narrow to be drawn, so that a search finds its share. Of each rectangle that has such, the stacks on it, each against
 * the one before: go `up` so many frames, then these names, and there stacks of this weight end. Where `up` is negative (−1 is 0, −2 is 1, …),
 * there are more frames that are not listed, and the weight is the most that these can have. */

#define FLAME_SVG_ROW 18
#define FLAME_SVG_PAD 10
#define FLAME_SVG_CHAR 6.65 /* px of a character: 11 px of a monospaced font */

void flame_svg_data(struct out *o, const struct flame *f, const struct flame_layout *l, const struct flame_svg_options *opts, int top,
		    bool edges);

/* Ids of the model → ids of a file that holds only what is used, in the order of their first use. */
struct renumbering {
	uint32_t *of; /* UINT32_MAX: not used */
	VEC(uint32_t) used;
};
void renumbering_init(struct renumbering *r, uint32_t nr);
void renumbering_fini(struct renumbering *r);
uint32_t renumbering_add(struct renumbering *r, uint32_t id);

/* The array "narrow" alone; nothing where all is drawn. Names get their numbers in `names`. */
void flame_svg_narrow(struct out *o, const struct flame *f, const struct flame_layout *l, struct renumbering *names);

/* A differential flame graph: red grew, blue shrank, noise is pale. */

/* Sets what differs from a graph of one recording; `d` is borrowed. */
void flame_diff_style(struct flame_svg_options *opts, const struct flame_diff *d);

/* Words for verdicts. */
extern const char *const flame_diff_verdicts[DIFF_NR_VERDICTS];

/* What the colours and intervals rest on, as a line at the foot. */
void flame_diff_basis(struct out *o, const struct flame_diff *d);

#endif
