/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The lines of a diff. Sort keys are the columns of model/hist_columns.h, figures of sides are here.
 */
#include "view/diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "view/table.h"

#define FAINT "\033[2m"
#define PLAIN "\033[0m"

struct diff_writer;

/* A figure of a side, or (without `put`) a sort key. */
struct diff_column {
	void (*put)(const struct diff_writer *w, uint32_t row, uint32_t side, struct out *c);
	uint32_t side, key;
};

struct diff_writer {
	struct out *o;
	const struct diff_text_options *opts;
	const struct diff_table *t;
	struct table table;
	VEC(struct diff_column) columns; /* as those of the table */
};

static bool is_delta(const struct diff_writer *w)
{
	return w->t->options->compute == DIFF_DELTA || w->t->options->compute == DIFF_DELTA_ABS;
}

static void put_baseline(const struct diff_writer *w, uint32_t row, uint32_t side, struct out *c)
{
	const struct diff_figure *f = diff_table_figure(w->t, row, side);

	if (f->is_present)
		out_printf(c, w->opts->separator ? "%.2f" : "%.2f%%", f->percent);
}

static void put_base_period(const struct diff_writer *w, uint32_t row, uint32_t side, struct out *c)
{
	out_u64(c, diff_table_figure(w->t, row, side)->period, 0);
}

static void put_period(const struct diff_writer *w, uint32_t row, uint32_t side, struct out *c)
{
	if (diff_table_figure(w->t, row, side)->is_present)
		put_base_period(w, row, side, c);
}

static void put_value(const struct diff_writer *w, uint32_t row, uint32_t side, struct out *c)
{
	const struct diff_figure *f = diff_table_figure(w->t, row, side);

	if (!f->is_valued)
		return;
	if (isnan(f->value))
		out_str(c, "N/A");
	else if (w->t->options->compute == DIFF_RATIO)
		out_printf(c, "%14.6f", f->value);
	else if (w->t->options->compute == DIFF_WEIGHTED)
		out_printf(c, "%14.0f%*s", f->value, w->t->nr_sides > 2, ""); /* where perf has it below a wider heading */
	else
		out_printf(c, "%+.2f%%", f->value);
}

/* " * 100 / 1234": what a recording's periods are parts of; of all (--absolute) that is what the baseline has in the mean. */
static void put_divisor(const struct diff_writer *w, uint32_t recording, struct out *c)
{
	double sum = 0, mean;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < w->t->nr_recordings; i++) {
		if (w->t->recordings[i].side || !w->t->recordings[i].nr)
			continue;
		sum += (double)diff_table_whole(w->t, i);
		nr++;
	}
	mean = nr ? sum / nr : 0;
	if (!w->t->options->absolute)
		out_printf(c, " * 100 / %llu", (unsigned long long)diff_table_whole(w->t, recording));
	else
		out_printf(c, " * 100 / %.*f", mean == floor(mean) ? 0 : 2, mean);
}

/* "mean(1.00%, 3.00%)": of several recordings of a side. */
static void put_mean(const struct diff_writer *w, uint32_t row, uint32_t side, bool periods, struct out *c)
{
	const char *before = "mean(";

	for (uint32_t i = 0; i < w->t->nr_recordings; i++) {
		uint64_t period = w->t->cells.v[(uint64_t)row * w->t->nr_recordings + i].period;

		if (w->t->recordings[i].side != side || !w->t->recordings[i].nr)
			continue;
		out_str(c, before);
		out_u64(c, period, 0);
		if (!periods)
			put_divisor(w, i, c);
		before = ", ";
	}
	out_char(c, ')');
}

static uint32_t nr_recordings_of(const struct diff_table *t, uint32_t side, uint32_t *first)
{
	uint32_t nr = 0;

	for (uint32_t i = t->nr_recordings; i-- > 0;) {
		if (t->recordings[i].side != side)
			continue;
		nr++;
		*first = i;
	}
	return nr;
}

