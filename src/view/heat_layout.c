/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The arithmetic of heat maps.
 */
#include "view/heat_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PLOT_WIDTH = 1000, /* about; as many whole pixels as cells have */
	PLOT_HEIGHT = 460,
	OUTSIDE_HEIGHT = 12, /* of the rows above and below … */
	OUTSIDE_GAP = 9,     /* … and what sets them apart */
	X_TICK_MIN = 75,     /* pixels between ticks */
	Y_TICK_MIN = 34,
	LABEL_HEIGHT = 15,
	/* Letters in tenths of a pixel, of the widest font that is asked for. */
	TICK_LETTER = 77,
	LINE_LETTER = 82,
	LEGEND_LETTER = 71,
	MARGIN = 12,
};

/* Distinct counts in order, evenly over all levels. */
static void set_spread(struct heat_layout *l)
{
	const struct heat *h = l->heat;
	uint64_t nr_all = (uint64_t)h->nr_columns * (h->nr_rows + 2);
	VEC(uint32_t) distinct = { 0 };

	for (uint64_t i = 0; i < nr_all; i++)
		if (h->counts[i])
			vec_push(&distinct, h->counts[i]);
	vec_sort_unique(&distinct, compare_u32);
	for (uint32_t level = 0; level < HEAT_NR_LEVELS; level++) {
		/* the first whose place, rounded down, is not below this level */
		uint64_t nr = distinct.nr, at = nr > 1 ? (level * (nr - 1) + HEAT_NR_LEVELS - 2) / (HEAT_NR_LEVELS - 1) : 0;

		l->level_from[level] = nr ? distinct.v[at] : 0;
	}
	vec_fini(&distinct);
}

static uint8_t spread_level(const struct heat_layout *l, uint32_t count)
{
	uint8_t level = HEAT_NR_LEVELS - 1;

	while (level && count < l->level_from[level])
		level--;
	return level;
}

uint8_t heat_layout_level(const struct heat_layout *l, uint32_t count)
{
	uint32_t min = l->heat->low_count, max = l->heat->max_count;
	double share;

	if (l->heat->min_count == max)
		return HEAT_NR_LEVELS / 2;
	if (l->colours == HEAT_COLOURS_SPREAD)
		return spread_level(l, count);
	if (count >= max)
		return HEAT_NR_LEVELS - 1;
	if (count <= min)
		return 0;
	share = l->colours == HEAT_COLOURS_LOG ? log((double)count / min) / log((double)max / min) : (double)(count - min) / (max - min);
	return (uint8_t)(share * HEAT_NR_LEVELS);
}

/* The first count of each level that has one. */
static void set_steps(struct heat_layout *l)
{
	uint32_t from = l->heat->min_count, max = l->heat->max_count, widest = 0;
	char label[HEAT_LABEL_SIZE];

	while (from <= max) {
		struct heat_step *s = &l->steps[l->nr_steps++];

		s->level = heat_layout_level(l, from);
		s->from = from;
		from += vec_search(max - from + 1, i, heat_layout_level(l, s->from + i) > s->level);
		s->to = from - 1;
		heat_unit_number(label, s->from, HEAT_UNIT_NS, 1);
		widest = strlen(label) > widest ? (uint32_t)strlen(label) : widest;
	}
	l->label_every = (widest * LEGEND_LETTER + LEGEND_LETTER) / (HEAT_STEP_WIDTH * 10) + 1;
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

	if (!h->is_log)
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

static int32_t text_width(const char *s, int32_t letter)
{
	int32_t nr = 0;

	for (; *s; s++)
		nr += (*s & 0xc0) != 0x80;
	return (nr * letter + 9) / 10;
}

static void widen(int32_t *room, const char *label, int32_t letter, int32_t more)
{
	int32_t need = text_width(label, letter) + more;

	*room = need > *room ? need : *room;
}

static void set_x_ticks(struct heat_layout *l)
{
	const struct heat *h = l->heat;
	double ns_per_pixel = (double)h->column_ns / l->cell_width;
	double span = ns_per_pixel * l->width;
	int32_t apart = X_TICK_MIN;
	char last[HEAT_LABEL_SIZE];
	uint64_t step;

	l->time_unit = h->options.is_offset ? HEAT_UNIT_S : heat_unit_fit((uint64_t)(span / 2));
	heat_unit_number(last, (uint64_t)span, l->time_unit, (uint64_t)span);
	widen(&apart, last, TICK_LETTER, LABEL_HEIGHT);
	step = tick_step((uint64_t)(ns_per_pixel * apart) + 1);
	if (h->options.is_offset && step < HEAT_SECOND_NS)
		step = HEAT_SECOND_NS;
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
				add_tick(vec_add(&l->y_ticks), y, v, l->unit, v);
				last = y;
			}
		}
	}
}

