/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Samples of abi/wall_sample.h as events of the scheduler, which they stand for: a task that leaves its CPU is a switch to the idle task, one
 * that comes back a switch from it. Beside that, what the task waits for.
 */
#ifndef ASSAY_MODEL_WALL_EVENTS_H
#define ASSAY_MODEL_WALL_EVENTS_H

#include <stdbool.h>

#include "model/sched_events.h"
#include "model/wall.h"

/* Whether an event of the recording has such samples. */
bool wall_events_is(const struct recording *r, int32_t event);
/* False: the sample does not hold what its format promises. `class`: WALL_UNKNOWN where it is no wait. */
bool wall_events_read(const struct recording *r, const struct session_record *sr, struct sched_event *e, enum wall_class *class);
/* It speaks of no task: recording of threads that ran already begins or ends. */
bool wall_events_is_limit(const struct recording *r, const struct session_record *sr);
/* True: the sample's task was found blocked in the state of this letter, if nothing else is known of it since recording began. */
bool wall_events_read_waiting(const struct recording *r, const struct session_record *sr, char *letter, enum wall_class *class);
/* True: it says that the sample's task took the CPU of another one, which could run on: *tid. */
bool wall_events_read_taker(const struct recording *r, const struct session_record *sr, int32_t *tid);

#endif
