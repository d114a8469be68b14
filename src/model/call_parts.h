/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the time of calls went: what their thread did between begin and end. Waits are those of struct wall; what it did while it ran comes
 * from notes: samples of a clock, interrupts, page faults that had to read from a disk.
 *
 * Parts of a call add up to its time. User and kernel time are shares of its samples: where it has none, it is `running`.
 */
#ifndef ASSAY_MODEL_CALL_PARTS_H
#define ASSAY_MODEL_CALL_PARTS_H

#include "model/calls.h"
#include "model/wall_records.h"

/* Behind the classes of struct wall; WALL_FAULT has what was sampled inside of page faults, too. */
#define CALL_INTERRUPTS WALL_NR_CLASSES
#define CALL_NR_PARTS (WALL_NR_CLASSES + 1)

#define CALL_MAX_OTHERS 3

enum call_note_kind { CALL_NOTE_USER, CALL_NOTE_KERNEL, CALL_NOTE_INTERRUPT, CALL_NOTE_FAULT };

struct call_note {
	uint64_t time_ns;
	uint64_t ns;	 /* CALL_NOTE_INTERRUPT: how long */
	uint32_t thread; /* track */
	uint32_t what;	 /* a stack (samples), an event of the recording (interrupts), or a file (DSO) */
	uint8_t kind;	 /* enum call_note_kind */
};

struct call_interrupt { /* of a thread, at hand */
	uint32_t depth;
	int32_t event;
	uint64_t since_ns;
};

struct call_notes {
	struct wall_records *records; /* borrowed */
	struct profile *profile;
	VEC(struct call_note) v; /* after call_notes_finish() by thread and time */
	VEC(uint32_t) first;	 /* by thread, and one behind */
	VEC(struct call_interrupt) interrupts;
	VEC(uint8_t) sides;		 /* by event: 0 not looked at yet */
	bool has_interrupts, has_faults; /* the recording can say so */
};

void call_notes_init(struct call_notes *n, struct wall_records *r, struct profile *p);
void call_notes_fini(struct call_notes *n);
/* Any record, in the order of time. */
void call_notes_take(struct call_notes *n, const struct session_record *sr);
void call_notes_finish(struct call_notes *n);
/* Another thread, and how long it was the reason. */
struct call_other {
	uint32_t thread;
	uint64_t ns;
};

struct call_parts {
	uint64_t ns[CALL_NR_PARTS];
	uint64_t preempted_ns;		      /* of WALL_RUNNABLE: the rest is after wakes */
	uint64_t running_ns, waited_fault_ns; /* before running time is divided; the latter is the rest of WALL_FAULT */
	uint32_t samples[3];		      /* by which it is: user, kernel, kernel in a page fault */
	uint32_t nr_preempted, nr_waits, nr_faults, nr_interrupts, nr_samples;
	struct call_other takers[CALL_MAX_OTHERS]; /* who got its CPU, the longest first; thread WALL_NONE: no more */
	struct call_other wakers[CALL_MAX_OTHERS]; /* who ended its waits */
	uint32_t longest_wait;			   /* of struct wall; WALL_NONE: none */
	uint32_t top_stack;			   /* the one of most samples; STACK_NONE: none */
	uint32_t top_stack_nr;
	uint32_t fault_file; /* DSO of the first page fault that is a note; UINT32_MAX: none */
	uint32_t interrupt;  /* event of the longest; UINT32_MAX: none */
};

/* Of a finished wall and finished notes. False: it ended in another thread, and cannot be divided. */
bool call_parts_find(struct call_parts *p, const struct call *c, const struct wall *w, const struct call_notes *n);
/* Adds the figures of many calls, whose running time is divided by the samples of all, in call_parts_divide(). */
void call_parts_add(struct call_parts *sum, const struct call_parts *p);
void call_parts_divide(struct call_parts *p);
/* The part with the most time. */
uint32_t call_parts_top(const struct call_parts *p);
/* "user" … "interrupts". */
const char *call_part_name(uint32_t part);

#endif