/* Labels of lines that lie close together are moved apart: upwards from the lowest, and down again where they leave the plot. */
static void set_lines(struct heat_layout *l)
{
	struct heat_line *v = l->lines;
	char value[HEAT_LABEL_SIZE];

	l->nr_lines = HEAT_NR_RANKS;
	for (uint32_t i = 0; i < l->nr_lines; i++) {
		v[i].rank = (enum heat_rank)i;
		v[i].y = v[i].label_y = heat_layout_value_y(l, l->heat->ranks[i]);
		heat_unit_text(value, l->heat->ranks[i], l->unit, l->heat->ranks[i] / 100);
		snprintf(v[i].label, sizeof(v[i].label), "%s %s", heat_rank_names[i], value);
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

static void set_outside(struct heat_layout *l)
{
	const struct heat *h = l->heat;
	char value[HEAT_LABEL_SIZE];

	if (h->nr_above) {
		heat_unit_text(value, h->edges.v[h->nr_rows] - 1, l->unit, 1);
		snprintf(l->above, sizeof(l->above), "> %s", value);
	}
	if (h->nr_below) {
		heat_unit_text(value, h->edges.v[0], l->unit, 1);
		snprintf(l->below, sizeof(l->below), "< %s", value);
	}
}

/* No label may be cut, however long its number is. */
static void set_margins(struct heat_layout *l)
{
	for (uint32_t i = 0; i < l->y_ticks.nr; i++)
		widen(&l->left, l->y_ticks.v[i].label, TICK_LETTER, HEAT_AXIS_NAME + HEAT_LABEL_GAP);
	widen(&l->left, l->above, TICK_LETTER, HEAT_AXIS_NAME + HEAT_LABEL_GAP);
	widen(&l->left, l->below, TICK_LETTER, HEAT_AXIS_NAME + HEAT_LABEL_GAP);
	for (uint32_t i = 0; i < l->nr_lines; i++)
		widen(&l->right, l->lines[i].label, LINE_LETTER, HEAT_LINE_GAP + MARGIN);
}

/* Whole pixels for each of `nr`, so that all of them are as near to `wanted` as can be. */
static int32_t cell_size(uint32_t nr, int32_t wanted)
{
	int32_t size = wanted / (int32_t)nr;

	if ((size + 1) * (int32_t)nr - wanted < wanted - size * (int32_t)nr)
		size++;
	return size ? size : 1;
}

enum heat_unit heat_layout_unit(const struct heat *h, enum heat_unit wanted)
{
	if (wanted != HEAT_UNIT_AUTO)
		return wanted;
	if (!h->nr_rows)
		return HEAT_UNIT_MS;
	if (h->options.is_offset)
		return heat_unit_fit(HEAT_SECOND_NS - 1);
	if (!h->is_log)
		return heat_unit_fit(h->edges.v[h->nr_rows]);
	/* The middle of the scale: few digits at both ends. */
	return heat_unit_fit((uint64_t)sqrt(log_edge(h, 0) * (double)h->edges.v[h->nr_rows]));
}

void heat_layout_build(struct heat_layout *l, const struct heat *h, const struct heat_layout_options *o)
{
	int32_t outside = OUTSIDE_HEIGHT + OUTSIDE_GAP;

	*l = (struct heat_layout){ .heat = h, .left = o->left, .top = o->top, .right = o->right, .colours = o->colours };
	l->unit = heat_layout_unit(h, o->unit);
	l->width = PLOT_WIDTH;
	l->height = PLOT_HEIGHT;
	l->rows_top = l->top;
	if (!h->nr_rows)
		return;
	l->cell_width = cell_size(h->nr_columns, PLOT_WIDTH);
	l->cell_height = cell_size(h->nr_rows, PLOT_HEIGHT);
	l->width = l->cell_width * (int32_t)h->nr_columns;
	l->rows_top = l->top + (h->nr_above ? outside : 0);
	l->height = l->cell_height * (int32_t)h->nr_rows + (h->nr_above ? outside : 0) + (h->nr_below ? outside : 0);
	if (l->colours == HEAT_COLOURS_SPREAD)
		set_spread(l);
	set_cells(l);
	set_steps(l);
	if (h->is_log)
		set_log_ticks(l);
	else
		set_linear_ticks(l);
	set_outside(l);
	if (o->has_percentiles)
		set_lines(l);
	set_margins(l);
	set_x_ticks(l);
}

void heat_layout_fini(struct heat_layout *l)
{
	vec_fini(&l->cells);
	vec_fini(&l->x_ticks);
	vec_fini(&l->y_ticks);
}
