/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Comparing shares of recordings. The noise of a mean is a variance per side; intervals and p follow from it in the same way for
 * differences, weighted differences and ratios.
 */
#include "model/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define CONFIDENCE 0.95
#define WITHIN_95 1.959963984540054 /* standard deviations */

#define VISIBLE 0.25	 /* jitter that a row has to show to tell anything of it */
#define DOUBT_PRIOR 2.0	 /* log likelihood that a smaller d0 may lack */
#define DOUBT_JITTER 0.7 /* and a larger jitter */
#define TOGETHER 0.35	 /* of the rows that move on their own, how many are believed: their number is a guess from few recordings */
#define NR_JITTERS 26
#define NR_PRIORS 8

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

				likelihood[prior][jitter] +=
					weight * (of_prior[prior] - d / 2 * log_model - (d + d0) / 2 * log1p(d * r->spread / (d0 * model)));
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

void diff_design_init(struct diff_design *d, const double *effective_base, uint32_t nr_base, const double *effective_now, uint32_t nr_now,
		      bool is_count)
{
	const double *effective[2] = { effective_base, effective_now };

	*d = (struct diff_design){ .weight = { 1, 1 }, .is_count = is_count, .nr = { nr_base, nr_now } };
	diff_noise_init(&d->noise, nr_base + nr_now, 2);
	for (int side = 0; side < 2; side++)
		for (uint32_t i = 0; i < d->nr[side]; i++) {
			d->nr_samples[side] += effective[side][i];
			d->scatter[side] += 1 / fmax(effective[side][i], 1) / d->nr[side];
		}
}

void diff_design_fini(struct diff_design *d)
{
	diff_noise_fini(&d->noise);
}

static bool has_several(const struct diff_design *d)
{
	return d->nr[0] > 1 && d->nr[1] > 1;
}

/* One sample more here and one elsewhere: a share of 0 out of few samples may still be some percent (Agresti and Caffo). */
static double careful_share(double percent, double nr_samples)
{
	return (nr_samples * percent / 100 + 1) / (nr_samples + 2);
}

/* What is not here is elsewhere. A count has no elsewhere. */
static double chance_of(const struct diff_design *d, double share)
{
	return d->is_count ? share : fmax(share * (1 - share), 0);
}

/* Variances of one recording. Runs that differ multiply what they do here by something; of a share that says less, the larger it is. */
static struct diff_noise_row noise_row(const struct diff_design *d, const struct diff_result *r, double scatter)
{
	double chance = chance_of(d, r->share);

	return (struct diff_noise_row){ chance * scatter, d->is_count ? r->share * r->share : chance * chance, r->spread };
}

/* The sides' scatter, as their recordings weigh in the spread. */
static double mean_scatter(const struct diff_design *d)
{
	return ((d->nr[0] - 1) * d->scatter[0] + (d->nr[1] - 1) * d->scatter[1]) / d->noise.df;
}

static void add_noise(struct diff_design *d, struct diff_result *r, const double *base, const double *now)
{
	double *residuals = mem_zalloc((d->noise.nr_recordings + 1ul) * sizeof(*residuals)), squares = 0;
	struct diff_noise_row row;

	for (uint32_t i = 0; i < d->noise.nr_recordings; i++) {
		residuals[i] = (i < d->nr[0] ? base[i] - r->base : now[i - d->nr[0]] - r->now) / 100;
		squares += residuals[i] * residuals[i];
	}
	r->spread = squares / d->noise.df;
	row = noise_row(d, r, mean_scatter(d));
	if (r->test == DIFF_TESTED)
		diff_noise_add(&d->noise, &row, residuals);
	free(residuals);
}

struct diff_result diff_compare(struct diff_design *d, const double *base, const double *now, uint64_t nr_here)
{
	struct diff_result r = { .base = statistics_mean(base, d->nr[0]),
				 .now = statistics_mean(now, d->nr[1]),
				 .low = NAN,
				 .high = NAN,
				 .p = NAN,
				 .least_p = NAN };
	double mean = (r.base * d->nr[0] + r.now * d->nr[1]) / fmax(d->nr[0] + d->nr[1], 1);

	r.delta = r.now - r.base;
	if (!(d->nr_samples[0] > 0 && d->nr_samples[1] > 0))
		return r;
	r.basis = has_several(d) ? DIFF_BY_RECORDINGS : DIFF_BY_SAMPLES;
	r.share = careful_share(mean, d->nr_samples[0] + d->nr_samples[1]);
	if (!has_several(d))
		return r;
	r.test = nr_here < DIFF_MIN_SAMPLES ? DIFF_FEW : mean < DIFF_MIN_PERCENT ? DIFF_SMALL : DIFF_TESTED;
	add_noise(d, &r, base, now);
	return r;
}

/* Means with the variance of each, and how many standard deviations are 95%. */
struct estimate {
	double base, now, var_base, var_now, within;
};

/* By Fieller: all ratios that this difference of base · ratio and now does not contradict. */
static void put_ratio(struct diff_result *r, const struct estimate *e)
{
	double w = e->within * e->within, a = e->base * e->base - w * e->var_base, c = e->now * e->now - w * e->var_now;
	double b = e->base * e->now, root = sqrt(fmax(b * b - a * c, 0));

	/* A baseline that may be nothing has no upper end. */
	r->high = a > 0 ? (b + root) / a : INFINITY;
	r->low = c > 0 ? c / (b + root) : 0;
}

