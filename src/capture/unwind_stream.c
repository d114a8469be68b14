/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Chunks go into a source of records; the session that reads it puts the records in order of time and follows maps and tasks. Samples are
 * gathered into batches, and chunks go out when all their records are done.
 */
#include "capture/unwind_stream.h"

#include <stddef.h>
#include <string.h>

#include "abi/record.h"

#define BATCH_MAX 16384

static struct unwind_chunk *chunk_of(struct record_block *b)
{
	return (struct unwind_chunk *)((char *)b - offsetof(struct unwind_chunk, block));
}

/* The id that the file has for an event; 0: its own. */
static uint64_t id_in_file(const struct unwind_stream *s, uint64_t id)
{
	uint32_t i = HINDEX_FIND_ITEM(&s->twin_index, hash_u64(id), &s->twins, t, t->id == id);

	return i == HINDEX_NONE ? 0 : s->twins.v[i].in_file;
}

static void count_end(struct unwind_item *item)
{
	struct unwind_counts *c = &item->chunk->counts;

	c->nr_ends[item->walk.end]++;
	c->nr_cut_by_bpf += item->walk.end == UNWIND_TRUNCATED && item->chunk->cpu == UNWIND_NO_CPU;
	c->nr_guessed += item->walk.guessed && item->walk.end == UNWIND_COMPLETE;
}

