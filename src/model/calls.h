/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct calls: what `assay latency` measures, each with its begin, end, thread and the stack it began with. Calls of a function come from two
 * probes, at its entry and where it returns, which both fetch the stack pointer; anything else is a pair of events (model/latency.h).
 *
 * A call is open on a stack of its thread. One that did not return (longjmp, an exception, the end of the thread, recursion deeper than
 * the kernel follows returns) is recognised by the stack pointers of those that come later, and counted. Calls inside of others of the
 * same thread are recursion: counted, and measured only where that is asked for.
 */
#ifndef ASSAY_MODEL_CALLS_H
#define ASSAY_MODEL_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/latency.h"
#include "model/profile.h"
#include "model/timeline.h"

/* The system of the probes' events: "latency:FUNC" at its entry, and "latency:FUNC__exit_N" at instructions that it returns by or, where these are not
 * known, "latency:FUNC__return", behind the return. All fetch the stack pointer as an argument. */
#define CALLS_SYSTEM "latency"
#define CALLS_RETURN "__return"
#define CALLS_EXIT "__exit_"
#define CALLS_SP "sp"

struct call {
	uint64_t begin_ns, end_ns;
	uint32_t thread; /* track of the time line */
	uint32_t stack;	 /* at its begin */
	bool is_moved;	 /* it ended in another thread: what it did in between is not that of one */
};

struct call_open {
	uint64_t begin_ns, sp;
	uint32_t stack;
};

struct call_stack {		    /* of a thread */
	VEC(struct call_open) open; /* the innermost last */
};

struct call_begin { /* of a pair, until it ends: its tag */
	uint32_t thread, stack;
};

enum call_side { CALL_NOT_KNOWN, CALL_NONE, CALL_ENTRY, CALL_EXIT, CALL_RETURN };

struct call_event {
	enum call_side side;
	const struct trace_field *sp;
};

struct calls {
	struct profile *profile; /* borrowed, as are the next two */
	struct timeline *timeline;
	const struct recording *recording;
	bool is_pairs;	      /* else a function */
	bool measures_nested; /* set by the caller */
	struct latency pairs;
	VEC(struct call_begin) begins;
	VEC(struct call_event) events;	/* by event of the recording */
	VEC(struct call_stack) threads; /* by track */
	VEC(struct call) v;		/* in the order of their ends; after calls_finish() the longest first */
	uint64_t first_ns, last_ns;
	uint64_t nr_begun;
	uint64_t nr_nested; /* that began inside of another one */
	uint64_t nr_left;   /* that were left without a return */
	uint64_t nr_ended;  /* whose thread ended, or executed another program, inside */
	uint64_t nr_open;   /* that had not returned at the end */
	uint64_t nr_alone;  /* returns and ends whose begin is not there */
	uint64_t longest_open_ns;
	uint64_t nr_malformed;
};

/* `from` NULL: probes of a function; else pairs, by `key` as latency_init() takes it. calls_fini() in any case. */
int calls_init(struct calls *c, struct profile *p, struct timeline *t, const struct recording *r, struct event_patterns *from,
	       struct event_patterns *to, const char *key, struct errbuf *eb);
void calls_fini(struct calls *c);
/* Any record, in the order of time. */
int calls_take(struct calls *c, const struct session_record *sr, struct errbuf *eb);
/* What that does with a probe of a function: `side` is CALL_ENTRY, CALL_EXIT or CALL_RETURN. */
void calls_take_probe(struct calls *c, const struct session_record *sr, enum call_side side, uint64_t sp);
/* All were taken: sorts. */
int calls_finish(struct calls *c, struct errbuf *eb);

/* "work" of a recording of a function; NULL: it has none. */
const char *calls_function_of(const struct recording *r);

/* Places of the profile, innermost first. */
struct call_frames {
	VEC(uint32_t) v;
};

/* A stack from inside of a call. While a call lasts, its return address is the kernel's, and walks end there or go on at the wrong place: its
 * own callers follow instead. */
void call_frames_add(struct call_frames *f, const struct calls *c, const struct call *call, uint32_t stack);

static inline uint64_t call_took_ns(const struct call *c)
{
	return c->end_ns - c->begin_ns;
}
/* The value that so many of a thousand calls do not exceed (nearest rank); 0 of none. Of finished ones. */
uint64_t calls_permille(const struct calls *c, uint32_t permille);
/* How many took longer. */
uint32_t calls_nr_slower(const struct calls *c, uint64_t ns);

#endif
