/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct span_store: what tasks and CPUs did, to be drawn or exported: tracks of spans with a state, in the order of time. Between two spans of a
 * track that do not meet, nothing is known; nor is it before its first and behind its last.
 *
 * Memory is bounded by a number of spans. Where there are more, neighbours of a track that lie in one cell of time become one span that has the time
 * in each state ("mixed"), and cells grow until it fits: what is longer than a cell stays as it was. Sums over any part of a track are exact in both
 * cases as long as the part begins and ends between spans, and else as exact as a cell.
 *
 * Fed by model/timeline.h (span_store_watch()) and by readers of other events. It knows no events and no pixels.
 */
#ifndef ASSAY_MODEL_SPAN_STORE_H
#define ASSAY_MODEL_SPAN_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/timeline.h"

#define SPAN_DEFAULT_LIMIT (1u << 21)
#define SPAN_NO_TRACK UINT32_MAX

/* The first are those of enum timeline_state, by number. */
enum span_state {
	SPAN_UNKNOWN = TIMELINE_UNKNOWN,
	SPAN_RUNNING = TIMELINE_RUNNING, /* value: of a task the CPU, of a CPU the task, as track of the time line */
	SPAN_WOKEN = TIMELINE_WOKEN,	 /* value: one more than the track of who woke it; 0: not known */
	SPAN_PREEMPTED = TIMELINE_PREEMPTED,
	SPAN_SLEEPS = TIMELINE_SLEEPS,
	SPAN_WAITS = TIMELINE_WAITS,
	SPAN_IDLES = TIMELINE_IDLES,
	SPAN_STOPPED = TIMELINE_STOPPED,
	SPAN_PARKED = TIMELINE_PARKED,
	SPAN_CPU_IDLE = TIMELINE_ENDED, /* of a CPU: no task ran */
	SPAN_POWER_STATE,		/* value: the number of the C-state */
	SPAN_FREQUENCY,			/* value: kHz */
	SPAN_READ,			/* these and the next: system calls. value: bytes that were moved */
	SPAN_WRITE,
	SPAN_SYNC,
	SPAN_TRANSMIT,
	SPAN_RECEIVE,
	SPAN_POLL,
	SPAN_ON_DISK, /* these and the next: what a task was blocked on (model/wall.h) */
	SPAN_ON_FUTEX,
	SPAN_ON_NETWORK,
	SPAN_ON_PIPE,
	SPAN_ON_TIMER,
	SPAN_ON_FAULT,
	SPAN_ON_POLL,
	SPAN_ON_OTHER,
	SPAN_NR_STATES,
	SPAN_MIXED = SPAN_NR_STATES, /* several, by its shares */
};

enum span_kind { SPAN_OF_TASK, SPAN_OF_CPU, SPAN_OF_POWER, SPAN_OF_FREQUENCY, SPAN_OF_IO, SPAN_NR_KINDS };

struct span {
	uint64_t begin_ns, end_ns;
	uint32_t value; /* SPAN_MIXED: the first of its shares */
	uint32_t nr;	/* spans, or calls, that it stands for; 1: itself */
	uint8_t state;	/* enum span_state */
	uint8_t nr_shares;
	bool has_failed; /* of system calls: one returned an error */
};

struct span_share {
	uint64_t ns;
	uint8_t state;
};

struct span_track {
	enum span_kind kind;
	uint32_t key; /* SPAN_OF_TASK, SPAN_OF_IO: the track of the time line; else the CPU */
	VEC(struct span) spans;
	VEC(struct span_share) shares;
};

struct span_store {
	uint32_t limit;		    /* spans of all tracks */
	uint32_t nr_spans;	    /* now */
	uint64_t resolution_ns;	    /* cells; 0: nothing was merged */
	uint64_t nr_added, nr_late; /* nr_late: those that began before the end of the one before, and were left out or cut */
	uint64_t first_ns, last_ns;
	VEC(struct span_track) tracks;
	VEC(uint32_t) by_key[SPAN_NR_KINDS]; /* SPAN_NO_TRACK: none */
	VEC(uint32_t) wakers;		     /* by track of the time line: one more than who woke it last */
	VEC(uint8_t) blocked_on;	     /* by track of the time line: a state behind SPAN_ON_DISK; SPAN_UNKNOWN: its own */
	const struct timeline *timeline;     /* NULL: none is watched */
};

/* The time in each state, and how many spans: of a part of a track. What is left of the part is not known. */
struct span_sum {
	uint64_t ns[SPAN_NR_STATES];
	uint64_t nr;
};

void span_store_init(struct span_store *s, uint32_t limit);
void span_store_fini(struct span_store *s);

/* Takes all spans of a time line from here on, which outlives the store. */
void span_store_watch(struct span_store *s, struct timeline *t);
/* A track of the time line was woken by another (TIMELINE_NONE: not known). */
void span_store_wake(struct span_store *s, uint32_t track, uint32_t waker);

/* What a track of the time line is blocked on from now on: SPAN_ON_DISK …; SPAN_UNKNOWN: the scheduler's state says all. */
void span_store_block(struct span_store *s, uint32_t track, uint8_t state);

/* The track of a task, CPU …, made if there is none. */
uint32_t span_store_track(struct span_store *s, enum span_kind kind, uint32_t key);
/* SPAN_NO_TRACK where there is none. */
uint32_t span_store_find(const struct span_store *s, enum span_kind kind, uint32_t key);
/* Adds a span behind the others of its track; of one that overlaps these the rest. */
void span_store_add(struct span_store *s, uint32_t track, const struct span *span);

/* Drops the spans of tracks for which `keeps` is false. */
void span_store_keep(struct span_store *s, bool (*keeps)(void *ctx, const struct span_track *k), void *ctx);
/* Merges until there are no more than so many, or one a track. */
void span_store_reduce(struct span_store *s, uint32_t limit);

/* Adds what lies from `from_ns` to `to_ns` to the sum; of a span that is cut its share. */
void span_store_sum(const struct span_store *s, uint32_t track, uint64_t from_ns, uint64_t to_ns, struct span_sum *sum);
/* The first span of a track that ends behind this time; nr where there is none. */
uint32_t span_track_find(const struct span_track *k, uint64_t time_ns);
/* Adds the part of one span that lies between two times. */
void span_sum_add(struct span_sum *sum, const struct span_track *k, const struct span *span, uint64_t from_ns, uint64_t to_ns);

#endif
