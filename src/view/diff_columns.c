/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What stands in the columns of a diff, and how wide they are.
 */
#include "view/diff_columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

#define UNRESOLVED_WIDTH 16 /* hex digits of an address */

static void cell_str(struct out *c, const char *s)
{
	escape_terminal(c, s, strlen(s));
}

static int shown_length(struct diff_columns *w, uint32_t string)
{
	w->cell.len = 0;
	cell_str(&w->cell, diff_table_str(w->t, string));
	return (int)w->cell.len;
}

static const char *value_heading(enum diff_compute compute)
{
	static const char *const headings[] = { "Delta", "Delta Abs", "Ratio", "Weighted diff" };

	return headings[compute];
}

static const char *interval_heading(enum diff_compute compute)
{
	static const char *const headings[] = { "Delta, 95% interval", "Delta, 95% interval", "Ratio, 95% interval", "Weighted diff, 95% interval" };

	return headings[compute];
}

/* Several data files: figures say of which. */
static void add_figure(struct diff_columns *w, enum diff_column_kind what, uint32_t side, const char *heading, int width)
{
	struct diff_column c = { .what = what, .side = side };
	int len = snprintf(c.heading, sizeof(c.heading), w->t->nr_sides > 2 ? "%s/%u" : "%s", heading, side);

	c.width = len > width ? len : width;
	vec_push(&w->list, c);
}

static const char *key_heading(enum hist_column key)
{
	static const char *const headings[] = {
		[HIST_COMM] = "Command", [HIST_PID] = "    Pid:Command", [HIST_TID] = "Tid", [HIST_DSO] = "Shared Object",
		[HIST_SYM] = "Symbol", [HIST_CPU] = "CPU", [HIST_SRCLINE] = "Source:Line", [HIST_SRCFILE] = "Source File",
	};

	return headings[key];
}

/* As wide as what is in them, as perf has it: what has no symbol is as wide as an address, in both columns. */
static int key_width(struct diff_columns *w, enum hist_column key, const struct diff_key *k)
{
	int width;

	switch (key) {
	case HIST_COMM:
		return shown_length(w, k->comm);
	case HIST_PID:
		width = shown_length(w, k->comm);
		return 8 + (width > 7 ? width : 7);
	case HIST_TID:
		return snprintf(NULL, 0, "%d", k->tid);
	case HIST_DSO:
		width = shown_length(w, k->dso);
		return !k->symbol && !w->opts->separator && !w->opts->has_dso_filter && width < UNRESOLVED_WIDTH ? UNRESOLVED_WIDTH : width;
	case HIST_SYM:
		return k->symbol ? 4 + shown_length(w, k->symbol) : UNRESOLVED_WIDTH + 4 + 2;
	case HIST_SRCLINE:
		return shown_length(w, k->srcline);
	case HIST_SRCFILE:
		return shown_length(w, k->srcfile);
	default:
		return 0;
	}
}

static void add_keys(struct diff_columns *w)
{
	for (uint32_t i = 0; i < w->opts->nr_keys; i++) {
		struct diff_column c = { .what = COLUMN_KEY, .key = w->opts->keys[i] };

		c.width = snprintf(c.heading, sizeof(c.heading), "%s", key_heading(c.key));
		for (uint32_t k = 0; k < w->t->shown.nr; k++) {
			int width = key_width(w, c.key, &w->t->rows.v[w->t->shown.v[k]].key);

			if (width > c.width)
				c.width = width;
		}
		vec_push(&w->list, c);
	}
}

static void cell_key(const struct diff_columns *w, enum hist_column key, const struct diff_key *k, struct out *c)
{
	switch (key) {
	case HIST_COMM:
		cell_str(c, diff_table_str(w->t, k->comm));
		break;
	case HIST_PID:
		out_printf(c, "%7d:", k->tid);
		cell_str(c, diff_table_str(w->t, k->last_comm));
		break;
	case HIST_TID:
		out_printf(c, "%d", k->tid);
		break;
	case HIST_DSO:
		cell_str(c, diff_table_str(w->t, k->dso));
		break;
	case HIST_SYM:
		out_printf(c, "[%c] ", k->level);
		if (!k->symbol)
			out_printf(c, "%-#.*llx", UNRESOLVED_WIDTH, (unsigned long long)k->addr);
		else
			cell_str(c, diff_table_str(w->t, k->symbol));
		if (k->symbol && k->is_object)
			out_printf(c, "+0x%llx", (unsigned long long)k->offset);
		break;
	case HIST_CPU:
		out_printf(c, "%.3d", (int32_t)k->cpu);
		break;
	case HIST_SRCLINE:
		cell_str(c, diff_table_str(w->t, k->srcline));
		break;
	case HIST_SRCFILE:
		cell_str(c, diff_table_str(w->t, k->srcfile));
		break;
	default:
		break;
	}
}

