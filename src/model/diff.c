/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Comparing shares of recordings.
 */
#include "model/diff.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/statistics.h"

#define WITHIN_95 1.959963984540054 /* standard deviations */

struct pooled {
	double nr_samples; /* of all recordings */
	double nr_here;	   /* of these, of the row */
	bool is_count;
};

static struct pooled pool(const struct diff_side *s)
{
	struct pooled p = { .is_count = s->is_count };

	for (uint32_t i = 0; i < s->nr; i++) {
		p.nr_samples += (double)s->nr_samples[i];
		p.nr_here += (double)s->nr_samples[i] * s->percent[i] / 100;
	}
	return p;
}

/* The share of the row with one sample more and one more elsewhere: a share of 0 out of few samples may still be one of some percent
 * (Agresti and Caffo). */
static double careful_share(const struct pooled *p)
{
	return (p->nr_here + 1) / (p->nr_samples + 2);
}

/* Of a share that so many samples show: what is not here is elsewhere. A count has no elsewhere. */
static double variance_of(double share, double nr_samples, bool is_count)
{
	return (is_count ? share : share * (1 - share)) / (nr_samples + 2);
}

static double share_variance(const struct pooled *p)
{
	return variance_of(careful_share(p), p->nr_samples, p->is_count);
}

static void compare_samples(struct diff_result *r, const struct pooled *base, const struct pooled *now)
{
	double middle = careful_share(now) - careful_share(base);
	double reach = WITHIN_95 * sqrt(share_variance(base) + share_variance(now));

	r->basis = DIFF_BY_SAMPLES;
	r->low = 100 * (middle - reach);
	r->high = 100 * (middle + reach);
}

/* Recordings that agree by luck prove little: with two or three of them that happens. They never differ less than the number of their
 * samples makes them on average; `share` is that of both sides together, as it would be if nothing had changed. */
static struct statistics_group group_of(const struct diff_side *s, const struct pooled *p, double share)
{
	double least = 1e4 * variance_of(share, p->nr_samples / s->nr, s->is_count);
	struct statistics_group g = { statistics_mean(s->percent, s->nr), statistics_variance(s->percent, s->nr), s->nr };

	if (g.variance < least)
		g.variance = least;
	return g;
}

static void compare_recordings(struct diff_result *r, const struct diff_side *base, const struct diff_side *now, const struct pooled *pb,
			       const struct pooled *pn)
{
	const struct pooled both = { pb->nr_samples + pn->nr_samples, pb->nr_here + pn->nr_here, pb->is_count };
	struct statistics_group gb = group_of(base, pb, careful_share(&both)), gn = group_of(now, pn, careful_share(&both));
	struct statistics_welch w = statistics_welch(&gb, &gn);

	r->basis = DIFF_BY_RECORDINGS;
	r->low = w.low;
	r->high = w.high;
	/* A sum of shares of samples: half a sample is lost to rounding at most. */
	if (both.nr_here + 0.5 >= DIFF_MIN_SAMPLES)
		r->p = w.p;
}

struct diff_result diff_compare(const struct diff_side *base, const struct diff_side *now)
{
	struct diff_result r = { .base = statistics_mean(base->percent, base->nr), .now = statistics_mean(now->percent, now->nr),
				 .low = NAN, .high = NAN, .p = NAN };
	struct pooled pb = pool(base), pn = pool(now);

	r.delta = r.now - r.base;
	if (!(pb.nr_samples > 0 && pn.nr_samples > 0))
		return r;
	if (base->nr > 1 && now->nr > 1)
		compare_recordings(&r, base, now, &pb, &pn);
	else
		compare_samples(&r, &pb, &pn);
	return r;
}

static struct diff_result *at(struct diff_result *results, uint32_t i, uint32_t stride)
{
	return (struct diff_result *)((char *)results + (size_t)i * stride);
}

uint32_t diff_correct(struct diff_result *results, uint32_t nr, uint32_t stride)
{
	double *p = mem_realloc(NULL, (size_t)nr + 1, sizeof(*p));
	uint32_t nr_tests = 0;

	for (uint32_t i = 0; i < nr; i++) {
		p[i] = at(results, i, stride)->p;
		nr_tests += !isnan(p[i]);
	}
	statistics_adjust(p, nr);
	for (uint32_t i = 0; i < nr; i++) {
		at(results, i, stride)->p = p[i];
		at(results, i, stride)->is_significant = p[i] < DIFF_LEVEL; /* false of NAN */
	}
	free(p);
	return nr_tests;
}
