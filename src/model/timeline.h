/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct timeline: what every task and every CPU does over time, from the scheduler's events. A track per task (the idle task has one per
 * CPU) is in one state at a time: running, runnable because it was woken or preempted, blocked for a reason, or not known. Each event ends
 * spans and begins others; what ended is added to the sums of its track at once, and is handed out as a step, so that memory grows with
 * tasks and CPUs, not with events.
 *
 * Where data is missing (records were lost, a switch is not there, a task or a CPU appears) the state is not known until the next event that
 * tells it: no span is made up, and the track counts how often that happened.
 *
 * Fed by events in the order of time (model/sched_events.h).
 */
#ifndef ASSAY_MODEL_TIMELINE_H
#define ASSAY_MODEL_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/pair_sums.h"
#include "model/sched_events.h"
#include "session/machine.h"

#define TIMELINE_NONE UINT32_MAX
#define TIMELINE_MAX_CPUS 16384
#define TIMELINE_LAST 1024 /* a power of two */

enum timeline_state {
	TIMELINE_UNKNOWN,
	TIMELINE_RUNNING,
	TIMELINE_WOKEN,	    /* runnable, and not run since */
	TIMELINE_PREEMPTED, /* runnable: it had to leave its CPU */
	TIMELINE_SLEEPS,    /* these and the next: blocked. S */
	TIMELINE_WAITS,	    /* D: for a disk, or a lock of the kernel */
	TIMELINE_IDLES,	    /* I: a thread of the kernel without work */
	TIMELINE_STOPPED,   /* T, t */
	TIMELINE_PARKED,    /* P, and letters that are not known here */
	TIMELINE_ENDED,	    /* X, Z */
	TIMELINE_NR_STATES,
};

static inline bool timeline_is_runnable(enum timeline_state s)
{
	return s == TIMELINE_WOKEN || s == TIMELINE_PREEMPTED;
}

/* All that is not known lies in it; end_ns 0: there is nothing. */
struct timeline_hole {
	uint64_t begin_ns, end_ns;
};

struct timeline_track {
	const struct task *task;
	bool is_named_by_events; /* not by records, which speak of others then */
	uint32_t event_comm;	 /* as task->comm */
	uint32_t cpu;		 /* the last one that it was seen on, or queued for; TIMELINE_NONE: none yet */
	uint32_t queue_cpu;	 /* on whose queue it is, by switches and migrations; TIMELINE_NONE: not known */
	bool is_idle;		 /* the idle task of that CPU */
	bool is_seen;		 /* an event named it before */
	bool is_born;		 /* its begin was seen */
	enum timeline_state state;
	uint64_t since_ns;	     /* of the state */
	uint64_t begin_ns;	     /* of what is known of it */
	uint64_t out_ns;	     /* when it left a CPU last; 0: not seen */
	enum timeline_state blocked; /* in which state */
	uint32_t nr_losses;	     /* of the time line, when the state began */
	/* The run at hand, or the last one. */
	uint64_t wait_ns;      /* from its last run to this one; 0: that was not seen */
	uint64_t delay_ns;     /* the part of it that it was runnable */
	uint64_t migration_ns; /* and of that until it was moved to another CPU */
	bool is_wait_known, is_delay_known;
	enum timeline_state left; /* the state in which it waited */
	/* Sums. */
	uint64_t times_ns[TIMELINE_NR_STATES];
	uint64_t runtime_ns; /* as the scheduler has it (sched_stat_runtime) */
	struct pair_figures delays;
	uint64_t nr_switches[2]; /* by the task itself; preempted */
	uint64_t nr_wakes, nr_migrations;
	uint64_t nr_gaps;	   /* spans that are not known because data is missing */
	struct timeline_hole hole; /* it may have run in it, and that is not counted */
	uint64_t unseen_ns;	   /* from the first event to the end of a run that was the first thing known of its CPU; the longest */
};

struct timeline_cpu {
	bool is_seen;
	uint32_t current;    /* track; TIMELINE_NONE: not known; timeline_current() heeds losses */
	uint32_t nr_losses;  /* of the time line, when it came */
	uint32_t lost_at_nr; /* and after the last loss of this CPU's records; 0: none was lost */
	uint32_t idle;	     /* track; TIMELINE_NONE: was not idle yet */
	uint64_t since_ns;
	uint64_t idle_ns;
	uint64_t unknown_ns;	   /* what ran is not known */
	uint64_t first_ns;	   /* of that, before its first event */
	struct timeline_hole hole; /* and the rest of it */
};

