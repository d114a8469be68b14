/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows of counts for programs: perf's separated values and JSON lines print the same columns, which are the entries of one table.
 *
 *	[time] [place [nr CPUs]] value unit event [cgroup] [spread%] runtime running% metric label
 *
 * An event's further metrics have lines of their own. Fields are quoted only where the separator or a control byte is in them, which perf does
 * not do. JSON is not written by base/json.h: the blank before each colon and the number that is a string are part of what scripts match.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "model/metrics.h"
#include "view/stat.h"

static void each_thread(const struct counts *c, bool skip_zero, stat_row_fn *fn, void *ctx)
{
	uint32_t *order = mem_alloc((c->places.nr ? c->places.nr : 1) * sizeof(order[0]));

	for (uint32_t e = 0; e < c->events.nr; e++) {
		uint32_t nr = counts_sort_places(c, e, skip_zero, order);

		for (uint32_t i = 0; i < nr; i++)
			fn(ctx, e, order[i]);
	}
	free(order);
}

static void call(const struct counts *c, uint32_t event, uint32_t place, stat_row_fn *fn, void *ctx)
{
	if (counts_row_get(c, event, place)->state != COUNTS_ABSENT)
		fn(ctx, event, place);
}

void stat_rows_each(const struct counts *c, bool skip_zero, stat_row_fn *fn, void *ctx)
{
	if (c->aggr == COUNTS_PER_THREAD) {
		each_thread(c, skip_zero, fn, ctx);
	} else if (stat_place_has_nr(c->aggr)) {
		for (uint32_t p = 0; p < c->places.nr; p++)
			for (uint32_t e = 0; e < c->events.nr; e++)
				call(c, e, p, fn, ctx);
	} else {
		for (uint32_t e = 0; e < c->events.nr; e++)
			for (uint32_t p = 0; p < c->places.nr; p++)
				call(c, e, p, fn, ctx);
	}
}

uint32_t stat_row_nr_cpus(const struct counts_row *row)
{
	/* A time of the whole run, in a row of a place that it does not belong to. */
	if (row->state == COUNTS_NOT_COUNTED && !row->nr_cells)
		return 0;
	return row->state == COUNTS_OK ? row->nr_cells : 1;
}

size_t stat_place_name(const struct counts *c, uint32_t place, char name[STAT_PLACE_MAX])
{
	const struct counts_place *p = &c->places.v[place];
	const struct counts_thread *t;
	int len = 0;

	name[0] = 0;
	switch (c->aggr) {
	case COUNTS_GLOBAL:
		break;
	case COUNTS_PER_SOCKET:
		len = snprintf(name, STAT_PLACE_MAX, "S%d", p->socket);
		break;
	case COUNTS_PER_DIE:
		len = snprintf(name, STAT_PLACE_MAX, "S%d-D%d", p->socket, p->die);
		break;
	case COUNTS_PER_CORE:
		len = snprintf(name, STAT_PLACE_MAX, "S%d-D%d-C%d", p->socket, p->die, p->core);
		break;
	case COUNTS_PER_NODE:
		len = snprintf(name, STAT_PLACE_MAX, "N%d", p->node);
		break;
	case COUNTS_PER_CPU:
		len = snprintf(name, STAT_PLACE_MAX, "CPU%d", p->cpu);
		break;
	case COUNTS_PER_THREAD:
		t = &c->threads.v[p->thread];
		len = snprintf(name, STAT_PLACE_MAX, "%s-%d", t->comm ? t->comm : "", t->tid);
		break;
	}
	return len < STAT_PLACE_MAX ? (size_t)len : STAT_PLACE_MAX - 1;
}

/* The formats are those of the table in metrics.c, each with one double. */
int stat_metric_text(char text[STAT_METRIC_MAX], const char *format, double value)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	return snprintf(text, STAT_METRIC_MAX, format, value);
#pragma GCC diagnostic pop
}

void stat_csv_number(struct out *o, const char *format, double value)
{
	char text[STAT_METRIC_MAX], *from = text, *to;

	stat_metric_text(text, format, value);
	while (isspace((unsigned char)*from))
		from++;
	for (to = from; isdigit((unsigned char)*to) || *to == '.' || *to == '-'; to++)
		;
	out_mem(o, from, (size_t)(to - from));
}

void stat_json_string(struct out *o, const char *key, const char *value)
{
	out_char(o, '"');
	escape_json(o, key, strlen(key));
	out_str(o, "\" : \"");
	escape_json(o, value, strlen(value));
	out_char(o, '"');
}

