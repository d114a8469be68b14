/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SVG of a time chart: the rows of the whole time as a still picture, then the data and the script that draws any part of it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/page.h"
#include "view/span_states.h"
#include "view/timechart.h"

enum {
	PAD = 20,
	LEFT = 200, /* of the rows: labels are before */
	LEAST_PLOT = 100,
	AXIS = 24,
	LABEL_LETTERS = 24,
	STILL_BIN = 4, /* px: the script draws finer ones, and a picture without one stays small */
};

/* A rectangle, which grows where the next one of its state goes on at the same height. */
struct piece {
	double x, end;
	int y, height; /* 0: none yet */
};

struct picture {
	struct out *o;
	const struct timechart *c;
	struct timechart_window w;
	struct out paths[SPAN_NR_STATES];
	struct piece pieces[SPAN_NR_STATES];
};

static bool is_of_task(const struct timechart_row *row)
{
	return row->kind == SPAN_OF_TASK || row->kind == SPAN_OF_IO;
}

static void put_label(const struct picture *p, const struct timechart_row *row, int y)
{
	static const char *const of_cpus[] = { [SPAN_OF_CPU] = "CPU", [SPAN_OF_POWER] = "C-state of", [SPAN_OF_FREQUENCY] = "MHz of" };

	out_printf(p->o, "<text class=\"label%s\" x=\"%d\" y=\"%d\">", row->is_highlighted ? " marked" : "",
		   row->is_thread ? PAD + 10 : PAD, y + timechart_row_height(row->kind) - 5);
	if (is_of_task(row)) {
		const char *name = timechart_name(p->c, row->key);

		svg_text_cut(p->o, name, strlen(name), LABEL_LETTERS);
		out_printf(p->o, " %d", timeline_track(p->c->timeline, row->key)->task->tid);
	} else {
		out_printf(p->o, "%s %u", of_cpus[row->kind], row->key);
	}
	out_str(p->o, "</text>\n");
}

static void put_tenths(struct out *o, double v)
{
	long tenths = lround(v * 10);

	out_printf(o, "%s%ld", tenths < 0 ? "-" : "", labs(tenths) / 10);
	if (tenths % 10)
		out_printf(o, ".%ld", labs(tenths) % 10);
}

static void end_piece(struct picture *p, int state)
{
	struct piece *piece = &p->pieces[state];
	struct out *o = &p->paths[state];

	if (piece->height) {
		out_char(o, 'M');
		put_tenths(o, piece->x);
		out_printf(o, " %dh", piece->y);
		put_tenths(o, piece->end - piece->x);
		out_printf(o, "v%dh", piece->height);
		put_tenths(o, piece->x - piece->end);
		out_char(o, 'z');
	}
	piece->height = 0;
}

static void add_piece(struct picture *p, int state, double x, double end, int y, int height)
{
	struct piece *piece = &p->pieces[state];

	if (piece->height == height && piece->y == y && x >= piece->x && x <= piece->end + 0.01) {
		piece->end = end > piece->end ? end : piece->end;
		return;
	}
	end_piece(p, state);
	*piece = (struct piece){ x, end, y, height };
}

static void put_row(struct picture *p, const struct timechart_row *row, int y)
{
	int bottom = y + 1 + timechart_row_height(row->kind) - TIMECHART_SPACE;
	struct timechart_cells cells = { 0 };

	timechart_layout_row(&cells, p->c, row, &p->w);
	for (uint32_t i = 0; i < cells.v.nr; i++) {
		const struct timechart_cell *cell = &cells.v.v[i];

		add_piece(p, cell->state, LEFT + cell->x, LEFT + cell->x + cell->width, bottom - (int)cell->bottom - (int)cell->height,
			  (int)cell->height);
	}
	vec_fini(&cells.v);
}

static void put_path(struct picture *p, int state)
{
	end_piece(p, state);
	if (p->paths[state].len) {
		out_printf(p->o, "<path class=\"s%d\" d=\"", state);
		out_mem(p->o, p->paths[state].buf, p->paths[state].len);
		out_str(p->o, "\"/>\n");
	}
	out_fini(&p->paths[state]);
}