static void put_operand(const struct diff_writer *w, uint32_t row, uint32_t side, struct out *c)
{
	bool is_ratio = w->t->options->compute == DIFF_RATIO, is_weighted = w->t->options->compute == DIFF_WEIGHTED;
	const struct diff_figure *f = diff_table_figure(w->t, row, side);
	uint32_t first = 0;
	bool several = nr_recordings_of(w->t, side, &first) > 1;

	if (!is_ratio && !(several && !is_weighted))
		out_char(c, '(');
	if (several)
		put_mean(w, row, side, is_ratio || is_weighted, c);
	else
		out_u64(c, f->period, 0);
	if (is_weighted)
		out_printf(c, " * %lld)", (long long)(side ? w->t->options->weight_now : w->t->options->weight_base));
	if (is_ratio || is_weighted || several)
		return;
	put_divisor(w, first, c);
	out_char(c, ')');
}

static void put_formula(const struct diff_writer *w, uint32_t row, uint32_t side, struct out *c)
{
	if (!diff_table_figure(w->t, row, side)->is_valued)
		return;
	put_operand(w, row, side, c);
	out_str(c, w->t->options->compute == DIFF_RATIO ? " / " : " - ");
	put_operand(w, row, 0, c);
}

/* In the unit of the value. */
static void put_interval(const struct diff_writer *w, uint32_t row, uint32_t side, struct out *c)
{
	const struct diff_figure *f = diff_table_figure(w->t, row, side);
	const struct diff_result *r = &f->test;

	if (r->basis == DIFF_BY_NOTHING || isnan(f->value) || (!f->is_valued && !is_delta(w)))
		return;
	if (w->t->options->compute == DIFF_WEIGHTED)
		out_printf(c, "[%.0f, %.0f]", r->low, r->high);
	else if (w->t->options->compute != DIFF_RATIO)
		out_printf(c, "[%+.2f%%, %+.2f%%]", r->low, r->high);
	else if (isinf(r->high))
		out_printf(c, "[%.4f, inf)", r->low);
	else
		out_printf(c, "[%.4f, %.4f]", r->low, r->high);
}

static void put_p(const struct diff_writer *w, uint32_t row, uint32_t side, struct out *c)
{
	double p = diff_table_figure(w->t, row, side)->test.p;

	if (isnan(p))
		return;
	if (p < 0.0001)
		out_str(c, "<0.0001");
	else
		out_printf(c, "%.4f", p);
}

static void put_verdict(const struct diff_writer *w, uint32_t row, uint32_t side, struct out *c)
{
	static const char *const words[] = { [DIFF_UNTESTED] = "", [DIFF_FEW] = "few", [DIFF_SMALL] = "small" };
	const struct diff_result *r = &diff_table_figure(w->t, row, side)->test;

	out_str(c, r->test != DIFF_TESTED ? words[r->test] : r->is_significant ? "yes" : "no");
}

/* perf's; but the means of several recordings are as long as they are. */
static int formula_width(struct diff_writer *w, uint32_t side)
{
	int width = 70;

	for (uint32_t i = 0; w->t->has_several && i < w->t->shown.nr; i++) {
		w->table.cell.len = 0;
		put_formula(w, w->t->shown.v[i], side, &w->table.cell);
		if ((int)w->table.cell.len > width)
			width = (int)w->table.cell.len;
	}
	return width;
}

/* Several data files: figures say of which. */
static void add_figure(struct diff_writer *w, uint32_t side, const char *heading, int width,
		       void (*put)(const struct diff_writer *w, uint32_t row, uint32_t side, struct out *c))
{
	struct table_column *t;
	char text[40];

	snprintf(text, sizeof(text), w->t->nr_sides > 2 ? "%s/%u" : "%s", heading, side);
	t = table_add(&w->table, text, width);
	t->is_figure = true;
	t->has_text = put == put_interval;
	vec_push(&w->columns, ((struct diff_column){ put, side, 0 }));
}