void stat_json_begin(struct out *o, const struct counts *c, const struct stat_style *s, uint32_t place, uint32_t nr_cpus)
{
	static const char *const keys[] = {
		[COUNTS_PER_SOCKET] = "socket", [COUNTS_PER_DIE] = "die", [COUNTS_PER_CORE] = "core",
		[COUNTS_PER_NODE] = "node",	[COUNTS_PER_CPU] = "cpu", [COUNTS_PER_THREAD] = "thread",
	};
	char name[STAT_PLACE_MAX];

	out_char(o, '{');
	if (s->intervals && c->span == COUNTS_INTERVAL)
		out_printf(o, "\"interval\" : %" PRIu64 ".%09" PRIu64 ", ", c->elapsed_ns / 1000000000, c->elapsed_ns % 1000000000);
	if (c->aggr == COUNTS_GLOBAL)
		return;
	stat_place_name(c, place, name);
	/* The one place whose name is shorter here. */
	stat_json_string(o, keys[c->aggr], c->aggr == COUNTS_PER_CPU ? name + strlen("CPU") : name);
	out_str(o, ", ");
	if (stat_place_has_nr(c->aggr))
		out_printf(o, "\"aggregate-number\" : %u, ", nr_cpus);
}

void stat_csv_begin(struct out *o, const struct counts *c, const struct stat_style *s, uint32_t place, uint32_t nr_cpus)
{
	char name[STAT_PLACE_MAX];

	if (s->intervals && c->span == COUNTS_INTERVAL)
		out_printf(o, "%6" PRIu64 ".%09" PRIu64 "%s", c->elapsed_ns / 1000000000, c->elapsed_ns % 1000000000, s->separator);
	else if (s->intervals && !s->no_csv_summary)
		out_printf(o, "%16s%s", "summary", s->separator);
	if (c->aggr == COUNTS_GLOBAL)
		return;
	escape_csv(o, name, stat_place_name(c, place, name), s->separator[0]);
	out_str(o, s->separator);
	if (stat_place_has_nr(c->aggr))
		out_printf(o, "%u%s", nr_cpus, s->separator);
}

/* Who prints, and the row at hand. */
struct row_printer {
	struct out *o;
	const struct counts *c;
	const struct stat_style *s;
	bool is_json, has_cgroups;
	const struct counts_event *event;
	const struct counts_row *row;
	bool is_counted;
	const struct metric *metric;
};

static void put_value(const struct row_printer *p)
{
	double value = p->row->value * p->event->scale;

	out_str(p->o, p->is_json ? "\"" : "");
	if (p->row->state == COUNTS_NOT_SUPPORTED)
		out_str(p->o, "<not supported>");
	else if (!p->is_counted)
		out_str(p->o, "<not counted>");
	else if (p->is_json)
		out_printf(p->o, "%f", value);
	else
		out_printf(p->o, "%.*f", floor(p->event->scale) != p->event->scale ? 2 : 0, value);
	out_str(p->o, p->is_json ? "\"" : "");
}

static void put_string(const struct row_printer *p, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (!p->is_json) {
		escape_csv(p->o, text ? text : "", len, p->s->separator[0]);
		return;
	}
	out_char(p->o, '"');
	escape_json(p->o, text ? text : "", len);
	out_char(p->o, '"');
}

static void put_unit(const struct row_printer *p)
{
	put_string(p, p->event->unit);
}

static void put_event(const struct row_printer *p)
{
	put_string(p, p->event->name);
}

static void put_cgroup(const struct row_printer *p)
{
	put_string(p, p->event->cgroup);
}

static void put_spread(const struct row_printer *p)
{
	double spread = p->is_counted ? p->row->spread_pct : 0.0;

	if (p->is_json)
		out_printf(p->o, "%.2f", isfinite(spread) ? spread : 0.0);
	else
		out_printf(p->o, "%.2f%%", spread);
}

static void put_runtime(const struct row_printer *p)
{
	out_printf(p->o, "%.0f", p->is_counted ? p->row->running : 0.0);
}

static void put_running(const struct row_printer *p)
{
	out_printf(p->o, "%.2f", p->is_counted ? counts_row_running_pct(p->row) : 100.0);
}

static void put_metric(const struct row_printer *p)
{
	const struct metric *m = p->metric;

	if (p->is_json && !m->empty && !isfinite(m->value))
		out_str(p->o, "null");
	else if (p->is_json)
		out_printf(p->o, "%f", m->empty ? 0.0 : m->value);
	else if (!m->empty && m->format)
		stat_csv_number(p->o, m->format, m->value);
}

/* perf names a metric that has no value in JSON, too. */
static void put_metric_unit(const struct row_printer *p)
{
	const char *label = p->is_json || !p->metric->empty ? p->metric->label : "";

	while (*label == ' ')
		label++;
	put_string(p, label);
}

