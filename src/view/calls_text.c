/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For a terminal.
 */
#include "view/calls_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/mem.h"
#include "view/ftrace_text.h"
#include "view/heat_svg.h"
#include "view/wall_text.h"

const uint32_t calls_ranks[CALLS_NR_RANKS] = { 500, 900, 990, 999, 1000 };
const char *const calls_rank_names[CALLS_NR_RANKS] = { "p50", "p90", "p99", "p99.9", "max" };

#define MIN_SHARE 0.001 /* of a call: smaller parts are not listed */

void calls_view_make(struct calls_view *v)
{
	latency_hist_init(&v->hist, 1000);
	v->nr_slow = calls_nr_slower(v->calls, v->slower_ns);
	for (uint32_t i = 0; i < v->calls->v.nr; i++) {
		const struct call *c = &v->calls->v.v[i];
		struct call_parts p;

		latency_hist_add(&v->hist, call_took_ns(c));
		if (!call_parts_find(&p, c, v->wall, v->notes))
			continue;
		call_parts_add(&v->all, &p);
		v->all_ns += call_took_ns(c);
		if (i >= v->nr_slow)
			continue;
		call_parts_add(&v->slow, &p);
		v->slow_ns += call_took_ns(c);
	}
	call_parts_divide(&v->all);
	call_parts_divide(&v->slow);
}

char *calls_interrupt_name(const struct calls_view *v, uint32_t event)
{
	const char *name = v->calls->recording->info->events.v[event].name, *colon = strchr(name, ':');
	size_t len = colon ? strlen(colon + 1) : 0, of = strlen("_entry");

	return len > of ? mem_strndup(colon + 1, len - of) : mem_strdup(name);
}

static void put_time(struct out *o, uint64_t ns, int width)
{
	char text[HEAT_LABEL_SIZE];
	int nr = 0;

	heat_unit_text(text, ns, heat_unit_fit(ns), ns / 1000 + 1);
	for (const char *s = text; *s; s++)
		nr += (*s & 0xc0) != 0x80; /* columns, not bytes */
	out_printf(o, "%*s%s", width > nr ? width - nr : 0, "", text);
}

static void put_histogram(struct out *o, const struct calls_view *v)
{
	uint32_t first = LATENCY_BUCKETS, last = 0;

	for (uint32_t i = 0; i < LATENCY_BUCKETS; i++) {
		if (!v->hist.buckets[i])
			continue;
		first = i < first ? i : first;
		last = i;
	}
	if (first <= last)
		latency_hist_rows(o, &v->hist, first, last + 1, false);
}

static void put_ranks(struct out *o, const struct calls_view *v)
{
	out_char(o, '\n');
	for (int i = 0; i < CALLS_NR_RANKS; i++) {
		out_printf(o, "%s%s ", i ? "   " : "", calls_rank_names[i]);
		put_time(o, calls_permille(v->calls, calls_ranks[i]), 0);
	}
	out_str(o, "   mean ");
	put_time(o, v->hist.nr ? v->hist.total_ns / v->hist.nr : 0, 0);
	out_char(o, '\n');
}

/* ---- where the time went ---- */

static const char *heading_of(uint32_t part)
{
	static const char *const texts[CALL_NR_PARTS] = {
		[WALL_USER] = "user",
		[WALL_KERNEL] = "kernel",
		[WALL_RUNNING] = "running (user or kernel)",
		[WALL_RUNNABLE] = "runnable, without a CPU",
		[WALL_DISK] = "blocked: disk",
		[WALL_FUTEX] = "blocked: lock (futex)",
		[WALL_NETWORK] = "blocked: network",
		[WALL_PIPE] = "blocked: pipe",
		[WALL_SLEEP] = "blocked: sleep",
		[WALL_FAULT] = "page faults",
		[WALL_POLL] = "blocked: poll",
		[WALL_OTHER] = "blocked: other",
		[WALL_UNKNOWN] = "not known",
		[CALL_INTERRUPTS] = "interrupts",
	};

	return texts[part];
}

static void put_share(struct out *o, uint64_t ns, uint64_t of_ns, uint32_t nr)
{
	if (!ns) {
		out_printf(o, "%8s %12s", "-", "");
		return;
	}
	out_printf(o, "%7.1f%% ", 100.0 * (double)ns / (double)of_ns);
	put_time(o, ns / (nr ? nr : 1), 12);
}

static void put_parts(struct out *o, const struct calls_view *v)
{
	bool has_slow = v->nr_slow && v->slow_ns;

	if (!v->all_ns)
		return;
	out_str(o, "\nwhere the time went, and how much of it a call has");
	out_printf(o, "\n  %-28s%21s", "", "all calls");
	if (has_slow) {
		out_printf(o, "    %u slower than ", v->nr_slow);
		put_time(o, v->slower_ns, 0);
	}
	out_char(o, '\n');
	for (uint32_t i = 0; i < CALL_NR_PARTS; i++) {
		if (!v->all.ns[i])
			continue;
		out_printf(o, "  %-28s", heading_of(i));
		put_share(o, v->all.ns[i], v->all_ns, v->calls->v.nr);
		if (has_slow)
			put_share(o, v->slow.ns[i], v->slow_ns, v->nr_slow);
		out_char(o, '\n');
	}
}

