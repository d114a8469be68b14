/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Numbers of a heat map, and nanoseconds as text. All numbers are exact.
 */
#include "view/heat_svg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

static const struct {
	const char *name, *symbol;
	uint64_t ns;
	int exponent;
} units[] = {
	[HEAT_UNIT_NS] = { "ns", "ns", 1, 0 },
	[HEAT_UNIT_US] = { "us", "µs", 1000, 3 },
	[HEAT_UNIT_MS] = { "ms", "ms", 1000000, 6 },
	[HEAT_UNIT_S] = { "s", "s", 1000000000, 9 },
};

const char *heat_unit_symbol(enum heat_unit u)
{
	return units[u].symbol;
}

bool heat_unit_find(const char *name, enum heat_unit *u)
{
	for (*u = HEAT_UNIT_NS; *u < HEAT_UNIT_AUTO; (*u)++)
		if (!strcmp(name, units[*u].name) || !strcmp(name, units[*u].symbol))
			return true;
	return false;
}

int heat_unit_exponent(enum heat_unit u)
{
	return units[u].exponent;
}

enum heat_unit heat_unit_fit(uint64_t value_ns)
{
	enum heat_unit u = HEAT_UNIT_S;

	while (u > HEAT_UNIT_NS && value_ns < units[u].ns)
		u--;
	return u;
}

void heat_unit_exact(char text[HEAT_LABEL_SIZE], uint64_t value_ns, enum heat_unit u)
{
	if (!units[u].exponent)
		snprintf(text, HEAT_LABEL_SIZE, "%" PRIu64, value_ns);
	else
		snprintf(text, HEAT_LABEL_SIZE, "%" PRIu64 ".%0*" PRIu64, value_ns / units[u].ns, units[u].exponent,
			 value_ns % units[u].ns);
}

/* 1234567.8 → 1,234,567.8 */
static void group_thousands(char text[HEAT_LABEL_SIZE])
{
	size_t len = strlen(text), whole = strcspn(text, ".");

	for (size_t at = whole; at > 3 && len + 1 < HEAT_LABEL_SIZE; len++) {
		at -= 3;
		memmove(text + at + 1, text + at, len + 1 - at);
		text[at] = ',';
	}
}

void heat_unit_number(char text[HEAT_LABEL_SIZE], uint64_t value_ns, enum heat_unit u, uint64_t step_ns)
{
	int decimals = 0;
	uint64_t shown = units[u].ns, rounded;
	size_t len;

	/* Two digits of the step: 0.25 and 0.3 differ. */
	while (decimals < units[u].exponent && step_ns < shown * 10) {
		decimals++;
		shown /= 10;
	}
	rounded = (value_ns / shown + (value_ns % shown * 2 >= shown)) * shown;
	if (!decimals) {
		snprintf(text, HEAT_LABEL_SIZE, "%" PRIu64, rounded / units[u].ns);
		group_thousands(text);
		return;
	}
	heat_unit_exact(text, rounded, u);
	len = strlen(text);
	while (text[len - 1] == '0')
		len--;
	text[text[len - 1] == '.' ? len - 1 : len] = 0;
	group_thousands(text);
}

void heat_unit_text(char text[HEAT_LABEL_SIZE], uint64_t value_ns, enum heat_unit u, uint64_t step_ns)
{
	size_t len;

	heat_unit_number(text, value_ns, u, step_ns);
	len = strlen(text);
	snprintf(text + len, HEAT_LABEL_SIZE - len, " %s", units[u].symbol);
}

static void put_line(struct out *o, const char *s)
{
	escape_terminal_str(o, s);
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
