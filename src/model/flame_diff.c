/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Comparing the columns of a flame tree.
 */
#include "model/flame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE 100000000u /* width of the root, of sides made equal */
#define FINE 100u	 /* units of width for one of weight, where weights are small enough: means have fractions */
#define SMALL (1ull << 40)
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
		uint64_t parts = 2ull * d->nr_used[side_of(d, c)];

		if (d->absolute)
			d->factors[c] = parts ? ((wide)fine << COUNT_SHIFT) / parts : 0;
		else
			d->factors[c] = f->sum[c] ? ((wide)WHOLE << SHARE_SHIFT) / ((wide)f->sum[c] * parts) : 0;
	}
}

uint64_t flame_diff_width(const struct flame *f, const uint64_t *weights, const void *ctx)
{
	const struct flame_diff *d = ctx;
	wide sum = 0;

	for (uint32_t c = 0; c < f->nr_columns; c++)
		sum += weights[c] * d->factors[c];
	return (uint64_t)(sum >> d->shift);
}

double flame_diff_mean(const struct flame_diff *d, uint32_t node, enum flame_diff_side side)
{
	uint32_t first = side == FLAME_DIFF_BASE ? 0 : d->nr[FLAME_DIFF_BASE];
	double sum = 0;

	for (uint32_t i = 0; i < d->nr[side]; i++)
		sum += (double)weighted_total(&d->flame->tree, node, first + i);
	return d->nr_used[side] ? sum / d->nr_used[side] : 0;
}

/* The columns that count, the baseline's first. */
struct columns {
	uint32_t *of;
	double *whole;	   /* what weights are parts of */
	double *effective; /* samples of equal weight that a column is worth */
	double *percent;   /* of the node at hand */
	uint32_t nr;
};

static double effective_of(const struct flame *f, uint32_t column)
{
	double sum = (double)f->sum[column], nr = (double)f->nr_samples[column];

	return f->squares[column] > 0 ? fmin(sum * sum / f->squares[column], nr) : nr;
}

static void columns_init(struct columns *c, const struct flame_diff *d)
{
	const struct flame *f = d->flame;
	double base = flame_diff_mean(d, WEIGHTED_ROOT, FLAME_DIFF_BASE);

	*c = (struct columns){ .of = mem_zalloc((f->nr_columns + 1ul) * sizeof(*c->of)),
			       .whole = mem_zalloc((f->nr_columns + 1ul) * sizeof(*c->whole)),
			       .effective = mem_zalloc((f->nr_columns + 1ul) * sizeof(*c->effective)),
			       .percent = mem_zalloc((f->nr_columns + 1ul) * sizeof(*c->percent)) };
	for (uint32_t i = 0; i < f->nr_columns; i++) {
		if (!f->sum[i])
			continue;
		c->of[c->nr] = i;
		c->whole[c->nr] = d->absolute ? base : (double)f->sum[i];
		/* one that is twice as long has twice the samples, and not finer ones */
		c->effective[c->nr] = effective_of(f, i) * (d->absolute ? base / (double)f->sum[i] : 1);
		c->nr++;
	}
}

static void columns_fini(struct columns *c)
{
	free(c->of);
	free(c->whole);
	free(c->effective);
	free(c->percent);
}

static struct diff_result compare_weights(const struct flame_diff *d, const uint64_t *weights, struct columns *c,
					  struct diff_design *design)
{
	double nr_here = 0;

	for (uint32_t i = 0; i < c->nr; i++) {
		double part = (double)weights[c->of[i]] / c->whole[i];

		c->percent[i] = 100 * part;
		nr_here += part * c->effective[i];
	}
	return diff_compare(design, c->percent, c->percent + d->nr_used[FLAME_DIFF_BASE], (uint64_t)llround(nr_here));
}

/* Of `nr` rows of weights, one of each column; `first_tested`: rows before it are not. */
static struct diff_summary compare_rows(const struct flame_diff *d, const uint64_t *weights, uint32_t nr, uint32_t first_tested,
					struct diff_result *results)
{
	uint32_t nr_base = d->nr_used[FLAME_DIFF_BASE];
	struct diff_summary tests;
	struct diff_design design;
	struct columns c;

