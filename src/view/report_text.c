/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The lines of a report.
 */
#include "view/report.h"

#include <string.h>

#include "base/escape.h"
#include "view/heat_colour.h"
#include "view/page.h"
#include "view/table.h"

#define LEAST_NAME 12 /* letters, however narrow the terminal is */

struct row_writer {
	struct out *o;
	const struct report_text_options *opts;
	struct hist *h;
	struct table table;
};

/* Widths as perf makes them: of names by what is in them, figures fixed. */
static int width_of(struct row_writer *w, const struct column *c)
{
	int width = c->min_width;

	for (uint32_t i = 0; c->kind->width && i < w->h->entries.nr; i++) {
		struct column_value v = column_value(c, w->h, &w->h->entries.v[i]);
		int needed = c->kind->width(&w->table.cell, &v, !w->opts->separator);

		if (needed > width)
			width = needed;
	}
	return width;
}

/* Columns of names share what figures leave: each but the last has a quarter of the line at most. */
static void fit_columns(struct row_writer *w)
{
	int left = w->opts->line_width, most = left / 4 > LEAST_NAME ? left / 4 : LEAST_NAME;

	for (uint32_t i = 0; i < w->table.columns.nr; i++) {
		struct table_column *t = &w->table.columns.v[i];
		bool is_last = i + 1 == w->table.columns.nr;

		left -= 2;
		if (t->has_text && is_last && t->width > left)
			t->width = left > LEAST_NAME ? left : LEAST_NAME;
		else if (t->has_text && !is_last && t->width > most)
			t->width = most;
		left -= t->width;
	}
}

static bool is_too_long(const struct out *cell, int width)
{
	return cell->len > (size_t)width;
}

/* The name in the middle; "[.] " in front of a symbol stays. */
static void shorten_cell(struct row_writer *w, int width)
{
	struct out *cell = &w->table.cell;
	size_t prefix = cell->len > 4 && cell->buf[0] == '[' && cell->buf[2] == ']' && cell->buf[3] == ' ' ? 4 : 0;
	struct out name;

	out_init(&name, -1);
	label_shorten_text(&name, cell->buf + prefix, cell->len - prefix, (size_t)width - prefix, w->opts->ascii);
	cell->len = prefix;
	out_mem(cell, name.buf, name.len);
	out_fini(&name);
}

static double share_of(const struct row_writer *w, uint32_t column, const struct hist_entry *e)
{
	uint64_t part = column == HIST_CHILDREN ? e->children : column == HIST_SELF ? e->period : 0;

	return w->h->total_period ? 100.0 * (double)part / (double)w->h->total_period : 0;
}

static void add_columns(struct row_writer *w)
{
	for (uint32_t i = 0; i < w->opts->nr_columns; i++) {
		const struct column *c = hist_column(w->h, w->opts->columns[i]);
		bool is_overhead = c == &columns[HIST_SELF] && !w->opts->beside_children;
		struct table_column *t = table_add(&w->table, is_overhead ? "Overhead" : c->heading, width_of(w, c));

		t->is_figure = !c->key || c->flags & COLUMN_IS_RIGHT;
		t->has_text = c->key;
		t->is_open = c->flags & COLUMN_IS_OPEN;
		if (w->opts->widths[i])
			t->width = w->opts->widths[i];
	}
	if (w->opts->line_width && !w->opts->separator)
		fit_columns(w);
}

static void put_row(struct row_writer *w, const struct hist_entry *e)
{
	for (uint32_t i = 0; i < w->opts->nr_columns; i++) {
		const struct column *c = hist_column(w->h, w->opts->columns[i]);
		struct column_value v = column_value(c, w->h, e);
		size_t limit = w->opts->widths[i];
		const char *on;

		table_begin_cell(&w->table, i);
		column_text(c, &w->table.cell, &v, w->opts->separator ? 0 : w->table.columns.v[i].width);
		/* As in perf, addresses and figures are never cut. */
		if (limit && c->key && w->table.cell.len > limit && (c != &columns[HIST_SYM] || v.is_known))
			w->table.cell.len = limit;
		else if (w->opts->line_width && !w->opts->separator && c->key && is_too_long(&w->table.cell, w->table.columns.v[i].width))
			shorten_cell(w, w->table.columns.v[i].width);
		on = w->opts->colour ? heat_colour(share_of(w, w->opts->columns[i], e)) : NULL;
		out_str(w->o, on ? on : "");
		table_end_cell(&w->table, i);
		out_str(w->o, on ? HEAT_OFF : "");
	}
	out_char(w->o, '\n');
}

