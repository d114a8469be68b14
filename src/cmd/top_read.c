/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The loop of `assay top`, in the thread that reads what the recorder records: samples go into a profile, which each refresh adds to the live one
 * and frees; between records it waits for keys. What it costs is measured at each refresh, and bounded: where it is too much, refreshes
 * become rare, or only one of several samples is looked at.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "cmd/cmd.h"
#include "cmd/top.h"
#include "model/profile.h"
#include "perfdata/record_pipe.h"

#define RECORDS_BETWEEN_LOOKS 1024u
#define COST_LIMIT 3.0	  /* percent of a CPU */
#define MAX_STRETCH 8u	  /* times the delay */
#define MAX_THINNED 64u	  /* one of so many samples */
#define FIRST_REFRESH 0.5 /* seconds: something to see */
#define SETTLED_AFTER 5u  /* refreshes: by then it has read what it needs in any case */

static uint64_t own_cpu_ns(void)
{
	return clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static uint64_t resident_bytes(void)
{
	char line[128];
	unsigned long long size, resident;

	if (io_read_line("/proc/self/statm", line, sizeof(line)) || sscanf(line, "%llu %llu", &size, &resident) != 2)
		return 0;
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void new_profile(struct top_run *r)
{
	r->p = mem_alloc(sizeof(*r->p));
	profile_init(r->p, &r->s->machine, &r->s->recording);
	r->p->adds_up = true;
	r->p->max_stack = (uint32_t)r->c->in.max_stack;
	for (uint32_t i = 0; i < r->c->hist.nr_keys; i++)
		if (columns[r->c->hist.keys[i]].flags & COLUMN_NEEDS_LINES)
			r->p->source = PROFILE_LINES;
}

/* A screen keeps the one before, for functions that are annotated; not while what it shows is frozen. */
static void next_profile(struct top_run *r)
{
	if (r->ui && !r->c->state.is_frozen) {
		top_ui_take_profile(r->ui, r->p);
	} else {
		profile_fini(r->p);
		free(r->p);
	}
	task_table_forget(&r->s->machine.tasks);
	new_profile(r);
}

/* Events of a recording are known before its records. */
static void add_events(struct top_run *r)
{
	const struct perfdata_info *info = r->s->recording.info;

	for (uint32_t i = r->live_event.nr; i < info->events.nr; i++) {
		bool is_shown = !attr_is_dummy(&info->events.v[i].attr);

		vec_push(&r->live_event, is_shown ? (int32_t)r->live.events.nr : -1);
		if (is_shown)
			live_profile_add_event(&r->live, info->events.v[i].name);
	}
}

static void set_rate(struct top_run *r)
{
	const struct event_config *c = &r->c->o.config;

	if (c->period)
		snprintf(r->stats.rate, sizeof(r->stats.rate), "every %llu", (unsigned long long)c->period);
	else
		snprintf(r->stats.rate, sizeof(r->stats.rate), "%llu Hz", (unsigned long long)c->freq);
}

static void take_sample(struct top_run *r, struct session_record *sr)
{
	unsigned mode = sr->header->misc & MISC_CPUMODE_MASK;
	bool is_kernel = mode == MISC_KERNEL || mode == MISC_GUEST_KERNEL;
	const struct top_state *st = &r->c->state;

	r->counts.nr_samples++;
	r->counts.nr_kernel += is_kernel;
	if ((is_kernel && st->hides_kernel) || (!is_kernel && st->hides_user)) {
		r->counts.nr_hidden++;
		return;
	}
	if (!filter_keeps_sample(&r->c->in.filter, sr))
		return;
	if (r->thinned > 1) {
		if (r->nr_seen++ % r->thinned) {
			r->counts.nr_skipped++;
			return;
		}
		sr->rec.sample.period *= r->thinned;
	}
	profile_add(r->p, sr);
}

static bool keep_task(void *ctx, const struct profile *p, uint32_t task)
{
	return filter_keeps_task(ctx, p, task);
}

static bool keep_place(void *ctx, const struct profile *p, uint32_t dso, uint32_t frame)
{
	return filter_keeps_place(ctx, p, dso, frame);
}

/* The samples since the last refresh, into the live profile. Tasks that have ended are forgotten while nothing refers to them. */
static void take_profile(struct top_run *r)
{
	const struct hist_filter filter = { .keep_task = keep_task, .keep_place = keep_place, .ctx = &r->c->in.filter };

	add_events(r);
	if (r->c->state.zeroes)
		live_profile_clear(&r->live);
	live_profile_age(&r->live);
	profile_symbolize(r->p);
	for (uint32_t i = 0; i < r->live_event.nr; i++) {
		struct hist h;

		if (r->live_event.v[i] < 0)
			continue;
		hist_init(&h, r->p, &r->c->hist, i);
		hist_build(&h, &filter);
		live_profile_take(&r->live, (uint32_t)r->live_event.v[i], &h);
		if (r->c->hist.children)
			live_profile_take_stacks(&r->live, (uint32_t)r->live_event.v[i], &h);
		hist_fini(&h);
	}
	live_profile_settle(&r->live);
	next_profile(r);
}

/* Once is no reason: new programs have symbols that are read once. */
static void bound_cost(struct top_run *r, uint64_t cost_ns)
{
	bool is_costly = r->stats.own_percent > COST_LIMIT && r->nr_refreshes - r->first_refresh > 2;

	r->nr_costly = is_costly ? r->nr_costly + 1 : 0;
	if (r->nr_costly > 1) {
		if (r->refresh_cpu_ns * 2 > cost_ns)
			r->stretch = r->stretch < MAX_STRETCH ? r->stretch * 2 : r->stretch;
		else
			r->thinned = r->thinned < MAX_THINNED ? r->thinned * 2 : r->thinned;
	} else if (r->stats.own_percent < COST_LIMIT / 2) {
		r->stretch = r->stretch > 1 ? r->stretch / 2 : 1;
		r->thinned = r->thinned > 1 ? r->thinned / 2 : 1;
	}
}

/* What the time since the last refresh has cost, and what follows for the next. */
static void measure(struct top_run *r, uint64_t now_ns)
{
	uint64_t cpu_ns = own_cpu_ns(), wall_ns = now_ns - r->last_ns, cost_ns = cpu_ns - r->last_cpu_ns;

	r->stats.counts = r->counts;
	r->counts = (struct top_counts){ 0 };
	r->stats.seconds = (double)wall_ns / NS_PER_SEC;
	r->stats.elapsed = (double)(now_ns - r->start_ns) / NS_PER_SEC;
	r->stats.own_percent = 100.0 * (double)cost_ns / (double)wall_ns;
	r->stats.own_percent_ever = 100.0 * (double)(cpu_ns - r->start_cpu_ns) / (double)(now_ns - r->start_ns);
	r->stats.memory_bytes = resident_bytes();
	r->stats.nr_lost = r->nr_lost_before + recording_lost(&r->s->recording);
	r->stats.nr_throttled = r->nr_throttled_before + r->s->recording.stats.nr_throttled;
	r->stats.real_delay = r->c->state.delay * r->stretch;
	r->last_ns = now_ns;
	r->last_cpu_ns = cpu_ns;
	bound_cost(r, cost_ns);
}

/* What a large system needs in any case is no reason to start anew, unless a limit was given. */
static void bound_memory(struct top_run *r)
{
	uint64_t wished = r->c->max_memory_mb << 20, nr = r->nr_refreshes - r->first_refresh;

	if (r->c->o.workload || nr < SETTLED_AFTER)
		return;
	if (nr == SETTLED_AFTER)
		r->memory_limit = wished > 2 * r->stats.memory_bytes || r->c->max_memory_given ? wished : 2 * r->stats.memory_bytes;
	r->c->wants_restart = r->stats.memory_bytes > r->memory_limit;
}

static int draw(struct top_run *r)
{
	if (r->c->json)
		top_json(&r->o, &r->live, &r->stats, &r->c->state, &r->c->style);
	else if (r->ui)
		top_ui_refresh(r->ui);
	else
		top_block(&r->o, &r->live, &r->stats, &r->c->state, &r->c->style,
			  isatty(STDOUT_FILENO) ? terminal_size_of(STDOUT_FILENO).columns : 0);
	return out_flush(&r->o);
}

static int refresh(struct top_run *r)
{
	uint64_t begin_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID), now_ns = clock_now_ns();
	int err;

	if (!r->c->state.is_frozen)
		take_profile(r);
	else
		next_profile(r);
	measure(r, now_ns);
	bound_memory(r);
	err = draw(r);
	r->due_ns = clock_now_ns() + (uint64_t)(r->c->state.delay * r->stretch * (double)NS_PER_SEC);
	r->refresh_cpu_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
	if (++r->nr_refreshes == r->c->max_refreshes)
		r->c->has_quit = true;
	return err;
}

static int look_at_terminal(struct top_run *r)
{
	int err = top_ui_take_input(r->ui);

	/* A new delay counts from now on. */
	if (r->due_ns > clock_now_ns() + (uint64_t)(r->c->state.delay * r->stretch * (double)NS_PER_SEC))
		r->due_ns = clock_now_ns();
	return err;
}

/* Nothing is there to read. */
static int wait(struct top_run *r)
{
	struct pollfd p[] = {
		{ .fd = r->c->pipe_fd, .events = POLLIN },
		{ .fd = r->c->screen_fd, .events = POLLIN },
		{ .fd = r->ui ? STDIN_FILENO : -1, .events = POLLIN },
	};
	uint64_t now_ns = clock_now_ns();

	if (r->due_ns > now_ns)
		poll(p, 3, (int)((r->due_ns - now_ns) / NS_PER_MS) + 1);
	if (!r->ui)
		return 0;
	io_take_notice(r->c->screen_fd);
	return look_at_terminal(r);
}

static int read_all(struct top_run *r, struct errbuf *eb)
{
	uint32_t nr_records = 0;
	int err = 0;

	while (!err && !r->c->has_quit && !r->c->wants_restart) {
		struct session_record sr;
		int ret = session_next(r->s, &sr, eb);

		if (ret > 0) {
			if (sr.header->type == RECORD_SAMPLE)
				take_sample(r, &sr);
			/* What is in several pieces, and must be waited for, comes before the first record of the kernel. */
			if (!r->is_polled && sr.header->type < RECORD_USER_FIRST) {
				record_pipe_set_notice(r->c->o.output_pipe, r->c->pipe_fd);
				r->is_polled = true;
			}
			if (++nr_records % RECORDS_BETWEEN_LOOKS)
				continue;
			err = r->ui ? look_at_terminal(r) : 0;
		} else if (ret == -EAGAIN) {
			err = wait(r);
		} else {
			return ret;
		}
		if (!err && clock_now_ns() >= r->due_ns)
			err = refresh(r);
	}
	return err;
}

static void start(struct top_run *r, struct top_command *c)
{
	r->c = c;
	r->stretch = r->thinned = 1;
	live_profile_init(&r->live, c->hist.keys, c->hist.nr_keys, c->hist.children);
	r->stats.target = c->target;
	set_rate(r);
	r->start_ns = r->last_ns = clock_now_ns();
	r->start_cpu_ns = r->last_cpu_ns = own_cpu_ns();
	r->due_ns = r->start_ns +
		    (uint64_t)((c->is_screen && c->state.delay > FIRST_REFRESH ? FIRST_REFRESH : c->state.delay) * (double)NS_PER_SEC);
	out_init(&r->o, STDOUT_FILENO);
	r->is_started = true;
}

void top_run_fini(struct top_run *r)
{
	if (!r->is_started)
		return;
	out_fini(&r->o);
	if (r->ui)
		top_ui_close(r->ui);
	free(r->ui);
	live_profile_fini(&r->live);
	vec_fini(&r->live_event);
}

int top_read(void *ctx, struct session *s, struct errbuf *eb)
{
	struct top_command *c = ctx;
	struct top_run *r = c->run;
	int err;

	if (!r->is_started)
		start(r, c);
	r->s = s;
	if (c->is_screen && !r->ui) {
		r->ui = mem_zalloc(sizeof(*r->ui));
		err = top_ui_open(r->ui, r, eb);
		if (err)
			return err;
	}
	r->is_polled = false;
	r->first_refresh = r->nr_refreshes;
	r->memory_limit = 0;
	new_profile(r);
	err = read_all(r, eb);
	/* The end of a command is worth a last look; on a screen that is about to go it is not. */
	if (!err && !c->has_quit && !c->is_screen && !c->wants_restart)
		err = refresh(r);
	profile_fini(r->p);
	free(r->p);
	if (r->ui && c->wants_restart && !c->has_quit)
		top_ui_leave_session(r->ui);
	else if (r->ui)
		top_ui_close(r->ui);
	r->nr_lost_before += recording_lost(&s->recording);
	r->nr_throttled_before += s->recording.stats.nr_throttled;
	/* Ends the command, too, where one was started. */
	if (c->has_quit)
		kill(getpid(), SIGINT);
	return err;
}
