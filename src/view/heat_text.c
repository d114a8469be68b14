/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Numbers of a heat map, for people and for programs. Every number is exact: nanoseconds are whole.
 */
#include "view/heat_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"

static void put_line(struct out *o, const char *s)
{
	escape_terminal(o, s, strlen(s));
	out_char(o, '\n');
}

static void put_row(struct out *o, const char *name, const char *value, const char *unit)
{
	out_printf(o, "  %-6s %20s %s\n", name, value, unit);
}

void heat_text(struct out *o, const struct heat *h, const struct heat_words *w, enum heat_unit unit)
{
	char text[HEAT_LABEL_SIZE];

	put_line(o, w->title);
	put_line(o, w->subtitle);
	if (h->points.nr && !h->options.is_offset) {
		unit = heat_layout_unit(h, unit);
		heat_unit_exact(text, h->min, unit);
		put_row(o, "min", text, heat_unit_symbol(unit));
		heat_unit_exact(text, (uint64_t)(h->mean + 0.5), unit);
		put_row(o, "avg", text, heat_unit_symbol(unit));
		for (int i = 0; i < HEAT_NR_RANKS; i++) {
			heat_unit_exact(text, h->ranks[i], unit);
			put_row(o, heat_rank_names[i], text, heat_unit_symbol(unit));
		}
	}
	for (uint32_t i = 0; i < w->nr_notes; i++)
		put_line(o, w->notes[i]);
}

/* Rows outside of the scale have one edge: *has_from or *has_to is false. */
static void row_range(const struct heat *h, uint32_t row, uint64_t range[2], bool has[2])
{
	has[0] = row != HEAT_BELOW(h);
	has[1] = row != HEAT_ABOVE(h);
	range[0] = row == HEAT_ABOVE(h) ? h->edges.v[h->nr_rows] : has[0] ? h->edges.v[row] : 0;
	range[1] = row == HEAT_BELOW(h) ? h->edges.v[0] : has[1] ? h->edges.v[row + 1] : 0;
}

void heat_csv(struct out *o, const struct heat *h)
{
	out_str(o, "time_from_ns,time_to_ns,from_ns,to_ns,count\n");
	for (uint32_t c = 0; c < h->nr_columns; c++) {
		for (uint32_t r = 0; r < h->nr_rows + 2; r++) {
			uint64_t from = h->start_ns + h->column_ns * c, range[2];
			bool has[2];

			if (!heat_count(h, c, r))
				continue;
			row_range(h, r, range, has);
			out_printf(o, "%" PRIu64 ",%" PRIu64 ",", from, from + h->column_ns);
			for (int i = 0; i < 2; i++) {
				if (has[i])
					out_u64(o, range[i], 0);
				out_char(o, ',');
			}
			out_u64(o, heat_count(h, c, r), 0);
			out_char(o, '\n');
		}
	}
}

static void json_ranks(struct json *j, const struct heat *h)
{
	json_put_object(j, "percentiles_ns");
	json_put_u64(j, "min", h->min);
	json_put_double(j, "mean", h->mean, 3);
	for (int i = 0; i < HEAT_NR_RANKS; i++)
		json_put_u64(j, heat_rank_names[i], h->ranks[i]);
	json_object_end(j);
}

static void json_column(struct json *j, const struct heat *h, uint32_t column)
{
	json_array(j);
	for (uint32_t r = 0; r < h->nr_rows; r++)
		json_u64(j, heat_count(h, column, r));
	json_array_end(j);
}

/* What lies outside of the rows, a number for each column. */
static void json_outside(struct json *j, const struct heat *h, const char *key, uint32_t row)
{
	json_put_array(j, key);
	for (uint32_t c = 0; c < h->nr_columns; c++)
		json_u64(j, heat_count(h, c, row));
	json_array_end(j);
}

void heat_json(struct json *j, const struct heat *h, const struct heat_words *w)
{
	json_put_str(j, "title", w->title);
	json_put_str(j, "subtitle", w->subtitle);
	json_put_str(j, "counted", w->things);
	json_put_u64(j, "count", h->points.nr);
	json_put_u64(j, "start_ns", h->start_ns);
	json_put_u64(j, "column_ns", h->column_ns);
	json_put_str(j, "scale", h->is_log ? "log" : "linear");
	if (h->points.nr && !h->options.is_offset)
		json_ranks(j, h);
	json_put_array(j, "edges_ns");
	for (uint32_t i = 0; h->nr_rows && i < h->edges.nr; i++)
		json_u64(j, h->edges.v[i]);
	json_array_end(j);
	json_put_array(j, "columns");
	for (uint32_t c = 0; c < h->nr_columns; c++)
		json_column(j, h, c);
	json_array_end(j);
	json_outside(j, h, "above", HEAT_ABOVE(h));
	json_outside(j, h, "below", HEAT_BELOW(h));
	json_put_array(j, "notes");
	for (uint32_t i = 0; i < w->nr_notes; i++)
		json_str(j, w->notes[i]);
	json_array_end(j);
}
