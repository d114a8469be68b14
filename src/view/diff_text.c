/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows and columns of a diff. A column is an entry of a list (what, of which side, how wide); headings, dots and rows walk that list.
 */
#include "view/diff_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

#define UNRESOLVED_WIDTH 16 /* hex digits of an address */
#define FAINT		 "\033[2m"
#define PLAIN		 "\033[0m"

enum diff_column {
	COLUMN_BASELINE,
	COLUMN_BASE_PERIOD,
	COLUMN_VALUE,
	COLUMN_INTERVAL,
	COLUMN_P,
	COLUMN_VERDICT,
	COLUMN_FORMULA,
	COLUMN_PERIOD,
	COLUMN_KEY,
};

struct column {
	enum diff_column what;
	uint32_t side;
	enum hist_column key;
	int width;
	char heading[32];
};

struct diff_writer {
	struct out *o;
	const struct diff_text_options *opts;
	const struct diff_table *t;
	struct out cell; /* the cell at hand */
	VEC(struct column) columns;
};

static void cell_str(struct out *c, const char *s)
{
	escape_terminal(c, s, strlen(s));
}

static int shown_length(struct diff_writer *w, uint32_t string)
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

/* Several data files: figures say of which. */
static void add_figure(struct diff_writer *w, enum diff_column what, uint32_t side, const char *heading, int width)
{
	struct column c = { .what = what, .side = side };
	int len = snprintf(c.heading, sizeof(c.heading), w->t->nr_sides > 2 ? "%s/%u" : "%s", heading, side);

	c.width = len > width ? len : width;
	vec_push(&w->columns, c);
}

