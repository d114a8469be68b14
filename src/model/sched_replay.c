/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Events to steps. A step is added when the event that ends it is read, so that the order in which steps are added is that of the recording.
 */
#include "model/sched_replay.h"

#define NO_TASK UINT32_MAX

void sched_replay_fini(struct sched_replay *r)
{
	for (uint32_t i = 0; i < r->tasks.nr; i++)
		vec_fini(&r->tasks.v[i].steps);
	vec_fini(&r->tasks);
	vec_fini(&r->by_track);
}

static bool spend(const struct sched_replay *r, uint64_t bytes)
{
	return !r->t->machine->memory || budget_take(r->t->machine->memory, bytes);
}

/* NULL: it is the idle task, or one too many. */
static struct sched_replay_task *task_of(struct sched_replay *r, uint32_t track)
{
	if (timeline_track(r->t, track)->is_idle)
		return NULL;
	while (r->by_track.nr <= track)
		vec_push(&r->by_track, 0);
	if (!r->by_track.v[track]) {
		if (r->tasks.nr == SCHED_REPLAY_MAX_TASKS || !spend(r, 2 * sizeof(struct sched_replay_task))) {
			r->nr_left_out++;
			return NULL;
		}
		/* What it did before is not known: as if it had slept since the beginning. */
		vec_push(&r->tasks, ((struct sched_replay_task){ .track = track, .is_asleep = true, .asleep_ns = r->first_ns }));
		r->by_track.v[track] = r->tasks.nr;
	}
	return &r->tasks.v[r->by_track.v[track] - 1];
}

static bool add_step(struct sched_replay *r, struct sched_replay_task *task, enum sched_replay_kind kind, uint64_t bits)
{
	if (!spend(r, 2 * sizeof(struct sched_replay_step)))
		return false;
	vec_push(&task->steps, ((struct sched_replay_step){ (uint64_t)kind << 62 | bits }));
	return true;
}

static uint64_t between(uint64_t from_ns, uint64_t to_ns)
{
	uint64_t ns = to_ns > from_ns ? to_ns - from_ns : 0;

	return ns < SCHED_REPLAY_MAX_NS ? ns : SCHED_REPLAY_MAX_NS;
}

static void run_until(struct sched_replay_task *task, uint64_t now_ns)
{
	if (!task->is_running)
		return;
	task->pending_ns += between(task->run_until_ns, now_ns);
	task->run_until_ns = now_ns;
}

/* What it ran comes before the step that is to be added. */
static void end_run(struct sched_replay *r, struct sched_replay_task *task)
{
	uint64_t ns = task->pending_ns < SCHED_REPLAY_MAX_NS ? task->pending_ns : SCHED_REPLAY_MAX_NS;

	if (!ns)
		return;
	task->pending_ns = 0;
	if (!add_step(r, task, SCHED_REPLAY_RUN, ns))
		return;
	r->nr_runs++;
	task->run_ns += ns;
}

static void sleep_for(struct sched_replay *r, struct sched_replay_task *task, uint64_t now_ns)
{
	uint64_t ns = between(task->asleep_ns, now_ns);

	task->is_asleep = false;
	if (!ns)
		return;
	end_run(r, task);
	r->nr_sleeps += add_step(r, task, SCHED_REPLAY_SLEEP, ns);
}

static void wait_for(struct sched_replay *r, struct sched_replay_task *task, uint32_t wake)
{
	task->is_asleep = false;
	end_run(r, task);
	r->nr_waits += add_step(r, task, SCHED_REPLAY_WAIT, wake);
}

static void leave(struct sched_replay *r, struct sched_replay_task *task, const struct sched_event *e, const struct timeline_step *step)
{
	if (task->is_asleep) /* when it came is not known: all of it counts as sleep */
		sleep_for(r, task, e->time_ns);
	if (task->is_running && step->is_run_known)
		run_until(task, e->time_ns);
	else
		r->nr_unknown_runs++;
	task->is_running = false;
	task->is_asleep = e->state != 'R';
	task->asleep_ns = e->time_ns;
}

static void come(struct sched_replay *r, struct sched_replay_task *task, const struct sched_event *e)
{
	if (task->is_asleep && task->early_wake) {
		wait_for(r, task, task->early_wake);
	} else if (task->is_asleep) {
		r->nr_unknown_wakes += !task->is_woken_early && task->asleep_ns != r->first_ns;
		sleep_for(r, task, e->time_ns);
	}
	task->early_wake = 0;
	task->is_woken_early = false;
	task->is_running = true;
	task->run_until_ns = e->time_ns;
}

