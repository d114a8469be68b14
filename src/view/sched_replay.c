/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sched replay: what is replayed, and a line for each round, in perf's layout.
 */
#include "base/escape.h"
#include "view/sched_text.h"

static const char *const kind_names[] = {
	[SCHED_REPLAY_RUN] = "run",
	[SCHED_REPLAY_SLEEP] = "sleep",
	[SCHED_REPLAY_WAIT] = "wait",
	[SCHED_REPLAY_WAKE] = "wake",
};

static const struct task *task_of(const struct sched_replay *r, uint32_t number)
{
	return timeline_track(r->t, r->tasks.v[number].track)->task;
}

void sched_replay_print_costs(struct out *o, const struct sched_replay_costs *c)
{
	out_printf(o, "run measurement overhead: %llu nsecs\n", (unsigned long long)c->clock_ns);
	out_printf(o, "sleep measurement overhead: %llu nsecs\n", (unsigned long long)c->sleep_ns);
	out_printf(o, "the run test took %llu nsecs\n", (unsigned long long)c->run_test_ns);
	out_printf(o, "the sleep test took %llu nsecs\n", (unsigned long long)c->sleep_test_ns);
}

static void print_steps(struct out *o, const struct sched_replay *r, const struct sched_replay_task *task)
{
	for (uint32_t i = 0; i < task->steps.nr; i++) {
		struct sched_replay_step s = task->steps.v[i];

		out_printf(o, "    %-5s ", kind_names[sched_replay_kind(s)]);
		switch (sched_replay_kind(s)) {
		case SCHED_REPLAY_RUN:
		case SCHED_REPLAY_SLEEP:
			out_printf(o, "%llu nsecs\n", (unsigned long long)sched_replay_value(s));
			break;
		case SCHED_REPLAY_WAIT:
			out_printf(o, "#%u\n", (uint32_t)sched_replay_value(s));
			break;
		case SCHED_REPLAY_WAKE:
			out_printf(o, "#%u of %d\n", (uint32_t)sched_replay_value(s), task_of(r, sched_replay_target(s))->tid);
			break;
		}
	}
}

static void print_task(struct out *o, const struct sched_replay *r, uint32_t number, bool shows_steps)
{
	const struct sched_replay_task *task = &r->tasks.v[number];
	struct out comm;

	out_init(&comm, -1);
	escape_terminal_str(&comm, machine_comm(r->t->machine, task_of(r, number)));
	out_printf(o, "task %6u (", number);
	out_spaces(o, 20 - (int)comm.len);
	out_mem(o, comm.buf, comm.len);
	out_fini(&comm);
	out_printf(o, ":%10d), nr_events: %u\n", task_of(r, number)->tid, task->steps.nr);
	if (shows_steps)
		print_steps(o, r, task);
}

void sched_replay_print_tasks(struct out *o, const struct sched_replay *r, bool shows_steps)
{
	out_printf(o, "nr_run_events:        %llu\n", (unsigned long long)r->nr_runs);
	out_printf(o, "nr_sleep_events:      %llu (%llu until woken by a task)\n", (unsigned long long)(r->nr_sleeps + r->nr_waits),
		   (unsigned long long)r->nr_waits);
	out_printf(o, "nr_wakeup_events:     %llu\n", (unsigned long long)r->nr_wakes);
	if (r->nr_unknown_runs)
		out_printf(o, "nr_unknown_runs:      %llu (their begin is not in the recording; left out)\n",
			   (unsigned long long)r->nr_unknown_runs);
	if (r->nr_unknown_wakes)
		out_printf(o, "nr_unknown_wakeups:   %llu (not in the recording; the sleeps last as long as in it)\n",
			   (unsigned long long)r->nr_unknown_wakes);
	for (uint32_t i = 0; i < r->tasks.nr; i++)
		print_task(o, r, i, shows_steps);
	for (int i = 0; i < 60; i++)
		out_char(o, '-');
	out_char(o, '\n');
	out_printf(o, "recorded: %.3f, cpu: %.2f\n", (double)sched_replay_span_ns(r) / 1e6, (double)sched_replay_cpu_ns(r) / 1e6);
}

void sched_replay_print_round(struct out *o, struct sched_replay_rounds *sums, const struct sched_replay_result *result)
{
	double nr = (double)++sums->nr;

	sums->wall_ms += (double)result->wall_ns / 1e6;
	sums->cpu_ms += (double)result->cpu_ns / 1e6;
	out_printf(o, "#%-3llu: %0.3f, ravg: %0.2f, cpu: %0.2f / %0.2f\n", (unsigned long long)sums->nr, (double)result->wall_ns / 1e6,
		   sums->wall_ms / nr, (double)result->cpu_ns / 1e6, sums->cpu_ms / nr);
}
