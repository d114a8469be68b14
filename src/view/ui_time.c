/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Threads over time: a strip each, as high as it was busy. A range is chosen between a mark and the cursor.
 */
#include <stdlib.h>

#include "view/ui_report.h"

#define NAME_COLUMNS 24

struct time_model {
	const struct time_strips *t;
	const struct ui_host *host;
	uint32_t nr_cells;     /* of the last drawing */
	uint32_t cursor, mark; /* cells */
	bool has_mark;
};

static const char *const help[] = {
	"Threads over time",
	"  Left Right            move in time",
	"  Space                 mark where a range begins",
	"  Enter                 only samples between mark and cursor; q there returns to all",
	NULL,
};

/* How many cells strips have at a width. */
static uint32_t cells_at(int width)
{
	int nr = width - (width >= 3 * NAME_COLUMNS ? NAME_COLUMNS : width / 3);

	return nr < 1 ? 1 : (uint32_t)nr;
}

static uint64_t span_of(const struct time_model *m)
{
	uint64_t span = m->t->end_ns - m->t->start_ns + 1;

	return m->t->bucket_ns ? span : 1;
}

/* When a cell begins, from the first sample on. */
static uint64_t cell_start(const struct time_model *m, uint32_t cell)
{
	return (uint64_t)((double)span_of(m) * cell / m->nr_cells);
}

static void time_title(void *model, struct out *o, int width)
{
	const struct time_model *m = model;
	uint64_t at = cell_start(m, m->cursor);

	(void)width;
	out_printf(o, "Threads over %.3f s; cursor at %.3f s", (double)span_of(m) / 1e9, (double)at / 1e9);
	if (m->has_mark)
		out_printf(o, ", range of %.3f s",
			   (double)(cell_start(m, (m->mark > m->cursor ? m->mark : m->cursor) + 1) -
				    cell_start(m, m->mark < m->cursor ? m->mark : m->cursor)) /
				   1e9);
}

static uint32_t time_nr(void *model)
{
	return ((const struct time_model *)model)->t->v.nr;
}

/* The samples of a cell: buckets that lie in it, and parts of those that lie in it with a part. */
static double cell_sum(const struct time_model *m, const struct time_strip *strip, uint32_t cell)
{
	double per_bucket = (double)m->t->bucket_ns, from = (double)cell_start(m, cell) / per_bucket,
	       to = (double)cell_start(m, cell + 1) / per_bucket, sum = 0;

	for (uint32_t i = (uint32_t)from; i < TIME_STRIP_BUCKETS && (double)i < to; i++) {
		double low = from > i ? from : i, high = to < i + 1.0 ? to : i + 1.0;

		sum += (high - low) * strip->buckets[i];
	}
	return sum;
}

/* All strips have one scale, so that they compare. */
static double most_of(const struct time_model *m)
{
	double most = 0;

	for (uint32_t i = 0; i < m->t->v.nr && i < 16; i++)
		for (uint32_t k = 0; k < m->nr_cells; k++) {
			double sum = cell_sum(m, m->t->v.v[i], k);

			most = sum > most ? sum : most;
		}
	return most;
}

static void fit(struct time_model *m, int width)
{
	uint32_t nr = cells_at(width);

	if (nr != m->nr_cells && m->nr_cells) {
		m->cursor = (uint32_t)((uint64_t)m->cursor * nr / m->nr_cells);
		m->mark = (uint32_t)((uint64_t)m->mark * nr / m->nr_cells);
	}
	m->nr_cells = nr;
}

static void time_heading(void *model, struct ui_screen *s, int row, int left)
{
	struct time_model *m = model;

	(void)left;
	fit(m, s->columns);
	ui_put_str(s, row, 0, s->columns - (int)m->nr_cells, UI_HEADING, "thread");
	for (uint32_t i = 0; i + 10 < m->nr_cells; i += 20)
		ui_printf(s, row, s->columns - (int)m->nr_cells + (int)i, 10, UI_HEADING, "|%.3f", (double)cell_start(m, i) / 1e9);
}

static void time_draw(void *model, struct ui_screen *s, int row, uint32_t i, int left)
{
	static const char *const blocks[] = { " ", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char *const letters[] = { " ", ".", ".", ":", ":", "+", "*", "#", "#" };
	struct time_model *m = model;
	const struct time_strip *strip = m->t->v.v[i];
	int at;
	double most;

	(void)left;
	fit(m, s->columns);
	at = s->columns - (int)m->nr_cells;
	most = most_of(m);
	ui_printf(s, row, 0, at - 1, UI_PLAIN, "%-15s %d", strip->comm, strip->tid);
	for (uint32_t k = 0; k < m->nr_cells; k++) {
		double sum = cell_sum(m, strip, k);
		int level = sum <= 0 || most <= 0 ? 0 : 1 + (int)(sum / most * 7.0);
		uint32_t low = m->mark < m->cursor ? m->mark : m->cursor, high = m->mark < m->cursor ? m->cursor : m->mark;
		bool is_chosen = m->has_mark && k >= low && k <= high;

		level = level > 8 ? 8 : level;
		ui_put_str(s, row, at + (int)k, 1,
			   is_chosen	    ? UI_MATCH
			   : k == m->cursor ? UI_BAR
					    : ui_heat(level > 5 ? 100 : 1),
			   s->utf8 ? blocks[level] : letters[level]);
	}
}

static void move(struct time_model *m, int by)
{
	int64_t to = (int64_t)m->cursor + by;

	m->cursor = to < 0 ? 0 : to >= m->nr_cells ? m->nr_cells - 1 : (uint32_t)to;
}

static bool time_key(void *model, struct ui_app *app, struct ui_list *list, const struct ui_event *e)
{
	struct time_model *m = model;
	uint32_t low = m->mark < m->cursor ? m->mark : m->cursor, high = m->mark < m->cursor ? m->cursor : m->mark;
	int at = app->columns - (int)m->nr_cells;

	(void)list;
	switch (e->key) {
	case UI_KEY_LEFT:
		move(m, -1);
		return true;
	case UI_KEY_RIGHT:
		move(m, 1);
		return true;
	case ' ':
	case 'm':
		m->has_mark = !m->has_mark || m->mark != m->cursor;
		m->mark = m->cursor;
		return true;
	case UI_MOUSE_CLICK:
		if (e->column >= at)
			m->cursor = (uint32_t)(e->column - at);
		return false; /* the row, too */
	case UI_KEY_ENTER:
		if (!m->has_mark)
			ui_app_say(app, "Space marks the other end of the range first");
		else
			m->host->take_time(m->host->ctx, app, m->t->start_ns + cell_start(m, low),
					   m->t->start_ns + cell_start(m, high + 1) - 1);
		return true;
	default:
		return false;
	}
}

static void time_free(void *model)
{
	free(model);
}

static const struct ui_rows_ops time_ops = {
	.title = time_title,
	.heading = time_heading,
	.nr = time_nr,
	.draw = time_draw,
	.key = time_key,
	.free = time_free,
	.hint = "Left Right:move  Space:mark  Enter:only this range  h:help  q:back",
	.help = help,
};

struct ui_view *ui_time_view(const struct time_strips *t, const struct ui_host *host)
{
	struct time_model *m = mem_zalloc(sizeof(*m));

	m->t = t;
	m->host = host;
	m->nr_cells = 1;
	return ui_rows_view(&time_ops, m);
}