/* ---- one call ---- */

static void put_others(struct out *o, const struct calls_view *v, const char *words, const struct call_other *others)
{
	for (int i = 0; i < CALL_MAX_OTHERS && others[i].thread != WALL_NONE; i++) {
		out_str(o, i ? ", " : words);
		wall_put_thread(o, v->wall, others[i].thread);
		out_char(o, ' ');
		put_time(o, others[i].ns, 0);
	}
}

static void put_reason(struct out *o, const struct calls_view *v, const struct call_parts *p, uint32_t part)
{
	const struct profile *profile = v->calls->profile;

	if (part == WALL_RUNNABLE) {
		if (p->nr_preempted) {
			out_printf(o, "  preempted %u time%s", p->nr_preempted, p->nr_preempted == 1 ? "" : "s");
			put_others(o, v, ", by ", p->takers);
		} else {
			out_str(o, "  woken, and waiting for its turn");
		}
	} else if (part == WALL_FAULT && p->nr_faults) {
		out_printf(o, "  %u read from disk", p->nr_faults);
		if (p->fault_file != UINT32_MAX) {
			out_str(o, ", of ");
			escape_terminal_str(o, profile_dso(profile, p->fault_file)->path);
		}
	} else if (part == CALL_INTERRUPTS && p->interrupt != UINT32_MAX) {
		char *name = calls_interrupt_name(v, p->interrupt);

		out_printf(o, "  %u, the longest: ", p->nr_interrupts);
		escape_terminal_str(o, name);
		free(name);
	} else if (wall_is_blocked((enum wall_class)part) && part != WALL_FAULT) {
		put_others(o, v, "  ended by ", p->wakers);
	} else if ((part == WALL_USER || part == WALL_KERNEL) && p->nr_samples) {
		out_printf(o, "  by %u sample%s", p->nr_samples, p->nr_samples == 1 ? "" : "s");
	}
}

static void put_stack(struct out *o, const struct calls_view *v, const struct call *c, const char *word, uint32_t stack)
{
	struct call_frames f = { 0 };

	if (stack == STACK_NONE)
		return;
	call_frames_add(&f, v->calls, c, stack);
	out_printf(o, "      %-10s ", word);
	wall_put_locations(o, v->wall, f.v.v, f.v.nr, v->max_frames);
	out_char(o, '\n');
	vec_fini(&f.v);
}

static void put_call(struct out *o, const struct calls_view *v, const struct call *c)
{
	struct call_parts p;
	uint64_t took_ns = call_took_ns(c);
	bool is_divided = call_parts_find(&p, c, v->wall, v->notes);

	out_str(o, "  ");
	put_time(o, took_ns, 9);
	out_printf(o, "  at %.6f s", (double)(c->begin_ns - v->calls->first_ns) / 1e9);
	if (c->thread != TIMELINE_NONE) {
		out_str(o, ", ");
		wall_put_thread(o, v->wall, c->thread);
	}
	out_str(o, is_divided ? "\n" : "; it ended in another thread\n");
	for (uint32_t done = 0; is_divided && done < CALL_NR_PARTS; done++) {
		uint32_t part = call_parts_top(&p);

		if ((double)p.ns[part] < MIN_SHARE * (double)took_ns || !p.ns[part])
			break;
		out_str(o, "    ");
		put_time(o, p.ns[part], 9);
		out_printf(o, " %5.1f%%  %s", 100.0 * (double)p.ns[part] / (double)took_ns, heading_of(part));
		put_reason(o, v, &p, part);
		out_char(o, '\n');
		p.ns[part] = 0;
	}
	if (p.longest_wait != WALL_NONE)
		put_stack(o, v, c, "waited in", v->wall->sums.v[v->wall->waits.v[p.longest_wait].sum].stack);
	put_stack(o, v, c, "ran in", p.top_stack);
	put_stack(o, v, c, "called at", c->stack);
}

static void put_head(struct out *o, const struct calls_view *v)
{
	const struct calls *c = v->calls;

	escape_terminal_str(o, v->what);
	out_printf(o, ": %u %s in %.3f s", c->v.nr, c->is_pairs ? "pairs" : "calls", (double)(c->last_ns - c->first_ns) / 1e9);
	if (v->is_slower_given) {
		out_printf(o, ", %u slower than ", v->nr_slow);
		put_time(o, v->slower_ns, 0);
	}
	out_str(o, "\n\n");
}

void calls_text_print(struct out *o, const struct calls_view *v)
{
	uint32_t nr = v->is_slower_given && v->nr_slow < v->max_calls ? v->nr_slow : v->max_calls;

	put_head(o, v);
	put_histogram(o, v);
	put_ranks(o, v);
	put_parts(o, v);
	nr = nr < v->calls->v.nr ? nr : v->calls->v.nr;
	if (nr)
		out_str(o, "\nthe slowest, and where their time went\n");
	for (uint32_t i = 0; i < nr; i++)
		put_call(o, v, &v->calls->v.v[i]);
}
