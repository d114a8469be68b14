/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sched timehist: the lines, in perf's layout. '?' stands where perf takes a run for one that began with another task's switch, or a wait
 * for one without a delay though the wake is missing.
 */
#include "view/sched_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/escape.h"

#define NAME_WIDTH SCHED_NAME_WIDTH
#define NEXT_WIDTH 24
#define IGNORED_FRAMES 2

void sched_timehist_init(struct sched_timehist *h)
{
	out_init(&h->stack, -1);
	idle_stacks_init(&h->idle_stacks, NULL);
}

void sched_timehist_fini(struct sched_timehist *h)
{
	idle_stacks_fini(&h->idle_stacks);
	out_fini(&h->stack);
	vec_fini(&h->prios);
	vec_fini(&h->before_idle);
	vec_fini(&h->texts.v);
	run_sums_fini(&h->sums);
}

static void put_repeated(struct out *o, char c, int nr)
{
	while (nr-- > 0)
		out_char(o, c);
}

/* perf has a column more than there are CPUs. */
static int cpu_columns(const struct sched_timehist *h)
{
	return (int)h->nr_cpus + 1;
}

static void put_heading(struct sched_timehist *h)
{
	struct out *o = h->o;

	out_str(o, "           time    cpu  ");
	for (int i = 0; h->shows_cpus && i < cpu_columns(h); i++)
		out_hex(o, (uint64_t)i % 16, 0);
	out_printf(o, "%s%-30s  ", h->shows_cpus ? "  " : "", "task name");
	if (h->shows_prio)
		out_str(o, "prio      ");
	out_str(o, "wait time  sch delay   run time");
	if (h->shows_migration_time)
		out_str(o, "  pre-mig time");
	out_str(o, h->shows_state ? "  state\n" : "\n");
}

static void put_units(struct sched_timehist *h)
{
	struct out *o = h->o;

	out_spaces(o, 24 + (h->shows_cpus ? cpu_columns(h) + 2 : 0));
	out_printf(o, "%-30s  ", "[tid/pid]");
	if (h->shows_prio)
		out_spaces(o, 10);
	out_str(o, "   (msec)     (msec)     (msec)");
	out_str(o, h->shows_migration_time ? "     (msec)\n" : "\n");
}

void sched_timehist_head(struct sched_timehist *h)
{
	struct out *o = h->o;

	if (h->has_head)
		return;
	h->has_head = true;
	put_heading(h);
	put_units(h);
	out_str(o, "--------------- ------  ");
	if (h->shows_cpus) {
		put_repeated(o, '-', cpu_columns(h));
		out_str(o, "  ");
	}
	put_repeated(o, '-', NAME_WIDTH);
	out_str(o, h->shows_prio ? "  --------  ---------  ---------  ---------" : "  ---------  ---------  ---------");
	if (h->shows_migration_time)
		out_str(o, "  ---------");
	out_str(o, h->shows_state ? "  -----\n" : "\n");
}

/* As sched_put_seconds(), with the text of the second that it was before. */
static void put_time(struct sched_timehist *h, uint64_t time_ns)
{
	uint64_t second = time_ns / 1000000000;
	uint32_t us = (uint32_t)(time_ns % 1000000000 / 1000);
	char *p;

	if (second > 99999999) {
		sched_put_seconds(h->o, time_ns, 15);
		return;
	}
	if (second != h->second || !h->second_text[0]) {
		size_t len = digits_decimal_len(second);
		char text[DIGITS_PAD];

		digits_decimal(text, second, len);
		memset(h->second_text, ' ', 8);
		memcpy(h->second_text + 8 - len, text, len);
		h->second_text[8] = '.';
		h->second = second;
	}
	p = out_room(h->o, 15);
	memcpy(p, h->second_text, 9);
	memcpy(p + 9, digit_pairs + us / 10000 * 2, 2);
	memcpy(p + 11, digit_pairs + us / 100 % 100 * 2, 2);
	memcpy(p + 13, digit_pairs + us % 100 * 2, 2);
	out_advance(h->o, 15);
}

/* Time, CPU, and the mark below the CPU's column. */
static void put_begin(struct sched_timehist *h, uint64_t time_ns, uint32_t cpu, char mark)
{
	struct out *o = h->o;
	char *p;

	sched_timehist_head(h);
	put_time(h, time_ns);
	p = out_room(o, 9);
	memcpy(p, " [0000]  ", 9);
	if (cpu < 10000) {
		memcpy(p + 2, digit_pairs + cpu / 100 * 2, 2);
		memcpy(p + 4, digit_pairs + cpu % 100 * 2, 2);
		out_advance(o, 9);
	} else {
		out_printf(o, " [%u]  ", cpu);
	}
	if (!h->shows_cpus)
		return;
	for (uint32_t i = 0; i < (uint32_t)cpu_columns(h); i++)
		out_char(o, i == cpu ? mark : ' ');
	out_str(o, "  ");
}

