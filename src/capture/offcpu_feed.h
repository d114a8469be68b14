/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * record --off-cpu: times that tasks were off their CPU, as samples of the event "offcpu-time" beside those of the rings.
 */
#ifndef ASSAY_CAPTURE_OFFCPU_FEED_H
#define ASSAY_CAPTURE_OFFCPU_FEED_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/errbuf.h"
#include "bpf/offcpu.h"
#include "capture/capture.h"
#include "capture/offcpu_merge.h"
#include "capture/offcpu_waits.h"
#include "capture/record_feed.h"
#include "capture/target.h"
#include "capture/wall_waiting.h"
#include "perfdata/info.h"

/* A zeroed struct is closed. */
struct offcpu_feed {
	struct record_feed feed; /* the first */
	struct bpf_offcpu *bpf;	 /* NULL: not open */
	struct offcpu_waits waits;
	bool explains_waits; /* samples are those of wall_samples.h */
	/* Where waits are explained: threads that run already. */
	const struct target *target; /* borrowed; NULL: a command, which begins later */
	struct wall_waiting waiting; /* of which `nr_put` were handed out */
	uint32_t nr_put;
	bool is_end_put;
	struct offcpu_merge merge;
	uint64_t nr_dropped;		/* that were reported by records */
	_Atomic uint64_t stopped_at_ns; /* waits that are open then end then; 0: it runs */
	uint8_t *buf;
	size_t len;
};

/* Loads the program and names the tasks of the target. `workload`: a process that waits to be executed; 0: none. */
int offcpu_feed_open(struct offcpu_feed *f, const struct capture_options *o, const struct target *target, pid_t workload,
		     struct errbuf *eb);
/* Attaches it. `enabled`: it records from now on. */
int offcpu_feed_start(struct offcpu_feed *f, bool enabled, struct errbuf *eb);
void offcpu_feed_enable(struct offcpu_feed *f, bool on);
/* The fd of a program for events of whole CPUs, which keeps samples of tasks that are recorded. Only where waits are explained. */
int offcpu_feed_sample_program(const struct offcpu_feed *f);
void offcpu_feed_stop(struct offcpu_feed *f);
void offcpu_feed_close(struct offcpu_feed *f);

#endif
