/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sums of system calls, kept in the kernel while a command or running tasks are traced: nothing is copied per call.
 */
#ifndef ASSAY_CAPTURE_SYSCALL_COUNTING_H
#define ASSAY_CAPTURE_SYSCALL_COUNTING_H

#include "capture/capture.h"
#include "capture/syscall_feed.h"
#include "model/syscall_sums.h"

struct syscall_counting {
	bool has_histograms;
	bool counts_cpu;       /* times on a CPU, not from beginning to end */
	uint64_t nr_uncounted; /* calls and tasks that there was no room for; set */
};

/* Runs until the target ends or a signal comes; fills `sums`. Returns what capture_run() does. */
int syscall_counting_run(struct capture_options *o, struct syscall_counting *c, struct syscall_sums *sums, struct errbuf *eb);

#endif
