/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows and columns of a report.
 */
#include "view/report_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

#define UNRESOLVED_WIDTH 16 /* hex digits of an address */

struct row_writer {
	struct out *o;
	const struct report_text_options *opts;
	const struct hist *h;
	struct out cell; /* the cell at hand */
	int width[HIST_NR_COLUMNS];
};

static void cell_str(struct out *c, const char *s)
{
	escape_terminal(c, s, strlen(s));
}

static void cell_percent(const struct row_writer *w, struct out *c, uint64_t part)
{
	double percent = w->h->total_period ? 100.0 * (double)part / (double)w->h->total_period : 0.0;

	if (w->opts->separator)
		out_printf(c, " %.2f%%", percent);
	else
		out_printf(c, "%.2f%%", percent);
}

static void cell_count(const struct row_writer *w, struct out *c, uint64_t count)
{
	if (w->opts->separator)
		out_char(c, ' ');
	out_u64(c, count, 0);
}

/* Names that have the separator in them would break the columns: a dot stands for it, as perf has it. */
static void hide_separator(struct out *c, char separator)
{
	for (char *s = c->buf; s < c->buf + c->len; s++)
		if (*s == separator)
			*s = '.';
}

static void cell_symbol(const struct row_writer *w, struct out *c, const struct hist_end *end, uint64_t offset)
{
	const struct profile *p = w->h->profile;

	out_printf(c, "[%c] ", end->level);
	if (end->frame == FRAME_NONE) {
		out_printf(c, "%-#.*llx", UNRESOLVED_WIDTH, (unsigned long long)end->addr);
		return;
	}
	cell_str(c, profile_str(p, p->frames.v[end->frame].function));
	/* Code in what the symbol table calls data, as perf has it. */
	if (p->frames.v[end->frame].is_object)
		out_printf(c, "+0x%llx", (unsigned long long)offset);
	if (p->frames.v[end->frame].is_inlined)
		out_str(c, " (inlined)");
}

static void cell_branch(const struct row_writer *w, enum hist_column col, const struct hist_entry *e, struct out *c)
{
	const struct profile *p = w->h->profile;
	uint32_t cycles = hist_branch_cycles(e);

	switch (col) {
	case HIST_DSO_FROM:
		cell_str(c, profile_str(p, e->from.dso_name));
		break;
	case HIST_DSO_TO:
		cell_str(c, profile_str(p, e->at.dso_name));
		break;
	case HIST_SYM_FROM:
		cell_symbol(w, c, &e->from, 0);
		break;
	case HIST_SYM_TO:
		cell_symbol(w, c, &e->at, e->offset);
		break;
	case HIST_SRCLINE_FROM:
		cell_str(c, profile_str(p, e->from.srcline));
		break;
	case HIST_SRCLINE_TO:
		cell_str(c, profile_str(p, e->at.srcline));
		break;
	case HIST_MISPREDICT:
		out_char(c, hist_branch_mispredicted(e) ? 'Y' : 'N');
		break;
	case HIST_ABORT:
		out_char(c, hist_branch_aborted(e) ? 'A' : '.');
		break;
	case HIST_IN_TX:
		out_char(c, hist_branch_in_tx(e) ? 'T' : '.');
		break;
	case HIST_CYCLES:
		if (cycles)
			out_u64(c, cycles, 0);
		else
			out_char(c, '-');
		break;
	default:
		break;
	}
}

/* A row of a thread has the name that the thread had in the end. */
static const char *last_comm(const struct profile *p, const struct profile_task *t)
{
	const struct task *task = task_table_find(&p->machine->tasks, t->tid);

	return task ? machine_comm(p->machine, task) : profile_str(p, t->comm);
}

