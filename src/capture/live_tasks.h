/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The processes that records have told of and that have not ended since: when a recording begins a
 * new file, this is whom that file must introduce. Parents die and leave orphans, so /proc cannot
 * tell.
 */
#ifndef ASSAY_CAPTURE_LIVE_TASKS_H
#define ASSAY_CAPTURE_LIVE_TASKS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/hash.h"
#include "base/vec.h"
#include "kernel/tasks.h"

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
/* An EXIT. A record that was lost must not end a process that lives: only its main thread ends it,
 * and only where no other is known. */
void live_tasks_exit(struct live_tasks *l, pid_t pid, pid_t tid);
/* Appends those that live. Some may have ended: records get lost. */
void live_tasks_list(const struct live_tasks *l, struct task_ids *pids);
void live_tasks_fini(struct live_tasks *l);

#endif
