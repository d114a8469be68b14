/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The drain: a thread that empties the rings into the file.
 *
 * A full ring loses records, so the drain does little between a ring and the file: spans go from the ring's memory into write(2) without a
 * copy, one FINISHED_ROUND after each round over all rings. It wakes when a ring is half full, and five times a second; as often it brings
 * the file's header up to date, so that a recorder that is killed leaves a readable file. Losses are known exactly, from LOST records and
 * from the kernel's count per event. Where the file cannot grow, recording stops and the workload goes on.
 *
 * With an unwinding stage, spans are copied to it, and what comes back is written; the tally counts what is written. The drain waits for
 * the stage at the end, and where stacks that wait on disk take the room of the file. Memory: docs/architecture.md, "Stacks and names".
 */
#ifndef ASSAY_CAPTURE_DRAIN_H
#define ASSAY_CAPTURE_DRAIN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "capture/event_fds.h"
#include "capture/record_feed.h"
#include "capture/stack_growth.h"
#include "capture/tally.h"
#include "capture/unwind_stage.h"
#include "perfdata/writer.h"

/* Bits of drain.reports. */
enum drain_report {
	DRAIN_FAILED = 1, /* drain.err says why; it has stopped */
	DRAIN_FULL = 2,	  /* max_bytes reached; it has stopped */
	DRAIN_ENDED = 8,  /* whatever the reason was: drain_stop() will not wait */
	DRAIN_GONE = 4,	  /* every task of the target has ended; it goes on until drain_ask_stop() */
};

struct drain {
	/* set by the owner before the start */
	struct event_fds *fds;
	struct writer *writer; /* the rotation may exchange it */
	struct tally *tally;
	struct record_feed *feed;    /* the first of them; NULL: none */
	struct record_pipe *reader;  /* in this process, who may have seen enough; NULL: none */
	struct unwind_stage *stage;  /* NULL: spans go into the file as they are */
	struct stack_growth *growth; /* with a stage */
	struct tally *input_tally;   /* with a stage: of what goes into it; NULL: not wanted */
	uint64_t max_bytes;	     /* of a file; 0: no limit */
	uint64_t switch_bytes;	     /* begin a new file at this size, its opening records not counted; 0:
				* never */
	uint64_t opening_bytes;	     /* of the present file */
	int rt_priority;	     /* SCHED_FIFO; 0: none */
	/* Begins a new file; runs in the drain thread. Non-zero: the drain fails with it. */
	int (*rotate)(void *ctx);
	/* With a stage: a new file will begin with what comes from now on. */
	int (*prepare)(void *ctx);
	void *ctx;

	int wake_fd;   /* to the drain: look at your orders */
	int report_fd; /* from the drain: readable when there is something in `reports` */
	atomic_uint reports;
	int err; /* valid once DRAIN_FAILED is seen, or after drain_stop() */
	uint64_t nr_wakeups;
	uint64_t nr_written;	     /* samples that the writer holds nothing back of */
	struct unwind_counts counts; /* with a stage: of what was written */

	/* its own */
	pthread_t thread;
	bool is_running;
	atomic_bool stop_wanted, switch_wanted, abandon_wanted;
	struct pollfd *polls; /* one for each ring, then the feeds, then wake_fd */
	uint32_t nr_polls;
	bool is_blind;		/* a ring has no fd in `polls` */
	uint64_t asked_ns;	/* when the tasks were last checked */
	uint64_t round_ns;	/* when the rings were last emptied */
	bool is_switching;	/* the mark of a new file is in the stage */
	bool has_skipped;	/* a ring was left as it is: the round is not over */
	uint64_t nr_abandoned;	/* samples that were still in the stage when it failed or was stopped */
	bool is_dirty;		/* written since the last sync */
	bool has_awaited_round; /* the last round had records: readers wait for the end of another one */
	uint64_t synced_ns;
};

/* A drain that is not running yet: drain_relieve() works. */
int drain_init(struct drain *d, struct event_fds *fds, struct tally *tally, struct errbuf *eb);
int drain_start(struct drain *d, struct errbuf *eb);
/* What it has reported so far. */
unsigned drain_take_reports(struct drain *d);
/* Asks for a new file. */
void drain_switch(struct drain *d);
/* Asks it to empty the rings for the last time and to end. Disable the events first. */
void drain_ask_stop(struct drain *d);
/* Asks it not to wait for the stage any more: what is not unwound is left out (nr_abandoned). */
void drain_abandon(struct drain *d);
/* drain_ask_stop(), and waits for it. */
void drain_stop(struct drain *d);
/* Counts what is left in the rings and in the stage after a failure, and throws it away. Not while it runs. */
void drain_forget(struct drain *d);
void drain_fini(struct drain *d);

/* Empties rings that are more than half full, without ending a round: for the time before the thread runs or while it does something else.
 * Not while it runs. */
int drain_relieve(struct drain *d);
/* One round over all rings. *any: there was something. */
int drain_round(struct drain *d, bool *any);

#endif
