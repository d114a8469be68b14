/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A row for each work on each CPU.
 */
#include "view/kwork_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"

#define NAME_WIDTH 30
#define MOMENT_WIDTH 17
#define LINE_WIDTH 128

/* In the kernel's order. */
static const char *const softirq_names[] = {
	"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU",
};
#define NR_SOFTIRQS (sizeof(softirq_names) / sizeof(softirq_names[0]))

char *kwork_name(struct profile *p, const struct pair_row *row)
{
	const struct profile_frame *f;

	if (row->label)
		return mem_strdup(profile_str(p, row->label));
	if (row->location == PAIR_NO_LOCATION)
		return mem_strdup(row->object < NR_SOFTIRQS ? softirq_names[row->object] : "unknown");
	f = profile_frame_at(p, row->location);
	return f->function ? mem_strdup(profile_str(p, f->function)) : mem_printf("0x%llx", (unsigned long long)row->object);
}

/* With its class in front and its number behind; cut to the column. */
static void put_name(struct out *o, struct profile *p, const struct pair_row *row)
{
	bool is_function = row->location != PAIR_NO_LOCATION;
	char *name = kwork_name(p, row);
	struct out text;
	size_t len;

	out_init(&text, -1);
	out_str(&text, is_function ? "(w)" : row->label ? "" : "(s)");
	escape_terminal_str(&text, name);
	if (!is_function)
		out_printf(&text, ":%llu", (unsigned long long)row->object);
	len = text.len < NAME_WIDTH ? text.len : NAME_WIDTH;
	/* No letter of several bytes is cut. */
	while (len && len < text.len && (text.buf[len] & 0xc0) == 0x80)
		len--;
	out_str(o, "  ");
	out_mem(o, text.buf, len);
	out_spaces(o, NAME_WIDTH - (int)len);
	out_fini(&text);
	free(name);
}

static void put_line(struct out *o)
{
	out_char(o, ' ');
	for (int i = 0; i < LINE_WIDTH; i++)
		out_char(o, '-');
	out_char(o, '\n');
}

/* Seconds; microseconds are not rounded, as perf has it. */
static void put_time(struct out *o, uint64_t ns)
{
	uint64_t us = ns / 1000;

	out_printf(o, "%*llu.%06llu", MOMENT_WIDTH - 7, (unsigned long long)(us / 1000000), (unsigned long long)(us % 1000000));
}

static void put_moment(struct out *o, uint64_t ns)
{
	out_char(o, ' ');
	put_time(o, ns);
	out_str(o, " s |");
}

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

void kwork_text_print(struct out *o, struct profile *p, const struct pair_groups *groups, bool has_delays, uint64_t summary_ns)
{
	const char *what = has_delays ? "delay" : "runtime";
	struct pair_figures all = { 0 };
	char max[24], start[24], end[24];

	snprintf(max, sizeof(max), "Max %s", what);
	snprintf(start, sizeof(start), "Max %s start", what);
	snprintf(end, sizeof(end), "Max %s end", what);
	out_printf(o, "\n  %-*s | Cpu  | %-13s | Count     | %-13s | %-19s | %-19s |\n", NAME_WIDTH, "Kwork Name",
		   has_delays ? "Avg delay" : "Total Runtime", max, start, end);
	put_line(o);
	for (uint32_t i = 0; i < groups->v.nr; i++) {
		const struct pair_group *g = &groups->v.v[i];
		const struct pair_figures *f = &g->figures;

		put_name(o, p, g->row);
		out_printf(o, " | %04u | %10.3f ms | %9llu | %10.3f ms |", g->row->cpu, ms(has_delays ? pair_figures_mean(f) : f->total_ns),
			   (unsigned long long)f->nr, ms(f->max_ns));
		put_moment(o, f->max_end_ns - f->max_ns);
		put_moment(o, f->max_end_ns);
		out_char(o, '\n');
		pair_figures_add(&all, f);
	}
	put_line(o);
	if (summary_ns) {
		out_printf(o, "  Total count            : %9llu\n", (unsigned long long)all.nr);
		/* Delays of several works may overlap: they are no load. */
		if (has_delays)
			out_printf(o, "  Total delay     (msec) : %9.3f\n", ms(all.total_ns));
		else
			out_printf(o, "  Total runtime   (msec) : %9.3f (%.3f%% load average)\n", ms(all.total_ns),
				   100.0 * (double)all.total_ns / (double)summary_ns);
		out_printf(o, "  Total time span (msec) : %9.3f\n", ms(summary_ns));
		put_line(o);
	}
	out_char(o, '\n');
}

void kwork_timehist_heading(struct out *o)
{
	static const char dashes[] = "------------------------------";
	static const char *const words[][6] = {
		{ "Runtime start", "Runtime end", "Cpu", "Kwork name", "Runtime", "Delaytime" },
		{ "", "", "", "(TYPE)NAME:NUM", "(msec)", "(msec)" },
		{ dashes, dashes, dashes, dashes, dashes, dashes },
	};
	static const int widths[6] = { MOMENT_WIDTH, MOMENT_WIDTH, 6, NAME_WIDTH, 10, 10 };

	for (size_t line = 0; line < sizeof(words) / sizeof(words[0]); line++) {
		for (int i = 0; i < 6; i++)
			out_printf(o, "%s%-*.*s", i ? "  " : " ", widths[i], widths[i], words[line][i]);
		out_char(o, '\n');
	}
}

void kwork_timehist_line(struct out *o, struct profile *p, const struct pair_row *row, uint64_t start_ns, uint64_t end_ns,
			 uint64_t delay_ns)
{
	out_char(o, ' ');
	put_time(o, start_ns);
	out_str(o, "  ");
	put_time(o, end_ns);
	out_printf(o, "  [%04u]", row->cpu);
	put_name(o, p, row);
	out_printf(o, "  %10.3f", ms(end_ns - start_ns));
	if (delay_ns != UINT64_MAX)
		out_printf(o, "  %10.3f", ms(delay_ns));
	out_char(o, '\n');
}

void kwork_json_print(struct out *o, struct profile *p, const struct pair_groups *groups)
{
	struct json j;

	json_init(&j, o, true);
	json_array(&j);
	for (uint32_t i = 0; i < groups->v.nr; i++) {
		const struct pair_group *g = &groups->v.v[i];
		const struct pair_figures *f = &g->figures;
		char *name = kwork_name(p, g->row);

		json_object(&j);
		json_put_str(&j, "class", g->row->def->name);
		json_put_str(&j, "name", name);
		if (g->row->location == PAIR_NO_LOCATION)
			json_put_u64(&j, "number", g->row->object);
		json_put_u64(&j, "cpu", g->row->cpu);
		json_put_u64(&j, "count", f->nr);
		json_put_u64(&j, "total_ns", f->total_ns);
		json_put_u64(&j, "min_ns", f->min_ns);
		json_put_u64(&j, "avg_ns", pair_figures_mean(f));
		json_put_u64(&j, "max_ns", f->max_ns);
		json_put_u64(&j, "max_end_ns", f->max_end_ns);
		json_object_end(&j);
		free(name);
	}
	json_array_end(&j);
	out_char(o, '\n');
}
