/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct wall: where the elapsed time of each thread went: running, runnable, or blocked, and on what. On top of model/timeline.h, which
 * says who ran when; what a thread was blocked on follows from the stack it left the CPU with (model/wall_class.c), and how its running
 * time divides into user and kernel from samples of the CPU clock.
 *
 * A wait is kept as one entry, with the thread that ended it, for the chains of model/wall_path.h. Time of which the recording does not say
 * what the thread did is counted as unknown: the parts of a thread add up to its elapsed time in any case.
 */
#ifndef ASSAY_MODEL_WALL_H
#define ASSAY_MODEL_WALL_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/syscalls.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/profile.h"
#include "model/quality.h"
#include "model/timeline.h"

#define WALL_NONE UINT32_MAX

/* Names in JSON and flame graphs, and headings of columns. RUNNING: no sample says which of the two. From DISK to OTHER: blocked; FAULT: a page fault,
 * whatever is behind it; POLL: several files at a time. */
#define WALL_CLASSES(X)                                                                                                                    \
	X(USER, "user", "user")                                                                                                            \
	X(KERNEL, "kernel", "kernel")                                                                                                      \
	X(RUNNING, "running", "running")                                                                                                   \
	X(RUNNABLE, "runnable", "runnable")                                                                                                \
	X(DISK, "disk", "disk")                                                                                                            \
	X(FUTEX, "futex", "futex")                                                                                                         \
	X(NETWORK, "network", "network")                                                                                                   \
	X(PIPE, "pipe", "pipe")                                                                                                            \
	X(SLEEP, "sleep", "sleep")                                                                                                         \
	X(FAULT, "page_fault", "fault")                                                                                                    \
	X(POLL, "poll", "poll")                                                                                                            \
	X(OTHER, "other", "other")                                                                                                         \
	X(UNKNOWN, "unknown", "unknown")

enum wall_class {
#define X(class, name, heading) WALL_##class,
	WALL_CLASSES(X)
#undef X
		WALL_NR_CLASSES
};

static inline bool wall_is_blocked(enum wall_class c)
{
	return c >= WALL_DISK && c <= WALL_OTHER;
}
const char *wall_class_name(enum wall_class c);
const char *wall_class_heading(enum wall_class c);
/* What a kernel stack was blocked on; `state`: the scheduler's letter. */
enum wall_class wall_class_of_stack(struct profile *p, uint32_t stack, char state);
/* What a system call waits for; `file_mode`: st_mode of the file that is its first argument, 0 if it is not known. */
enum wall_class wall_class_of_call(enum syscall_abi abi, uint32_t nr, uint32_t file_mode);

/* Equal time of a thread: same stack, and same state. */
enum wall_kind { WALL_RAN_USER, WALL_RAN_KERNEL, WALL_WAS_RUNNABLE, WALL_WAS_BLOCKED, WALL_WAS_UNKNOWN };

struct wall_sum {
	uint32_t thread;
	uint32_t stack;
	uint8_t kind;  /* enum wall_kind */
	uint8_t class; /* enum wall_class; set by wall_finish() where the recording does not say it */
	char state;    /* WALL_WAS_BLOCKED: the scheduler's letter */
	uint64_t nr, total_ns, max_ns;
};

#define WALL_MAX_TAKERS 4

struct wall_taker {
	uint32_t thread; /* WALL_NONE: none */
	uint64_t ns;
};

/* From the moment that a thread left its CPU to the moment that it came back. */
struct wall_wait {
	uint64_t out_ns, wake_ns, in_ns; /* wake_ns == out_ns: preempted; == in_ns: what woke it is not known, or it was not woken yet */
	uint32_t thread;
	uint32_t sum;	 /* of the blocked part, or (preempted) of the runnable one; of WALL_WAS_UNKNOWN: it may have run, too */
	uint32_t waker;	 /* thread; WALL_NONE: an interrupt, or not known */
	uint32_t takers; /* preempted: who had its CPU, a run of wall.takers that ends in WALL_NONE; WALL_NONE: not known */
};

