/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Chunks come in, their records are put in order of time, maps and tasks are followed, samples are
 * gathered into batches, and chunks go out when all their records are done.
 */
#include "capture/unwind_stream.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "abi/record_words.h"
#include "capture/event_rename.h"
#include "capture/unwound.h"

#define BATCH_MAX 16384

/* What a record says about itself. */
struct placing {
	int32_t event; /* -1: unknown */
	uint64_t time_ns;
	uint64_t in_file; /* the id that it gets; 0: its own */
};

static struct unwind_chunk *chunk_of(struct record_block *b)
{
	return (struct unwind_chunk *)((char *)b - offsetof(struct unwind_chunk, block));
}

static const struct unwind_event_id *find_id(const struct unwind_stream *s, uint64_t id)
{
	struct hindex_iter it = hindex_find(&s->id_index, hash_u64(id));

	for (uint32_t i; (i = hindex_next(&it)) != HINDEX_NONE;)
		if (s->ids.v[i].id == id)
			return &s->ids.v[i];
	return NULL;
}

/* Whose record is it? */
static void place_id(const struct unwind_stream *s, const struct record_header *h, struct placing *p)
{
	const struct unwind_event_id *e;
	uint64_t id = 0;

	if (!record_find_id(h, &s->events.v[0].in, &id) || (s->events.nr == 1 && !s->growth))
		return;
	e = find_id(s, id);
	p->event = e ? (int32_t)e->event : -1;
	p->in_file = e && e->in_file != id ? e->in_file : 0;
}

static struct placing place_sample(const struct unwind_stream *s, const struct record_header *h)
{
	struct placing p = { 0 };

	place_id(s, h, &p);
	/* All events agree on what is before the time, but not on the time itself. */
	record_find_time(h, &s->events.v[p.event > 0 ? p.event : 0].in, &p.time_ns);
	return p;
}

static struct placing place_other(const struct unwind_stream *s, const struct record_header *h)
{
	struct placing p = { 0 };

	place_id(s, h, &p);
	if (p.event < 0)
		p.event = 0;
	record_find_time(h, &s->events.v[p.event].in, &p.time_ns);
	if (p.time_ns == UINT64_MAX)
		p.time_ns = 0;
	return p;
}

static void leave_out(struct unwind_item *item)
{
	item->chunk->pieces.v[item->piece].size = 0;
	record_release(&item->chunk->block);
}

static void count_end(struct unwind_stream *s, struct unwind_item *item)
{
	struct unwind_counts *c = &item->chunk->counts;

	s->stats.nr_ends[item->walk.end]++;
	c->nr_ends[item->walk.end]++;
	c->nr_guessed += item->walk.guessed && item->walk.end == UNWIND_COMPLETE;
}

static void finish_items(struct unwind_stream *s)
{
	for (uint32_t i = 0; i < s->batch.items.nr; i++) {
		struct unwind_item *item = &s->batch.items.v[i];

		if (item->err) {
			s->stats.nr_malformed++;
			leave_out(item);
			continue;
		}
		if (item->has_user)
			count_end(s, item);
		if (item->has_user && s->growth)
			stack_growth_add_walk(s->growth, item->chunk->cpu, item->reach, item->dumped,
					      item->walk.end == UNWIND_TRUNCATED || item->walk.end == UNWIND_SMALL_DUMP);
		record_release(&item->chunk->block);
	}
	unwind_batch_clear(&s->batch);
}

static void run_batch(struct unwind_stream *s)
{
	if (!s->batch.items.nr)
		return;
	if (s->is_stopped && atomic_load(s->is_stopped)) {
		unwind_batch_clear(&s->batch);
		return;
	}
	unwind_batch_run(&s->batch);
	finish_items(s);
}

