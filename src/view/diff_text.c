/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The lines of a diff: headings, dots and rows walk the list of columns (view/diff_columns.h); before them the files, behind them what
 * verdicts rest on.
 */
#include "view/diff_text.h"

#include <string.h>

#include "base/escape.h"
#include "view/diff_columns.h"

#define FAINT "\033[2m"
#define PLAIN "\033[0m"

struct diff_writer {
	struct out *o;
	const struct diff_text_options *opts;
	const struct diff_table *t;
	struct diff_columns columns;
};

/* Names that have the separator in them would break the columns: a dot stands for it, as perf has it. */
static void hide_separator(struct out *c, char separator)
{
	for (char *s = c->buf; s < c->buf + c->len; s++)
		if (*s == separator)
			*s = '.';
}

static void put_cell(struct diff_writer *w, const struct diff_column *col, bool last)
{
	bool is_key = col->what == COLUMN_KEY;
	bool is_open = is_key && last && (col->key == HIST_SYM || col->key == HIST_SRCLINE || col->key == HIST_SRCFILE);
	int pad = col->width - (int)w->columns.cell.len;

	if (pad < 0)
		pad = 0;
	if (!is_key && !w->opts->separator)
		out_spaces(w->o, pad);
	out_mem(w->o, w->columns.cell.buf, w->columns.cell.len);
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
	for (uint32_t i = 0; i < w->columns.list.nr; i++) {
		const struct diff_column *col = &w->columns.list.v[i];

		if (!w->opts->separator)
			out_str(w->o, "  ");
		else if (i)
			out_char(w->o, w->opts->separator);
		w->columns.cell.len = 0;
		diff_columns_cell(&w->columns, col, row, &w->columns.cell);
		if (w->opts->separator && (col->what == COLUMN_KEY || col->what == COLUMN_INTERVAL))
			hide_separator(&w->columns.cell, w->opts->separator);
		put_cell(w, col, i + 1 == w->columns.list.nr);
	}
	out_str(w->o, faint ? PLAIN "\n" : "\n");
}

static void put_headings(struct diff_writer *w)
{
	out_char(w->o, '#');
	for (uint32_t i = 0; i < w->columns.list.nr; i++) {
		const struct diff_column *col = &w->columns.list.v[i];
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
	for (uint32_t i = 0; i < w->columns.list.nr; i++) {
		size_t width = (size_t)w->columns.list.v[i].width;

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
		if (t->has_several && !t->recordings[i].nr)
			out_str(w->o, " (no samples: left out)");
		out_str(w->o, !is_last ? ", " : t->recordings[i].side ? " \n" : " (Baseline)\n");
	}
	out_str(w->o, "#\n");
}

static void put_by_samples(struct out *o)
{
	out_str(o, "# Interval: what drawing so many samples does alone. Samples of one run depend on each other, and no two runs are alike:\n"
		   "# the true interval is wider. What is significant shows with several recordings a side: assay diff A1,A2,A3 B1,B2,B3\n");
}

static void put_by_recordings(struct diff_writer *w)
{
	const struct diff_summary *s = &w->t->tests;

	out_printf(w->o, "# Signif: p below %.2f after correction for %u tests (Benjamini-Hochberg, weighted by size). Not tested: few, fewer than %u\n"
			 "# samples in all recordings (%u); small, less than %.1f%% of them (%u).\n",
		   DIFF_LEVEL, s->nr_tests, DIFF_MIN_SAMPLES, s->nr_few, DIFF_MIN_PERCENT, s->nr_small);
	if (!s->nr_tests)
		out_str(w->o, "# No row is large enough to be tested: record longer, or at a higher frequency.\n");
	else if (!s->can_find)
		out_str(w->o, "# These are too few recordings to find anything: not even a row that is gone from one side would be significant.\n");
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
			out_str(w->o, basis == DIFF_BY_SAMPLES ? ": by the number of samples alone, without a test.\n" : ": none, as a side has no samples.\n");
	}
	if (nr_by[DIFF_BY_RECORDINGS])
		put_by_recordings(w);
	if (nr_by[DIFF_BY_SAMPLES])
		put_by_samples(w->o);
}

void diff_text(struct out *o, const struct diff_text_options *opts, const struct diff_table *t, const char *event_name)
{
	struct diff_writer w = { .o = o, .opts = opts, .t = t };

	diff_columns_init(&w.columns, opts, t);
	if (!opts->rows_only) {
		out_str(o, "# Event '");
		escape_terminal(o, event_name, strlen(event_name));
		out_str(o, "'\n#\n");
		if (t->nr_sides > 2 || t->has_several || opts->list_files)
			put_files(&w);
		if (t->options->absolute)
			out_str(o, "# Shares of all sides are parts of what the baseline has in the mean (--absolute)\n#\n");
		if (opts->match_note) {
			out_str(o, "# ");
			escape_terminal(o, opts->match_note, strlen(opts->match_note));
			out_str(o, "\n#\n");
		}
		put_headings(&w);
	}
	for (uint32_t i = 0; i < t->shown.nr; i++)
		put_row(&w, t->shown.v[i]);
	if (opts->show_noise && !opts->rows_only)
		put_basis(&w);
	diff_columns_fini(&w.columns);
}
