/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The thread of the stage, and how spans of rings get into its queue: without the bytes that stack dumps did not fill.
 */
#include "capture/unwind_stage.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "abi/record.h"

#define MEMORY_LIMIT (64ull << 20)

static void give_done(struct unwind_stage *s)
{
	struct unwind_chunk *c;

	while ((c = unwind_stream_next(&s->stream)))
		unwind_queue_give(&s->queue, c);
}

static void *stage_main(void *arg)
{
	struct unwind_stage *s = arg;
	struct unwind_chunk *c;

	while (!atomic_load(&s->is_stopped) && (c = unwind_queue_next(&s->queue))) {
		unwind_stream_put(&s->stream, c);
		give_done(s);
	}
	if (!atomic_load(&s->is_stopped)) {
		unwind_stream_finish(&s->stream);
		give_done(s);
	}
	unwind_queue_finish(&s->queue);
	return NULL;
}

struct unwind_stage *unwind_stage_new(const struct unwind_stage_options *o)
{
	struct unwind_stage *s = mem_zalloc(sizeof(*s));

	unwind_queue_init(&s->queue, o->memory_limit ? o->memory_limit : MEMORY_LIMIT, o->spool_dir, o->wake_fd);
	unwind_stream_init(&s->stream, o->max_workers, o->growth);
	s->stream.is_stopped = &s->is_stopped;
	return s;
}

int unwind_stage_start(struct unwind_stage *s, struct errbuf *eb)
{
	int err = -pthread_create(&s->thread, NULL, stage_main, s);

	if (err)
		return errbuf_set(eb, err, "cannot start the thread that unwinds: %s", strerror(-err));
	pthread_setname_np(s->thread, "assay-unwind");
	s->is_running = true;
	return 0;
}

/* Of a dump, with some bytes behind the filled ones that say: this was all. */
static uint64_t kept_size(const struct sample *s)
{
	uint64_t filled = (s->stack_dyn_size + 7) & ~UINT64_C(7);

	return s->stack_dyn_size < s->stack_size && filled + 8 < s->stack_size ? filled + 8 : s->stack_size;
}

static void count_dump(const struct sample *s, struct dump_use *use)
{
	use->nr++;
	use->bytes += s->stack_dyn_size;
	use->nr_full += s->stack_size && s->stack_dyn_size == s->stack_size;
	if (s->stack_dyn_size > DUMP_SMALL) {
		use->nr_deep++;
		use->deep_bytes += s->stack_dyn_size;
	}
}

/* The record at `h` to `to`, which may be the same place. */
static size_t copy_sample(const struct record_header *h, const struct sample *s, uint8_t *to)
{
	const uint8_t *from = (const uint8_t *)h, *stack = s->stack;
	uint64_t kept = kept_size(s);
	size_t head = (size_t)(stack - from) + kept;
	size_t behind = (size_t)(stack - from) + s->stack_size, size = h->size;
	uint16_t new_size = (uint16_t)(head + size - behind);

	if (from != to)
		memcpy(to, from, head);
	memmove(to + head, from + behind, size - behind);
	memcpy(to + (stack - from) - sizeof(kept), &kept, sizeof(kept));
	memcpy(to + offsetof(struct record_header, size), &new_size, sizeof(new_size));
	return new_size;
}

static size_t copy_record(const struct unwind_stream *s, const struct record_header *h, uint8_t *to, struct dump_use *use)
{
	const struct sample_layout *l = h->type == RECORD_SAMPLE ? unwind_stream_find_stacks(s, h) : NULL;
	size_t size = h->size;
	struct sample sample;
	uint64_t nr_lost;

	if (h->type == RECORD_LOST && record_word(h, 1, &nr_lost))
		use->nr_lost += nr_lost;
	if (l && !sample_decode(l, h + 1, size - sizeof(*h), &sample)) {
		count_dump(&sample, use);
		if (sample.stack && kept_size(&sample) < sample.stack_size)
			return copy_sample(h, &sample, to);
	}
	if ((const uint8_t *)h != to)
		memcpy(to, h, size);
	return size;
}

size_t dump_copy(const struct unwind_stream *s, const struct ring_span *p, size_t *off, uint8_t *to, size_t cap, struct dump_use *use)
{
	const struct record_header *h;
	size_t at = 0;

	while ((h = ring_span_record(p, *off))) {
		size_t size = h->size;

		if (size > cap - at)
			return at;
		if (*off<p->a_size && * off + size> p->a_size) {
			ring_span_copy(p, *off, to + at, size);
			h = (const void *)(to + at);
		}
		at += copy_record(s, h, to + at, use);
		*off += size;
	}
	if (ring_span_is_damaged(p, *off)) {
		if (sizeof(*h) > cap - at)
			return at;
		ring_span_copy(p, *off, to + at, sizeof(*h));
		at += sizeof(*h);
	}
	*off = p->size;
	return at;
}

void unwind_stage_put_opening(struct unwind_stage *s, const void *records, size_t size)
{
	struct unwind_chunk *c = unwind_chunk_new(size);

	memcpy(c->block.data, records, size);
	c->is_opening = true;
	unwind_queue_put(&s->queue, c);
}

void unwind_stage_put(struct unwind_stage *s, uint32_t cpu, const struct ring_span *span, struct dump_use *use)
{
	bool is_small = span->size <= UNWIND_BUFFER_SIZE;
	struct dump_use unused = { 0 };

	for (size_t off = 0; off < span->size;) {
		struct unwind_chunk *c = is_small ? unwind_chunk_new(span->size) : unwind_chunk_new_pooled(&s->queue.pool);

		c->cpu = cpu;
		c->block.size = (uint32_t)dump_copy(&s->stream, span, &off, c->block.data, c->block.cap, use ? use : &unused);
		if (is_small && c->block.size) {
			c->block.data = mem_realloc(c->block.data, c->block.size, 1);
			c->block.cap = c->block.size;
		}
		unwind_queue_put(&s->queue, c);
	}
	s->round_owed = 2;
}

void unwind_stage_end_round(struct unwind_stage *s, bool then_switch)
{
	struct unwind_chunk *c;

	/* One round more than there is something: it proves that all of it is in. */
	if (!s->round_owed && !then_switch)
		return;
	c = unwind_chunk_new(0);
	c->has_records = s->round_owed == 2;
	s->round_owed -= s->round_owed > 0;
	c->ends_round = true;
	c->then_switch = then_switch;
	unwind_queue_put(&s->queue, c);
}

uint64_t unwind_stage_stop(struct unwind_stage *s)
{
	struct unwind_chunk *c;
	bool finished;
	uint64_t nr;

	if (!s->is_running)
		return 0;
	atomic_store(&s->is_stopped, true);
	nr = unwind_queue_abandon(&s->queue);
	pthread_join(s->thread, NULL);
	s->is_running = false;
	while ((c = unwind_queue_take(&s->queue, &finished))) {
		nr += unwind_chunk_count_samples(c);
		unwind_chunk_free(c);
	}
	return nr + unwind_stream_count_held(&s->stream);
}

void unwind_stage_free(struct unwind_stage *s)
{
	if (!s)
		return;
	unwind_stage_stop(s);
	unwind_stream_fini(&s->stream);
	unwind_queue_fini(&s->queue);
	free(s);
}