/* Most are below a second. */
static void put_figure(struct sched_timehist *h, uint64_t ns, bool is_known)
{
	struct out *o = h->o;
	char *p;

	if (is_known && ns < 1000000000) {
		uint32_t us = (uint32_t)ns / 1000, ms = us / 1000;

		p = out_room(o, 11);
		memset(p, ' ', 11);
		us %= 1000;
		if (ms >= 100)
			p[3] = (char)('0' + ms / 100);
		if (ms >= 10)
			p[4] = (char)('0' + ms / 10 % 10);
		p[5] = (char)('0' + ms % 10);
		p[6] = '.';
		p[7] = (char)('0' + us / 100);
		memcpy(p + 8, digit_pairs + us % 100 * 2, 2);
		p[10] = ' ';
		out_advance(o, 11);
		return;
	}
	out_char(o, ' ');
	if (is_known)
		sched_put_ms(o, ns, 9);
	else
		out_str(o, "        ?");
	out_char(o, ' ');
}

/* ---- stacks ---- */

/* The scheduler's own functions, which every stack begins with. */
static bool is_scheduler(const char *name)
{
	static const char *const names[] = { "schedule", "__schedule", "preempt_schedule" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void put_stack(struct sched_timehist *h, const struct session_record *sr, struct out *o)
{
	struct profile *p = h->profile;
	struct unwind_result walk;
	uint32_t stack = profile_intern_sample(p, sr, &walk), nr = 0, nr_shown = 0;

	for (uint32_t n = profile_stack_node(p, stack); n != STACK_TREE_ROOT && nr < h->max_stack + IGNORED_FRAMES;
	     n = stack_tree_parent(&p->tree, n)) {
		const struct profile_frame *f = profile_frame_at(p, stack_tree_frame(&p->tree, n));
		const char *name = f->function ? profile_str(p, f->function) : "[unknown]";

		nr++;
		if (is_scheduler(name))
			continue;
		out_str(o, nr_shown++ ? " <- " : "");
		escape_terminal_str(o, name);
	}
}

/* ---- lines ---- */

static bool has_id(const int32_t *v, uint32_t nr, int32_t id)
{
	for (uint32_t i = 0; i < nr; i++)
		if (v[i] == id)
			return true;
	return false;
}

static bool is_task_shown(const struct sched_timehist *h, const struct timeline_track *k)
{
	const struct filter *f = h->filter;

	if (f->pids.nr && !has_id(f->pids.v, f->pids.nr, k->task->pid > 0 ? k->task->pid : k->task->tid))
		return false;
	return !f->tids.nr || has_id(f->tids.v, f->tids.nr, k->task->tid);
}

static bool is_cpu_shown(const struct sched_timehist *h, uint32_t cpu)
{
	return !h->filter->cpus.nr || has_id((const int32_t *)h->filter->cpus.v, h->filter->cpus.nr, (int32_t)cpu);
}

static void put_next(struct sched_timehist *h, const struct sched_event *e)
{
	struct out *o = h->o;
	const char *comm;
	uint64_t before;
	uint32_t len;

	if (!h->shows_next) {
		out_spaces(o, NEXT_WIDTH + 8);
		return;
	}
	out_str(o, " next: ");
	before = o->written + o->len;
	comm = sched_event_comm(e, true, &len);
	escape_terminal(o, comm, len);
	out_char(o, '[');
	out_u64(o, (uint64_t)(uint32_t)e->next_tid, 0);
	out_char(o, ']');
	out_spaces(o, NEXT_WIDTH - (int)(o->written + o->len - before));
}

static void put_switch(struct sched_timehist *h, const struct session_record *sr, const struct sched_event *e, const struct run *r)
{
	const struct timeline_track *k = timeline_track(h->t, r->track);
	struct out *o = h->o;

	put_begin(h, r->end_ns, e->cpu, k->is_idle ? 'i' : 's');
	sched_task_texts_put(&h->texts, o, h->t, r->track);
	if (h->shows_prio)
		out_printf(o, "  %-8d", e->prio);
	out_char(o, ' ');
	put_figure(h, r->wait_ns, r->is_wait_known);
	put_figure(h, r->delay_ns, r->is_delay_known);
	put_figure(h, r->run_ns, r->is_run_known);
	if (h->shows_migration_time)
		put_figure(h, r->migration_ns, true);
	if (h->shows_state) {
		out_str(o, "     ");
		out_char(o, k->is_idle ? 'I' : e->state);
		out_char(o, ' ');
	}
	if (h->shows_next || h->shows_wakes)
		put_next(h, e);
	if (h->has_stacks && !k->is_idle) {
		out_str(o, "   ");
		put_stack(h, sr, o);
	}
	out_char(o, '\n');
}

/* Idle time counts for the task that left last, and for the place where it did. */
static void add_idle(struct sched_timehist *h, const struct session_record *sr, const struct sched_event *e,
		     const struct timeline_step *step, const struct run *r)
{
	bool is_idle = timeline_track(h->t, step->from)->is_idle;

	while (h->before_idle.nr <= e->cpu)
		vec_push(&h->before_idle, TIMELINE_NONE);
	if (h->has_stacks && is_idle && r->is_run_known) {
		idle_stacks_add(&h->idle_stacks, e->cpu, r->run_ns);
	} else if (h->has_stacks && !is_idle && timeline_track(h->t, step->to)->is_idle) {
		h->stack.len = 0;
		put_stack(h, sr, &h->stack);
		idle_stacks_leave(&h->idle_stacks, e->cpu, h->stack.buf, (uint32_t)h->stack.len);
	}
	if (!is_idle)
		h->before_idle.v[e->cpu] = step->from;
	else if (h->before_idle.v[e->cpu] != TIMELINE_NONE)
		run_sums_add(&h->sums, h->before_idle.v[e->cpu], r);
}

static void add_switch(struct sched_timehist *h, const struct session_record *sr, const struct sched_event *e,
		       const struct timeline_step *step)
{
	const struct timeline_track *k = timeline_track(h->t, step->from);
	struct run r;

	if (!is_task_shown(h, k) || !is_cpu_shown(h, e->cpu) || (h->prios.nr && !has_id(h->prios.v, h->prios.nr, e->prio)) ||
	    !run_init(&r, h->t, e, step, h->from_ns, h->to_ns))
		return;
	h->nr_passed++;
	if (!h->sums.first_ns)
		h->sums.first_ns = r.end_ns;
	h->sums.last_ns = r.end_ns;
	h->sums.nr_switches += !h->only_idle || k->is_idle || timeline_track(h->t, step->to)->is_idle;
	if (h->shows_sums && (!h->only_idle || k->is_idle))
		run_sums_add(&h->sums, step->from, &r);
	if (h->shows_sums && h->only_idle)
		add_idle(h, sr, e, step, &r);
	if (h->shows_lines && (!h->only_idle || k->is_idle))
		put_switch(h, sr, e, &r);
}

/* A wake or a migration: done by the task of the sample, to another. */
static void add_other(struct sched_timehist *h, const struct session_record *sr, const struct sched_event *e, uint32_t track)
{
	const struct timeline_track *k = timeline_track(h->t, track);
	bool is_wake = e->kind != SCHED_MIGRATE;
	struct timeline_track by = { .task = sr->task, .is_idle = sr->task && sr->task->tid == 0 };
	struct out *o = h->o;

	if (e->time_ns < h->from_ns || e->time_ns > h->to_ns || !is_cpu_shown(h, e->cpu) || !by.task ||
	    (!is_task_shown(h, k) && !is_task_shown(h, &by)))
		return;
	if (!is_wake)
		run_sums_add_migration(&h->sums, track);
	if (!h->shows_lines || h->only_idle || !(is_wake ? h->shows_wakes : h->shows_migrations))
		return;
	h->nr_passed++;
	put_begin(h, e->time_ns, e->cpu, is_wake ? ' ' : 'm');
	/* perf names the idle task otherwise here. */
	if (by.is_idle)
		out_printf(o, "%-*s", NAME_WIDTH, "swapper");
	else
		sched_put_task(o, h->t, &by, NAME_WIDTH);
	out_spaces(o, 33);
	out_str(o, is_wake ? "  awakened: " : "  migrated: ");
	sched_put_task(o, h->t, k, 0);
	if (!is_wake)
		out_printf(o, " cpu %d => %d", e->from_cpu, e->to_cpu);
	out_char(o, '\n');
}

void sched_timehist_add(struct sched_timehist *h, const struct session_record *sr, const struct sched_event *e,
			const struct timeline_step *step)
{
	switch (e->kind) {
	case SCHED_SWITCH:
		add_switch(h, sr, e, step);
		break;
	case SCHED_WAKEUP:
		if (!h->t->has_waking)
			add_other(h, sr, e, step->to);
		break;
	case SCHED_WAKING:
	case SCHED_WAKEUP_NEW:
	case SCHED_MIGRATE:
		add_other(h, sr, e, step->to);
		break;
	default:
		break;
	}
}

void sched_timehist_lost(struct sched_timehist *h, const struct session_record *sr)
{
	sched_timehist_head(h);
	sched_put_seconds(h->o, sr->time_ns, 15);
	out_printf(h->o, " lost %llu events on cpu %u\n", (unsigned long long)sr->rec.lost.lost, sr->rec.id.cpu);
}