static void take_sample(struct unwind_stream *s, struct unwind_item *item, const struct placing *p)
{
	const struct record_header *h =
		(const void *)(item->chunk->block.data + item->chunk->pieces.v[item->piece].off);
	uint64_t task = 0;

	/* two 32-bit numbers, pid and tid */
	if (record_word(h, sample_task_word(s->events.v[0].in.sample_type), &task))
		item->tid = ((const uint32_t *)&task)[1];
	item->id = p->in_file;
	if (p->event < 0) {
		s->stats.nr_malformed++;
		leave_out(item);
		return;
	}
	item->event = &s->events.v[p->event];
	if (!item->event->unwinds) {
		record_release(&item->chunk->block);
		return;
	}
	item->task = task_table_get(&s->machine.tasks, (int32_t)(uint32_t)task, (int32_t)item->tid);
	unwind_batch_add(&s->batch, item);
	if (s->batch.items.nr == BATCH_MAX)
		run_batch(s);
}

/* Does the record change what is mapped where, or who is who? */
static bool is_effective(const struct record_header *h)
{
	switch (h->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
	case RECORD_FORK:
	case RECORD_EXIT:
		return true;
	case RECORD_COMM:
		return h->misc & MISC_COMM_EXEC;
	default:
		return false;
	}
}

/* Does it move maps under a sample that waits? Tasks come and go without. */
static bool moves_maps(const struct unwind_stream *s, const struct record_header *h,
		       const struct record *rec)
{
	switch (h->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		return unwind_batch_has(&s->batch, rec->mmap.pid);
	case RECORD_COMM:
		return unwind_batch_has(&s->batch, rec->comm.pid);
	default:
		return false;
	}
}

static void apply(struct unwind_stream *s, const struct record_header *h, int32_t event)
{
	struct record rec;

	if (!is_effective(h))
		return;
	if (record_decode(h, &s->events.v[event].in, &rec)) {
		s->stats.nr_malformed++;
		return;
	}
	if (moves_maps(s, h, &rec))
		run_batch(s);
	machine_apply(&s->machine, &rec);
}

static bool names_event(const struct record_header *h)
{
	return h->type == RECORD_LOST || h->type == RECORD_LOST_SAMPLES ||
	       h->type == RECORD_THROTTLE || h->type == RECORD_UNTHROTTLE;
}

/* A record's turn has come. Its block is held for it. */
static void take_record(struct unwind_stream *s, struct unwind_chunk *c, uint32_t piece,
			const struct placing *p)
{
	struct record_header *h = (void *)(c->block.data + c->pieces.v[piece].off);
	struct unwind_item item = { .chunk = c, .piece = piece };

	if (h->type == RECORD_SAMPLE) {
		take_sample(s, &item, p);
		return;
	}
	apply(s, h, p->event);
	if (names_event(h) && p->in_file)
		event_rename(&s->events.v[p->event].in, h, p->in_file);
	record_release(&c->block);
}

static void take_ready(struct unwind_stream *s)
{
	struct order_entry *e;

	while ((e = order_next(&s->order))) {
		struct unwind_chunk *c = chunk_of(e->record.block);
		uint32_t piece = (uint32_t)e->record.at;
		struct placing p = e->record.header->type == RECORD_SAMPLE
					   ? place_sample(s, e->record.header)
					   : place_other(s, e->record.header);

		take_record(s, c, piece, &p);
	}
	run_batch(s);
	s->stats.nr_late = s->order.nr_late;
	task_table_forget(&s->machine.tasks);
}

static void parse_chunk(struct unwind_stream *s, struct unwind_chunk *c)
{
	uint32_t off = 0;

	while (c->block.size - off >= sizeof(struct record_header)) {
		struct record_header *h = (void *)(c->block.data + off);
		struct source_record rec = { .header = h, .block = &c->block };
		struct placing p;

		if (h->size < sizeof(*h) || h->size % 8 || h->size > c->block.size - off) {
			s->stats.nr_damaged++;
			break;
		}
		rec.at = c->pieces.nr;
		vec_push(&c->pieces, ((struct unwind_piece){ .off = off, .size = h->size }));
		off += h->size;
		if (c->is_opening) {
			apply(s, h, 0);
			continue;
		}
		if (h->type >= RECORD_USER_FIRST)
			continue;
		p = h->type == RECORD_SAMPLE ? place_sample(s, h) : place_other(s, h);
		if (p.time_ns) {
			order_add(&s->order, p.time_ns, &rec, p.event);
			continue;
		}
		record_hold(&c->block);
		take_record(s, c, (uint32_t)rec.at, &p);
	}
}

