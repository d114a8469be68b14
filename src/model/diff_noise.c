/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A moderated variance: that of row i is drawn around v_i = sampling_i + jitter² · unit_i with the spread of v_i · d0 / χ²(d0), so that the
 * one that was measured with d degrees of freedom is v_i times an F(d, d0), and the best guess is the mean of both weighted by d and d0
 * (Smyth 2004). Jitter and d0 are found by likelihood on a grid; and where the data leave a choice, what makes fewer rows significant is
 * taken. The constants are calibrated by simulation: tests/unit/test_diff_noise.c has a part of it.
 */
#include "model/diff_noise.h"

#include <math.h>
#include <stdlib.h>

#include "model/statistics.h"

#define VISIBLE	     0.25 /* jitter that a row has to show to tell anything of it */
#define DOUBT_PRIOR  2.0  /* log likelihood that a smaller d0 may lack */
#define DOUBT_JITTER 0.7  /* and a larger jitter */
#define TOGETHER     0.35 /* of the rows that move on their own, how many are believed: their number is a guess from few recordings */
#define NR_JITTERS   26
#define NR_PRIORS    8

static const double priors[NR_PRIORS] = { 0.5, 1, 2, 4, 8, 16, 32, 64 };

/* 0, then 1% to 80%. */
static double jitter_of(int i)
{
	return i ? 0.01 * pow(1.2, i - 1) : 0;
}

void diff_noise_init(struct diff_noise *n, uint32_t nr_recordings, uint32_t nr_sides)
{
	*n = (struct diff_noise){ .nr_recordings = nr_recordings, .df = (double)nr_recordings - nr_sides };
	n->moments = mem_zalloc(((size_t)nr_recordings * nr_recordings + 1) * sizeof(*n->moments));
}

void diff_noise_fini(struct diff_noise *n)
{
	free(n->moments);
	vec_fini(&n->rows);
}

/* From 0 to 1: what a row tells of jitter. Small ones drown it in the noise of few samples. */
static double visibility(const struct diff_noise_row *r)
{
	double jitter = VISIBLE * VISIBLE * r->unit, share = jitter > 0 ? jitter / (r->sampling + jitter) : 0;

	return share * share;
}

void diff_noise_add(struct diff_noise *n, const struct diff_noise_row *r, const double *residuals)
{
	double expected = r->sampling + VISIBLE * VISIBLE * r->unit, weight = expected > 0 ? visibility(r) / expected : 0;

	vec_push(&n->rows, *r);
	for (uint32_t i = 0; i < n->nr_recordings; i++)
		for (uint32_t k = 0; k < n->nr_recordings; k++)
			n->moments[(size_t)i * n->nr_recordings + k] += weight * residuals[i] * residuals[k];
}

/* How many rows move on their own. If all move together, residuals of all rows have one direction; if none do, directions are even. What
 * independent rows give in the mean is that of a Wishart matrix W of m rows in d dimensions: E tr W² / E (tr W)² = (m + d + 1) / (m d + 2). */
static double nr_independent(const struct diff_noise *n)
{
	double trace = 0, squares = 0, ratio, below;

	for (uint32_t i = 0; i < n->nr_recordings; i++)
		for (uint32_t k = 0; k < n->nr_recordings; k++) {
			double m = n->moments[(size_t)i * n->nr_recordings + k];

			trace += i == k ? m : 0;
			squares += m * m;
		}
	if (!(trace > 0))
		return n->rows.nr;
	ratio = squares / (trace * trace);
	below = ratio * n->df - 1;
	return below > 0 ? fmin((n->df + 1 - 2 * ratio) / below, n->rows.nr) : n->rows.nr;
}

/* The log likelihood of what was found, for each d0 and jitter. */
static void weigh(const struct diff_noise *n, double likelihood[NR_PRIORS][NR_JITTERS])
{
	double d = n->df, of_prior[NR_PRIORS];

	for (int prior = 0; prior < NR_PRIORS; prior++)
		of_prior[prior] = statistics_log_beta(d / 2, priors[prior] / 2) + d / 2 * log(d / priors[prior]);
	for (int jitter = 0; jitter < NR_JITTERS; jitter++) {
		double squared = jitter_of(jitter) * jitter_of(jitter);

		for (int prior = 0; prior < NR_PRIORS; prior++)
			likelihood[prior][jitter] = 0;
		for (uint32_t i = 0; i < n->rows.nr; i++) {
			const struct diff_noise_row *r = &n->rows.v[i];
			double model = r->sampling + squared * r->unit, weight = visibility(r), log_model;

			if (!(model > 0))
				continue;
			log_model = log(model);
			for (int prior = 0; prior < NR_PRIORS; prior++) {
				double d0 = priors[prior];

				likelihood[prior][jitter] += weight * (of_prior[prior] - d / 2 * log_model -
								       (d + d0) / 2 * log1p(d * r->spread / (d0 * model)));
			}
		}
	}
}

void diff_noise_fit(struct diff_noise *n)
{
	double likelihood[NR_PRIORS][NR_JITTERS], most[NR_PRIORS], all = -INFINITY, on_their_own;
	int best[NR_PRIORS] = { 0 }, prior = 0, jitter;

	weigh(n, likelihood);
	for (int i = 0; i < NR_PRIORS; i++) {
		for (int k = 1; k < NR_JITTERS; k++)
			if (likelihood[i][k] > likelihood[i][best[i]])
				best[i] = k;
		most[i] = likelihood[i][best[i]];
		all = fmax(all, most[i]);
	}
	while (most[prior] < all - DOUBT_PRIOR)
		prior++;
	jitter = best[prior];
	while (jitter + 1 < NR_JITTERS && likelihood[prior][jitter + 1] >= most[prior] - DOUBT_JITTER)
		jitter++;
	n->jitter = jitter_of(jitter);
	/* Two recordings a side do not show a row that is unlike the others, nor rows that move together, often enough. */
	on_their_own = fmax(TOGETHER * (nr_independent(n) - 1), 0);
	n->prior_df = fmin(fmin(priors[prior], n->df * n->df / 2), on_their_own * n->df);
}

double diff_noise_factor(const struct diff_noise *n, const struct diff_noise_row *r)
{
	double model = r->sampling + n->jitter * n->jitter * r->unit, own;

	if (!(model > 0))
		return 1;
	own = r->spread / model;
	/* What a row shows of itself is believed where it is more; and luck never makes it less than its number of samples does. */
	return fmax(fmax((n->prior_df + n->df * own) / (n->prior_df + n->df), own), r->sampling / model);
}