static void make_cell(const struct row_writer *w, enum hist_column col, const struct hist_entry *e, struct out *c)
{
	const struct profile *p = w->h->profile;
	const struct profile_task *t = &p->tasks.v[e->task];

	switch (col) {
	case HIST_COMM:
		cell_str(c, profile_str(p, e->comm));
		break;
	case HIST_PID:
		out_printf(c, "%7d:", t->tid);
		cell_str(c, last_comm(p, t));
		break;
	case HIST_TID:
		out_printf(c, "%*d", w->opts->separator ? 0 : w->width[HIST_TID], t->tid);
		break;
	case HIST_DSO:
		cell_str(c, profile_str(p, e->at.dso_name));
		break;
	case HIST_SYM:
		cell_symbol(w, c, &e->at, e->offset);
		break;
	case HIST_SRCLINE:
		cell_str(c, profile_str(p, e->at.srcline));
		break;
	case HIST_SRCFILE:
		cell_str(c, profile_str(p, e->srcfile));
		break;
	case HIST_CPU:
		out_printf(c, "%.3d", (int32_t)e->cpu);
		break;
	case HIST_CHILDREN:
		if (w->h->options->children)
			cell_percent(w, c, e->children);
		else
			out_str(c, "N/A");
		break;
	case HIST_SELF:
		cell_percent(w, c, e->period);
		break;
	case HIST_SYS:
		cell_percent(w, c, e->sys);
		break;
	case HIST_USER:
		cell_percent(w, c, e->user);
		break;
	case HIST_SAMPLES:
		cell_count(w, c, e->nr);
		break;
	case HIST_PERIOD:
		cell_count(w, c, e->period);
		break;
	default:
		cell_branch(w, col, e, c);
		break;
	}
}

static bool is_figure(enum hist_column col)
{
	return col >= HIST_NR_KEYS;
}

static const char *heading_of(const struct row_writer *w, enum hist_column col)
{
	static const char *const headings[] = {
		[HIST_COMM] = "Command", [HIST_PID] = "    Pid:Command", [HIST_TID] = "Tid", [HIST_DSO] = "Shared Object",
		[HIST_SYM] = "Symbol", [HIST_CPU] = "CPU", [HIST_CHILDREN] = "Children", [HIST_SELF] = "Self",
		[HIST_SYS] = "sys", [HIST_USER] = "usr", [HIST_SAMPLES] = "Samples", [HIST_PERIOD] = "Period",
		[HIST_SRCLINE] = "Source:Line", [HIST_SRCFILE] = "Source File",
		[HIST_DSO_FROM] = "Source Shared Object", [HIST_DSO_TO] = "Target Shared Object",
		[HIST_SYM_FROM] = "Source Symbol", [HIST_SYM_TO] = "Target Symbol",
		[HIST_SRCLINE_FROM] = "From Source:Line", [HIST_SRCLINE_TO] = "To Source:Line",
		[HIST_MISPREDICT] = "Branch Mispredicted", [HIST_ABORT] = "Transaction abort",
		[HIST_IN_TX] = "Branch in transaction", [HIST_CYCLES] = "Basic Block Cycles",
	};

	return col == HIST_SELF && !w->opts->beside_children ? "Overhead" : headings[col];
}

/* Of a string as cell_str() prints it. */
static int shown_length(struct row_writer *w, uint32_t string)
{
	const char *s = profile_str(w->h->profile, string);
	size_t len = strtab_len(&w->h->profile->strings, string);

	if (escape_terminal_is_plain(s, len))
		return (int)len;
	w->cell.len = 0;
	cell_str(&w->cell, s);
	return (int)w->cell.len;
}

static void widen(struct row_writer *w, enum hist_column col, int width)
{
	if (width > w->width[col])
		w->width[col] = width;
}

/* Of the file and the function of a place; what has no symbol is as wide as an address, in both columns. */
static void widen_end(struct row_writer *w, const struct hist_end *end, enum hist_column dso, enum hist_column sym, enum hist_column srcline)
{
	const struct profile *p = w->h->profile;
	int dso_width = shown_length(w, end->dso_name), sym_width = UNRESOLVED_WIDTH + 4 + 2;

	if (end->frame != FRAME_NONE)
		sym_width = 4 + shown_length(w, p->frames.v[end->frame].function) + (p->frames.v[end->frame].is_inlined ? 10 : 0);
	else if (!w->opts->separator && dso_width < UNRESOLVED_WIDTH)
		dso_width = UNRESOLVED_WIDTH;
	widen(w, dso, dso_width);
	widen(w, sym, sym_width);
	widen(w, srcline, shown_length(w, end->srcline));
}

