/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What is computed of a diff table's rows, and in what order they stand.
 */
#define _GNU_SOURCE
#include "model/diff_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The recordings of a side in which the event happened, for one row at a time. */
struct side_columns {
	double *percent;
	uint64_t *nr_samples;
	uint32_t nr;
};

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Means over the recordings of a side; what tests need of them goes to `columns`. */
static void sum_up_side(const struct diff_table *t, uint32_t row, uint32_t side, struct diff_figure *f, struct side_columns *columns)
{
	uint64_t nr = 0, period = 0;

	columns->nr = 0;
	for (uint32_t i = 0; i < t->nr_recordings; i++) {
		const struct diff_cell *c = &t->cells.v[(uint64_t)row * t->nr_recordings + i];

		/* One without a sample of the event says nothing of its shares. */
		if (t->recordings[i].side != side || !t->recordings[i].nr)
			continue;
		columns->percent[columns->nr] = percent_of(c->period, diff_table_whole(t, i));
		columns->nr_samples[columns->nr++] = t->recordings[i].nr;
		period += c->period;
		nr += c->nr;
	}
	f->is_present = nr;
	f->period = columns->nr ? (period + columns->nr / 2) / columns->nr : 0;
}

static bool is_delta(const struct diff_table_options *o)
{
	return o->compute == DIFF_DELTA || o->compute == DIFF_DELTA_ABS;
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

static void compute_row(struct diff_table *t, uint32_t row, struct side_columns *base, struct side_columns *now)
{
	struct diff_figure *figures = &t->figures.v[(uint64_t)row * t->nr_sides];

	for (uint32_t side = 0; side < t->nr_sides; side++) {
		struct diff_figure *f = &figures[side];
		struct side_columns *columns = side ? now : base;

		*f = (struct diff_figure){ .value = NAN, .test = { .low = NAN, .high = NAN, .p = NAN } };
		sum_up_side(t, row, side, f, columns);
		f->test = diff_compare(&(struct diff_side){ base->percent, base->nr_samples, base->nr, false },
				       &(struct diff_side){ columns->percent, columns->nr_samples, columns->nr, false });
		f->percent = f->test.now;
		if (!side || t->rows.v[row].is_hidden)
			f->test.p = NAN;
		f->value = side ? value_of(t->options, &figures[0], f) : f->percent;
		f->is_valued = f->is_present || (t->has_several && side && figures[0].is_present && is_delta(t->options));
	}
}

static bool is_matched(const struct diff_table *t, uint32_t row)
{
	for (uint32_t side = 1; side < t->nr_sides; side++)
		if (diff_table_figure(t, row, side)->is_present)
			return diff_table_figure(t, row, 0)->is_present;
	return false;
}

/* As perf has it, the baseline's shares are then those of the rows that are left; differences stay as they were. */
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
	uint32_t nr = t->nr_recordings + 1;
	struct side_columns base = { .percent = mem_zalloc(nr * sizeof(double)), .nr_samples = mem_zalloc(nr * sizeof(uint64_t)) };
	struct side_columns now = { .percent = mem_zalloc(nr * sizeof(double)), .nr_samples = mem_zalloc(nr * sizeof(uint64_t)) };

	vec_reserve(&t->figures, (uint64_t)t->rows.nr * t->nr_sides);
	t->figures.nr = t->rows.nr * t->nr_sides;
	for (uint32_t row = 0; row < t->rows.nr; row++)
		compute_row(t, row, &base, &now);
	if (t->figures.nr)
		t->nr_tests = diff_correct(&t->figures.v[0].test, t->figures.nr, sizeof(struct diff_figure));
	if (t->options->baseline_only)
		keep_matched(t);
	free(base.percent);
	free(base.nr_samples);
	free(now.percent);
	free(now.nr_samples);
}

static int cmp_down(double a, double b)
{
	return a < b ? 1 : a > b ? -1 : 0;
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
	if (side && !isnan(fa->value))
		return t->options->compute == DIFF_DELTA_ABS ? cmp_down(fabs(fa->value), fabs(fb->value)) : cmp_down(fa->value, fb->value);
	return fa->period < fb->period ? 1 : fa->period > fb->period ? -1 : 0;
}

static int cmp_str(const struct diff_table *t, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(diff_table_str(t, a), diff_table_str(t, b));
}

static int cmp_key(const struct diff_table *t, enum hist_column key, const struct diff_key *a, const struct diff_key *b)
{
	switch (key) {
	case HIST_COMM:
		return cmp_str(t, a->comm, b->comm);
	case HIST_PID:
	case HIST_TID:
		return a->tid < b->tid ? -1 : a->tid > b->tid;
	case HIST_DSO:
		return a->has_dso != b->has_dso ? b->has_dso - a->has_dso : cmp_str(t, a->dso, b->dso);
	case HIST_SYM:
		return !a->symbol != !b->symbol ? !a->symbol - !b->symbol : cmp_str(t, a->symbol, b->symbol);
	case HIST_CPU:
		return (int32_t)a->cpu < (int32_t)b->cpu ? -1 : (int32_t)a->cpu > (int32_t)b->cpu;
	case HIST_SRCLINE:
		return cmp_str(t, a->srcline, b->srcline);
	case HIST_SRCFILE:
		return cmp_str(t, a->srcfile, b->srcfile);
	default:
		return 0;
	}
}

static int cmp_rows(const void *va, const void *vb, void *ctx)
{
	const struct diff_table *t = ctx;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	int c = cmp_side(t, a, b, t->options->order);

	for (uint32_t side = 0; !c && side < t->nr_sides; side++)
		c = cmp_side(t, a, b, side);
	for (uint32_t i = 0; !c && i < t->options->nr_keys; i++)
		c = cmp_key(t, t->options->keys[i], &t->rows.v[a].key, &t->rows.v[b].key);
	return c ? c : a < b ? -1 : a > b;
}

void diff_figures_sort(struct diff_table *t)
{
	for (uint32_t row = 0; row < t->rows.nr; row++)
		if (!t->rows.v[row].is_hidden)
			vec_push(&t->shown, row);
	if (t->shown.nr)
		qsort_r(t->shown.v, t->shown.nr, sizeof(*t->shown.v), cmp_rows, t);
}
