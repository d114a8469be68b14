/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The target of a live command: the tasks and CPUs that -a, -C, -p, -t, -u and a command stand for.
 */
#ifndef ASSAY_CAPTURE_TARGET_H
#define ASSAY_CAPTURE_TARGET_H

#include <sys/types.h>

#include "base/errbuf.h"
#include "capture/capture.h"
#include "kernel/cpus.h"
#include "kernel/proc_scan.h"
#include "kernel/tasks.h"

enum target_kind {
	TARGET_WORKLOAD, /* the command and what it starts */
	TARGET_TASKS,	 /* threads that run already */
	TARGET_CPUS,	 /* whatever runs on these CPUs */
};

/* A zeroed struct is an empty target. */
struct target {
	enum target_kind kind;
	struct cpu_list cpus;	 /* one ring each */
	bool any_cpu;		 /* count tasks wherever they run, not on each of the CPUs */
	struct task_ids tasks;	 /* threads to open events on; for TARGET_CPUS the one entry -1 */
	struct task_ids scanned; /* what to read from /proc: processes or, with by_thread, threads */
	bool by_thread;		 /* -t */
};

/* Looks the target up. `workload_pid`: the command's process, waiting to be started; 0 where there is none. Tasks that vanish meanwhile are
 * left out; an error where one that was named is not there or none is left. */
int target_init(struct target *t, const struct capture_options *o, pid_t workload_pid, struct errbuf *eb);
void target_fini(struct target *t);
/* Whatever runs on any CPU. */
void target_init_cpus(struct target *t);

/* What the options mean, before anything is looked up. */
enum target_kind target_kind_of(const struct capture_options *o);

/* Gives what runs already to the scan's sink. `at_start`: before the command was started, when there is nothing of it to give; later
 * (a new output file) it is read too, with its descendants and with the processes in `live` (NULL: none), which the recording has seen
 * begin. */
int target_scan(const struct target *t, struct proc_scan *scan, bool at_start, const struct task_ids *live);

#endif
