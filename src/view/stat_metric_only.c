/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `stat --metric-only`. Rows are perf's to the byte. perf 6.1 prints titles with -A only, and its JSON of this kind is not valid; ours has the
 * metrics' names for keys, as later versions do.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "model/metrics.h"
#include "view/stat.h"

#define COLUMN_WIDTH 20u

static bool is_wanted(const struct metric *m)
{
	return m->label[0] && !m->is_rate && strcmp(m->label, "CPUs utilized");
}

static void add_column(struct metric_columns *m, const struct counts *c, uint32_t event, const struct metric *metric)
{
	struct metric_column *col;
	size_t len;

	for (uint32_t i = 0; i < m->columns.nr; i++)
		if (m->columns.v[i].event == event && !strcmp(m->columns.v[i].label, metric->label))
			return;
	col = vec_add(&m->columns);
	*col = (struct metric_column){ .event = event };
	snprintf(col->label, sizeof(col->label), "%s", metric->label);
	/* "of all branches": of what is said by the event's name. */
	snprintf(col->title, sizeof(col->title), "%s%s%s", !strncmp(metric->label, "of all", 6) ? c->events.v[event].name : "",
		 !strncmp(metric->label, "of all", 6) ? " " : "", metric->label);
	len = strlen(col->title);
	col->width = len > COLUMN_WIDTH ? (uint32_t)len + 1 : COLUMN_WIDTH;
}

/* From the counts as computed first: a metric whose events were not counted has its column, too. */
static void set_columns(struct metric_columns *m, const struct counts *c)
{
	struct metric metrics[METRICS_MAX];

	*m = (struct metric_columns){ .is_set = true };
	for (uint32_t e = 0; e < c->events.nr; e++)
		for (uint32_t p = 0; p < c->places.nr; p++) {
			uint32_t nr = metrics_get(c, e, p, metrics);

			for (uint32_t i = 0; i < nr; i++)
				if (is_wanted(&metrics[i]))
					add_column(m, c, e, &metrics[i]);
		}
}

void metric_columns_fini(struct metric_columns *m)
{
	vec_fini(&m->columns);
}

/* The metric of a column at a place; false where it has no value. */
static bool find_metric(const struct counts *c, const struct metric_column *col, uint32_t place, struct metric *found)
{
	struct metric metrics[METRICS_MAX];
	uint32_t nr;

	if (counts_row_get(c, col->event, place)->state != COUNTS_OK)
		return false;
	nr = metrics_get(c, col->event, place, metrics);
	for (uint32_t i = 0; i < nr; i++) {
		if (metrics[i].empty || strcmp(metrics[i].label, col->label))
			continue;
		*found = metrics[i];
		return true;
	}
	return false;
}

/* Before the columns, by aggregation: title as text, as separated values, and its width. */
static const struct {
	const char *text, *csv;
	int width;
} lead[] = {
	[COUNTS_GLOBAL] = { "", "", 0 },
	[COUNTS_PER_SOCKET] = { "socket cpus", "socket cpus ", 12 },
	[COUNTS_PER_DIE] = { "die          cpus", "die cpus ", 18 },
	[COUNTS_PER_CORE] = { "core            cpus", "core cpus ", 21 },
	[COUNTS_PER_NODE] = { "node   cpus", "node cpus ", 12 },
	[COUNTS_PER_CPU] = { "CPU", "cpu ", 11 },
	[COUNTS_PER_THREAD] = { "comm-pid", "comm-pid ", 24 },
};

static void put_text_header(struct out *o, const struct metric_columns *m, const struct counts *c, const struct stat_style *s)
{
	int width = lead[c->aggr].width;

	if (s->intervals)
		out_printf(o, "#           time ");
	out_printf(o, "%-*s", width, s->intervals || c->aggr != COUNTS_GLOBAL ? lead[c->aggr].text : "");
	for (uint32_t i = 0; i < m->columns.nr; i++)
		out_printf(o, "%*s ", (int)m->columns.v[i].width, m->columns.v[i].title);
	out_char(o, '\n');
}

