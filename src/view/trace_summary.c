/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A table for each task, the one with most calls first.
 */
#include "view/trace_summary.h"

#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "view/syscall_text.h"

#define BAR_WIDTH 40

static void put_heading(struct out *o, const struct syscall_sums *s, const struct syscall_sum_task *t)
{
	out_char(o, ' ');
	if (s->is_total) {
		out_str(o, "total");
	} else if (s->is_by_cgroup) {
		out_str(o, "cgroup ");
		if (t->name)
			escape_terminal_str(o, t->name);
		else
			out_printf(o, "%llu (it is gone)", (unsigned long long)t->key);
	} else {
		escape_terminal(o, t->comm, strnlen(t->comm, sizeof(t->comm)));
		out_printf(o, " (%d)", t->tid);
	}
	/* perf counts the beginning and the end of a call as an event each. */
	out_printf(o, ", %llu events", 2 * (unsigned long long)t->nr_calls);
	if (!s->is_total)
		out_printf(o, ", %.1f%%", 100.0 * (double)t->nr_calls / (double)s->nr_calls);
	out_str(o, "\n\n"
		   "   syscall            calls  errors  total       min       avg       max       stddev\n"
		   "                                     (msec)    (msec)    (msec)    (msec)        (%)\n"
		   "   --------------- --------  ------ -------- --------- --------- ---------     ------\n");
}

static void put_histogram(struct out *o, const struct syscall_sum *r)
{
	static const char *const units[] = { "ns", "µs", "ms", "s" };
	uint64_t most = 1;
	int first = SYSCALL_SUM_LOG2, last = -1;

	for (int i = 0; i < SYSCALL_SUM_LOG2; i++) {
		if (!r->log2[i])
			continue;
		first = i < first ? i : first;
		last = i;
		most = r->log2[i] > most ? r->log2[i] : most;
	}
	for (int i = first; i <= last; i++) {
		uint64_t from = i ? UINT64_C(1) << i : 0;
		int unit = 0;

		while (from >= 1024 && unit < 3) {
			from >>= 10;
			unit++;
		}
		out_printf(o, "      %5llu %s%s %10llu |", (unsigned long long)from, units[unit], unit == 3 ? " " : "",
			   (unsigned long long)r->log2[i]);
		for (uint64_t k = 0; k < (r->log2[i] * BAR_WIDTH + most - 1) / most; k++)
			out_char(o, '#');
		out_char(o, '\n');
	}
}

static void put_errors(struct out *o, const struct syscall_sum *r)
{
	for (uint32_t i = 0; i < r->errors.nr; i++) {
		const char *name = syscall_error_name(r->errors.v[i].error);

		if (name)
			out_printf(o, "\t\t\t\t%s: %llu\n", name, (unsigned long long)r->errors.v[i].nr);
		else
			out_printf(o, "\t\t\t\terrno %d: %llu\n", r->errors.v[i].error, (unsigned long long)r->errors.v[i].nr);
	}
}

static void put_row(struct out *o, const struct syscall_sums *s, const struct syscall_sum *r, const struct trace_summary_options *opts)
{
	char buf[32];

	out_printf(o, "   %-15s %8llu %6llu %9.3f %9.3f %9.3f %9.3f %9.2f%%\n", syscall_label(s->abi, r->nr, buf, sizeof(buf)),
		   (unsigned long long)r->nr_calls, (unsigned long long)r->nr_errors, (double)r->total_ns / 1e6, (double)r->min_ns / 1e6,
		   syscall_sum_mean(r) / 1e6, (double)r->max_ns / 1e6, syscall_sum_error_pct(r));
	if (opts->has_errors)
		put_errors(o, r);
	if (opts->has_histograms)
		put_histogram(o, r);
}

void trace_summary_text(struct out *o, const struct syscall_sums *s, const struct trace_summary_options *opts)
{
	out_str(o, "\n Summary of events:\n\n");
	for (uint32_t i = 0; i < s->sums.nr; i++) {
		if (!i || s->sums.v[i].task != s->sums.v[i - 1].task)
			put_heading(o, s, &s->tasks.v[s->sums.v[i].task]);
		put_row(o, s, &s->sums.v[i], opts);
		if (i + 1 == s->sums.nr || s->sums.v[i].task != s->sums.v[i + 1].task)
			out_str(o, "\n\n");
	}
}
