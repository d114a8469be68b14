/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What threads that run already wait for when `assay wall` begins to record them: they left their CPUs before, and no program sees that. As far
 * as /proc says it, without stopping them.
 */
#ifndef ASSAY_CAPTURE_WALL_WAITING_H
#define ASSAY_CAPTURE_WALL_WAITING_H

#include "base/vec.h"
#include "capture/wall_samples.h"
#include "kernel/tasks.h"

/* Events of the kind WALL_SAMPLE_WAITING. Their time is that at which the thread was known to wait. */
struct wall_waiting {
	VEC(struct wall_own_event) v;
};

/* To be called when the switches of the threads are recorded already: what has a switch or a wake before its event here did not wait all the
 * time. */
void wall_waiting_find(struct wall_waiting *w, const struct task_ids *tasks);

#endif