static void cell_value(const struct diff_columns *w, const struct diff_figure *f, struct out *c)
{
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
static void put_divisor(const struct diff_columns *w, uint32_t recording, struct out *c)
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
static void put_mean(const struct diff_columns *w, uint32_t row, uint32_t side, bool periods, struct out *c)
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

static void put_operand(const struct diff_columns *w, uint32_t row, uint32_t side, struct out *c)
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

static void cell_formula(const struct diff_columns *w, uint32_t row, uint32_t side, struct out *c)
{
	if (!diff_table_figure(w->t, row, side)->is_valued)
		return;
	put_operand(w, row, side, c);
	out_str(c, w->t->options->compute == DIFF_RATIO ? " / " : " - ");
	put_operand(w, row, 0, c);
}

/* In the unit of the value. */
static void cell_interval(const struct diff_columns *w, const struct diff_figure *f, struct out *c)
{
	const struct diff_result *r = &f->test;
	bool is_delta = w->t->options->compute == DIFF_DELTA || w->t->options->compute == DIFF_DELTA_ABS;

	if (r->basis == DIFF_BY_NOTHING || isnan(f->value) || (!f->is_valued && !is_delta))
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

static void cell_p(const struct diff_result *r, struct out *c)
{
	if (isnan(r->p))
		return;
	if (r->p < 0.0001)
		out_str(c, "<0.0001");
	else
		out_printf(c, "%.4f", r->p);
}

static const char *verdict_of(const struct diff_result *r)
{
	static const char *const words[] = { [DIFF_UNTESTED] = "", [DIFF_FEW] = "few", [DIFF_SMALL] = "small" };

	return r->test != DIFF_TESTED ? words[r->test] : r->is_significant ? "yes" : "no";
}

void diff_columns_cell(const struct diff_columns *w, const struct diff_column *col, uint32_t row, struct out *c)
{
	const struct diff_figure *f = diff_table_figure(w->t, row, col->side);

	switch (col->what) {
	case COLUMN_BASELINE:
		if (f->is_present)
			out_printf(c, w->opts->separator ? "%.2f" : "%.2f%%", f->percent);
		break;
	case COLUMN_BASE_PERIOD:
		out_u64(c, f->period, 0);
		break;
	case COLUMN_VALUE:
		cell_value(w, f, c);
		break;
	case COLUMN_INTERVAL:
		cell_interval(w, f, c);
		break;
	case COLUMN_P:
		cell_p(&f->test, c);
		break;
	case COLUMN_VERDICT:
		out_str(c, verdict_of(&f->test));
		break;
	case COLUMN_FORMULA:
		cell_formula(w, row, col->side, c);
		break;
	case COLUMN_PERIOD:
		if (f->is_present)
			out_u64(c, f->period, 0);
		break;
	case COLUMN_KEY:
		cell_key(w, col->key, &w->t->rows.v[row].key, c);
		break;
	}
}

/* perf's; but the means of several recordings are as long as they are. */
static int formula_width(struct diff_columns *w, uint32_t side)
{
	int width = 70;

	for (uint32_t i = 0; w->t->has_several && i < w->t->shown.nr; i++) {
		w->cell.len = 0;
		cell_formula(w, w->t->shown.v[i], side, &w->cell);
		if ((int)w->cell.len > width)
			width = (int)w->cell.len;
	}
	return width;
}

static void add_figures(struct diff_columns *w)
{
	const struct diff_text_options *o = w->opts;
	bool is_delta = w->t->options->compute == DIFF_DELTA || w->t->options->compute == DIFF_DELTA_ABS;

	add_figure(w, COLUMN_BASELINE, 0, "Baseline", 8);
	if (o->show_period)
		add_figure(w, COLUMN_BASE_PERIOD, 0, "Base period", 14);
	for (uint32_t side = 1; side < w->t->nr_sides; side++) {
		add_figure(w, COLUMN_VALUE, side, value_heading(w->t->options->compute), is_delta ? 7 : 14);
		if (o->show_noise) {
			add_figure(w, COLUMN_INTERVAL, side, interval_heading(w->t->options->compute), 20);
			if (w->t->has_several) {
				add_figure(w, COLUMN_P, side, "Adj. p", 7);
				add_figure(w, COLUMN_VERDICT, side, "Signif", 6);
			}
		}
		if (o->show_formula)
			add_figure(w, COLUMN_FORMULA, side, "Formula", formula_width(w, side));
		if (o->show_period)
			add_figure(w, COLUMN_PERIOD, side, "Period", 14);
	}
}

void diff_columns_init(struct diff_columns *w, const struct diff_text_options *opts, const struct diff_table *t)
{
	*w = (struct diff_columns){ .opts = opts, .t = t };
	out_init(&w->cell, -1);
	add_figures(w);
	add_keys(w);
}

void diff_columns_fini(struct diff_columns *w)
{
	vec_fini(&w->list);
	out_fini(&w->cell);
}
