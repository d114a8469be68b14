/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Comparing the columns of a flame tree.
 */
#include "model/flame_diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE	    100000000u /* width of the root, of sides made equal */
#define FINE	    100u       /* units of width for one of weight, where weights are small enough: means have fractions */
#define SMALL	    (1ull << 40)
#define SHARE_SHIFT 64
#define COUNT_SHIFT 32

typedef unsigned __int128 wide;

static enum flame_diff_side side_of(const struct flame_diff *d, uint32_t column)
{
	return column < d->nr[FLAME_DIFF_BASE] ? FLAME_DIFF_BASE : FLAME_DIFF_NOW;
}

/* Widths are sums of whole products, shifted down at last: what frames lose to that, the one below them has lost no more often. */
static void choose_factors(struct flame_diff *d)
{
	const struct flame *f = d->flame;
	uint64_t fine = FINE;

	for (uint32_t c = 0; c < f->nr_columns; c++)
		if (f->sum[c] > SMALL)
			fine = 1;
	d->shift = d->absolute ? COUNT_SHIFT : SHARE_SHIFT;
	for (uint32_t c = 0; c < f->nr_columns; c++) {
		uint64_t parts = 2ull * d->nr[side_of(d, c)];

		if (d->absolute)
			d->factors[c] = ((wide)fine << COUNT_SHIFT) / parts;
		else
			d->factors[c] = f->sum[c] ? ((wide)WHOLE << SHARE_SHIFT) / ((wide)f->sum[c] * parts) : 0;
	}
}

uint64_t flame_diff_width(const struct flame *f, uint32_t node, const void *ctx)
{
	const struct flame_diff *d = ctx;
	wide sum = 0;

	for (uint32_t c = 0; c < f->nr_columns; c++)
		sum += flame_total(f, node, c) * d->factors[c];
	return (uint64_t)(sum >> d->shift);
}

double flame_diff_mean(const struct flame_diff *d, uint32_t node, enum flame_diff_side side)
{
	uint32_t first = side == FLAME_DIFF_BASE ? 0 : d->nr[FLAME_DIFF_BASE];
	double sum = 0;

	for (uint32_t i = 0; i < d->nr[side]; i++)
		sum += (double)flame_total(d->flame, node, first + i);
	return sum / d->nr[side];
}

/* What a column's weights are shares of, and its samples. */
static void choose_wholes(const struct flame_diff *d, double *whole, uint64_t *nr_samples)
{
	const struct flame *f = d->flame;
	double nr = 0;

	for (uint32_t c = 0; c < d->nr[FLAME_DIFF_BASE]; c++)
		nr += (double)f->nr_samples[c];
	for (uint32_t c = 0; c < f->nr_columns; c++) {
		whole[c] = d->absolute ? flame_diff_mean(d, FLAME_TOP, FLAME_DIFF_BASE) : (double)f->sum[c];
		nr_samples[c] = d->absolute ? (uint64_t)(nr / d->nr[FLAME_DIFF_BASE]) : f->nr_samples[c];
	}
}

static void compare(struct flame_diff *d)
{
	const struct flame *f = d->flame;
	double *whole = mem_zalloc(f->nr_columns * sizeof(*whole)), *percent = mem_zalloc(f->nr_columns * sizeof(*percent));
	uint64_t *nr_samples = mem_zalloc(f->nr_columns * sizeof(*nr_samples));
	uint32_t nr_base = d->nr[FLAME_DIFF_BASE];

	choose_wholes(d, whole, nr_samples);
	for (uint32_t node = 0; node < f->nodes.nr; node++) {
		for (uint32_t c = 0; c < f->nr_columns; c++)
			percent[c] = whole[c] > 0 ? 100 * (double)flame_total(f, node, c) / whole[c] : 0;
		d->results[node] = diff_compare(
			&(struct diff_side){ percent, nr_samples, nr_base, d->absolute },
			&(struct diff_side){ percent + nr_base, nr_samples + nr_base, d->nr[FLAME_DIFF_NOW], d->absolute });
		/* The root is the whole of both. */
		if (node == FLAME_TOP && !d->absolute)
			d->results[node].p = NAN;
	}
	d->nr_tests = diff_correct(d->results, f->nodes.nr, sizeof(*d->results));
	free(whole);
	free(percent);
	free(nr_samples);
}

void flame_diff_init(struct flame_diff *d, const struct flame *f, uint32_t nr_base, bool absolute)
{
	memset(d, 0, sizeof(*d));
	d->flame = f;
	d->absolute = absolute;
	d->nr[FLAME_DIFF_BASE] = nr_base;
	d->nr[FLAME_DIFF_NOW] = f->nr_columns - nr_base;
	d->results = mem_zalloc((f->nodes.nr + 1ul) * sizeof(*d->results));
	d->factors = mem_zalloc((f->nr_columns + 1ul) * sizeof(*d->factors));
	choose_factors(d);
	compare(d);
	d->basis = d->results[FLAME_TOP].basis;
	for (uint32_t node = 0; node < f->nodes.nr; node++)
		if (!flame_diff_is_noise(d, node) && fabs(d->results[node].delta) > d->most)
			d->most = fabs(d->results[node].delta);
}

void flame_diff_fini(struct flame_diff *d)
{
	free(d->results);
	free(d->factors);
}

bool flame_diff_is_noise(const struct flame_diff *d, uint32_t node)
{
	const struct diff_result *r = &d->results[node];

	switch (r->basis) {
	case DIFF_BY_RECORDINGS:
		return !r->is_significant;
	case DIFF_BY_SAMPLES:
		return r->low <= 0 && r->high >= 0;
	default:
		return true;
	}
}

double flame_diff_strength(const struct flame_diff *d, uint32_t node)
{
	double delta = d->results[node].delta, share = d->most > 0 ? fabs(delta) / d->most : 0;

	/* Differences of a tenth of the largest are still to be seen. */
	return copysign(sqrt(share < 1 ? share : 1), delta);
}