static bool has_cgroups(const struct row_printer *p)
{
	return p->has_cgroups;
}

static bool is_repeated(const struct row_printer *p)
{
	return p->s->repeated;
}

static const struct stat_column {
	const char *member; /* of JSON objects */
	void (*put)(const struct row_printer *p);
	bool (*is_shown)(const struct row_printer *p); /* NULL: always */
	bool is_metric;
} stat_columns[] = {
	{ "counter-value", put_value, NULL, false },
	{ "unit", put_unit, NULL, false },
	{ "event", put_event, NULL, false },
	{ "cgroup", put_cgroup, has_cgroups, false },
	{ "variance", put_spread, is_repeated, false },
	{ "event-runtime", put_runtime, NULL, false },
	{ "pcnt-running", put_running, NULL, false },
	{ "metric-value", put_metric, NULL, true },
	{ "metric-unit", put_metric_unit, NULL, true },
};

/* `only_metric`: the line of a further metric. */
static void put_columns(const struct row_printer *p, bool only_metric)
{
	bool is_first = true;

	for (size_t i = 0; i < sizeof(stat_columns) / sizeof(*stat_columns); i++) {
		const struct stat_column *col = &stat_columns[i];

		if ((col->is_shown && !col->is_shown(p)) || (only_metric && !col->is_metric))
			continue;
		if (p->is_json)
			out_printf(p->o, "%s\"%s\" : ", is_first ? "" : ", ", col->member);
		else if (!is_first)
			out_str(p->o, p->s->separator);
		col->put(p);
		is_first = false;
	}
	out_str(p->o, p->is_json ? "}\n" : "\n");
}

/* Before a further metric. perf repeats the place, and then counts its fields once more among the empty ones; readers of its output know that. */
static void put_empty_fields(const struct row_printer *p)
{
	static const uint32_t place_fields[] = {
		[COUNTS_PER_SOCKET] = 2, [COUNTS_PER_DIE] = 2,	  [COUNTS_PER_CORE] = 2,
		[COUNTS_PER_CPU] = 1,	 [COUNTS_PER_THREAD] = 1, [COUNTS_PER_NODE] = 1,
	};
	uint32_t nr = 4 + place_fields[p->c->aggr] + (p->event->cgroup != NULL);

	for (uint32_t i = 0; i < nr; i++)
		out_str(p->o, p->s->separator);
}

static void put_row(void *ctx, uint32_t event, uint32_t place)
{
	struct row_printer *p = ctx;
	struct metric metrics[METRICS_MAX] = { { .empty = true } };
	uint32_t nr = 1;

	p->event = &p->c->events.v[event];
	p->row = counts_row_get(p->c, event, place);
	p->is_counted = p->row->state == COUNTS_OK;
	if (p->is_counted)
		nr = metrics_get(p->c, event, place, metrics);
	for (uint32_t i = 0; i < nr || !i; i++) {
		p->metric = &metrics[i];
		if (p->is_json)
			stat_json_begin(p->o, p->c, p->s, place, stat_row_nr_cpus(p->row));
		else
			stat_csv_begin(p->o, p->c, p->s, place, stat_row_nr_cpus(p->row));
		if (i && !p->is_json)
			put_empty_fields(p);
		put_columns(p, i);
	}
}

static void print(struct out *o, const struct counts *c, const struct stat_style *s, bool is_json)
{
	struct row_printer p = { .o = o, .c = c, .s = s, .is_json = is_json };

	if (s->metric_only) {
		stat_metric_only_print(o, c, s, is_json ? STAT_OUTPUT_JSON : STAT_OUTPUT_CSV);
		return;
	}
	for (uint32_t e = 0; e < c->events.nr; e++)
		p.has_cgroups |= c->events.v[e].cgroup != NULL;
	stat_rows_each(c, s->skip_zero, put_row, &p);
}

static void csv_total(struct out *o, const struct counts *c, const struct stat_style *s)
{
	print(o, c, s, false);
}

static void json_total(struct out *o, const struct counts *c, const struct stat_style *s)
{
	print(o, c, s, true);
}

/* When it ended is in the counts. */
static void csv_interval(struct out *o, const struct counts *c, const struct stat_style *s, uint64_t time_ns, uint64_t nr)
{
	(void)time_ns, (void)nr;
	csv_total(o, c, s);
}

static void json_interval(struct out *o, const struct counts *c, const struct stat_style *s, uint64_t time_ns, uint64_t nr)
{
	(void)time_ns, (void)nr;
	json_total(o, c, s);
}

const struct stat_format stat_csv_format = { .interval = csv_interval, .total = csv_total };
const struct stat_format stat_json_format = { .interval = json_interval, .total = json_total };