static void put_axis(const struct picture *p, int y, int bottom)
{
	uint64_t span_ns = p->w.to_ns - p->w.from_ns, step = timechart_tick_ns(span_ns, p->w.width);
	char text[TIMECHART_TIME_SIZE];

	/* Times of a damaged recording may be as far apart as numbers go. */
	for (uint64_t at = 0, left = span_ns;; at += step, left -= step) {
		double x = LEFT + (double)at * p->w.width / (double)span_ns;

		timechart_time_text(text, at, step);
		out_printf(p->o, "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text class=\"tick\" x=\"%.1f\" y=\"%d\">%s</text>\n", x, y + 5,
			   bottom, x + 3, y, text);
		if (left < step)
			return;
	}
}

/* Returns where the rows end. */
static int put_still(struct picture *p, int top)
{
	int y = top, bottom = top;

	for (int i = 0; i < SPAN_NR_STATES; i++)
		out_init(&p->paths[i], -1);
	for (uint32_t i = 0; i < p->c->rows.nr; i++)
		bottom += timechart_row_height(p->c->rows.v[i].kind) +
			  (i && is_of_task(&p->c->rows.v[i]) != is_of_task(&p->c->rows.v[i - 1]) ? TIMECHART_GAP : 0);
	out_str(p->o, "<g class=\"still\">\n");
	put_axis(p, top - 8, bottom);
	for (uint32_t i = 0; i < p->c->rows.nr; i++) {
		const struct timechart_row *row = &p->c->rows.v[i];

		y += i && is_of_task(row) != is_of_task(&p->c->rows.v[i - 1]) ? TIMECHART_GAP : 0;
		put_label(p, row, y);
		put_row(p, row, y);
		y += timechart_row_height(row->kind);
	}
	for (int is_resting = 1; is_resting >= 0; is_resting--)
		for (int state = 0; state < SPAN_NR_STATES; state++)
			if ((span_states[state].place == 0) == is_resting)
				put_path(p, state);
	out_str(p->o, "</g>\n");
	return bottom;
}

static bool has_hole(const struct span_track *k)
{
	for (uint32_t i = 1; i < k->spans.nr; i++)
		if (k->spans.v[i].begin_ns > k->spans.v[i - 1].end_ns)
			return true;
	return false;
}

static void put_legend(struct page *page, const struct timechart *c)
{
	struct span_sum sum = { 0 };

	for (uint32_t i = 0; i < c->rows.nr; i++) {
		span_store_sum(c->store, c->rows.v[i].track, 0, UINT64_MAX, &sum);
		/* Between calls there are none; elsewhere a hole is one in what is known. */
		sum.ns[SPAN_UNKNOWN] |= c->rows.v[i].kind != SPAN_OF_IO && has_hole(&c->store->tracks.v[c->rows.v[i].track]);
	}
	page_legend(page);
	for (int i = 1; i <= SPAN_NR_STATES; i++) { /* what is not known comes last */
		int state = i % SPAN_NR_STATES;
		char paint[32];

		if (!sum.ns[state])
			continue;
		snprintf(paint, sizeof(paint), "class=\"s%d\"", state);
		page_key(page, paint, NULL, span_state_label(state), NULL);
	}
	page_legend_end(page);
}

void timechart_svg(struct out *o, const struct timechart *c)
{
	static const char *const scripts[] = { "timechart_data.js", "timechart_draw.js", "timechart_page.js", NULL };
	struct page page = { .kind = "timechart", .title = c->title, .subtitle = c->subtitle, .width = c->width, .pad = PAD };
	struct picture p = { .o = &page.body, .c = c };
	int top;

	if (page.width < LEFT + LEAST_PLOT + PAD)
		page.width = LEFT + LEAST_PLOT + PAD;
	p.w = (struct timechart_window){
		.from_ns = c->store->first_ns, .to_ns = c->store->last_ns, .width = page.width - LEFT - PAD, .bin = STILL_BIN
	};
	page_begin(&page);
	out_str(&page.body, "<style><![CDATA[\n");
	span_states_css(&page.body, ".assay-timechart");
	out_str(&page.body, "]]></style>\n");
	put_legend(&page, c);
	top = page.y + AXIS;
	page.y = put_still(&p, top) + 22;
	page_notes(&page, c->notes, c->nr_notes);
	timechart_put_data(&page.body, c, LEFT, top);
	page_put(&page, o);
	page_script(&page, o, scripts);
}
