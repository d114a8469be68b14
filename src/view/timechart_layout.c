/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Spans to rectangles. web/timechart_draw.js does the same in a page.
 */
#include "view/timechart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/span_states.h"

#define APART 5.0 /* px: a wider span has a gap behind it */
#define APART_BY 0.7
#define TICK_ROOM 90.0 /* px */

int timechart_row_height(enum span_kind kind)
{
	return kind == SPAN_OF_TASK || kind == SPAN_OF_IO || kind == SPAN_OF_CPU ? 18 : 16;
}

struct drawing {
	struct timechart_cells *cells;
	double from, scale; /* ns; px a ns */
	double width, bin_width;
	int height;
	/* the cell that narrow spans share */
	double bin, x, end; /* px; bin < 0: none */
	struct span_sum sum;
};

static void put_cell(const struct drawing *d, double x, double end, int bottom, int height, uint8_t state)
{
	x = x < 0 ? 0 : x;
	end = end > d->width ? d->width : end;
	if (end > x)
		vec_push(&d->cells->v,
			 ((struct timechart_cell){ .x = x, .width = end - x, .bottom = bottom, .height = height, .state = state }));
}

/* All states of a sum between two places. */
static void put_sum(const struct drawing *d, double x, double end, const struct span_sum *sum)
{
	int at[SPAN_NR_STATES + 1] = { 0 }; /* one more than the state, by its place */
	uint64_t total = 0, most = 0;
	int bottom = 0, rest = SPAN_UNKNOWN;

	for (int state = 0; state < SPAN_NR_STATES; state++) {
		total += sum->ns[state];
		at[span_states[state].place] = state + 1;
		if (!span_states[state].place && sum->ns[state] > most) {
			most = sum->ns[state];
			rest = state;
		}
	}
	if (most)
		put_cell(d, x, end, 0, d->height, (uint8_t)rest);
	for (int place = 1; place <= SPAN_NR_STATES; place++) {
		uint64_t ns = at[place] ? sum->ns[at[place] - 1] : 0;
		int height = ns ? (int)lround((double)ns / (double)total * d->height) : 0;

		if (!ns)
			continue;
		height = height < 1 ? 1 : height;
		height = bottom + height > d->height ? d->height - bottom : height;
		if (height > 0)
			put_cell(d, x, end, bottom, height, (uint8_t)(at[place] - 1));
		bottom += height;
	}
}

static void end_bin(struct drawing *d)
{
	if (d->bin < 0)
		return;
	put_sum(d, d->x, d->end > d->x + 1 ? d->end : d->x + 1, &d->sum);
	d->bin = -1;
}

static void add_narrow(struct drawing *d, const struct span_track *k, const struct span *span, double x, double end)
{
	double bin = floor(x / d->bin_width);

	if (bin != d->bin) {
		end_bin(d);
		d->bin = bin;
		d->x = x;
		memset(&d->sum, 0, sizeof(d->sum));
	}
	d->end = end;
	if (k)
		span_sum_add(&d->sum, k, span, 0, UINT64_MAX);
	else
		d->sum.ns[SPAN_UNKNOWN] += span->end_ns - span->begin_ns;
}

static enum span_value value_of(const struct span *span)
{
	return span->state < SPAN_NR_STATES ? span_states[span->state].value : SPAN_VALUE_NONE;
}

/* Of C-states and frequencies the height is the number. */
static int height_of(const struct drawing *d, const struct span *span, uint32_t max)
{
	double share = 1;

	if (value_of(span) == SPAN_VALUE_DEPTH)
		share = (span->value + 1.0) / (max + 1.0);
	else if (value_of(span) == SPAN_VALUE_KHZ && max)
		share = (double)span->value / max;
	return share * d->height < 1 ? 1 : (int)lround(share * d->height);
}

static void put_span(struct drawing *d, const struct span_track *k, const struct span *span, double min_ns, uint32_t max)
{
	double x = ((double)span->begin_ns - d->from) * d->scale, end = ((double)span->end_ns - d->from) * d->scale;
	double least = value_of(span) == SPAN_VALUE_CALLS ? min_ns * d->scale : 0;
	struct span_sum sum = { 0 };

	end = end - x < least ? x + least : end;
	if (end - x < d->bin_width) {
		add_narrow(d, k, span, x, end);
		return;
	}
	end_bin(d);
	if (span->state == SPAN_MIXED) {
		span_sum_add(&sum, k, span, 0, UINT64_MAX);
		put_sum(d, x, end, &sum);
	} else {
		put_cell(d, x, end - x > APART ? end - APART_BY : end, 0, height_of(d, span, max), span->state);
	}
}

void timechart_layout_row(struct timechart_cells *cells, const struct timechart *c, const struct timechart_row *row,
			  const struct timechart_window *w)
{
	const struct span_track *k = &c->store->tracks.v[row->track];
	struct drawing d = { .cells = cells,
			     .from = (double)w->from_ns,
			     .scale = w->width / (double)(w->to_ns - w->from_ns),
			     .width = w->width,
			     .bin_width = w->bin,
			     .height = timechart_row_height(row->kind) - TIMECHART_SPACE,
			     .bin = -1 };
	uint32_t first = span_track_find(k, w->from_ns);

	for (uint32_t i = first; i < k->spans.nr && k->spans.v[i].begin_ns < w->to_ns; i++) {
		struct span hole = { .begin_ns = i ? k->spans.v[i - 1].end_ns : 0, .end_ns = k->spans.v[i].begin_ns };

		/* Between calls nothing is unknown: there are none. */
		if (i && hole.begin_ns < hole.end_ns && row->kind != SPAN_OF_IO)
			put_span(&d, NULL, &hole, 0, 0);
		put_span(&d, k, &k->spans.v[i], (double)c->min_io_ns, row->max_value);
	}
	end_bin(&d);
}

uint64_t timechart_tick_ns(uint64_t span_ns, double width)
{
	double least = (double)span_ns * TICK_ROOM / (width > 1 ? width : 1);
	uint64_t step = 1;

	while ((double)step < least && step < UINT64_C(1) << 58) {
		if ((double)step * 2 >= least)
			return step * 2;
		if ((double)step * 5 >= least)
			return step * 5;
		step *= 10;
	}
	return step;
}

void timechart_time_text(char text[TIMECHART_TIME_SIZE], uint64_t ns, uint64_t step_ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "µs" }, { 1, "ns" } };
	size_t unit = 0;
	int digits = 0;

	while (unit < 3 && ns < units[unit].ns)
		unit++;
	for (uint64_t part = units[unit].ns; part > step_ns && digits < 9; part /= 10)
		digits++;
	snprintf(text, TIMECHART_TIME_SIZE, "%.*f %s", digits, (double)ns / (double)units[unit].ns, ns ? units[unit].name : "");
	if (!ns)
		snprintf(text, TIMECHART_TIME_SIZE, "0");
}