static void add_switch(struct sched_replay *r, const struct sched_event *e, const struct timeline_step *step)
{
	struct sched_replay_task *from = task_of(r, step->from), *to;

	if (from)
		leave(r, from, e, step);
	to = task_of(r, step->to);
	if (to)
		come(r, to, e);
}

/* Whether the time line has the run at hand whole. */
static bool is_run_whole(const struct sched_replay *r, const struct sched_replay_task *task)
{
	const struct timeline_track *k = timeline_track(r->t, task->track);

	return k->state == TIMELINE_RUNNING && timeline_has_all(r->t, k);
}

/* The waker's step comes first: the sleep may wait for nothing that is behind it. */
static bool add_wake_step(struct sched_replay *r, uint32_t waker, uint32_t target, uint64_t now_ns)
{
	struct sched_replay_task *by = &r->tasks.v[waker], *task = &r->tasks.v[target];

	if (task->nr_wakes == UINT32_MAX)
		return false;
	if (by->is_asleep)
		sleep_for(r, by, now_ns);
	if (is_run_whole(r, by))
		run_until(by, now_ns);
	end_run(r, by);
	if (!add_step(r, by, SCHED_REPLAY_WAKE, (uint64_t)target << 32 | (task->nr_wakes + 1)))
		return false;
	task->nr_wakes++;
	r->nr_wakes++;
	return true;
}

/* Number of the task that wakes; NO_TASK: none that could do it again. */
static uint32_t waker_of(struct sched_replay *r, const struct sched_event *e, const struct task *by)
{
	uint32_t track = by && by->tid > 0 && !e->is_irq && by->id < r->t->by_task.nr ? r->t->by_task.v[by->id] : TIMELINE_NONE;
	struct sched_replay_task *task = track != TIMELINE_NONE ? task_of(r, track) : NULL;

	return task ? (uint32_t)(task - r->tasks.v) : NO_TASK;
}

static void add_wake(struct sched_replay *r, const struct sched_event *e, const struct timeline_step *step, const struct task *by)
{
	uint32_t waker = waker_of(r, e, by), target;
	struct sched_replay_task *task = task_of(r, step->to);
	bool is_step;

	if (!task || (!task->is_asleep && !task->is_running))
		return;
	target = (uint32_t)(task - r->tasks.v);
	is_step = waker != NO_TASK && waker != target && add_wake_step(r, waker, target, e->time_ns);
	if (!task->is_asleep) { /* it may be about to sleep: if no other wake ends that, this one does */
		task->early_wake = is_step ? task->nr_wakes : 0;
		task->is_woken_early = true;
	} else if (is_step) {
		wait_for(r, task, task->nr_wakes);
	} else {
		sleep_for(r, task, e->time_ns);
	}
}

void sched_replay_add(struct sched_replay *r, const struct sched_event *e, const struct timeline_step *step, const struct task *by)
{
	if (!r->first_ns)
		r->first_ns = e->time_ns;
	r->last_ns = e->time_ns > r->last_ns ? e->time_ns : r->last_ns;
	switch (e->kind) {
	case SCHED_SWITCH:
		add_switch(r, e, step);
		break;
	case SCHED_WAKEUP:
		if (r->t->has_waking)
			break;
		__attribute__((fallthrough));
	case SCHED_WAKING:
	case SCHED_WAKEUP_NEW:
		add_wake(r, e, step, by);
		break;
	default:
		break;
	}
}

void sched_replay_finish(struct sched_replay *r)
{
	for (uint32_t i = 0; i < r->tasks.nr; i++) {
		if (is_run_whole(r, &r->tasks.v[i]))
			run_until(&r->tasks.v[i], r->last_ns);
		end_run(r, &r->tasks.v[i]);
	}
}

static uint64_t own_ns(const struct sched_replay_task *task)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < task->steps.nr; i++) {
		enum sched_replay_kind kind = sched_replay_kind(task->steps.v[i]);
		uint64_t ns = kind == SCHED_REPLAY_RUN || kind == SCHED_REPLAY_SLEEP ? sched_replay_value(task->steps.v[i]) : 0;

		sum_ns = ns < SCHED_REPLAY_MAX_NS - sum_ns ? sum_ns + ns : SCHED_REPLAY_MAX_NS;
	}
	return sum_ns;
}

uint64_t sched_replay_least_ns(const struct sched_replay *r)
{
	uint64_t least_ns = 0;

	for (uint32_t i = 0; i < r->tasks.nr; i++) {
		uint64_t ns = own_ns(&r->tasks.v[i]);

		least_ns = ns > least_ns ? ns : least_ns;
	}
	return least_ns;
}

uint64_t sched_replay_cpu_ns(const struct sched_replay *r)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < r->tasks.nr; i++)
		sum_ns += r->tasks.v[i].run_ns;
	return sum_ns;
}
