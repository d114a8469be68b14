/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * perf's separated values:
 *
 *	[time] [place [nr CPUs]] value unit event [cgroup] [spread%] runtime running% metric label
 *
 * An event's further metrics have lines of their own, with empty fields in front. Fields are quoted
 * only where the separator or a control byte is in them, which perf does not do.
 */
#include "view/stat_csv.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/escape.h"
#include "model/metrics.h"
#include "view/stat_metric_only.h"

struct csv {
	struct out *o;
	const struct counts *c;
	const struct stat_style *s;
	bool cgroups;
	char prefix[STAT_CSV_PREFIX_MAX];
};

const char *stat_csv_prefix(const struct counts *c, const struct stat_style *s,
			    char buf[STAT_CSV_PREFIX_MAX])
{
	buf[0] = 0;
	if (!s->intervals)
		return buf;
	if (c->span == COUNTS_INTERVAL)
		snprintf(buf, STAT_CSV_PREFIX_MAX, "%6" PRIu64 ".%09" PRIu64 "%s",
			 c->elapsed_ns / 1000000000, c->elapsed_ns % 1000000000, s->separator);
	else if (!s->no_csv_summary)
		snprintf(buf, STAT_CSV_PREFIX_MAX, "%16s%s", "summary", s->separator);
	return buf;
}

static void put_field(struct out *o, const struct stat_style *s, const char *text, size_t len)
{
	escape_csv(o, text, len, s->separator[0]);
}

void stat_csv_place(struct out *o, const struct counts *c, const struct stat_style *s,
		    uint32_t place, uint32_t nr_cpus)
{
	char name[STAT_PLACE_MAX];
	size_t len = stat_place_name(c, place, name);

	if (c->aggr == COUNTS_GLOBAL)
		return;
	put_field(o, s, name, len);
	out_str(o, s->separator);
	if (stat_place_has_nr(c->aggr))
		out_printf(o, "%u%s", nr_cpus, s->separator);
}

void stat_csv_number(struct out *o, const char *format, double value)
{
	char text[64], *from = text, *to;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), format, value);
#pragma GCC diagnostic pop
	while (isspace((unsigned char)*from))
		from++;
	for (to = from; isdigit((unsigned char)*to) || *to == '.' || *to == '-'; to++)
		;
	out_mem(o, from, (size_t)(to - from));
}

static void put_metric(struct csv *v, const struct metric *m)
{
	const char *label = m->label;

	out_str(v->o, v->s->separator);
	if (!m->empty && m->format)
		stat_csv_number(v->o, m->format, m->value);
	out_str(v->o, v->s->separator);
	while (!m->empty && *label == ' ')
		label++;
	if (!m->empty)
		put_field(v->o, v->s, label, strlen(label));
}

/* The line of a further metric. perf repeats the place, and then counts its fields once more among
 * the empty ones; readers of its output know that. */
static void put_metric_line(struct csv *v, uint32_t event, uint32_t place, uint32_t nr_cpus,
			    const struct metric *m)
{
	static const uint32_t place_fields[] = {
		[COUNTS_PER_SOCKET] = 2, [COUNTS_PER_DIE] = 2,	  [COUNTS_PER_CORE] = 2,
		[COUNTS_PER_CPU] = 1,	 [COUNTS_PER_THREAD] = 1, [COUNTS_PER_NODE] = 1,
	};
	uint32_t nr = 3 + place_fields[v->c->aggr] + (v->c->events.v[event].cgroup != NULL);

	out_str(v->o, v->prefix);
	stat_csv_place(v->o, v->c, v->s, place, nr_cpus);
	for (uint32_t i = 0; i < nr; i++)
		out_str(v->o, v->s->separator);
	put_metric(v, m);
	out_char(v->o, '\n');
}

static void put_value(struct csv *v, const struct counts_event *e, const struct counts_row *row)
{
	if (row->state == COUNTS_NOT_SUPPORTED)
		out_str(v->o, "<not supported>");
	else if (row->state != COUNTS_OK)
		out_str(v->o, "<not counted>");
	else
		out_printf(v->o, "%.*f", floor(e->scale) != e->scale ? 2 : 0,
			   row->value * e->scale);
}

static void put_row(void *ctx, uint32_t event, uint32_t place)
{
	struct csv *v = ctx;
	const struct counts_event *e = &v->c->events.v[event];
	const struct counts_row *row = counts_row_get(v->c, event, place);
	const char *sep = v->s->separator, *unit = e->unit ? e->unit : "";
	bool ok = row->state == COUNTS_OK;
	struct metric metrics[METRICS_MAX] = { { .empty = true } };
	uint32_t nr = ok ? metrics_get(v->c, event, place, metrics) : 1;

	out_str(v->o, v->prefix);
	stat_csv_place(v->o, v->c, v->s, place, stat_row_nr_cpus(row));
	put_value(v, e, row);
	out_str(v->o, sep);
	put_field(v->o, v->s, unit, strlen(unit));
	out_str(v->o, sep);
	put_field(v->o, v->s, e->name, strlen(e->name));
	if (v->cgroups) {
		out_str(v->o, sep);
		put_field(v->o, v->s, e->cgroup ? e->cgroup : "",
			  e->cgroup ? strlen(e->cgroup) : 0);
	}
	if (v->s->repeated)
		out_printf(v->o, "%s%.2f%%", sep, ok ? row->spread_pct : 0.0);
	out_printf(v->o, "%s%.0f%s%.2f", sep, ok ? row->running : 0.0, sep,
		   ok ? counts_row_running_pct(row) : 100.0);
	put_metric(v, &metrics[0]);
	out_char(v->o, '\n');
	for (uint32_t i = 1; i < nr; i++)
		put_metric_line(v, event, place, stat_row_nr_cpus(row), &metrics[i]);
}

static void print(struct out *o, const struct counts *c, const struct stat_style *s)
{
	struct csv v = { .o = o, .c = c, .s = s, .cgroups = stat_has_cgroups(c) };

	if (s->metric_only) {
		stat_metric_only_print(o, c, s, STAT_OUTPUT_CSV);
		return;
	}
	stat_csv_prefix(c, s, v.prefix);
	stat_rows_each(c, s->skip_zero, put_row, &v);
}

static void csv_interval(struct out *o, const struct counts *c, const struct stat_style *s,
			 uint64_t time_ns, uint64_t nr)
{
	(void)time_ns; /* the counts know it */
	(void)nr;
	print(o, c, s);
}

const struct stat_format stat_csv_format = { .interval = csv_interval, .total = print };
