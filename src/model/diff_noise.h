/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How far the shares of recordings of the same thing differ: the model of noise that significance in model/diff.h rests on. The variance of a
 * row has a part that its number of samples explains, and a part of runs that differ (jitter), which is taken for alike in all rows:
 * tens of rows tell it where the three recordings of one row cannot. How alike rows really are is estimated, too, and with care: rows that
 * differ in it, or that move together, are believed less, down to each row by itself.
 *
 * Fed by model/diff.c with residuals row by row. It knows neither sides nor verdicts.
 */
#ifndef ASSAY_MODEL_DIFF_NOISE_H
#define ASSAY_MODEL_DIFF_NOISE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* What is known of a row before anything is estimated. Variances are those of one recording. */
struct diff_noise_row {
	double sampling; /* that the number of samples explains */
	double unit;	 /* that jitter of 100% would add */
	double spread;	 /* as it was found */
};

struct diff_noise {
	uint32_t nr_recordings;
	double df; /* of the spread of one row: recordings less sides */
	double *moments; /* nr_recordings²: of residuals, summed over rows */
	VEC(struct diff_noise_row) rows;
	/* after diff_noise_fit() */
	double jitter;	 /* relative standard deviation of a row's share from run to run */
	double prior_df; /* what all rows are worth beside the row itself, in degrees of freedom */
};

void diff_noise_init(struct diff_noise *n, uint32_t nr_recordings, uint32_t nr_sides);
void diff_noise_fini(struct diff_noise *n);

/* `residuals`: of each recording from the mean of its side. Needs two recordings more than sides. */
void diff_noise_add(struct diff_noise *n, const struct diff_noise_row *r, const double *residuals);
void diff_noise_fit(struct diff_noise *n);

/* By how much the variance of a row is that of the model, sampling + jitter² · unit. */
double diff_noise_factor(const struct diff_noise *n, const struct diff_noise_row *r);

#endif