/* Brings what is left of the records together. A tenth of the bytes, mostly: they get a place of their own, and the buffer goes to the
 * next stacks. */
static void pack_chunk(struct unwind_chunk *c)
{
	size_t size = 0, at = 0;
	uint8_t *to;

	for (uint32_t i = 0; i < c->pieces.nr; i++)
		size += c->pieces.v[i].size;
	to = size ? mem_alloc(size) : NULL;
	for (uint32_t i = 0; i < c->pieces.nr; i++) {
		const struct unwind_piece *p = &c->pieces.v[i];

		if (p->size)
			memcpy(to + at, p->larger ? p->larger : c->block.data + p->off, p->size);
		at += p->size;
	}
	unwind_chunk_set_data(c, to, size);
}

void unwind_stream_init(struct unwind_stream *s, uint32_t max_workers, struct stack_growth *growth)
{
	static const struct symbolizer_options no_options;

	memset(s, 0, sizeof(*s));
	s->growth = growth;
	machine_init(&s->machine, &no_options);
	unwind_batch_init(&s->batch, &s->machine, max_workers);
}

void unwind_stream_fini(struct unwind_stream *s)
{
	struct unwind_chunk *c;

	order_fini(&s->order);
	while ((c = unwind_chunks_take(&s->held)))
		unwind_chunk_free(c);
	unwind_batch_fini(&s->batch);
	machine_fini(&s->machine);
	vec_fini(&s->events);
	vec_fini(&s->ids);
	hindex_fini(&s->id_index);
}

void unwind_stream_add_event(struct unwind_stream *s, const struct attr *opened,
			     const struct attr *in_file)
{
	vec_push(&s->events, ((struct unwind_event){ .in = sample_layout_of(opened),
						     .out = sample_layout_of(in_file),
						     .unwinds = unwound_is_possible(opened),
						     .is_switched = s->growth && in_file->sample_stack_user > DUMP_SMALL }));
}

void unwind_stream_add_id(struct unwind_stream *s, uint64_t id, uint64_t in_file, uint32_t event)
{
	hindex_add(&s->id_index, hash_u64(id), s->ids.nr);
	vec_push(&s->ids, ((struct unwind_event_id){ id, in_file, event }));
}

const struct sample_layout *unwind_stream_find_stacks(const struct unwind_stream *s, const struct record_header *h)
{
	struct placing p = { 0 };

	if (s->events.nr > 1)
		place_id(s, h, &p);
	return p.event >= 0 && s->events.v[p.event].unwinds ? &s->events.v[p.event].in : NULL;
}

void unwind_stream_put(struct unwind_stream *s, struct unwind_chunk *c)
{
	parse_chunk(s, c);
	unwind_chunks_add(&s->held, c);
	if (c->ends_round) {
		order_round(&s->order);
		take_ready(s);
	} else {
		run_batch(s); /* of records without times */
	}
}

void unwind_stream_finish(struct unwind_stream *s)
{
	order_finish(&s->order);
	take_ready(s);
}

struct unwind_chunk *unwind_stream_next(struct unwind_stream *s)
{
	while (s->held.first && !s->held.first->block.nr_held) {
		struct unwind_chunk *c = unwind_chunks_take(&s->held);

		if (!c->is_opening) {
			pack_chunk(c);
			return c;
		}
		unwind_chunk_free(c);
	}
	return NULL;
}

uint64_t unwind_stream_count_held(const struct unwind_stream *s)
{
	uint64_t nr = 0;

	for (const struct unwind_chunk *c = s->held.first; c; c = c->next) {
		for (uint32_t i = 0; i < c->pieces.nr && !c->is_opening; i++) {
			const struct record_header *h =
				(const void *)(c->block.data + c->pieces.v[i].off);

			nr += c->pieces.v[i].size && h->type == RECORD_SAMPLE;
		}
	}
	return nr;
}
