/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the records of a session to the time line, for all that read one: the scheduler's tracepoints, samples of wall's program
 * (abi/wall_sample.h), records that were lost, and tasks that begin.
 */
#ifndef ASSAY_MODEL_TIMELINE_RECORDS_H
#define ASSAY_MODEL_TIMELINE_RECORDS_H

#include "model/sched_events.h"
#include "model/timeline.h"
#include "model/wall.h"

/* Reads a sample for timeline_add(), and tells the time line what the recording has. Returns what sched_events_read() does. */
int timeline_read(struct timeline *t, struct sched_events *events, const struct session_record *sr, struct sched_event *e,
		  struct errbuf *eb);
/* The same for a sample of wall's program (wall_events_is()): true where it is an event. `class`: what a task that leaves waits for, or is found to wait
 * for (*waiting; else TIMELINE_NONE); WALL_UNKNOWN: nothing, or that is not known. */
bool timeline_read_own(struct timeline *t, struct sched_events *events, const struct session_record *sr, struct sched_event *e,
		       enum wall_class *class, uint32_t *waiting);
/* The CPU of which a record says that others were lost; TIMELINE_NONE: it does not say that. */
uint32_t timeline_cpu_of_loss(const struct recording *r, const struct session_record *sr);
/* A record that is no sample. */
void timeline_take_record(struct timeline *t, const struct recording *r, const struct session_record *sr);

#endif
