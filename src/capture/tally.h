/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What went from the rings into the file: samples, losses, throttling, the time of the first and the last sample.
 */
#ifndef ASSAY_CAPTURE_TALLY_H
#define ASSAY_CAPTURE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/sample.h"
#include "base/hash.h"
#include "base/vec.h"
#include "capture/jvm_maps.h"
#include "capture/mapped_files.h"
#include "kernel/ring.h"
#include "kernel/tasks.h"

/* The processes that records have introduced and that have not ended since: when a recording begins a new file, that file must introduce
 * them. Parents die and leave orphans, so /proc does not list them. */
struct live_process {
	pid_t pid;
	uint32_t nr_threads; /* known ones; 0: ended */
};

/* A zeroed struct is an empty set. */
struct live_tasks {
	VEC(struct live_process) processes;
	struct hindex index;
};

/* A FORK: a new thread of `pid`, which may be its first. */
void live_tasks_fork(struct live_tasks *l, pid_t pid);
/* A COMM: it is there, whatever was missed. */
void live_tasks_see(struct live_tasks *l, pid_t pid);
/* An EXIT. A record that was lost must not end a process that lives: only its main thread ends it, and only where no other is known. */
void live_tasks_exit(struct live_tasks *l, pid_t pid, pid_t tid);
/* Appends those that live. Some may have ended: records get lost. */
void live_tasks_list(const struct live_tasks *l, struct task_ids *pids);
void live_tasks_fini(struct live_tasks *l);

struct tally {
	struct sample_layout layout;   /* of the event that tracks maps */
	int time_word;		       /* of the time in a sample; -1: samples have none */
	struct mapped_files *files;    /* where maps are noted; NULL: nowhere. Borrowed */
	struct jvm_maps *jvms;	       /* where Java processes are noted, beside `files`; NULL: nowhere. Borrowed */
	bool want_tasks;	       /* set by the owner: keep `tasks` up to date */
	uint32_t chain_off, max_chain; /* of a chain's length in a sample's body; 0: not watched */
	uint64_t nr_full_chains;       /* with all the addresses that the kernel allows */
	uint64_t nr_samples;
	uint64_t nr_kernel_samples; /* of those: in the kernel's code */
	uint64_t nr_lost_records;   /* of any kind, from LOST records */
	uint64_t nr_throttled;
	uint64_t nr_damaged;	    /* spans with a header that cannot be */
	uint64_t first_ns, last_ns; /* of samples; 0: none */
	struct live_tasks tasks;
	uint8_t *wrapped; /* a record in one piece, where the ring's end cut it */
};

void tally_init(struct tally *t, const struct attr *tracking, struct mapped_files *files);
/* Counts the call chains that have `max` addresses (or more) beside their marks. Their length stands at `off` of each sample's body. */
void tally_watch_chains(struct tally *t, int off, uint32_t max);
void tally_fini(struct tally *t);
void tally_span(struct tally *t, const struct ring_span *s);
static inline void tally_records(struct tally *t, const void *records, size_t size)
{
	struct ring_span s = ring_span_of(records, size);

	tally_span(t, &s);
}

#endif