/* Widths as perf makes them: of names by what is in them, figures fixed. */
static void find_widths(struct row_writer *w)
{
	const struct hist *h = w->h;

	for (uint32_t i = 0; i < w->opts->nr_columns; i++)
		w->width[w->opts->columns[i]] = (int)strlen(heading_of(w, w->opts->columns[i]));
	for (int col = HIST_CHILDREN; col < HIST_NR_COLUMNS; col++)
		w->width[col] = col == HIST_SAMPLES || col == HIST_PERIOD ? 12 : 8;
	for (uint32_t i = 0; i < h->entries.nr; i++) {
		const struct hist_entry *e = &h->entries.v[i];

		widen(w, HIST_COMM, shown_length(w, e->comm));
		widen(w, HIST_TID, snprintf(NULL, 0, "%d", h->profile->tasks.v[e->task].tid));
		widen_end(w, &e->at, HIST_DSO, HIST_SYM, HIST_SRCLINE);
		widen(w, HIST_SRCFILE, shown_length(w, e->srcfile));
		if (!h->options->branches)
			continue;
		widen_end(w, &e->at, HIST_DSO_TO, HIST_SYM_TO, HIST_SRCLINE_TO);
		widen_end(w, &e->from, HIST_DSO_FROM, HIST_SYM_FROM, HIST_SRCLINE_FROM);
	}
	/* "  12345:" and a command that is as wide as its own heading would be. */
	w->width[HIST_PID] = 8 + (w->width[HIST_COMM] > 7 ? w->width[HIST_COMM] : 7);
	for (uint32_t i = 0; i < w->opts->nr_columns; i++)
		if (w->opts->widths[i])
			w->width[w->opts->columns[i]] = w->opts->widths[i];
}

static void put_cell(struct row_writer *w, enum hist_column col, const struct out *cell, bool last)
{
	int pad = w->width[col] - (int)cell->len;

	if (is_figure(col) && !w->opts->separator)
		out_spaces(w->o, pad > 0 ? pad : 0);
	out_mem(w->o, cell->buf, cell->len);
	/* What stands last as a rule has no blanks behind it. */
	if ((!is_figure(col) || w->opts->separator) && !(last && (col == HIST_SYM || col == HIST_SRCLINE || col == HIST_SRCFILE)))
		out_spaces(w->o, pad > 0 ? pad : 0);
}

static void put_row(struct row_writer *w, const struct hist_entry *e)
{
	for (uint32_t i = 0; i < w->opts->nr_columns; i++) {
		enum hist_column col = w->opts->columns[i];

		if (!w->opts->separator)
			out_str(w->o, "  ");
		else if (i)
			out_char(w->o, w->opts->separator);
		w->cell.len = 0;
		make_cell(w, col, e, &w->cell);
		if (w->opts->separator && !is_figure(col))
			hide_separator(&w->cell, w->opts->separator);
		/* As perf has it, addresses and figures are never cut. */
		if (w->opts->widths[i] && !is_figure(col) && w->cell.len > w->opts->widths[i] &&
		    (col != HIST_SYM || e->at.frame != FRAME_NONE))
			w->cell.len = w->opts->widths[i];
		put_cell(w, col, &w->cell, i + 1 == w->opts->nr_columns);
	}
	out_char(w->o, '\n');
}

static void put_headings(struct row_writer *w)
{
	out_char(w->o, '#');
	for (uint32_t i = 0; i < w->opts->nr_columns; i++) {
		enum hist_column col = w->opts->columns[i];
		const char *heading = heading_of(w, col);
		int len = (int)strnlen(heading, (size_t)w->width[col]), pad = w->width[col] - len;

		if (!w->opts->separator || !i)
			out_str(w->o, i ? "  " : " ");
		else
			out_char(w->o, w->opts->separator);
		if (is_figure(col))
			out_spaces(w->o, pad);
		out_mem(w->o, heading, (size_t)len);
		if (!is_figure(col))
			out_spaces(w->o, pad);
	}
	out_char(w->o, '\n');
	if (w->opts->separator)
		return;
	out_char(w->o, '#');
	for (uint32_t i = 0; i < w->opts->nr_columns; i++) {
		int width = w->width[w->opts->columns[i]];
		char *room;

		out_str(w->o, i ? "  " : " ");
		room = out_room(w->o, (size_t)width);
		memset(room, '.', (size_t)width);
		out_advance(w->o, (size_t)width);
	}
	out_str(w->o, "\n#\n");
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
	put_headings(w);
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

	out_init(&w.cell, -1);
	find_widths(&w);
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
	out_fini(&w.cell);
}