static void add_figures(struct diff_writer *w)
{
	const struct diff_text_options *o = w->opts;
	bool is_delta = w->t->options->compute == DIFF_DELTA || w->t->options->compute == DIFF_DELTA_ABS;

	add_figure(w, COLUMN_BASELINE, 0, "Baseline", 8);
	if (o->show_period)
		add_figure(w, COLUMN_BASE_PERIOD, 0, "Base period", 14);
	for (uint32_t side = 1; side < w->t->nr_sides; side++) {
		add_figure(w, COLUMN_VALUE, side, value_heading(w->t->options->compute), is_delta ? 7 : 14);
		if (o->show_noise) {
			add_figure(w, COLUMN_INTERVAL, side, "Delta, 95% interval", 20);
			if (w->t->has_several) {
				add_figure(w, COLUMN_P, side, "Adj. p", 7);
				add_figure(w, COLUMN_VERDICT, side, "Signif", 6);
			}
		}
		if (o->show_formula)
			add_figure(w, COLUMN_FORMULA, side, "Formula", 70);
		if (o->show_period)
			add_figure(w, COLUMN_PERIOD, side, "Period", 14);
	}
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
static int key_width(struct diff_writer *w, enum hist_column key, const struct diff_key *k)
{
	int width;

	switch (key) {
	case HIST_COMM:
		return shown_length(w, k->comm);
	case HIST_PID:
		width = shown_length(w, k->comm);
		return 8 + (width > 7 ? width : 7);
	case HIST_DSO:
		width = shown_length(w, k->dso);
		return !k->symbol && !w->opts->separator && width < UNRESOLVED_WIDTH ? UNRESOLVED_WIDTH : width;
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

static void add_keys(struct diff_writer *w)
{
	for (uint32_t i = 0; i < w->opts->nr_keys; i++) {
		struct column c = { .what = COLUMN_KEY, .key = w->opts->keys[i] };

		c.width = snprintf(c.heading, sizeof(c.heading), "%s", key_heading(c.key));
		for (uint32_t k = 0; k < w->t->shown.nr; k++) {
			int width = key_width(w, c.key, &w->t->rows.v[w->t->shown.v[k]].key);

			if (width > c.width)
				c.width = width;
		}
		vec_push(&w->columns, c);
	}
}

static void cell_key(const struct diff_writer *w, enum hist_column key, const struct diff_key *k, struct out *c)
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

static void cell_value(const struct diff_writer *w, const struct diff_figure *f, struct out *c)
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

/* "mean(1.00%, 3.00%)": of several recordings of a side. */
static void put_mean(const struct diff_writer *w, uint32_t row, uint32_t side, bool periods, struct out *c)
{
	const char *before = "mean(";

	for (uint32_t i = 0; i < w->t->nr_recordings; i++) {
		uint64_t period = w->t->cells.v[(uint64_t)row * w->t->nr_recordings + i].period;

		if (w->t->recordings[i].side != side || !w->t->recordings[i].nr)
			continue;
		out_str(c, before);
		if (periods)
			out_u64(c, period, 0);
		else
			out_printf(c, "%llu * 100 / %llu", (unsigned long long)period, (unsigned long long)diff_table_whole(w->t, i));
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
	else if (!is_ratio && !several)
		out_printf(c, " * 100 / %llu)", (unsigned long long)diff_table_whole(w->t, first));
}

static void cell_formula(const struct diff_writer *w, uint32_t row, uint32_t side, struct out *c)
{
	if (!diff_table_figure(w->t, row, side)->is_valued)
		return;
	put_operand(w, row, side, c);
	out_str(c, w->t->options->compute == DIFF_RATIO ? " / " : " - ");
	put_operand(w, row, 0, c);
}

static void cell_interval(const struct diff_result *r, struct out *c)
{
	if (r->basis != DIFF_BY_NOTHING)
		out_printf(c, "[%+.2f%%, %+.2f%%]", r->low, r->high);
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
	if (r->basis != DIFF_BY_RECORDINGS)
		return "";
	return isnan(r->p) ? "few" : r->is_significant ? "yes" : "no";
}

static void make_cell(const struct diff_writer *w, const struct column *col, uint32_t row, struct out *c)
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
		cell_interval(&f->test, c);
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

/* Names that have the separator in them would break the columns: a dot stands for it, as perf has it. */
static void hide_separator(struct out *c, char separator)
{
	for (char *s = c->buf; s < c->buf + c->len; s++)
		if (*s == separator)
			*s = '.';
}

static void put_cell(struct diff_writer *w, const struct column *col, bool last)
{
	bool is_key = col->what == COLUMN_KEY;
	bool is_open = is_key && last && (col->key == HIST_SYM || col->key == HIST_SRCLINE || col->key == HIST_SRCFILE);
	int pad = col->width - (int)w->cell.len;

	if (pad < 0)
		pad = 0;
	if (!is_key && !w->opts->separator)
		out_spaces(w->o, pad);
	out_mem(w->o, w->cell.buf, w->cell.len);
	/* What stands last as a rule has no blanks behind it. */
	if ((is_key || w->opts->separator) && !is_open)
		out_spaces(w->o, pad);
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
		const struct column *col = &w->columns.v[i];

		if (!w->opts->separator)
			out_str(w->o, "  ");
		else if (i)
			out_char(w->o, w->opts->separator);
		w->cell.len = 0;
		make_cell(w, col, row, &w->cell);
		if (w->opts->separator && (col->what == COLUMN_KEY || col->what == COLUMN_INTERVAL))
			hide_separator(&w->cell, w->opts->separator);
		put_cell(w, col, i + 1 == w->columns.nr);
	}
	out_str(w->o, faint ? PLAIN "\n" : "\n");
}

static void put_headings(struct diff_writer *w)
{
	out_char(w->o, '#');
	for (uint32_t i = 0; i < w->columns.nr; i++) {
		const struct column *col = &w->columns.v[i];
		int pad = col->width - (int)strlen(col->heading);

		if (!w->opts->separator || !i)
			out_str(w->o, i ? "  " : " ");
		else
			out_char(w->o, w->opts->separator);
		if (col->what != COLUMN_KEY)
			out_spaces(w->o, pad);
		out_str(w->o, col->heading);
		if (col->what == COLUMN_KEY)
			out_spaces(w->o, pad);
	}
	out_char(w->o, '\n');
	if (w->opts->separator)
		return;
	out_char(w->o, '#');
	for (uint32_t i = 0; i < w->columns.nr; i++) {
		size_t width = (size_t)w->columns.v[i].width;

		out_str(w->o, i ? "  " : " ");
		memset(out_room(w->o, width), '.', width);
		out_advance(w->o, width);
	}
	out_str(w->o, "\n#\n");
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
		escape_terminal(w->o, w->opts->names[i], strlen(w->opts->names[i]));
		out_str(w->o, !is_last ? ", " : t->recordings[i].side ? " \n" : " (Baseline)\n");
	}
	out_str(w->o, "#\n");
}

/* What intervals and verdicts rest on. */
static void put_basis(struct diff_writer *w)
{
	uint32_t first, nr_base = nr_recordings_of(w->t, 0, &first), nr_now = nr_recordings_of(w->t, w->t->nr_sides - 1, &first);

	out_str(w->o, "#\n");
	if (!w->t->nr_tests) {
		out_str(w->o, "# Interval: what drawing so many samples does alone. Samples of one run depend on each other, and no two runs are alike:\n"
			      "# the true interval is wider. What is significant shows with several recordings a side: assay diff A1,A2,A3 B1,B2,B3\n");
		return;
	}
	out_printf(w->o, "# Interval: Welch's t over recordings (%u and %u), of each row by itself. Signif: p below %.2f after correction for %u tests\n"
			 "# (Benjamini-Hochberg); few: not tested, fewer than %u samples in all recordings.\n",
		   nr_base, nr_now, DIFF_LEVEL, w->t->nr_tests, DIFF_MIN_SAMPLES);
}

void diff_text(struct out *o, const struct diff_text_options *opts, const struct diff_table *t, const char *event_name)
{
	struct diff_writer w = { .o = o, .opts = opts, .t = t };

	out_init(&w.cell, -1);
	add_figures(&w);
	add_keys(&w);
	if (!opts->rows_only) {
		out_str(o, "# Event '");
		escape_terminal(o, event_name, strlen(event_name));
		out_str(o, "'\n#\n");
		if (t->nr_sides > 2 || t->has_several || opts->list_files)
			put_files(&w);
		put_headings(&w);
	}
	for (uint32_t i = 0; i < t->shown.nr; i++)
		put_row(&w, t->shown.v[i]);
	if (opts->show_noise && !opts->rows_only)
		put_basis(&w);
	vec_fini(&w.columns);
	out_fini(&w.cell);
}