static void add_side(struct diff_writer *w, uint32_t side)
{
	static const char *const values[] = { "Delta", "Delta Abs", "Ratio", "Weighted diff" };
	static const char *const intervals[] = { "Delta, 95% interval", "Delta, 95% interval", "Ratio, 95% interval",
						 "Weighted diff, 95% interval" };
	enum diff_compute compute = w->t->options->compute;

	add_figure(w, side, values[compute], is_delta(w) ? 7 : 14, put_value);
	if (w->opts->show_noise)
		add_figure(w, side, intervals[compute], 20, put_interval);
	if (w->opts->show_noise && w->t->has_several) {
		add_figure(w, side, "Adj. p", 7, put_p);
		add_figure(w, side, "Signif", 6, put_verdict);
	}
	if (w->opts->show_formula)
		add_figure(w, side, "Formula", formula_width(w, side), put_formula);
	if (w->opts->show_period)
		add_figure(w, side, "Period", 14, put_period);
}

static const struct column_value *key_of(const struct diff_writer *w, uint32_t row, uint32_t key)
{
	return &diff_table_keys(w->t, row)[key].shown;
}

static void add_key(struct diff_writer *w, uint32_t key)
{
	const struct column *c = diff_table_column(w->t, key);
	bool pads_address = !w->opts->separator && !w->opts->has_dso_filter;
	struct table_column *t;
	int width = 0;

	for (uint32_t i = 0; c->kind->width && i < w->t->shown.nr; i++) {
		int needed = c->kind->width(&w->table.cell, key_of(w, w->t->shown.v[i], key), pads_address);

		if (needed > width)
			width = needed;
	}
	t = table_add(&w->table, c->heading, width);
	t->has_text = true;
	t->is_open = c->flags & COLUMN_IS_OPEN;
	vec_push(&w->columns, ((struct diff_column){ .key = key }));
}

/* A field of another event says nothing of this one. */
static bool is_shown(const struct diff_writer *w, uint32_t key)
{
	for (uint32_t i = 0; i < w->t->shown.nr; i++)
		if (w->t->options->keys[key] < HIST_FIELDS || key_of(w, w->t->shown.v[i], key)->is_known)
			return true;
	return !w->t->shown.nr;
}

static void add_columns(struct diff_writer *w)
{
	add_figure(w, 0, "Baseline", 8, put_baseline);
	if (w->opts->show_period)
		add_figure(w, 0, "Base period", 14, put_base_period);
	for (uint32_t side = 1; side < w->t->nr_sides; side++)
		add_side(w, side);
	for (uint32_t i = 0; i < w->opts->nr_keys; i++)
		for (uint32_t key = 0; key < w->t->options->nr_keys; key++)
			if (w->t->options->keys[key] == w->opts->keys[i] && is_shown(w, key))
				add_key(w, key);
}

/* Nothing that a row shows is more than noise, and a test says so. */
static bool is_noise(const struct diff_table *t, uint32_t row)
{
	bool is_tested = false;

	for (uint32_t side = 1; side < t->nr_sides; side++) {
		const struct diff_result *r = &diff_table_figure(t, row, side)->test;

		if (r->is_significant)
			return false;
		is_tested |= r->basis == DIFF_BY_RECORDINGS;
	}
	return is_tested;
}

static void put_row(struct diff_writer *w, uint32_t row)
{
	bool faint = w->opts->is_colourful && !w->opts->separator && is_noise(w->t, row);

	if (faint)
		out_str(w->o, FAINT);
	for (uint32_t i = 0; i < w->columns.nr; i++) {
		const struct diff_column *col = &w->columns.v[i];

		table_begin_cell(&w->table, i);
		if (col->put)
			col->put(w, row, col->side, &w->table.cell);
		else
			column_text(diff_table_column(w->t, col->key), &w->table.cell, key_of(w, row, col->key), 0);
		table_end_cell(&w->table, i);
	}
	out_str(w->o, faint ? PLAIN "\n" : "\n");
}