/* "232 ", "4K", "12M". */
static void put_short_count(struct out *o, uint64_t nr)
{
	static const char units[] = " KMG";
	int u = 0;

	while (nr > 1000 && u < 3) { /* 1000 is 1000, as in perf */
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
	escape_terminal_str(w->o, event_name);
	out_char(w->o, '\'');
	if (time_slices) {
		out_str(w->o, " (time slices: ");
		escape_terminal_str(w->o, time_slices);
		out_char(w->o, ')');
	}
	out_printf(w->o, "\n# Event count (approx.): %llu", (unsigned long long)w->h->total_period);
	/* Imported values may be bytes, say. */
	if (unit) {
		out_char(w->o, ' ');
		escape_terminal_str(w->o, unit);
	}
	out_str(w->o, "\n#\n");
	table_headings(&w->table);
}

static void put_limits(const struct row_writer *w)
{
	if (w->h->nr_without_row)
		out_printf(
			w->o,
			"#\n# %llu samples, or callers of theirs, are in no row: the rows exceed the limit for a recording of this size; fewer "
			"sort keys or --no-children make fewer\n",
			(unsigned long long)w->h->nr_without_row);
	if (w->h->nr_without_tree)
		out_printf(w->o, "#\n# %u rows have no call tree: all trees together exceed the limit for a recording of this size\n",
			   w->h->nr_without_tree);
	if (w->h->nr_cut_trees)
		out_printf(w->o, "#\n# %u call trees are cut: they have more than %u nodes\n", w->h->nr_cut_trees, HIST_MAX_TREE_NODES);
}

void report_text(struct out *o, const struct report_text_options *opts, struct hist *h, const char *event_name, const char *time_slices)
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

/* `report --stats`: the whole file, then samples and losses of each event; zeros are omitted, as in perf. A COMPRESSED record counts,
 * and so does each record in it. */
static const char *short_name(uint32_t type)
{
	static const char prefix[] = "PERF_RECORD_";
	const char *name = record_type_name(type);

	if (!name)
		return "UNKNOWN";
	return strncmp(name, prefix, sizeof(prefix) - 1) ? name : name + sizeof(prefix) - 1;
}

static void put_count(struct out *o, const char *name, uint64_t nr)
{
	out_printf(o, "%16s events: ", name);
	out_u64(o, nr, 10);
}

static void put_share(struct out *o, const char *name, uint64_t nr, uint64_t total)
{
	if (!nr)
		return;
	put_count(o, name, nr);
	out_printf(o, "  (%4.1f%%)\n", 100.0 * (double)nr / (double)total);
}

static void put_event(struct out *o, const char *name, uint64_t nr_samples, uint64_t nr_lost)
{
	if (!nr_samples && !nr_lost)
		return;
	escape_terminal_str(o, name);
	out_str(o, " stats:\n");
	if (nr_samples) {
		put_count(o, short_name(RECORD_SAMPLE), nr_samples);
		out_char(o, '\n');
	}
	if (nr_lost) {
		put_count(o, short_name(RECORD_LOST_SAMPLES), nr_lost);
		out_char(o, '\n');
	}
}

void stats_text(struct out *o, const struct recording *r, const uint64_t *nr_samples_by_event)
{
	const struct recording_stats *st = &r->stats;
	uint64_t nr_compressed = st->nr_compressed;
	uint64_t total = st->nr_records + nr_compressed;

	out_str(o, "\nAggregated stats:\n");
	put_count(o, "TOTAL", total);
	out_char(o, '\n');
	for (uint32_t type = 0; type < RECORD_TYPE_MAX; type++)
		put_share(o, short_name(type), st->nr_by_type[type] + (type == RECORD_COMPRESSED ? nr_compressed : 0), total);
	put_share(o, "UNKNOWN", st->nr_unknown_types, total);
	for (uint32_t i = 0; i < r->info->events.nr; i++)
		put_event(o, r->info->events.v[i].name, nr_samples_by_event[i], recording_event_lost(r, i));
}
