/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The first half of a session: source → event and time → order. It knows no tasks and no maps, so that it can work in a thread of its own, ahead
 * of what is done with the records (intake_ahead.h).
 */
#ifndef ASSAY_SESSION_INTAKE_H
#define ASSAY_SESSION_INTAKE_H

#include <string.h>

#include "abi/sample.h"
#include "session/order.h"
#include "session/recording.h"

#define INTAKE_LAST_IDS 64 /* a power of two */

/* What is known of an event from its first sample on. */
struct intake_event {
	struct sample_places places;
	bool is_unwanted;
	bool is_python; /* what it says goes with the samples of others */
};

struct intake {
	struct intake_id { /* event ids that were met last */
		uint64_t id;
		int32_t event;
	} last_ids[INTAKE_LAST_IDS];
	struct order order;
	uint8_t apart[64]; /* what follows is read by another CPU where records are taken ahead, while the order changes with each record */
	VEC(struct intake_event) events; /* of the recording, as far as samples of them were met */
	uint64_t nr_event_ids;		 /* that there were then, with the events */
	int id_word;			 /* of samples: where the id of their event is; negative: nowhere, or there is one event */
	bool is_ended;			 /* the source is */
	bool file_order;		 /* as session_options has it, like the next */
	bool (*wants_samples)(void *ctx, int32_t event);
	void *wants_samples_ctx;
	void (*sees_bytes)(void *ctx); /* called when source->present_bytes has changed; may be NULL */
	void *sees_bytes_ctx;
	uint64_t seen_bytes;
	uint64_t waited_bytes;	      /* of records that waited for the end, with what sorting them takes; set there */
	struct record_source *source; /* borrowed */
	const struct perfdata_info *info;
	struct recording_stats *stats; /* where records are counted by type */
};

/* A zeroed struct with options, source, info and stats is ready. */
void intake_fini(struct intake *in);
/* The source is at its end: what waits comes out. */
void intake_finish(struct intake *in);
/* Nothing more is read, and nothing that waits comes out. Returns how many records that are. */
uint64_t intake_drop(struct intake *in);
/* For intake_event(): makes sure that `event` is known. */
void intake_learn_events(struct intake *in, int32_t event);
/* For intake_event_of(): there are other ids than before. */
void intake_learn_ids(struct intake *in, uint64_t nr);
/* For intake_next(): more of the recording is there than before. */
void intake_see_bytes(struct intake *in);
/* The time of a record by its layout; 0: it has none. */
uint64_t intake_find_time(const struct intake *in, const struct record_header *h, int32_t event);

/* From its first sample on it is the same. */
static inline const struct intake_event *intake_event(struct intake *in, int32_t event)
{
	if (__builtin_expect((uint32_t)event >= in->events.nr, 0))
		intake_learn_events(in, event);
	return &in->events.v[event];
}

/* The time of a sample; 0: it has none. */
static inline uint64_t intake_sample_time(const struct intake *in, const struct record_header *h, int32_t event)
{
	const struct sample_places *p = &in->events.v[event].places;
	uint64_t time_ns;

	if (!p->is_known || h->size < sizeof(*h) + p->end * 8u)
		return intake_find_time(in, h, event);
	memcpy(&time_ns, (const uint8_t *)(h + 1) + p->time * 8u, sizeof(time_ns));
	return time_ns == UINT64_MAX ? 0 : time_ns;
}

/* Ids are small numbers one after the other: a few words of memory serve most samples. */
static inline int32_t intake_event_of(struct intake *in, const struct record_header *h)
{
	uint64_t nr = (uint64_t)in->info->event_ids.nr + in->info->events.nr, id;
	struct intake_id *last;

	if (__builtin_expect(in->nr_event_ids != nr, 0))
		intake_learn_ids(in, nr);
	if (h->type != RECORD_SAMPLE || in->id_word < 0 || h->size < sizeof(*h) + 8u * ((uint32_t)in->id_word + 1))
		return perfdata_info_event_of(in->info, h);
	memcpy(&id, (const uint8_t *)(h + 1) + 8u * (uint32_t)in->id_word, sizeof(id));
	if (!id)
		return perfdata_info_event_of(in->info, h);
	last = &in->last_ids[id % INTAKE_LAST_IDS];
	if (last->id != id)
		*last = (struct intake_id){ id, perfdata_info_event_of(in->info, h) };
	return last->event;
}

static inline void intake_count(struct intake *in, const struct record_header *h)
{
	in->stats->nr_records++;
	if (h->type < RECORD_TYPE_MAX)
		in->stats->nr_by_type[h->type]++;
	else
		in->stats->nr_unknown_types++;
}

/* Takes a record from the source: queues it, or gives it at once, in `now`, where it has no time. NULL: it is queued, or not wanted. */
static inline const struct order_entry *intake_take(struct intake *in, const struct source_record *rec, struct order_entry *now)
{
	const struct record_header *h = rec->header;
	uint64_t time_ns = 0;
	int32_t event = -1;

	intake_count(in, h);
	if (h->type < RECORD_USER_FIRST) {
		event = intake_event_of(in, h);
		if (__builtin_expect(event > ORDER_EVENT_MAX, 0))
			event = -1; /* counted as a sample of an unknown event */
		if (h->type == RECORD_SAMPLE && event >= 0) {
			if (intake_event(in, event)->is_unwanted)
				return NULL;
			time_ns = intake_sample_time(in, h, event);
		} else {
			time_ns = intake_find_time(in, h, event);
		}
		if (time_ns && !in->file_order) {
			order_add(&in->order, time_ns, rec, event);
			return NULL;
		}
	} else if (h->type == RECORD_FINISHED_ROUND && !in->file_order && !in->info->dir_mode) {
		order_round(&in->order);
	}
	record_hold(rec->block);
	*now = order_entry_of(time_ns, rec, event);
	return now;
}

/* The next record that is ready, or one that need not wait; the caller releases its block. NULL: *ret is as record_source_next() returns it;
 * at the end (0) what still waits comes out after intake_finish(). */
static inline const struct order_entry *intake_next(struct intake *in, struct order_entry *now, int *ret, struct errbuf *eb)
{
	for (;;) {
		const struct order_entry *e = order_next(&in->order);
		const struct source_record *rec;

		if (e)
			return e;
		*ret = in->is_ended ? 0 : record_source_next_ref(in->source, &rec, eb);
		if (*ret <= 0)
			return NULL;
		if (__builtin_expect(in->source->present_bytes != in->seen_bytes, 0))
			intake_see_bytes(in);
		e = intake_take(in, rec, now);
		if (e)
			return e;
	}
}

#endif
