/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A flame tree with columns of two sides (model/flame.h), compared frame by frame: how wide a frame is drawn, how far it changed, and whether
 * that is noise (model/diff.h).
 *
 * The width of a frame is the mean of both sides, so that what only one side has is seen, too, and frames still add up to the ones they
 * stand on. Sides are made equal first, or (`absolute`) taken as they are. Pure; knows no colours and no words.
 */
#ifndef ASSAY_MODEL_FLAME_DIFF_H
#define ASSAY_MODEL_FLAME_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "model/diff.h"
#include "model/flame.h"

enum flame_diff_side { FLAME_DIFF_BASE, FLAME_DIFF_NOW, FLAME_DIFF_NR_SIDES };

struct flame_diff {
	const struct flame *flame;	       /* borrowed */
	uint32_t nr[FLAME_DIFF_NR_SIDES];      /* recordings: the first nr[0] columns are the baseline */
	uint32_t nr_used[FLAME_DIFF_NR_SIDES]; /* of these, those with samples: the others say nothing, and are left out of all figures */
	bool absolute;
	bool negated;		     /* red and blue change places, for those who paint */
	const char *unit;	     /* of weights, for those who tell them: "samples"; borrowed */
	double factor;		     /* that they are told times; 0: as they are */
	struct diff_result *results; /* by node; percent of its side's whole, or (absolute) of the baseline's */
	unsigned __int128 *factors;  /* by column: what a unit of weight counts in a width */
	unsigned shift;		     /* of these */
	double most;		     /* the largest difference of a node that is no noise; 0: all is */
	struct diff_summary tests;
	enum diff_basis basis;
};

/* Of a finished flame. Its first `nr_base` columns are the baseline, the others are the new side; both have one. */
void flame_diff_init(struct flame_diff *d, const struct flame *f, uint32_t nr_base, bool absolute);
void flame_diff_fini(struct flame_diff *d);

/* A flame_width_fn (view/flame_svg.h); `ctx` is the flame_diff. */
uint64_t flame_diff_width(const struct flame *f, const uint64_t *weights, const void *ctx);
/* Mean weight of a node in the recordings of a side. */
double flame_diff_mean(const struct flame_diff *d, uint32_t node, enum flame_diff_side side);
/* Several recordings a side do not tell it from noise; or its interval by samples alone has 0 in it. */
bool flame_diff_is_noise(const struct flame_diff *d, uint32_t node);
/* From −1 (shrank most) to 1 (grew most). */
double flame_diff_strength(const struct flame_diff *d, uint32_t node);

#endif