static void put_interval(const struct diff_design *d, struct diff_result *r, const struct estimate *e)
{
	double base = d->weight[0], now = d->weight[1], middle = now * e->now - base * e->base;
	double reach = e->within * sqrt(now * now * e->var_now + base * base * e->var_base);

	if (d->measure == DIFF_OF_RATIO) {
		put_ratio(r, e);
		return;
	}
	r->low = 100 * (middle - reach);
	r->high = 100 * (middle + reach);
	if (!d->is_count) {
		r->low = fmax(r->low, -100);
		r->high = fmin(r->high, 100);
	}
}

static void judge_samples(const struct diff_design *d, struct diff_result *r)
{
	double base = careful_share(r->base, d->nr_samples[0]), now = careful_share(r->now, d->nr_samples[1]);
	struct estimate e = { base, now, chance_of(d, base) * d->scatter[0] / d->nr[0], chance_of(d, now) * d->scatter[1] / d->nr[1],
			      WITHIN_95 };

	put_interval(d, r, &e);
}

static void judge_recordings(const struct diff_design *d, struct diff_result *r, double within)
{
	struct diff_noise_row all = noise_row(d, r, mean_scatter(d));
	double factor = diff_noise_factor(&d->noise, &all), jitter = d->noise.jitter * d->noise.jitter * all.unit;
	double var_base = factor * (chance_of(d, r->share) * d->scatter[0] + jitter) / d->nr[0];
	double var_now = factor * (chance_of(d, r->share) * d->scatter[1] + jitter) / d->nr[1];
	struct estimate e = { r->base / 100, r->now / 100, var_base, var_now, within };
	double base = d->measure == DIFF_OF_RATIO ? 1 : d->weight[0], now = d->measure == DIFF_OF_RATIO ? 1 : d->weight[1];
	double error = sqrt(base * base * var_base + now * now * var_now), df = d->noise.prior_df + d->noise.df;

	put_interval(d, r, &e);
	if (r->test != DIFF_TESTED)
		return;
	r->p = error > 0 ? statistics_t_p((now * e.now - base * e.base) / error, df) : 1;
	r->least_p = error > 0 ? statistics_t_p(2 * r->share / error, df) : 1;
	/* What is larger matters more, and gets more of the error that all tests may make together. What is all of both sides cannot change. */
	r->weight = d->is_count ? r->share / (1 + r->share) : r->share * (1 - r->share);
}

static struct diff_result *at(struct diff_result *results, uint32_t i, uint32_t stride)
{
	return (struct diff_result *)((char *)results + (size_t)i * stride);
}

void diff_judge(struct diff_design *d, struct diff_result *results, uint32_t nr, uint32_t stride)
{
	double within = 0;

	if (has_several(d)) {
		diff_noise_fit(&d->noise);
		within = statistics_t_within(CONFIDENCE, d->noise.prior_df + d->noise.df);
	}
	for (uint32_t i = 0; i < nr; i++) {
		struct diff_result *r = at(results, i, stride);

		if (r->basis == DIFF_BY_RECORDINGS)
			judge_recordings(d, r, within);
		else if (r->basis == DIFF_BY_SAMPLES)
			judge_samples(d, r);
	}
}

struct diff_summary diff_correct(struct diff_result *results, uint32_t nr, uint32_t stride)
{
	double *p = mem_zalloc((nr + 1ul) * 3 * sizeof(*p)), *weights = p + nr, *least = weights + nr;
	struct diff_summary s = { 0 };

	for (uint32_t i = 0; i < nr; i++) {
		const struct diff_result *r = at(results, i, stride);

		p[i] = r->p;
		least[i] = r->least_p;
		weights[i] = r->weight;
		s.nr_tests += r->test == DIFF_TESTED;
		s.nr_few += r->test == DIFF_FEW;
		s.nr_small += r->test == DIFF_SMALL;
	}
	statistics_adjust(p, weights, nr);
	statistics_adjust(least, weights, nr);
	for (uint32_t i = 0; i < nr; i++) {
		at(results, i, stride)->p = p[i];
		at(results, i, stride)->is_significant = p[i] < DIFF_LEVEL; /* false of NAN */
		s.can_find |= least[i] < DIFF_LEVEL;
	}
	free(p);
	return s;
}

enum diff_verdict diff_verdict(const struct diff_result *r)
{
	if (r->basis == DIFF_BY_NOTHING)
		return DIFF_SAYS_NOTHING;
	if (r->basis == DIFF_BY_SAMPLES)
		return r->low <= 0 && r->high >= 0 ? DIFF_WITHIN_ERROR : DIFF_BEYOND_ERROR;
	if (r->test != DIFF_TESTED)
		return r->test == DIFF_SMALL ? DIFF_TOO_SMALL : DIFF_TOO_FEW;
	return r->is_significant ? DIFF_IS_SIGNIFICANT : DIFF_IS_NOISE;
}