	columns_init(&c, d);
	diff_design_init(&design, c.effective, nr_base, c.effective + nr_base, d->nr_used[FLAME_DIFF_NOW], d->absolute);
	for (uint32_t i = 0; i < nr; i++)
		results[i] = compare_weights(d, weights + (uint64_t)i * d->flame->nr_columns, &c, &design);
	for (uint32_t i = 0; i < first_tested; i++)
		results[i].test = DIFF_UNTESTED;
	diff_judge(&design, results, nr, sizeof(*results));
	tests = diff_correct(results, nr, sizeof(*results));
	diff_design_fini(&design);
	columns_fini(&c);
	return tests;
}

void flame_diff_init(struct flame_diff *d, const struct flame *f, uint32_t nr_base, bool absolute)
{
	memset(d, 0, sizeof(*d));
	d->flame = f;
	d->absolute = absolute;
	d->nr[FLAME_DIFF_BASE] = nr_base;
	d->nr[FLAME_DIFF_NOW] = f->nr_columns - nr_base;
	for (uint32_t c = 0; c < f->nr_columns; c++)
		d->nr_used[side_of(d, c)] += f->sum[c] > 0;
	d->results = mem_zalloc((f->tree.nodes.nr + 1ul) * sizeof(*d->results));
	d->factors = mem_zalloc((f->nr_columns + 1ul) * sizeof(*d->factors));
	choose_factors(d);
	/* The root is the whole of both. */
	d->tests = compare_rows(d, weighted_totals(&f->tree, WEIGHTED_ROOT), f->tree.nodes.nr, absolute ? 0 : 1, d->results);
	d->basis = d->results[WEIGHTED_ROOT].basis;
	for (uint32_t node = 0; node < f->tree.nodes.nr; node++)
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
	enum diff_verdict v = diff_verdict(&d->results[node]);

	return v != DIFF_IS_SIGNIFICANT && v != DIFF_BEYOND_ERROR;
}

double flame_diff_strength(const struct flame_diff *d, uint32_t node)
{
	double delta = d->results[node].delta, share = d->most > 0 ? fabs(delta) / d->most : 0;

	/* Differences of a tenth of the largest are still to be seen. */
	return copysign(sqrt(share < 1 ? share : 1), delta);
}

/* Rows that have none of it in any recording would pass for ones without noise. */
static struct diff_summary compare_present(const struct flame_diff *d, const uint64_t *weights, uint32_t nr, struct diff_result *results)
{
	uint32_t nr_columns = d->flame->nr_columns, nr_present = 0, *row_of = mem_alloc((nr + 1ul) * sizeof(*row_of));
	uint64_t *present = mem_alloc(((uint64_t)nr * nr_columns + 1) * sizeof(*present));
	struct diff_result *found = mem_zalloc((nr + 1ul) * sizeof(*found));
	struct diff_summary tests;

	for (uint32_t i = 0; i < nr; i++) {
		const uint64_t *row = weights + (uint64_t)i * nr_columns;
		uint64_t any = 0;

		for (uint32_t c = 0; c < nr_columns; c++)
			any |= row[c];
		if (!any)
			continue;
		memcpy(present + (uint64_t)nr_present * nr_columns, row, nr_columns * sizeof(*row));
		row_of[nr_present++] = i;
	}
	tests = compare_rows(d, present, nr_present, 0, found);
	for (uint32_t i = 0; i < nr; i++)
		results[i] = (struct diff_result){ .low = NAN, .high = NAN, .p = NAN };
	for (uint32_t i = 0; i < nr_present; i++)
		results[row_of[i]] = found[i];
	free(found);
	free(present);
	free(row_of);
	return tests;
}

void flame_functions_compare(struct flame_functions *fs, const struct flame_diff *d)
{
	uint32_t nr = fs->frames.nr;

	fs->of_self = mem_zalloc((nr + 1ul) * sizeof(*fs->of_self));
	fs->of_total = mem_zalloc((nr + 1ul) * sizeof(*fs->of_total));
	fs->self_tests = compare_present(d, fs->self, nr, fs->of_self);
	fs->total_tests = compare_present(d, fs->total, nr, fs->of_total);
}
