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

static struct diff_result compare_node(const struct flame_diff *d, uint32_t node, struct columns *c, struct diff_design *design)
{
	double nr_here = 0;

	for (uint32_t i = 0; i < c->nr; i++) {
		double part = (double)weighted_total(&d->flame->tree, node, c->of[i]) / c->whole[i];

		c->percent[i] = 100 * part;
		nr_here += part * c->effective[i];
	}
	return diff_compare(design, c->percent, c->percent + d->nr_used[FLAME_DIFF_BASE], (uint64_t)llround(nr_here));
}

static void compare(struct flame_diff *d)
{
	const struct flame *f = d->flame;
	uint32_t nr_base = d->nr_used[FLAME_DIFF_BASE];
	struct diff_design design;
	struct columns c;

	columns_init(&c, d);
	diff_design_init(&design, c.effective, nr_base, c.effective + nr_base, d->nr_used[FLAME_DIFF_NOW], d->absolute);
	for (uint32_t node = 0; node < f->tree.nodes.nr; node++)
		d->results[node] = compare_node(d, node, &c, &design);
	/* The root is the whole of both. */
	if (!d->absolute)
		d->results[WEIGHTED_ROOT].test = DIFF_UNTESTED;
	diff_judge(&design, d->results, f->tree.nodes.nr, sizeof(*d->results));
	d->tests = diff_correct(d->results, f->tree.nodes.nr, sizeof(*d->results));
	diff_design_fini(&design);
	columns_fini(&c);
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
	compare(d);
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
