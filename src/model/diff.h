/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What changed between two sides of recordings, for a row of a table or a frame of a flame graph, and whether the difference is more than
 * noise. Several recordings on both sides measure run-to-run noise, estimated over all rows (three recordings say too little of one). With
 * one recording on a side there is only the interval of the sampling error, and nothing is significant.
 *
 * In three steps, because rows share an estimate: diff_compare() each row, diff_judge() all rows of a pair of sides, diff_correct() all
 * rows of a table. Pure arithmetic; model/diff_table.h has the table, model/flame.h the tree.
 */
#ifndef ASSAY_MODEL_DIFF_H
#define ASSAY_MODEL_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* ---- statistics: distributions, means, and the correction for testing many rows at once ---- */

/* The regularised incomplete beta function I_x(a, b), for x in [0, 1] and positive a, b. */
double statistics_beta(double x, double a, double b);

/* log(1 / B(a, b)): what a density of F or beta begins with. */
double statistics_log_beta(double a, double b);

/* Student's t with `df` degrees of freedom (which need not be whole): P(|T| ≥ |t|); the t that |T| stays below with probability
 * `confidence` (0.95 of 10: 2.228). */
double statistics_t_p(double t, double df);
double statistics_t_within(double confidence, double df);

double statistics_mean(const double *values, uint32_t nr);

/* Adjusts p values for their number (Benjamini–Hochberg): of those below 0.05 afterwards, at most one in twenty is wrong. `weights`
 * (NULL: equal) distribute the error over the tests and must not depend on their results (Genovese, Roeder and Wasserman 2006); their
 * scale does not matter. NAN stays NAN. */
void statistics_adjust(double *p, const double *weights, uint32_t nr);

/* The model of noise. The variance of a row has a part that the number of samples explains, and run-to-run jitter, assumed equal for all
 * rows: tens of rows show it where three recordings of one row cannot. How equal rows are is estimated too: rows that differ or move
 * together count less, down to each row by itself. */

/* What is known of a row before anything is estimated. Variances are those of one recording. */
struct diff_noise_row {
	double sampling; /* that the number of samples explains */
	double unit;	 /* that jitter of 100% would add */
	double spread;	 /* as it was found */
};

struct diff_noise {
	uint32_t nr_recordings;
	double df;	 /* of the spread of one row: recordings less sides */
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

#define DIFF_LEVEL 0.05	     /* what is significant: chance does it less often, all rows considered */
#define DIFF_MIN_SAMPLES 10  /* of a row, in all recordings: fewer prove nothing, and testing them would cost the others their power */
#define DIFF_MIN_PERCENT 0.1 /* of a row, in the mean of all recordings; for the same reason */

/* What an interval and a verdict rest on. */
enum diff_basis {
	DIFF_BY_NOTHING,    /* no samples at all */
	DIFF_BY_SAMPLES,    /* how many samples there are. The interval is the least one: it takes samples for independent, which those of
			     * one run are not; no verdict */
	DIFF_BY_RECORDINGS, /* how far the recordings of a side differ, and no less than their number of samples explains */
};

/* Whether a row was tested, and if not, why. */
enum diff_test {
	DIFF_UNTESTED, /* not asked for, or only one recording */
	DIFF_FEW,      /* below DIFF_MIN_SAMPLES */
	DIFF_SMALL,    /* below DIFF_MIN_PERCENT */
	DIFF_TESTED,
};

/* What is computed, and what its interval is of. */
enum diff_measure {
	DIFF_OF_DELTA, /* weight[1] · now − weight[0] · base; tested against 0 */
	DIFF_OF_RATIO, /* now / base; tested against 1 */
};

/* What is the same for all rows of a pair of sides. Index 0 is the baseline. */
struct diff_design {
	enum diff_measure measure;
	double weight[2];
	bool is_count;	      /* percentages are not shares of their own recording, but counts on a scale that both sides have */
	uint32_t nr[2];	      /* recordings */
	double nr_samples[2]; /* of all of them, effective */
	double scatter[2];    /* mean over recordings of 1 / effective number of samples */
	struct diff_noise noise;
};

struct diff_result {
	double base, now; /* means, in percent */
	double delta;	  /* now − base */
	double low, high; /* 95% interval of what is measured; NAN by nothing, INFINITY where a ratio has no upper end */
	double p;	  /* that noise alone does this; NAN: not tested. diff_correct() adjusts it */
	enum diff_basis basis;
	enum diff_test test;
	bool is_significant;
	/* between the steps */
	double share;	/* of both sides together */
	double spread;	/* variance of recordings around the mean of their side, of shares */
	double least_p; /* the p of a row of this size that is gone from one side */
	double weight;	/* in the correction */
};

/* What can be said of a difference. */
enum diff_verdict {
	DIFF_SAYS_NOTHING, /* no samples at all */
	DIFF_WITHIN_ERROR, /* by samples alone: the interval has no difference in it … */
	DIFF_BEYOND_ERROR, /* … or has not */
	DIFF_TOO_SMALL,	   /* to be tested */
	DIFF_TOO_FEW,	   /* samples to be tested */
	DIFF_IS_NOISE,	   /* tested, and not significant */
	DIFF_IS_SIGNIFICANT,
	DIFF_NR_VERDICTS,
};

/* Of a delta, after diff_correct(). */
enum diff_verdict diff_verdict(const struct diff_result *r);

/* What came of all tests of a table. */
struct diff_summary {
	uint32_t nr_tests, nr_few, nr_small;
	bool can_find; /* a row that is gone from one side altogether would be significant; if not, there are too few recordings */
};

/* `effective`: how many samples of equal weight each recording is worth: (Σ period)² / Σ period². Measures deltas by default. */
void diff_design_init(struct diff_design *d, const double *effective_base, uint32_t nr_base, const double *effective_now, uint32_t nr_now,
		      bool is_count);
void diff_design_fini(struct diff_design *d);

/* A row: its percentage in each recording; `nr_here`: its samples in all of them. Significance comes with the next steps. */
struct diff_result diff_compare(struct diff_design *d, const double *base, const double *now, uint64_t nr_here);

/* Intervals and p of all rows; `results` are `stride` bytes apart. Rows whose `test` was set to DIFF_UNTESTED after diff_compare() stay so. */
void diff_judge(struct diff_design *d, struct diff_result *results, uint32_t nr, uint32_t stride);

/* Adjusts the p of all rows of a table for their number, and decides what is significant. */
struct diff_summary diff_correct(struct diff_result *results, uint32_t nr, uint32_t stride);

#endif
