/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is computed of a diff table's rows, and in what order they stand.
 */
#include "model/diff_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/diff.h"

/* The recordings of a side in which the event happened. */
struct side_columns {
	uint32_t *recordings;
	double *whole;	   /* of each: what its figures are parts of, shares or not */
	double *effective; /* of each: samples of equal weight that it is worth */
	double *percent;   /* of the row at hand */
	uint32_t nr;
};

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static bool is_delta(const struct diff_table_options *o)
{
	return o->compute == DIFF_DELTA || o->compute == DIFF_DELTA_ABS;
}

/* What is computed is of periods: so are its interval and its verdict. */
static bool is_of_counts(const struct diff_table_options *o)
{
	return o->absolute || !is_delta(o);
}

/* One without a sample of the event says nothing of its shares. */
static void columns_init(struct side_columns *c, const struct diff_table *t, uint32_t side)
{
	*c = (struct side_columns){ .recordings = mem_zalloc((t->nr_recordings + 1ul) * sizeof(uint32_t)),
				    .whole = mem_zalloc((t->nr_recordings + 1ul) * sizeof(double)),
				    .effective = mem_zalloc((t->nr_recordings + 1ul) * sizeof(double)),
				    .percent = mem_zalloc((t->nr_recordings + 1ul) * sizeof(double)) };
	for (uint32_t i = 0; i < t->nr_recordings; i++) {
		const struct diff_recording *r = &t->recordings[i];
		double period = (double)r->period;

		if (r->side != side || !r->nr)
			continue;
		c->recordings[c->nr] = i;
		c->whole[c->nr] = (double)diff_table_whole(t, i);
		/* under a filter: of what it keeps, as far as shares are of that */
		c->effective[c->nr] = r->squares > 0 && period > 0 ? period * c->whole[c->nr] / r->squares : 0;
		c->nr++;
	}
}

static void columns_fini(struct side_columns *c)
{
	free(c->recordings);
	free(c->whole);
	free(c->effective);
	free(c->percent);
}

/* All figures as parts of what the baseline has in the mean; a recording twice as long has twice the samples, and not finer ones. */
static void columns_count(struct side_columns *c, double whole)
{
	for (uint32_t i = 0; i < c->nr; i++) {
		c->effective[i] = c->whole[i] > 0 ? c->effective[i] * whole / c->whole[i] : 0;
		c->whole[i] = whole;
	}
}

static double columns_mean(const struct side_columns *c)
{
	double sum = 0;

	for (uint32_t i = 0; i < c->nr; i++)
		sum += c->whole[i];
	return c->nr ? sum / c->nr : 0;
}

/* The row at hand: its figures in the recordings of a side; returns its samples. */
static uint64_t columns_take(struct side_columns *c, const struct diff_table *t, uint32_t row, uint64_t *period)
{
	uint64_t nr = 0;

	*period = 0;
	for (uint32_t i = 0; i < c->nr; i++) {
		const struct diff_cell *cell = &t->cells.v[(uint64_t)row * t->nr_recordings + c->recordings[i]];

		c->percent[i] = c->whole[i] > 0 ? 100 * (double)cell->period / c->whole[i] : 0;
		*period += cell->period;
		nr += cell->nr;
	}
	return nr;
}

static double share_mean(const struct side_columns *c, const struct diff_table *t, uint32_t row)
{
	double sum = 0;

	for (uint32_t i = 0; i < c->nr; i++)
		sum += percent_of(t->cells.v[(uint64_t)row * t->nr_recordings + c->recordings[i]].period,
				  diff_table_whole(t, c->recordings[i]));
	return c->nr ? sum / c->nr : 0;
}

static double value_of(const struct diff_table_options *o, const struct diff_figure *base, const struct diff_figure *f)
{
	switch (o->compute) {
	case DIFF_RATIO:
		return base->is_present && base->period ? (double)f->period / (double)base->period : NAN;
	case DIFF_WEIGHTED:
		return base->is_present ? (double)f->period * (double)o->weight_now - (double)base->period * (double)o->weight_base : NAN;
	default:
		return f->percent - base->percent;
	}
}

/* Of the baseline where `side` is 0: it has no test. */
static void compute_side(struct diff_table *t, uint32_t side, struct diff_design *d, struct side_columns *base, struct side_columns *now)
{
	for (uint32_t row = 0; row < t->rows.nr; row++) {
		struct diff_figure *figures = &t->figures.v[(uint64_t)row * t->nr_sides], *f = &figures[side];
		uint64_t period, base_period, nr = columns_take(now, t, row, &period);
		uint64_t nr_base = side ? columns_take(base, t, row, &base_period) : 0;

		*f = (struct diff_figure){ .value = NAN, .is_present = nr, .test = { .low = NAN, .high = NAN, .p = NAN, .least_p = NAN } };
		f->period = now->nr ? (period + now->nr / 2) / now->nr : 0;
		f->percent = t->options->absolute ? statistics_mean(now->percent, now->nr) : share_mean(now, t, row);
		f->value = side ? value_of(t->options, &figures[0], f) : f->percent;
		f->is_valued = f->is_present || (t->has_several && side && figures[0].is_present);
		if (!side)
			continue;
		f->delta = f->percent - figures[0].percent;
		f->test = diff_compare(d, base->percent, now->percent, nr + nr_base);
		if (t->rows.v[row].is_hidden)
			f->test.test = DIFF_UNTESTED;
	}
}

