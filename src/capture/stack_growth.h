/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Larger dumps for threads that need them. The unwinding stage finds stacks that go on above what
 * was dumped; for such a thread each event is opened once more, on every CPU, with a dump as large
 * as its stack wants and into the same rings. While its samples come, those of the usual event are
 * left out for that thread, and the file names one event only. Where one thread of a process was
 * in need, the others and those that it starts get what that one got.
 *
 * The stage asks (want, gone), the drain opens and closes (run), the recorder switches and reads.
 * All of it is locked; nobody who looks for a sample's event waits for an event to be opened.
 */
#ifndef ASSAY_CAPTURE_STACK_GROWTH_H
#define ASSAY_CAPTURE_STACK_GROWTH_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "capture/event_fds.h"

#define STACK_GROWTH_SIZE 65528 /* bytes: the most that the kernel dumps */
#define STACK_GROWTH_MAX_THREADS 256

/* An event that was opened for one thread on one CPU. */
struct grown_event {
	int fd; /* -1: closed for a larger one, but samples of it may be on their way */
	uint32_t tid, event;
	uint64_t id;	      /* 0: forgotten */
	uint64_t original_id; /* of the event that it stands for */
	uint64_t lost;
};
struct grown_events { /* a VEC() with a name */
	struct grown_event *v;
	uint32_t nr, cap;
};

/* Who is in need. */
struct growth_wish {
	uint32_t pid, tid;
	uint32_t dumped; /* bytes that were too few; 0: not known to be, but others of the process are
			  * in need */
	uint64_t sp;	 /* where that dump began; 0: unknown */
};

/* A thread, or a process, and how much is dumped there. */
struct grown_size {
	uint32_t id, size;
};
struct grown_sizes { /* another */
	struct grown_size *v;
	uint32_t nr, cap;
};

struct stack_growth {
	struct event_fds *fds;
	int wake_fd; /* told when there is something to run; -1: none */
	bool is_possible;

	pthread_mutex_t lock; /* of these; never held while an event is opened or closed */
	VEC(struct growth_wish) wished;
	uint32_t nr_taken;  /* of them */
	VEC(uint32_t) gone; /* tids */
	struct grown_events events;
	struct hindex index;   /* events by id */
	uint32_t nr_forgotten; /* of them */
	uint64_t eager_until_ns;

	pthread_mutex_t fds_lock; /* of the rest, and of every fd; taken before the other */
	struct grown_events closed;	  /* their losses, added up by original_id */
	struct grown_sizes threads, processes;
	uint32_t nr_threads; /* that got larger dumps */
	uint32_t max_size;   /* the largest of those */
	uint32_t nr_refused; /* that needed them and did not */
	int refusal;	     /* why: a negative errno; -E2BIG: too many threads */
	bool is_enabled;
};

void stack_growth_init(struct stack_growth *g, struct event_fds *fds, int wake_fd, bool enabled);
void stack_growth_fini(struct stack_growth *g);

/* Are larger dumps possible for this event? Not where every occurrence makes a sample, whose number
 * must stay what it is; nor in groups, which are opened as a whole. */
bool stack_growth_is_possible(const struct event_spec *spec);

/* The stage's: this thread's stacks are larger than its dumps, or may be; it has ended. */
void stack_growth_want(struct stack_growth *g, const struct growth_wish *w);
void stack_growth_gone(struct stack_growth *g, uint32_t tid);
/* There are new tasks, which may soon be in need. */
void stack_growth_stir(struct stack_growth *g);
/* Whose id is that? False: nobody's. */
bool stack_growth_find(struct stack_growth *g, uint64_t id, struct grown_event *e);

/* The drain's: does what was asked for, for some milliseconds at most; wakes for the rest. */
void stack_growth_run(struct stack_growth *g);
/* Should rounds be short, because somebody may be in need? At the beginning, when tasks are new, and
 * where it has happened. */
bool stack_growth_is_eager(struct stack_growth *g);

/* As event_fds_enable(). */
void stack_growth_enable(struct stack_growth *g, bool enable);
/* Samples that these events lost, in the name of those they stand for: adds to the `count.lost` of
 * those, after event_fds_read(). */
void stack_growth_add_lost(struct stack_growth *g);

/* stack_growth_size.c */
/* How much to dump for who wishes it: by how far the stack goes on. */
uint32_t stack_growth_choose_size(const struct growth_wish *w);
struct grown_size *grown_sizes_find(const struct grown_sizes *s, uint32_t id);
void grown_sizes_set(struct grown_sizes *s, uint32_t id, uint32_t size);
void grown_sizes_forget(struct grown_sizes *s, uint32_t id);

#endif