static void finish_items(struct unwind_stream *s)
{
	for (uint32_t i = 0; i < s->batch.items.nr; i++) {
		struct unwind_item *item = &s->batch.items.v[i];

		if (item->err) {
			s->nr_undecoded++;
			item->chunk->pieces.v[item->piece].size = 0;
		} else if (item->has_user) {
			count_end(item);
		}
		if (!item->err && item->has_user && s->growth && item->chunk->cpu != UNWIND_NO_CPU)
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

static void take_sample(struct unwind_stream *s, const struct session_record *sr, struct unwind_item *item)
{
	item->event = &s->events.v[sr->event];
	if (!item->event->unwinds)
		return;
	item->id = s->twins.nr ? id_in_file(s, sr->rec.sample.id) : 0;
	item->task = sr->task;
	record_hold(sr->block);
	unwind_batch_add(&s->batch, item);
	if (s->batch.items.nr == BATCH_MAX)
		run_batch(s);
}

/* Samples that wait are unwound with the maps of their time. Tasks may come and go meanwhile. */
static void before_change(void *ctx, int32_t pid)
{
	struct unwind_stream *s = ctx;

	if (unwind_batch_has(&s->batch, pid))
		run_batch(s);
}

static bool names_event(const struct record_header *h)
{
	return h->type == RECORD_LOST || h->type == RECORD_LOST_SAMPLES || h->type == RECORD_THROTTLE || h->type == RECORD_UNTHROTTLE;
}

static void rename_event(struct unwind_stream *s, const struct session_record *sr)
{
	const struct sample_layout *l = &s->events.v[sr->event].in;
	uint64_t id;

	if (s->twins.nr && record_find_id(sr->header, l, &id) && (id = id_in_file(s, id)))
		unwound_rename(l, (struct record_header *)(uintptr_t)sr->header, id);
}

/* A record's turn has come, and it will be written: those that the session does not yield, as they cannot be read, are left out. */
static void take_record(struct unwind_stream *s, const struct session_record *sr)
{
	struct unwind_chunk *c = chunk_of(sr->block);
	struct unwind_item item = { .chunk = c, .piece = (uint32_t)sr->at };
	uint32_t size = sr->header->size;

	if (c->is_opening)
		return;
	while (c->pieces.nr <= item.piece)
		*vec_add(&c->pieces) = (struct unwind_piece){ 0 };
	c->pieces.v[item.piece] =
		(struct unwind_piece){ .off = (uint32_t)((const uint8_t *)sr->header - c->block.data), .size = size, .raw_size = size };
	if (sr->header->type == RECORD_SAMPLE)
		take_sample(s, sr, &item);
	else if (names_event(sr->header))
		rename_event(s, sr);
}

static void take_ready(struct unwind_stream *s)
{
	struct session_record sr;

	while (session_next_recorded(s->session, &sr, NULL) > 0)
		if (sr.block != &s->round.block)
			take_record(s, &sr);
	run_batch(s);
	task_table_forget(&s->session->machine.tasks);
}

/* Brings what is left of the records together. A tenth of the bytes, mostly: they get a place of their own, and the buffer goes to the next
 * stacks. */
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
	static const struct session_options options = { .user_only = true };

	memset(s, 0, sizeof(*s));
	s->growth = growth;
	s->round.header = (struct record_header){ RECORD_FINISHED_ROUND, 0, sizeof(s->round.header) };
	s->round.block.data = (uint8_t *)&s->round.header;
	s->round.block.size = sizeof(s->round.header);
	block_source_init(&s->source, &s->info, "the rings");
	session_open(&s->session, &s->source.source, &options, NULL); /* of what is not from a file, nothing can be wrong */
	s->session->machine.before_change = before_change;
	s->session->machine.before_change_ctx = s;
	unwind_batch_init(&s->batch, &s->session->machine, max_workers);
}

void unwind_stream_fini(struct unwind_stream *s)
{
	struct unwind_chunk *c;

	unwind_batch_fini(&s->batch);
	session_close(s->session);
	while ((c = unwind_chunks_take(&s->held)))
		unwind_chunk_free(c);
	perfdata_info_fini(&s->info);
	vec_fini(&s->events);
	vec_fini(&s->twins);
	hindex_fini(&s->twin_index);
}

void unwind_stream_add_event(struct unwind_stream *s, const struct attr *opened, const struct attr *in_file)
{
	struct sample_layout in = sample_layout_of(opened);

	vec_push(&s->info.events, ((struct perfdata_event){ .attr = *opened, .layout = in }));
	vec_push(&s->events, ((struct unwind_event){ .in = in,
						     .out = sample_layout_of(in_file),
						     .unwinds = unwound_is_possible(opened),
						     .is_switched = s->growth && in_file->sample_stack_user > DUMP_SMALL }));
}

void unwind_stream_add_id(struct unwind_stream *s, uint64_t id, uint64_t in_file, uint32_t event)
{
	perfdata_info_add_id(&s->info, id, event);
	if (in_file == id)
		return;
	hindex_add(&s->twin_index, hash_u64(id), s->twins.nr);
	vec_push(&s->twins, ((struct unwind_twin){ id, in_file }));
}

const struct sample_layout *unwind_stream_find_stacks(const struct unwind_stream *s, const struct record_header *h)
{
	int event = perfdata_info_event_of(&s->info, h);

	return event >= 0 && s->events.v[event].unwinds ? &s->events.v[event].in : NULL;
}

void unwind_stream_put(struct unwind_stream *s, struct unwind_chunk *c)
{
	unwind_chunks_add(&s->held, c);
	block_source_put(&s->source, &c->block);
	if (c->ends_round)
		block_source_put(&s->source, &s->round.block);
	take_ready(s);
}

void unwind_stream_finish(struct unwind_stream *s)
{
	block_source_end(&s->source);
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

/* Records that were taken may be shorter than they were. */
static uint64_t count_samples(const struct unwind_chunk *c)
{
	const struct record_header *h;
	uint64_t nr = 0;

	for (uint32_t off = 0, i = 0; (h = record_frame(c->block.data, c->block.size, off)); i++) {
		const struct unwind_piece *p = i < c->pieces.nr && c->pieces.v[i].raw_size ? &c->pieces.v[i] : NULL;

		nr += h->type == RECORD_SAMPLE && (!p || p->size);
		off += p ? p->raw_size : h->size;
	}
	return nr;
}

uint64_t unwind_stream_count_malformed(const struct unwind_stream *s)
{
	const struct recording_stats *st = &s->session->recording.stats;

	return s->nr_undecoded + st->nr_malformed + st->nr_unknown_ids;
}

uint64_t unwind_stream_count_held(const struct unwind_stream *s)
{
	uint64_t nr = 0;

	for (const struct unwind_chunk *c = s->held.first; c; c = c->next)
		nr += c->is_opening ? 0 : count_samples(c);
	return nr;
}
