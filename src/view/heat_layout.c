/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The arithmetic of heat maps. See the header for what is what.
 */
#include "view/heat_layout.h"

#include <math.h>
#include <string.h>

enum {
	PLOT_WIDTH = 1000, /* about; as many whole pixels as cells have */
	PLOT_HEIGHT = 460,
	OUTSIDE_HEIGHT = 12, /* of the rows above and below … */
	OUTSIDE_GAP = 9,     /* … and what sets them apart */
	X_TICK_MIN = 75,     /* pixels between ticks */
	Y_TICK_MIN = 34,
	LABEL_HEIGHT = 15,
};

uint8_t heat_layout_level(const struct heat_layout *l, uint32_t count)
{
	uint32_t max = l->heat->max_count;
	double share;

	if (max <= 1)
		return HEAT_NR_LEVELS / 2;
	if (count >= max)
		return HEAT_NR_LEVELS - 1;
	share = l->is_log_colour ? log((double)count) / log((double)max) : (double)(count - 1) / (max - 1);
	return (uint8_t)(share * HEAT_NR_LEVELS);
}

/* The first count of each level that has one. */
static void set_steps(struct heat_layout *l)
{
	uint32_t from = 1, max = l->heat->max_count;

	while (from <= max) {
		struct heat_step *s = &l->steps[l->nr_steps++];
		uint32_t low = from, high = max;

		s->level = heat_layout_level(l, from);
		s->from = from;
		while (low < high) { /* the last count of this level */
			uint32_t mid = low + (high - low + 1) / 2;

			if (heat_layout_level(l, mid) > s->level)
				high = mid - 1;
			else
				low = mid;
		}
		s->to = low;
		from = low + 1;
	}
}

int32_t heat_layout_row_y(const struct heat_layout *l, uint32_t row)
{
	const struct heat *h = l->heat;

	if (row == HEAT_ABOVE(h))
		return l->top;
	if (row == HEAT_BELOW(h))
		return l->top + l->height - OUTSIDE_HEIGHT;
	return l->rows_top + (int32_t)(h->nr_rows - 1 - row) * l->cell_height;
}

/* The lower edge of a row of a logarithmic scale; the first one, which reaches down to zero, is drawn as high as its neighbour. */
static double log_edge(const struct heat *h, uint32_t row)
{
	double high = (double)h->edges.v[row + 1];

	if (h->edges.v[row])
		return (double)h->edges.v[row];
	return row + 1 < h->nr_rows ? high * high / (double)h->edges.v[row + 2] : high / 2;
}

/* How far above the row's lower edge, 0 to 1. */
static double part_of_row(const struct heat *h, uint32_t row, uint64_t value)
{
	double low = (double)h->edges.v[row], high = (double)h->edges.v[row + 1], v = (double)value;

	if (!h->options.is_log)
		return (v - low) / (high - low);
	low = log_edge(h, row);
	return v <= low ? 0 : log(v / low) / log(high / low);
}

int32_t heat_layout_value_y(const struct heat_layout *l, uint64_t value)
{
	const struct heat *h = l->heat;
	uint32_t row = 0;

	if (value < h->edges.v[0])
		return heat_layout_row_y(l, HEAT_BELOW(h)) + OUTSIDE_HEIGHT / 2;
	/* The end of the scale is still on it. */
	if (value > h->edges.v[h->nr_rows])
		return h->nr_above ? l->top + OUTSIDE_HEIGHT / 2 : l->rows_top;
	if (value == h->edges.v[h->nr_rows])
		return l->rows_top;
	while (value >= h->edges.v[row + 1])
		row++;
	return heat_layout_row_y(l, row) + l->cell_height - (int32_t)lround(part_of_row(h, row, value) * l->cell_height);
}

static void add_tick(struct heat_tick *t, int32_t at, uint64_t value, enum heat_unit u, uint64_t step)
{
	t->at = at;
	heat_unit_number(t->label, value, u, step);
}

/* 1, 2 or 5 times a power of ten, at least `v`. */
static uint64_t tick_step(uint64_t v)
{
	uint64_t power = 1;

	while (power < v / 10)
		power *= 10;
	if (power >= v)
		return power;
	return power * 2 >= v ? power * 2 : power * 5 >= v ? power * 5 : power * 10;
}

static void set_x_ticks(struct heat_layout *l)
{
	const struct heat *h = l->heat;
	double ns_per_pixel = (double)h->column_ns / l->cell_width;
	uint64_t step = tick_step((uint64_t)(ns_per_pixel * X_TICK_MIN) + 1);
	double span = ns_per_pixel * l->width;

	l->time_unit = heat_unit_fit((uint64_t)(span / 2));
	if (h->options.is_offset) {
		l->time_unit = HEAT_UNIT_S;
		step = step < HEAT_SECOND_NS ? HEAT_SECOND_NS : step;
	}
	for (uint64_t i = 0; (double)step * (double)i <= span && i < 1000; i++)
		add_tick(vec_add(&l->x_ticks), l->left + (int32_t)lround((double)(step * i) / ns_per_pixel), step * i, l->time_unit, step);
}

