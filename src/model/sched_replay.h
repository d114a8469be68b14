/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct sched_replay: what each task of a recording did, as steps that a thread can do again: run for a time, wake a task, sleep until woken,
 * sleep for a time. Made from the scheduler's events while a time line (model/timeline.h) reads them.
 *
 * A wake by a task is a step of that task, and the sleep that it ends waits for it. A wake by an interrupt or the idle task (a timer, a
 * device) has nothing that could do it again: its sleep has a length. Runs that a preemption divides are one, because who is preempted is up
 * to the scheduler that runs the replay. Runs whose begin is not in the recording are left out and counted.
 *
 * A step only ever waits for one that was added before it, so that no replay can block for good, whatever the recording says.
 */
#ifndef ASSAY_MODEL_SCHED_REPLAY_H
#define ASSAY_MODEL_SCHED_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/timeline.h"

#define SCHED_REPLAY_MAX_TASKS 10000

enum sched_replay_kind {
	SCHED_REPLAY_RUN,   /* for `value` ns */
	SCHED_REPLAY_SLEEP, /* for `value` ns */
	SCHED_REPLAY_WAIT,  /* until wake number `value` of this task, or a later one, was done */
	SCHED_REPLAY_WAKE,  /* does wake number `value` of `task` */
};

/* One step in 64 bits: there may be as many as events. */
struct sched_replay_step {
	uint64_t packed;
};
#define SCHED_REPLAY_MAX_NS ((UINT64_C(1) << 62) - 1)

static inline enum sched_replay_kind sched_replay_kind(struct sched_replay_step s)
{
	return (enum sched_replay_kind)(s.packed >> 62);
}

static inline uint64_t sched_replay_value(struct sched_replay_step s)
{
	return sched_replay_kind(s) == SCHED_REPLAY_WAKE ? (uint32_t)s.packed : s.packed & SCHED_REPLAY_MAX_NS;
}

/* SCHED_REPLAY_WAKE: number of the task. */
static inline uint32_t sched_replay_target(struct sched_replay_step s)
{
	return (uint32_t)(s.packed >> 32) & 0x3fffffff;
}

struct sched_replay_task {
	uint32_t track;
	VEC(struct sched_replay_step) steps;
	uint64_t run_ns; /* of all its runs */
	/* While events are read. */
	bool is_running, is_asleep;
	uint64_t run_until_ns; /* the run at hand is added up so far */
	uint64_t pending_ns;   /* runs that are no step yet */
	uint64_t asleep_ns;    /* since */
	uint32_t nr_wakes;
	bool is_woken_early; /* a wake came in the run before the sleep */
	uint32_t early_wake; /* its number; 0: no task did it */
};

struct sched_replay {
	const struct timeline *t;
	VEC(struct sched_replay_task) tasks;
	VEC(uint32_t) by_track; /* number of the task + 1; 0: none */
	uint64_t first_ns, last_ns;
	uint64_t nr_runs, nr_sleeps, nr_waits, nr_wakes; /* steps */
	uint64_t nr_unknown_runs;			 /* left out: their begin is not in the recording */
	uint64_t nr_unknown_wakes;			 /* sleeps of a length whose wake is not in the recording */
	uint64_t nr_left_out;				 /* events of tasks above SCHED_REPLAY_MAX_TASKS */
};

/* What replaying cost on this machine, measured before; ns. */
struct sched_replay_costs {
	uint64_t clock_ns;	/* a look at the CPU clock of a thread */
	uint64_t sleep_ns;	/* how much longer a sleep is than was asked for */
	uint64_t run_test_ns;	/* a run of 1 ms took */
	uint64_t sleep_test_ns; /* a sleep of 1 ms took */
};

struct sched_replay_result {
	uint64_t wall_ns, cpu_ns;
};

/* A zeroed struct with `t` set is ready. */
void sched_replay_fini(struct sched_replay *r);
/* An event that was added to the time line. `by`: the task in which it happened, or NULL. */
void sched_replay_add(struct sched_replay *r, const struct sched_event *e, const struct timeline_step *step, const struct task *by);
/* Adds runs that last until the end of the recording. */
void sched_replay_finish(struct sched_replay *r);

static inline uint64_t sched_replay_span_ns(const struct sched_replay *r)
{
	return r->last_ns - r->first_ns;
}
/* How long a round takes at least: the runs and sleeps of the task that has most of them. */
uint64_t sched_replay_least_ns(const struct sched_replay *r);
/* CPU time of all tasks in the recording. */
uint64_t sched_replay_cpu_ns(const struct sched_replay *r);

#endif