static void put_files(struct diff_writer *w)
{
	const struct diff_table *t = w->t;

	out_str(w->o, "# Data files:\n");
	for (uint32_t i = 0; i < t->nr_recordings; i++) {
		bool is_first = !i || t->recordings[i].side != t->recordings[i - 1].side;
		bool is_last = i + 1 == t->nr_recordings || t->recordings[i].side != t->recordings[i + 1].side;

		if (is_first)
			out_printf(w->o, "#  [%u] ", t->recordings[i].side);
		escape_terminal_str(w->o, w->opts->names[i]);
		if (t->has_several && !t->recordings[i].nr)
			out_str(w->o, " (no samples: left out)");
		out_str(w->o, !is_last ? ", " : t->recordings[i].side ? " \n" : " (Baseline)\n");
	}
	out_str(w->o, "#\n");
}

static void put_by_samples(struct out *o)
{
	out_str(o, "# Interval: sampling error only. Samples of one run are not independent, and runs differ: the true interval is wider.\n"
		   "# Give several recordings a side to test significance: assay diff A1,A2,A3 B1,B2,B3\n");
}

static void put_by_recordings(struct diff_writer *w)
{
	const struct diff_summary *s = &w->t->tests;

	out_printf(
		w->o,
		"# Signif: p below %.2f after correction for %u tests (Benjamini-Hochberg, weighted by size). Not tested: few, fewer than %u\n"
		"# samples in all recordings (%u); small, less than %.1f%% of them (%u).\n",
		DIFF_LEVEL, s->nr_tests, DIFF_MIN_SAMPLES, s->nr_few, DIFF_MIN_PERCENT, s->nr_small);
	if (!s->nr_tests)
		out_str(w->o, "# No row is large enough to be tested: record longer, or at a higher frequency.\n");
	else if (!s->can_find)
		out_str(w->o, "# Too few recordings: even a row that is missing on one side would not be significant.\n");
}

/* What intervals and verdicts rest on: of each side where there are several, as they may differ in it. */
static void put_basis(struct diff_writer *w)
{
	uint32_t nr_base = diff_table_nr_used(w->t, 0), nr_by[DIFF_BY_RECORDINGS + 1] = { 0 };

	out_str(w->o, "#\n");
	for (uint32_t side = 1; side < w->t->nr_sides; side++) {
		uint32_t nr = diff_table_nr_used(w->t, side);
		enum diff_basis basis = !nr || !nr_base ? DIFF_BY_NOTHING : nr > 1 && nr_base > 1 ? DIFF_BY_RECORDINGS : DIFF_BY_SAMPLES;

		nr_by[basis]++;
		if (basis == DIFF_BY_SAMPLES && w->t->nr_sides == 2)
			continue;
		out_str(w->o, "# Interval");
		if (w->t->nr_sides > 2)
			out_printf(w->o, " of [%u]", side);
		if (basis == DIFF_BY_RECORDINGS)
			out_printf(w->o, ": moderated t over recordings (%u and %u), of each row by itself.\n", nr_base, nr);
		else
			out_str(w->o, basis == DIFF_BY_SAMPLES ? ": by the number of samples alone, without a test.\n"
							       : ": none, as a side has no samples.\n");
	}
	if (nr_by[DIFF_BY_RECORDINGS])
		put_by_recordings(w);
	if (nr_by[DIFF_BY_SAMPLES])
		put_by_samples(w->o);
}

void diff_text(struct out *o, const struct diff_text_options *opts, const struct diff_table *t, const char *event_name)
{
	struct diff_writer w = { .o = o, .opts = opts, .t = t };

	table_init(&w.table, o, opts->separator);
	add_columns(&w);
	if (!opts->rows_only) {
		out_str(o, "# Event '");
		escape_terminal_str(o, event_name);
		out_str(o, "'\n#\n");
		if (t->nr_sides > 2 || t->has_several || opts->list_files)
			put_files(&w);
		if (t->options->absolute)
			out_str(o, "# Shares of all sides are relative to the mean of the baseline (--absolute)\n#\n");
		if (opts->match_note) {
			out_str(o, "# ");
			escape_terminal_str(o, opts->match_note);
			out_str(o, "\n#\n");
		}
		table_headings(&w.table);
	}
	for (uint32_t i = 0; i < t->shown.nr; i++)
		put_row(&w, t->shown.v[i]);
	if (opts->show_noise && !opts->rows_only)
		put_basis(&w);
	table_fini(&w.table);
	vec_fini(&w.columns);
}
