/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The scheduler's events, or those of wall's program, among other records, as spans: what commands need that read a recording for something else and show states of tasks beside it.
 */
#ifndef ASSAY_MODEL_TASK_SPANS_H
#define ASSAY_MODEL_TASK_SPANS_H

#include "model/sched_events.h"
#include "model/span_store.h"
#include "model/timeline.h"

struct task_spans {
	struct sched_events events;
	struct timeline timeline;
	struct span_store store;
	bool is_own; /* the events are those of wall's program */
};

void task_spans_init(struct task_spans *s, const struct recording *r, struct machine *m);
void task_spans_fini(struct task_spans *s);
/* Any record, in the order of time. */
void task_spans_take(struct task_spans *s, const struct session_record *sr);
/* Ends what is open. False: there were no switches. */
bool task_spans_finish(struct task_spans *s);

/* Who woke a task is the one in which the event happened; in an interrupt that is the task that was interrupted. */
void task_spans_note_wake(struct span_store *store, struct timeline *t, const struct session_record *sr, const struct sched_event *e,
			  const struct timeline_step *step);

#endif
