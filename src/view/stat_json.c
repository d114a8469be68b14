/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * perf's JSON lines. Written by hand and not by base/json.h: the blank before each colon and the
 * number that is a string are part of what scripts match.
 */
#include "view/stat_json.h"

#include <inttypes.h>
#include <math.h>

#include "base/escape.h"
#include "model/metrics.h"
#include "view/stat_metric_only.h"

struct jsonl {
	struct out *o;
	const struct counts *c;
	const struct stat_style *s;
	bool cgroups;
};

void stat_json_string(struct out *o, const char *key, const char *value)
{
	out_char(o, '"');
	escape_json(o, key, strlen(key));
	out_str(o, "\" : \"");
	escape_json(o, value, strlen(value));
	out_char(o, '"');
}

void stat_json_begin(struct out *o, const struct counts *c, const struct stat_style *s,
		     uint32_t place, uint32_t nr_cpus)
{
	static const char *const keys[] = {
		[COUNTS_PER_SOCKET] = "socket", [COUNTS_PER_DIE] = "die",
		[COUNTS_PER_CORE] = "core",	[COUNTS_PER_NODE] = "node",
		[COUNTS_PER_CPU] = "cpu",	[COUNTS_PER_THREAD] = "thread",
	};
	char name[STAT_PLACE_MAX];

	out_char(o, '{');
	if (s->intervals && c->span == COUNTS_INTERVAL)
		out_printf(o, "\"interval\" : %" PRIu64 ".%09" PRIu64 ", ",
			   c->elapsed_ns / 1000000000, c->elapsed_ns % 1000000000);
	if (c->aggr == COUNTS_GLOBAL)
		return;
	stat_place_name(c, place, name);
	/* The one place whose name is shorter here. */
	stat_json_string(o, keys[c->aggr], c->aggr == COUNTS_PER_CPU ? name + strlen("CPU") : name);
	out_str(o, ", ");
	if (stat_place_has_nr(c->aggr))
		out_printf(o, "\"aggregate-number\" : %u, ", nr_cpus);
}

static void put_metric(struct out *o, const struct metric *m)
{
	const char *label = m->label; /* perf names a metric that has no value, too */

	while (*label == ' ')
		label++;
	if (!m->empty && !isfinite(m->value))
		out_str(o, "\"metric-value\" : null, ");
	else
		out_printf(o, "\"metric-value\" : %f, ", m->empty ? 0.0 : m->value);
	stat_json_string(o, "metric-unit", label);
	out_str(o, "}\n");
}

static void put_value(struct out *o, const struct counts_event *e, const struct counts_row *row)
{
	out_str(o, "\"counter-value\" : \"");
	if (row->state == COUNTS_NOT_SUPPORTED)
		out_str(o, "<not supported>");
	else if (row->state != COUNTS_OK)
		out_str(o, "<not counted>");
	else
		out_printf(o, "%f", row->value * e->scale);
	out_str(o, "\", ");
}

static void put_row(void *ctx, uint32_t event, uint32_t place)
{
	struct jsonl *j = ctx;
	const struct counts_event *e = &j->c->events.v[event];
	const struct counts_row *row = counts_row_get(j->c, event, place);
	bool ok = row->state == COUNTS_OK;
	struct metric metrics[METRICS_MAX] = { { .empty = true } };
	uint32_t nr = ok ? metrics_get(j->c, event, place, metrics) : 1;
	uint32_t nr_cpus = stat_row_nr_cpus(row);

	stat_json_begin(j->o, j->c, j->s, place, nr_cpus);
	put_value(j->o, e, row);
	stat_json_string(j->o, "unit", e->unit ? e->unit : "");
	out_str(j->o, ", ");
	stat_json_string(j->o, "event", e->name);
	out_str(j->o, ", ");
	if (j->cgroups) {
		stat_json_string(j->o, "cgroup", e->cgroup ? e->cgroup : "");
		out_str(j->o, ", ");
	}
	if (j->s->repeated)
		out_printf(j->o, "\"variance\" : %.2f, ",
			   ok && isfinite(row->spread_pct) ? row->spread_pct : 0.0);
	out_printf(j->o, "\"event-runtime\" : %.0f, \"pcnt-running\" : %.2f, ",
		   ok ? row->running : 0.0, ok ? counts_row_running_pct(row) : 100.0);
	put_metric(j->o, &metrics[0]);
	for (uint32_t i = 1; i < nr; i++) {
		stat_json_begin(j->o, j->c, j->s, place, nr_cpus);
		put_metric(j->o, &metrics[i]);
	}
}

static void print(struct out *o, const struct counts *c, const struct stat_style *s)
{
	struct jsonl j = { .o = o, .c = c, .s = s, .cgroups = stat_has_cgroups(c) };

	if (s->metric_only)
		stat_metric_only_print(o, c, s, STAT_OUTPUT_JSON);
	else
		stat_rows_each(c, s->skip_zero, put_row, &j);
}

static void json_interval(struct out *o, const struct counts *c, const struct stat_style *s,
			  uint64_t time_ns, uint64_t nr)
{
	(void)time_ns; /* the counts know it */
	(void)nr;
	print(o, c, s);
}

const struct stat_format stat_json_format = { .interval = json_interval, .total = print };
