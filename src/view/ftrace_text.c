/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/ftrace_text.h"

#include <stdio.h>

#include "base/escape.h"
#include "base/json.h"

#define BAR_WIDTH 46
#define PERF_ROWS 22 /* perf's table ends there; ours goes on where it has to */

/* ---- profile ---- */

void function_sums_text(struct out *o, const struct function_sums *s)
{
	out_str(o, "# Total (us)   Avg (us)   Max (us)      Count   Function\n");
	for (uint32_t i = 0; i < s->v.nr; i++) {
		const struct function_sum *f = &s->v.v[i];

		out_printf(o, "%12.3f %10.3f %10.3f %10llu   ", (double)f->total_ns / 1e3, (double)f->total_ns / 1e3 / (double)f->nr,
			   (double)f->max_ns / 1e3, (unsigned long long)f->nr);
		escape_terminal(o, strtab_get(&s->names, f->name), strtab_len(&s->names, f->name));
		out_char(o, '\n');
	}
}

void function_sums_json(struct out *o, const struct function_sums *s, uint64_t nr_lost)
{
	struct json j;

	json_init(&j, o, true);
	json_object(&j);
	json_put_u64(&j, "calls", s->nr_calls);
	json_put_u64(&j, "lost_events", nr_lost);
	json_put_u64(&j, "unfinished", function_sums_unfinished(s));
	json_put_array(&j, "functions");
	for (uint32_t i = 0; i < s->v.nr; i++) {
		const struct function_sum *f = &s->v.v[i];

		json_object(&j);
		json_key(&j, "function");
		json_str_len(&j, strtab_get(&s->names, f->name), strtab_len(&s->names, f->name));
		json_put_u64(&j, "count", f->nr);
		json_put_u64(&j, "total_ns", f->total_ns);
		json_put_double(&j, "avg_ns", (double)f->total_ns / (double)f->nr, 3);
		json_put_u64(&j, "max_ns", f->max_ns);
		json_put_u64(&j, "min_ns", f->min_ns);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	out_char(o, '\n');
}

/* ---- latency ---- */

/* Of bucket i: "4 - 8    us"; units grow by 1024, as perf counts them. */
static void put_range(struct out *o, const struct latency_hist *h, uint32_t i, bool is_last)
{
	static const char *const units[] = { "ns", "us", "ms", " s" };
	uint32_t unit = h->unit_ns == 1 ? 0 : 1;
	uint64_t from = i ? UINT64_C(1) << (i - 1) : 0;
	char to[24];

	while (from >= 1024 && unit < 3) {
		from /= 1024;
		unit++;
	}
	snprintf(to, sizeof(to), "%llu", (unsigned long long)(from ? 2 * from : 1));
	out_printf(o, "  %4llu - %-4s %s |", (unsigned long long)from, is_last ? "..." : to, units[unit]);
}

void latency_hist_rows(struct out *o, const struct latency_hist *h, uint32_t from, uint32_t to, bool is_open)
{
	out_printf(o, "#   DURATION     |      COUNT | %-*s |\n", BAR_WIDTH, "GRAPH");
	for (uint32_t i = from; i < to; i++) {
		int bar = h->nr ? (int)((unsigned __int128)h->buckets[i] * BAR_WIDTH / h->nr) : 0;

		put_range(o, h, i, is_open && i + 1 == to);
		out_printf(o, " %10llu | ", (unsigned long long)h->buckets[i]);
		for (int k = 0; k < BAR_WIDTH; k++)
			out_char(o, k < bar ? '#' : ' ');
		out_str(o, " |\n");
	}
}

void latency_hist_text(struct out *o, const struct latency_hist *h)
{
	const char *unit = h->unit_ns == 1 ? "nsec" : "usec";
	double per_unit = (double)h->unit_ns;
	uint32_t nr_rows = PERF_ROWS;

	for (uint32_t i = nr_rows; i < LATENCY_BUCKETS; i++)
		if (h->buckets[i])
			nr_rows = i + 1 < LATENCY_BUCKETS ? i + 2 : i + 1;
	latency_hist_rows(o, h, 0, nr_rows, true);
	if (!h->nr)
		return;
	out_printf(o, "\n# statistics  (in %s)\n", unit);
	out_printf(o, "  total time: %20.0f\n", (double)h->total_ns / per_unit);
	out_printf(o, "    avg time: %20.*f\n", h->unit_ns == 1 ? 0 : 3, (double)h->total_ns / (double)h->nr / per_unit);
	out_printf(o, "    max time: %20.*f\n", h->unit_ns == 1 ? 0 : 3, (double)h->max_ns / per_unit);
	out_printf(o, "    min time: %20.*f\n", h->unit_ns == 1 ? 0 : 3, (double)h->min_ns / per_unit);
	out_printf(o, "       count: %20llu\n", (unsigned long long)h->nr);
}

void latency_hist_json(struct out *o, const struct latency_hist *h, const char *what)
{
	struct json j;

	json_init(&j, o, true);
	json_object(&j);
	json_put_str(&j, "of", what);
	json_put_u64(&j, "count", h->nr);
	json_put_u64(&j, "total_ns", h->total_ns);
	json_put_u64(&j, "max_ns", h->max_ns);
	json_put_u64(&j, "min_ns", h->nr ? h->min_ns : 0);
	json_put_u64(&j, "lost_events", h->nr_lost);
	json_put_u64(&j, "unfinished", h->nr_unfinished);
	json_put_u64(&j, "began_again", h->nr_replaced);
	json_put_u64(&j, "dropped", h->nr_dropped);
	json_put_u64(&j, "ends_alone", h->nr_ends_alone);
	json_put_array(&j, "buckets");
	for (uint32_t i = 0; i < LATENCY_BUCKETS; i++) {
		if (!h->buckets[i])
			continue;
		json_object(&j);
		json_put_u64(&j, "from_ns", i ? (UINT64_C(1) << (i - 1)) * h->unit_ns : 0);
		json_put_u64(&j, "count", h->buckets[i]);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	out_char(o, '\n');
}
