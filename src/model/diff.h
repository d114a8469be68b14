/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What changed between two sides of recordings, for one row of a table or one frame of a flame graph, and whether the difference is more
 * than noise. Where both sides have several recordings, they tell how far recordings of the same thing differ: Welch's test. Where one has
 * only one, nobody knows that; then there is an interval of what drawing so many samples does alone, and nothing is called significant.
 *
 * Pure arithmetic over figures: it reads no files and prints nothing. model/diff_table.h has the table, model/flame_diff.h the tree.
 */
#ifndef ASSAY_MODEL_DIFF_H
#define ASSAY_MODEL_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#define DIFF_LEVEL	 0.05 /* what is significant: chance does it less often, all rows considered */
#define DIFF_MIN_SAMPLES 10   /* of a row, in all recordings: fewer prove nothing, and testing them would cost the others their power */

/* What an interval and a verdict rest on. */
enum diff_basis {
	DIFF_BY_NOTHING,    /* no samples at all */
	DIFF_BY_SAMPLES,    /* how many samples there are. The interval is the least one: it takes samples for independent, which those of
			     * one run are not; no verdict */
	DIFF_BY_RECORDINGS, /* how far the recordings of a side differ, and no less than their number of samples explains */
};

/* One row in the recordings of one side. */
struct diff_side {
	const double *percent;	    /* of each recording */
	const uint64_t *nr_samples; /* of each recording, all rows together */
	uint32_t nr;		    /* recordings */
	bool is_count; /* percentages are not shares of their own recording, but counts on a scale that both sides have */
};

struct diff_result {
	double base, now; /* means, in percent */
	double delta;	  /* now − base */
	double low, high; /* 95% interval of delta; NAN by nothing */
	double p;	  /* that noise alone does this; NAN: not tested. diff_correct() adjusts it */
	enum diff_basis basis;
	bool is_significant;
};

/* Both sides have a recording. */
struct diff_result diff_compare(const struct diff_side *base, const struct diff_side *now);

/* Adjusts the p of all rows of a table for their number, and decides what is significant. `results` are `stride` bytes apart. Returns
 * how many were tested. */
uint32_t diff_correct(struct diff_result *results, uint32_t nr, uint32_t stride);

#endif