static void put_csv_header(struct out *o, const struct metric_columns *m, const struct counts *c, const struct stat_style *s)
{
	if (s->intervals)
		out_printf(o, " time%s", s->separator);
	for (const char *p = lead[c->aggr].csv; *p; p++) {
		if (*p == ' ')
			out_str(o, s->separator);
		else
			out_char(o, *p);
	}
	for (uint32_t i = 0; i < m->columns.nr; i++) {
		escape_csv(o, m->columns.v[i].title, strlen(m->columns.v[i].title), s->separator[0]);
		out_str(o, s->separator);
	}
	out_char(o, '\n');
}

static uint32_t nr_cpus_of(const struct counts *c, uint32_t place)
{
	for (uint32_t e = 0; e < c->events.nr; e++) {
		const struct counts_row *row = counts_row_get(c, e, place);

		if (row->state == COUNTS_OK)
			return row->nr_cells;
	}
	return c->places.v[place].nr_cpus;
}

static void put_text_row(struct out *o, const struct metric_columns *m, const struct counts *c, const struct stat_style *s, uint32_t place)
{
	char name[STAT_PLACE_MAX];
	size_t len = stat_place_name(c, place, name);
	int width = lead[c->aggr].width, nr_width = stat_place_has_nr(c->aggr) ? 5 : 0;
	struct metric metric;

	if (s->intervals && c->span == COUNTS_INTERVAL)
		out_printf(o, "%6" PRIu64 ".%09" PRIu64 " ", c->elapsed_ns / 1000000000, c->elapsed_ns % 1000000000);
	if (width) {
		escape_terminal(o, name, len);
		out_spaces(o, width - nr_width - 1 - (int)len);
		if (nr_width)
			out_printf(o, "%*u", nr_width, nr_cpus_of(c, place));
		out_char(o, ' ');
	}
	for (uint32_t i = 0; i < m->columns.nr; i++) {
		char text[STAT_METRIC_MAX] = "";

		if (find_metric(c, &m->columns.v[i], place, &metric))
			stat_metric_text(text, metric.format, metric.value);
		out_printf(o, "%*s ", (int)m->columns.v[i].width, text);
	}
	out_char(o, '\n');
}

static void put_csv_row(struct out *o, const struct metric_columns *m, const struct counts *c, const struct stat_style *s, uint32_t place)
{
	struct metric metric;

	stat_csv_begin(o, c, s, place, nr_cpus_of(c, place));
	for (uint32_t i = 0; i < m->columns.nr; i++) {
		if (find_metric(c, &m->columns.v[i], place, &metric))
			stat_csv_number(o, metric.format, metric.value);
		out_str(o, s->separator);
	}
	out_char(o, '\n');
}

static void put_json_row(struct out *o, const struct metric_columns *m, const struct counts *c, const struct stat_style *s, uint32_t place)
{
	struct metric metric;

	stat_json_begin(o, c, s, place, nr_cpus_of(c, place));
	for (uint32_t i = 0; i < m->columns.nr; i++) {
		struct out number;

		out_init(&number, -1);
		if (find_metric(c, &m->columns.v[i], place, &metric))
			stat_csv_number(&number, metric.format, metric.value);
		out_char(&number, 0);
		stat_json_string(o, m->columns.v[i].title, number.buf);
		out_fini(&number);
		if (i + 1 < m->columns.nr)
			out_str(o, ", ");
	}
	out_str(o, "}\n");
}

void stat_metric_only_print(struct out *o, const struct counts *c, const struct stat_style *s, enum stat_output how)
{
	struct metric_columns *m = s->metric_only;

	if (!m->is_set) {
		set_columns(m, c);
		if (how == STAT_OUTPUT_TEXT)
			put_text_header(o, m, c, s);
		else if (how == STAT_OUTPUT_CSV)
			put_csv_header(o, m, c, s);
	}
	for (uint32_t p = 0; p < c->places.nr; p++) {
		if (how == STAT_OUTPUT_TEXT)
			put_text_row(o, m, c, s, p);
		else if (how == STAT_OUTPUT_CSV)
			put_csv_row(o, m, c, s, p);
		else if (m->columns.nr)
			put_json_row(o, m, c, s, p);
	}
}