static void set_linear_ticks(struct heat_layout *l)
{
	const struct heat *h = l->heat;
	uint64_t low = h->edges.v[0], high = h->edges.v[h->nr_rows];
	uint32_t pixels = h->nr_rows * (uint32_t)l->cell_height;
	uint64_t step = tick_step((high - low) / (pixels / Y_TICK_MIN + 1) + 1);

	for (uint64_t v = low / step * step; v <= high; v += step)
		if (v >= low)
			add_tick(vec_add(&l->y_ticks), heat_layout_value_y(l, v), v, l->unit, step);
}

/* Powers of ten; where these are far apart, 2 and 5 of them too. */
static void set_log_ticks(struct heat_layout *l)
{
	static const uint64_t parts[] = { 1, 2, 5 };
	const struct heat *h = l->heat;
	uint64_t low = (uint64_t)llround(log_edge(h, 0)), high = h->edges.v[h->nr_rows];
	int32_t last = INT32_MAX;

	for (int pass = 0; pass < 2; pass++) {
		int32_t decade = heat_layout_value_y(l, high / 10 > low ? high / 10 : low) - heat_layout_value_y(l, high);

		if (pass && decade < 4 * Y_TICK_MIN)
			break;
		l->y_ticks.nr = 0;
		last = INT32_MAX;
		for (uint64_t power = 1; power <= high; power *= 10) {
			for (uint32_t i = 0; i < (pass ? 3u : 1u); i++) {
				uint64_t v = power * parts[i];
				int32_t y = v >= low && v <= high ? heat_layout_value_y(l, v) : last;

				if (last - y < LABEL_HEIGHT && last != INT32_MAX)
					continue;
				if (y == INT32_MAX || v < low || v > high)
					continue;
				add_tick(vec_add(&l->y_ticks), y, v, l->unit == HEAT_UNIT_AUTO ? heat_unit_fit(v) : l->unit, v);
				if (l->unit == HEAT_UNIT_AUTO)
					heat_unit_text(l->y_ticks.v[l->y_ticks.nr - 1].label, v, l->unit, v);
				last = y;
			}
		}
	}
}

/* Labels of lines that lie close together are moved apart: upwards from the lowest, and down again where they leave the plot. */
static void set_lines(struct heat_layout *l)
{
	struct heat_line *v = l->lines;

	l->nr_lines = HEAT_NR_RANKS;
	for (uint32_t i = 0; i < l->nr_lines; i++) {
		v[i].rank = (enum heat_rank)i;
		v[i].y = v[i].label_y = heat_layout_value_y(l, l->heat->ranks[i]);
		if (i && v[i].label_y > v[i - 1].label_y - LABEL_HEIGHT)
			v[i].label_y = v[i - 1].label_y - LABEL_HEIGHT;
	}
	for (uint32_t i = l->nr_lines; i-- > 0;) {
		int32_t least = i + 1 < l->nr_lines ? v[i + 1].label_y + LABEL_HEIGHT : l->top;

		v[i].label_y = v[i].label_y < least ? least : v[i].label_y;
	}
}

static void set_cells(struct heat_layout *l)
{
	const struct heat *h = l->heat;

	for (uint32_t c = 0; c < h->nr_columns; c++) {
		for (uint32_t i = 0; i < h->nr_rows + 2; i++) {
			uint32_t row = i == 0 ? HEAT_BELOW(h) : i == h->nr_rows + 1 ? HEAT_ABOVE(h) : i - 1;
			uint32_t n = heat_count(h, c, row);

			if (n)
				vec_push(&l->cells, ((struct heat_cell){ c, row, n, heat_layout_row_y(l, row), heat_layout_level(l, n) }));
		}
	}
}

void heat_layout_build(struct heat_layout *l, const struct heat *h, const struct heat_layout_options *o)
{
	int32_t outside = OUTSIDE_HEIGHT + OUTSIDE_GAP;

	*l = (struct heat_layout){ .heat = h, .left = o->left, .top = o->top, .unit = o->unit, .is_log_colour = o->is_log_colour };
	l->width = PLOT_WIDTH;
	l->height = PLOT_HEIGHT;
	l->rows_top = l->top;
	if (!h->nr_rows)
		return;
	l->cell_width = h->nr_columns < PLOT_WIDTH ? PLOT_WIDTH / (int32_t)h->nr_columns : 1;
	l->cell_height = h->nr_rows < PLOT_HEIGHT ? PLOT_HEIGHT / (int32_t)h->nr_rows : 1;
	l->width = l->cell_width * (int32_t)h->nr_columns;
	l->rows_top = l->top + (h->nr_above ? outside : 0);
	l->height = l->cell_height * (int32_t)h->nr_rows + (h->nr_above ? outside : 0) + (h->nr_below ? outside : 0);
	if (l->unit == HEAT_UNIT_AUTO && !h->options.is_log)
		l->unit = heat_unit_fit(h->options.is_offset ? HEAT_SECOND_NS - 1 : h->edges.v[h->nr_rows]);
	set_cells(l);
	set_steps(l);
	set_x_ticks(l);
	if (h->options.is_log)
		set_log_ticks(l);
	else
		set_linear_ticks(l);
	if (o->has_percentiles)
		set_lines(l);
}

void heat_layout_fini(struct heat_layout *l)
{
	vec_fini(&l->cells);
	vec_fini(&l->x_ticks);
	vec_fini(&l->y_ticks);
}