/* Intervals of weighted differences are in the unit of these. */
static void scale_intervals(struct diff_table *t, uint32_t side, double factor)
{
	for (uint32_t row = 0; row < t->rows.nr; row++) {
		struct diff_result *r = &t->figures.v[(uint64_t)row * t->nr_sides + side].test;

		r->low *= factor;
		r->high *= factor;
	}
}

static void judge_side(struct diff_table *t, uint32_t side, struct side_columns *base, double whole)
{
	const struct diff_table_options *o = t->options;
	struct side_columns now;
	struct diff_design d;

	columns_init(&now, t, side);
	if (is_of_counts(o))
		columns_count(&now, whole);
	diff_design_init(&d, base->effective, base->nr, now.effective, now.nr, is_of_counts(o));
	if (o->compute == DIFF_RATIO)
		d.measure = DIFF_OF_RATIO;
	if (o->compute == DIFF_WEIGHTED) {
		d.weight[0] = (double)o->weight_base;
		d.weight[1] = (double)o->weight_now;
	}
	compute_side(t, side, &d, base, &now);
	if (t->rows.nr)
		diff_judge(&d, &t->figures.v[side].test, t->rows.nr, t->nr_sides * sizeof(struct diff_figure));
	if (o->compute == DIFF_WEIGHTED)
		scale_intervals(t, side, whole / 100);
	diff_design_fini(&d);
	columns_fini(&now);
}

static bool is_matched(const struct diff_table *t, uint32_t row)
{
	for (uint32_t side = 1; side < t->nr_sides; side++)
		if (diff_table_figure(t, row, side)->is_present)
			return diff_table_figure(t, row, 0)->is_present;
	return false;
}

/* As in perf, the baseline's shares are then those of the rows that are left; differences stay as they were. */
static void keep_matched(struct diff_table *t)
{
	uint64_t whole = 0;

	for (uint32_t row = 0; row < t->rows.nr; row++)
		if (is_matched(t, row) && !(t->options->relative && t->rows.v[row].is_hidden))
			whole += diff_table_figure(t, row, 0)->period;
	for (uint32_t row = 0; row < t->rows.nr; row++) {
		struct diff_figure *base = &t->figures.v[(uint64_t)row * t->nr_sides];

		if (!is_matched(t, row))
			t->rows.v[row].is_hidden = true;
		base->percent = base->value = percent_of(base->period, whole);
	}
}

void diff_figures_compute(struct diff_table *t)
{
	struct side_columns base;
	double whole;

	vec_reserve(&t->figures, (uint64_t)t->rows.nr * t->nr_sides);
	t->figures.nr = t->rows.nr * t->nr_sides;
	columns_init(&base, t, 0);
	whole = columns_mean(&base);
	if (is_of_counts(t->options))
		columns_count(&base, whole);
	compute_side(t, 0, NULL, NULL, &base);
	for (uint32_t side = 1; side < t->nr_sides; side++)
		judge_side(t, side, &base, whole);
	if (t->figures.nr)
		t->tests = diff_correct(&t->figures.v[0].test, t->figures.nr, sizeof(struct diff_figure));
	if (t->options->baseline_only)
		keep_matched(t);
	columns_fini(&base);
}

/* Rows that a side lacks come last; before them those without a value, by what they have. */
static int cmp_side(const struct diff_table *t, uint32_t a, uint32_t b, uint32_t side)
{
	const struct diff_figure *fa = diff_table_figure(t, a, side), *fb = diff_table_figure(t, b, side);

	if (fa->is_valued != fb->is_valued)
		return fa->is_valued ? -1 : 1;
	if (!fa->is_valued)
		return 0;
	if (side && isnan(fa->value) != isnan(fb->value))
		return isnan(fa->value) ? 1 : -1;
	if (side && !isnan(fa->value) && t->options->compute == DIFF_DELTA_ABS)
		return COMPARE(fabs(fb->value), fabs(fa->value));
	if (side && !isnan(fa->value))
		return COMPARE(fb->value, fa->value);
	return COMPARE(fb->period, fa->period);
}

static int cmp_rows(const void *va, const void *vb, void *ctx)
{
	const struct diff_table *t = ctx;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	int c = cmp_side(t, a, b, t->options->order);

	for (uint32_t side = 0; !c && side < t->nr_sides; side++)
		c = cmp_side(t, a, b, side);
	for (uint32_t i = 0; !c && i < t->options->nr_keys; i++)
		c = column_cmp_values(diff_table_column(t, i), &diff_table_keys(t, a)[i].shown, &diff_table_keys(t, b)[i].shown);
	return c ?: COMPARE(a, b);
}

void diff_figures_sort(struct diff_table *t)
{
	for (uint32_t row = 0; row < t->rows.nr; row++)
		if (!t->rows.v[row].is_hidden)
			vec_push(&t->shown, row);
	vec_sort_r(&t->shown, cmp_rows, t);
}
