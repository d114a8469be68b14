/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From records to the time line and struct wall: what `wall` and `latency` read their recordings with. Takes the scheduler's tracepoints, the
 * samples of abi/wall_sample.h, samples of clocks, forks and losses; everything else is left alone.
 */
#ifndef ASSAY_MODEL_WALL_RECORDS_H
#define ASSAY_MODEL_WALL_RECORDS_H

#include "model/sched_events.h"
#include "model/span_store.h"
#include "model/timeline.h"
#include "model/wall.h"

struct wall_records {
	const struct recording *recording;
	struct timeline timeline;
	struct sched_events events;
	struct wall wall;
	bool has_own;		  /* events of wall's BPF program */
	bool has_waiting;	  /* of threads it is known what they waited for when recording began */
	struct span_store *spans; /* of the time line, with wakes; NULL: none are kept. Borrowed */
};

/* All is borrowed, and must live as long. */
void wall_records_init(struct wall_records *r, const struct recording *recording, struct machine *m, struct profile *p);
void wall_records_fini(struct wall_records *r);
/* What the time line says of tasks goes into it, too: call it before the first record. */
void wall_records_keep_spans(struct wall_records *r, struct span_store *spans);
/* Any record, in the order of time. Negative: the format of an event lacks a field. */
int wall_records_take(struct wall_records *r, const struct session_record *sr, struct errbuf *eb);
/* All were taken. False: there were no switches and no waits, and nothing is known. */
bool wall_records_end(struct wall_records *r);
/* Whether an event of the recording is a clock that samples what runs. */
bool wall_records_is_clock(const struct wall_records *r, int32_t event);

#endif