struct timeline {
	struct machine *machine; /* borrowed: its tasks are the names */
	bool has_waking;	 /* sched_wakeup says nothing new */
	/* How many CPUs were recorded, where others were not: tasks that moved may have run there; 0: all were. */
	uint32_t nr_recorded_cpus;
	/* Delays and run times of the scheduler are counted on these CPUs only, borrowed; none: on all. */
	const uint32_t *counted_cpus;
	uint32_t nr_counted_cpus;
	VEC(struct timeline_track) tracks;
	VEC(uint32_t) by_task; /* id of the machine's task → track */
	struct {
		int32_t tid;
		uint32_t track;
		const struct task *task;
	} last[TIMELINE_LAST]; /* by tid: the tracks that were met last */
	VEC(struct timeline_cpu) cpus;
	uint32_t nr_cpus; /* that were seen */
	uint32_t nr_losses;
	uint32_t lost_at_nr; /* after the last loss of records of any CPU */
	uint64_t first_ns, last_ns;
	uint64_t nr_switches;
	uint64_t nr_gaps;	/* switches of which one before is missing */
	uint64_t nr_wakes_used; /* wakes of tasks that did not run and were not runnable */
	uint64_t nr_bad_cpus;	/* events on CPUs with impossible numbers; left out */
	/* Each span whose begin and end are known, when it ends (model/span_store.h); NULL: not needed. */
	void (*see_span)(void *ctx, uint32_t track, enum timeline_state state, uint64_t begin_ns, uint64_t end_ns);
	void *see_span_ctx;
};

/* What an event did. Pointers to tracks are valid until the next one. */
struct timeline_step {
	uint32_t from, to;     /* tracks: SCHED_SWITCH: who left and who came; else `to`: of whom it speaks */
	uint64_t run_ns;       /* how long the one that left had run */
	bool is_run_known;     /* false: the switch that began it is not there */
	bool is_first;	       /* it is the first switch of its CPU: when the run began is not known, nor what was before */
	bool is_gap;	       /* another one had been switched to */
	bool is_used;	       /* a wake: it changed the state */
	uint64_t run_begin_ns; /* 0: is_first */
};

void timeline_init(struct timeline *t, struct machine *m);
void timeline_fini(struct timeline *t);

/* False: the event was left out (nr_bad_cpus). */
bool timeline_add(struct timeline *t, const struct sched_event *e, struct timeline_step *step);
/* Records of this CPU were lost (TIMELINE_NONE: of any). */
void timeline_lose(struct timeline *t, uint32_t cpu);
/* A task runs, as something else than the scheduler says. False: that was known, or nothing is known of it. Else its switch is missing: what it did
 * since it was last heard of is not known. */
bool timeline_see(struct timeline *t, const struct task *task, uint32_t cpu, uint64_t time_ns);
/* A task that begins: what it does from here on is known. */
void timeline_begin_task(struct timeline *t, const struct task *task, uint64_t time_ns);
/* A task of which nothing is known was blocked since `since_ns`, in the state of this letter. False: something is known, or records were lost. */
bool timeline_begin_wait(struct timeline *t, const struct task *task, char letter, uint64_t since_ns);
/* The track of a task of which other events speak; made if there is none. */
uint32_t timeline_track_of(struct timeline *t, const struct task *task);
/* Adds the spans that are open at the end of the recording to the sums. */
void timeline_finish(struct timeline *t);

static inline struct timeline_track *timeline_track(const struct timeline *t, uint32_t id)
{
	return &t->tracks.v[id];
}
/* Which track runs on a CPU; TIMELINE_NONE: that is not known. */
static inline uint32_t timeline_current(const struct timeline *t, const struct timeline_cpu *c)
{
	return c->nr_losses >= c->lost_at_nr && c->nr_losses >= t->lost_at_nr ? c->current : TIMELINE_NONE;
}
/* Nothing of what it did since its state began was lost. */
static inline bool timeline_has_all(const struct timeline *t, const struct timeline_track *k)
{
	if (__builtin_expect(k->nr_losses == t->nr_losses, 1))
		return true;
	/* Who runs goes on where records of other CPUs are lost. */
	return k->state == TIMELINE_RUNNING && k->cpu < t->cpus.nr &&
	       timeline_current(t, &t->cpus.v[k->cpu]) == (uint32_t)(k - t->tracks.v);
}
/* A part of a time for which it is not known what ran on a CPU is said where it is not the usual bit before its first switch: a percent of all. */
static inline bool timeline_is_much(uint64_t unseen_ns, uint64_t of_ns)
{
	return unseen_ns > of_ns / 100;
}
static inline bool timeline_hole_is_in(const struct timeline_hole *h, uint64_t from_ns, uint64_t to_ns)
{
	return h->end_ns && h->begin_ns <= to_ns && h->end_ns >= from_ns;
}
/* How much of the time since it began (or the recording did) is not known. */
uint64_t timeline_unknown_ns(const struct timeline *t, const struct timeline_track *k);

#endif
