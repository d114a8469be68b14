/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The summary of sched timehist: a row per task that ran, those that still run first, then how long each CPU was idle.
 */
#include "view/sched_text.h"

#include <stdlib.h>

#include "base/escape.h"

struct row {
	const struct timeline_track *track;
	const struct run_sum *sum;
};

static int by_tid(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return COMPARE(x->track->task->tid, y->track->task->tid);
}

/* Up to 30 columns, aligned to the right. */
static void put_task(struct out *o, const struct timeline *t, const struct timeline_track *k)
{
	struct out name;

	out_init(&name, -1);
	sched_put_comm(&name, t, k);
	if (k->task->pid > 0 && k->task->pid != k->task->tid)
		out_printf(&name, "[%d/%d]", k->task->tid, k->task->pid);
	else
		out_printf(&name, "[%d]", k->task->tid);
	out_spaces(o, 30 - (int)name.len);
	out_mem(o, name.buf, name.len);
	out_fini(&name);
}

/* It may have run more than is counted. */
static bool is_incomplete(const struct sched_timehist *h, const struct row *r)
{
	const struct timeline_track *k = r->track;

	/* Idle times are those of the CPU. */
	return r->sum->nr_unknown || (!h->only_idle && (timeline_hole_is_in(&k->hole, h->from_ns, h->to_ns) ||
							timeline_is_much(k->unseen_ns, h->sums.last_ns - h->sums.first_ns)));
}

static void put_row(const struct sched_timehist *h, const struct row *r)
{
	const struct run_sum *s = r->sum;
	struct out *o = h->o;

	put_task(o, h->t, r->track);
	out_printf(o, "%8d%11llu", r->track->task->ppid, (unsigned long long)s->nr);
	sched_put_ms(o, s->total_ns, 13);
	if (h->shows_state) {
		sched_put_ms(o, s->sleep_ns, 11);
		sched_put_ms(o, s->disk_ns, 12);
		sched_put_ms(o, s->preempted_ns, 12);
		sched_put_ms(o, s->delay_ns, 12);
		out_char(o, ' ');
	} else {
		sched_put_ms(o, s->min_ns, 11);
		sched_put_ms(o, s->nr ? s->total_ns / s->nr : 0, 12);
		sched_put_ms(o, s->max_ns, 12);
		out_printf(o, "%8.2f%8llu", run_sum_spread(s), (unsigned long long)s->nr_migrations);
	}
	out_str(o, is_incomplete(h, r) ? "  (incomplete)\n" : "\n");
}

static void put_headings(const struct sched_timehist *h)
{
	struct out *o = h->o;

	if (h->only_idle)
		out_str(o,
			"\nIdle-time summary\n"
			"                          comm  parent  sched-out    idle-time   min-idle    avg-idle    max-idle  stddev  migrations\n"
			"                                          (count)       (msec)     (msec)      (msec)      (msec)       %\n");
	else if (h->shows_state)
		out_str(o,
			"\nWait-time summary\n"
			"                          comm  parent   sched-in     run-time      sleep      iowait     preempt       delay\n"
			"                                          (count)       (msec)     (msec)      (msec)      (msec)       (msec)\n");
	else
		out_str(o,
			"\nRuntime summary\n"
			"                          comm  parent   sched-in     run-time    min-run     avg-run     max-run  stddev  migrations\n"
			"                                          (count)       (msec)     (msec)      (msec)      (msec)       %\n");
	for (int i = 0; i < 117; i++)
		out_char(o, '-');
	out_char(o, '\n');
}

static uint64_t idle_ns(const struct sched_timehist *h, const struct timeline_cpu *c)
{
	return c->idle < h->sums.v.nr ? h->sums.v.v[c->idle].total_ns : 0;
}

