/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Time order of records from several rings.
 *
 * Guarantee: records come out by time, those of equal time in the order they came in, as long as no record is older than the newest record of
 * the round before the last FINISHED_ROUND, which a recorder that empties all rings in each round ensures. A record that is older still comes
 * out, late, and is counted. Without rounds everything waits for the end, unless more than `max_held_bytes` would wait: then the older half
 * comes out. A record without a time is not queued: it comes out where it stands.
 */
#ifndef ASSAY_SESSION_ORDER_H
#define ASSAY_SESSION_ORDER_H

#include <stdint.h>

#include "base/vec.h"
#include "perfdata/record_source.h"

/* Half a cache line: entries are copied three times. */
struct order_entry {
	uint64_t time_ns;
	struct record_header *header;
	struct record_block *block;
	uint64_t
		place; /* order_entry_event() and order_entry_at(). Two fields of bits would be stored one after the other, and a word that was stored
			 * in parts waits for the cache when it is read as a whole. */
};
_Static_assert(sizeof(struct order_entry) == 32, "it fills words");

#define ORDER_EVENT_BITS 20
#define ORDER_EVENT_MAX ((1 << (ORDER_EVENT_BITS - 1)) - 1)

/* -1: none */
static inline int32_t order_entry_event(const struct order_entry *e)
{
	return (int32_t)((uint32_t)e->place << (32 - ORDER_EVENT_BITS)) >> (32 - ORDER_EVENT_BITS);
}

/* As source_record.at. No file is too large for it. */
static inline uint64_t order_entry_at(const struct order_entry *e)
{
	return e->place >> ORDER_EVENT_BITS;
}

static inline struct order_entry order_entry_of(uint64_t time_ns, const struct source_record *rec, int32_t event)
{
	return (struct order_entry){
		.time_ns = time_ns,
		.header = rec->header,
		.block = rec->block,
		.place = rec->at << ORDER_EVENT_BITS | ((uint32_t)event & ((1u << ORDER_EVENT_BITS) - 1)),
	};
}

struct order {
	VEC(struct order_entry) queue;	 /* [next, ready_end) is ready, [next, nr) is held */
	VEC(struct order_entry) scratch; /* for merging */
	VEC(uint32_t) runs;		 /* where sorted parts of the queue begin; none: all of it is one */
	VEC(uint32_t) ready_runs;	 /* the same of what becomes ready */
	uint32_t next;
	uint32_t ready_end;
	uint64_t last_ns;    /* of the entry that was added last; 0: the queue is empty */
	uint64_t newest_ns;  /* of all that came in */
	uint64_t horizon_ns; /* newest of the round before */
	uint64_t delivered_ns;
	uint64_t nr_late;
	uint64_t max_held_bytes; /* of records that wait, with their entries; 0: no limit */
	uint64_t held_bytes;	 /* counted where there is a limit */
};

/* How far ahead records are fetched into the cache: they were read a round ago. */
#define ORDER_PREFETCHED 6

void order_fini(struct order *o);
/* For order_add(): the entry at this place is older than the one before it. */
void order_begin_run(struct order *o, uint32_t at);
/* For order_add(): what is held exceeds the limit; the older half becomes ready. */
void order_release_half(struct order *o);

/* Bytes of a record that waits, with its entry in two arrays. */
static inline uint64_t order_held_size(const struct order_entry *e)
{
	return e->header->size + 2 * sizeof(*e);
}

/* Queues a record and holds its block; some may be ready after it. */
static inline void order_add(struct order *o, uint64_t time_ns, const struct source_record *rec, int32_t event)
{
	struct order_entry *e = vec_add(&o->queue);

	if (time_ns < o->last_ns)
		order_begin_run(o, o->queue.nr - 1);
	o->last_ns = time_ns;
	if (time_ns > o->newest_ns)
		o->newest_ns = time_ns;
	if (time_ns < o->delivered_ns)
		o->nr_late++;
	record_hold(rec->block);
	*e = order_entry_of(time_ns, rec, event);
	if (!o->max_held_bytes)
		return;
	o->held_bytes += order_held_size(e);
	if (o->held_bytes > o->max_held_bytes)
		order_release_half(o);
}

/* A round is over: what is older than the round before is ready. */
void order_round(struct order *o);
/* The stream is over: everything is ready. */
void order_finish(struct order *o);
/* What is queued is not wanted any more. */
void order_drop(struct order *o);

/* The next ready record, or NULL. The caller releases its block when done; valid until the next order_add(). */
static inline struct order_entry *order_next(struct order *o)
{
	struct order_entry *e;

	if (o->next >= o->ready_end)
		return NULL;
	e = &o->queue.v[o->next++];
	if (o->ready_end - o->next > ORDER_PREFETCHED) {
		uintptr_t ahead = (uintptr_t)e[ORDER_PREFETCHED].header;

		__builtin_prefetch((const void *)ahead);
		__builtin_prefetch((const void *)(ahead + 64));
	}
	if (o->max_held_bytes)
		o->held_bytes -= order_held_size(e);
	o->delivered_ns = e->time_ns;
	return e;
}

#endif
