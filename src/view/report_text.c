/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The lines of a report.
 */
#include "view/report_text.h"

#include <string.h>

#include "base/escape.h"
#include "view/table.h"

struct row_writer {
	struct out *o;
	const struct report_text_options *opts;
	struct hist *h;
	struct table table;
};

/* Widths as perf makes them: of names by what is in them, figures fixed. */
static int width_of(struct row_writer *w, enum hist_column col)
{
	const struct column *c = &columns[col];
	int width = c->min_width;

	for (uint32_t i = 0; c->kind->width && i < w->h->entries.nr; i++) {
		struct column_value v = column_value(col, w->h, &w->h->entries.v[i]);
		int needed = c->kind->width(&w->table.cell, &v, !w->opts->separator);

		if (needed > width)
			width = needed;
	}
	return width;
}

static void add_columns(struct row_writer *w)
{
	for (uint32_t i = 0; i < w->opts->nr_columns; i++) {
		enum hist_column col = w->opts->columns[i];
		bool is_overhead = col == HIST_SELF && !w->opts->beside_children;
		struct table_column *t = table_add(&w->table, is_overhead ? "Overhead" : columns[col].heading, width_of(w, col));

		t->is_figure = !columns[col].key;
		t->has_text = !t->is_figure;
		t->is_open = columns[col].flags & COLUMN_IS_OPEN;
		if (w->opts->widths[i])
			t->width = w->opts->widths[i];
	}
}

static void put_row(struct row_writer *w, const struct hist_entry *e)
{
	for (uint32_t i = 0; i < w->opts->nr_columns; i++) {
		enum hist_column col = w->opts->columns[i];
		struct column_value v = column_value(col, w->h, e);
		size_t limit = w->opts->widths[i];

		table_begin_cell(&w->table, i);
		column_text(col, &w->table.cell, &v, w->opts->separator ? 0 : w->table.columns.v[i].width);
		/* As perf has it, addresses and figures are never cut. */
		if (limit && columns[col].key && w->table.cell.len > limit && (col != HIST_SYM || v.is_known))
			w->table.cell.len = limit;
		table_end_cell(&w->table, i);
	}
	out_char(w->o, '\n');
}

/* "232 ", "4K", "12M". */
static void put_short_count(struct out *o, uint64_t nr)
{
	static const char units[] = " KMG";
	int u = 0;

	while (nr > 1000 && u < 3) { /* 1000 is 1000, as perf has it */
		nr /= 1000;
		u++;
	}
	out_printf(o, "%llu%c", (unsigned long long)nr, units[u]);
}

static void put_top(struct row_writer *w, const char *event_name, const char *time_slices)
{
	const char *unit = recording_event_unit(w->h->profile->recording, w->h->event);

	out_str(w->o, "# Samples: ");
	put_short_count(w->o, w->h->nr_samples);
	out_str(w->o, " of event '");
	escape_terminal(w->o, event_name, strlen(event_name));
	out_char(w->o, '\'');
	if (time_slices) {
		out_str(w->o, " (time slices: ");
		escape_terminal(w->o, time_slices, strlen(time_slices));
		out_char(w->o, ')');
	}
	out_printf(w->o, "\n# Event count (approx.): %llu", (unsigned long long)w->h->total_period);
	/* Imported values may be bytes, say. */
	if (unit) {
		out_char(w->o, ' ');
		escape_terminal(w->o, unit, strlen(unit));
	}
	out_str(w->o, "\n#\n");
	table_headings(&w->table);
}

static void put_limits(const struct row_writer *w)
{
	if (w->h->nr_without_tree)
		out_printf(w->o, "#\n# %u rows are without their call tree: all trees together are more than is worked out for a recording of "
				 "this size\n", w->h->nr_without_tree);
	if (w->h->nr_cut_trees)
		out_printf(w->o, "#\n# %u call trees are cut: they have more than %u nodes\n", w->h->nr_cut_trees, HIST_MAX_TREE_NODES);
}

void report_text(struct out *o, const struct report_text_options *opts, struct hist *h, const char *event_name,
		 const char *time_slices)
{
	struct row_writer w = { .o = o, .opts = opts, .h = h };

	table_init(&w.table, o, opts->separator);
	add_columns(&w);
	if (!opts->rows_only)
		put_top(&w, event_name, time_slices);
	for (uint32_t i = 0; i < h->entries.nr && !o->error; i++) {
		const struct hist_entry *e = &h->entries.v[i];
		uint64_t size = h->options->children ? e->children : e->period;

		if (opts->percent_limit > 0 && (double)size * 100.0 < opts->percent_limit * (double)h->total_period)
			continue;
		put_row(&w, e);
		calltree_text(o, opts, h, e);
	}
	put_limits(&w);
	table_fini(&w.table);
}
