/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Time order for records that arrive from several rings.
 *
 * Guarantee: records come out by time, and those of equal time in the order they came in, as long as no record is older
 * than the newest record of the round before the last FINISHED_ROUND (which a recorder that empties all rings in each
 * round ensures). One that is older still comes out, late, and is counted. Without rounds everything waits for the end,
 * and the order is total, unless more than `max_held_bytes` would wait: then the older half comes out. A record without a time is not queued at all: it comes out where it stands.
 */
#ifndef ASSAY_SESSION_ORDER_H
#define ASSAY_SESSION_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "perfdata/record_source.h"

struct order_entry {
	uint64_t time_ns;
	struct source_record record;
	int32_t event;
};

struct order {
	VEC(struct order_entry) queue;	 /* [next, sorted) is ready, [next, nr) is held */
	VEC(struct order_entry) scratch; /* for merging */
	VEC(uint32_t) runs;
	uint32_t next;
	uint32_t ready_end;
	uint64_t newest_ns;  /* of all that came in */
	uint64_t horizon_ns; /* newest of the round before */
	uint64_t delivered_ns;
	uint64_t nr_late;
	uint64_t max_held_bytes; /* of records that wait, with their entries; 0: no limit */
	uint64_t held_bytes;	 /* counted where there is a limit */
	bool sorted;		 /* the queue is in order */
};

void order_fini(struct order *o);
/* Queues a record and holds its block; some may be ready after it. */
void order_add(struct order *o, uint64_t time_ns, const struct source_record *rec, int32_t event);
/* A round is over: what is older than the round before is ready. */
void order_round(struct order *o);
/* The stream is over: everything is ready. */
void order_finish(struct order *o);
/* What is queued is not wanted any more. */
void order_drop(struct order *o);
/* The next ready record, or NULL. The caller releases its block when done; valid until the next order_add(). */
struct order_entry *order_next(struct order *o);

#endif
