/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How long calls of a function of the kernel take, or what lies between two tracepoints, counted in the kernel by a BPF program while a command or
 * running tasks are watched: nothing is copied per call.
 */
#ifndef ASSAY_CAPTURE_LATENCY_COUNTING_H
#define ASSAY_CAPTURE_LATENCY_COUNTING_H

#include "capture/capture.h"
#include "model/latency_hist.h"

struct latency_counting {
	const char *function;  /* or, NULL, these */
	const char *from, *to; /* "sched:sched_waking" */
	const char *key;       /* as --key of heatmap; NULL: the thread */
	bool follows_forks;
	uint64_t delay_ms;
	bool is_unavailable; /* set: there is no BPF for it here, and nothing was started */
};

/* Runs until the target ends or a signal comes; adds to `h`. Returns what capture_run() does. */
int latency_counting_run(struct capture_options *o, struct latency_counting *c, struct latency_hist *h, struct errbuf *eb);

#endif