static void put_idle(struct sched_timehist *h, uint32_t nr_cpus)
{
	uint64_t window_ns = h->sums.last_ns - h->sums.first_ns;

	out_str(h->o, "\nIdle stats:\n");
	for (uint32_t i = 0; i < h->t->cpus.nr || i < nr_cpus; i++) {
		const struct timeline_cpu *c = i < h->t->cpus.nr && h->t->cpus.v[i].is_seen ? &h->t->cpus.v[i] : NULL;
		uint64_t ns = c ? idle_ns(h, c) : 0;

		out_printf(h->o, "    CPU %2u ", i);
		if (!c) {
			out_str(h->o, "had no switch in the time window\n");
			continue;
		}
		out_str(h->o, "idle for ");
		sched_put_ms(h->o, ns, 10);
		out_printf(h->o, "  msec  (%6.2f%%)%s\n", window_ns ? 100.0 * (double)ns / (double)window_ns : 0.0,
			   timeline_hole_is_in(&c->hole, h->from_ns, h->to_ns) || timeline_is_much(c->first_ns, window_ns)
				   ? "  (incomplete)"
				   : "");
	}
}

static void put_idle_stacks(struct sched_timehist *h, uint32_t nr_cpus)
{
	struct idle_stacks *s = &h->idle_stacks;
	struct out *o = h->o;
	uint32_t at = 0;

	idle_stacks_sort(s);
	out_str(o, "\nIdle stats by callchain:\n");
	for (uint32_t cpu = 0; cpu < h->t->cpus.nr || cpu < nr_cpus; cpu++) {
		const struct timeline_cpu *c = cpu < h->t->cpus.nr && h->t->cpus.v[cpu].is_seen ? &h->t->cpus.v[cpu] : NULL;

		if (!c)
			continue;
		out_printf(o, "  CPU %2u:", cpu);
		sched_put_ms(o, idle_ns(h, c), 10);
		out_str(o, "  msec\n"
			   "  Idle time (msec)     Count  Callchains\n"
			   "  ----------------  --------  --------------------------------------------------\n");
		for (; at < s->v.nr && s->v.v[at].cpu <= cpu; at++) {
			sched_put_ms(o, s->v.v[at].idle_ns, 18);
			out_printf(o, "  %8llu  ", (unsigned long long)s->v.v[at].nr);
			/* Names in it were escaped when it was made. */
			out_mem(o, strtab_get(&s->texts, s->v.v[at].text), strtab_len(&s->texts, s->v.v[at].text));
			out_char(o, '\n');
		}
		out_char(o, '\n');
	}
	if (s->nr_forgotten)
		out_printf(o, "  (%llu stacks more than there was memory for)\n", (unsigned long long)s->nr_forgotten);
}

void sched_timehist_sums(struct sched_timehist *h, uint32_t nr_cpus)
{
	VEC(struct row) rows = { 0 };
	uint64_t total_ns = 0;
	struct out *o = h->o;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < h->sums.v.nr; i++) {
		const struct run_sum *s = &h->sums.v.v[i];

		if (!timeline_track(h->t, i)->is_idle && s->nr + s->nr_unknown) {
			vec_push(&rows, ((struct row){ timeline_track(h->t, i), s }));
			total_ns += s->total_ns;
		}
	}
	vec_sort(&rows, by_tid);
	put_headings(h);
	for (int has_ended = 0; has_ended < 2; has_ended++) {
		bool is_any = false;

		if (has_ended)
			out_str(o, "\nTerminated tasks:\n");
		for (uint32_t i = 0; i < rows.nr; i++)
			if (rows.v[i].track->task->exited == has_ended) {
				put_row(h, &rows.v[i]);
				is_any = true;
				nr++;
			}
		if (!is_any)
			out_str(o, has_ended ? "<no terminated tasks>\n" : "<no still running tasks>\n");
	}
	put_idle(h, nr_cpus);
	if (h->only_idle && h->has_stacks)
		put_idle_stacks(h, nr_cpus);
	out_printf(o, "\n    Total number of unique tasks: %u\n", nr);
	out_printf(o,
		   "Total number of context switches: %llu\n           Total run time (msec): ", (unsigned long long)h->sums.nr_switches);
	sched_put_ms(o, total_ns, 6);
	out_str(o, " \n    Total scheduling time (msec): ");
	sched_put_ms(o, h->sums.last_ns - h->sums.first_ns, 6);
	out_printf(o, "  (x %u)\n", nr_cpus > h->t->nr_cpus ? nr_cpus : h->t->nr_cpus);
	vec_fini(&rows);
}