struct wall_thread {   /* by track of the time line */
	bool is_met;   /* an event was about it */
	bool is_shown; /* it is one of those that are asked for, and has elapsed time */
	bool is_idle;  /* nearly all of its time it waited in the same place */
	bool is_open;  /* it left a CPU and did not come back yet */
	char state;    /* in which it left */
	uint8_t class; /* that the recording says it waits for; WALL_UNKNOWN: it does not */
	uint32_t stack;
	uint64_t out_ns, wake_ns; /* of the wait at hand; wake_ns 0: not woken */
	uint32_t nr_losses;	  /* of the time line, when it left */
	uint32_t waker;
	struct wall_taker takers[WALL_MAX_TAKERS]; /* of its CPU, in the wait at hand */
	uint32_t taker;				   /* that has it now */
	uint64_t taken_ns;			   /* since when */
	uint32_t maker;				   /* the thread that started it; WALL_NONE: not known */
	uint64_t begin_ns, end_ns;
	uint64_t sampled_ns[2]; /* periods of samples in user and kernel mode */
	uint64_t ns[WALL_NR_CLASSES];
	uint64_t nr_waits;
	uint32_t top_wait; /* sum of the blocked stack with the most time; WALL_NONE: none */
};

struct wall {
	struct profile *profile;   /* borrowed, as is the next */
	struct timeline *timeline; /* fed by the caller */
	struct quality *quality;   /* of the stacks of waits and samples; borrowed, NULL: not asked for */
	VEC(struct wall_thread) threads;
	VEC(struct wall_sum) sums;
	struct hindex sum_index;
	VEC(struct wall_wait) waits; /* by their end; after wall_finish() by thread and time */
	VEC(uint32_t) first_wait;    /* by thread, and one behind: set by wall_finish() */
	VEC(struct wall_taker) takers;
	VEC(uint32_t) preempted;    /* by CPU: the thread that was preempted there last, and has not run there since; WALL_NONE */
	bool is_wait_limit;	    /* not all waits were kept */
	uint64_t first_ns, last_ns; /* of the recording */
	uint64_t total_ns[WALL_NR_CLASSES];
	uint64_t elapsed_ns; /* of the shown threads that are not folded away */
	bool keeps_idle;     /* idle threads count like others; wall_finish() sets it where there are no others */
	uint32_t nr_shown, nr_idle, nr_folded;
	uint64_t nr_gaps; /* spans of shown threads that are missing */
	uint64_t nr_samples;
};

void wall_init(struct wall *w, struct profile *p, struct timeline *t);
void wall_fini(struct wall *w);

/* An event of the scheduler that the time line took. `class`: what the thread that leaves waits for, where that was recorded; else
 * WALL_UNKNOWN. */
void wall_add(struct wall *w, const struct session_record *sr, const struct sched_event *e, const struct timeline_step *step,
	      enum wall_class class);
/* `taker` (tracks, both) runs now where `track`, which could run on, had to leave. */
void wall_add_taker(struct wall *w, uint32_t track, uint32_t taker, uint64_t time_ns);
/* Recording begins or ends at that time. */
void wall_add_limit(struct wall *w, uint64_t time_ns);
/* The sample's task was blocked since recording began: the time line took it. */
void wall_add_waiting(struct wall *w, const struct session_record *sr, uint32_t track, char letter, enum wall_class class);
/* It runs, and when it came back is missing. */
void wall_see(struct wall *w, uint32_t track, uint64_t time_ns);
/* A sample of a clock. */
void wall_add_sample(struct wall *w, const struct session_record *sr);
/* All was added, and the time line is finished. `is_wanted` says of a task whether it is shown. */
void wall_finish(struct wall *w, bool (*is_wanted)(void *ctx, const struct task *task), void *ctx);

static inline uint64_t wall_elapsed_ns(const struct wall_thread *k)
{
	return k->end_ns > k->begin_ns ? k->end_ns - k->begin_ns : 0;
}
static inline const struct task *wall_task(const struct wall *w, uint32_t thread)
{
	return timeline_track(w->timeline, thread)->task;
}

#endif
