/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stage's thread, and the way of spans into its queue. What happens to records is the stream's
 * business (unwind_stream.h); rings and files are the drain's.
 */
#include "capture/unwind_stage.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/dump_copy.h"

#define MEMORY_LIMIT (64ull << 20)

struct unwind_stage {
	struct unwind_queue queue;
	struct unwind_stream stream;
	unsigned round_owed; /* the drain's: 2: records since the last round; 1: in that one */
	pthread_t thread;
	bool is_running;
	atomic_bool is_stopped;
	unsigned test_delay_ms; /* rest before each chunk */
};

/* For tests alone: ASSAY_TEST_UNWIND_DELAY_MS=N makes the stage as slow as it is on a machine with
 * more samples than CPUs to unwind them, so that the queue fills up. A second at most. */
static unsigned test_delay_ms(void)
{
	const char *text = getenv("ASSAY_TEST_UNWIND_DELAY_MS");
	unsigned long ms = text ? strtoul(text, NULL, 10) : 0;

	return ms > 1000 ? 1000 : (unsigned)ms;
}

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
		if (s->test_delay_ms && !c->is_opening)
			usleep(s->test_delay_ms * 1000);
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
	s->test_delay_ms = test_delay_ms();
	return s;
}

struct unwind_stream *unwind_stage_stream(struct unwind_stage *s)
{
	return &s->stream;
}

int unwind_stage_start(struct unwind_stage *s, struct errbuf *eb)
{
	int err = -pthread_create(&s->thread, NULL, stage_main, s);

	if (err)
		return errbuf_set(eb, err, "cannot start the thread that unwinds: %s", strerror(-err));
	s->is_running = true;
	return 0;
}

void unwind_stage_put_opening(struct unwind_stage *s, const void *records, size_t size)
{
	struct unwind_chunk *c = unwind_chunk_new(size);

	memcpy(c->block.data, records, size);
	c->is_opening = true;
	unwind_queue_put(&s->queue, c);
}

void unwind_stage_put(struct unwind_stage *s, uint32_t cpu, const void *a, size_t a_size, const void *b, size_t b_size,
		      struct dump_use *use)
{
	const struct ring_span p = { a, b, a_size, a_size + b_size };
	struct dump_use unused = { 0 };

	for (size_t off = 0; off < p.size;) {
		bool is_small = p.size <= BUFFER_POOL_SIZE;
		struct unwind_chunk *c = is_small ? unwind_chunk_new(p.size) : unwind_chunk_new_pooled(&s->queue.pool);

		c->cpu = cpu;
		c->block.size = (uint32_t)dump_copy(&s->stream, &p, &off, c->block.data, c->block.cap, use ? use : &unused);
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

bool unwind_stage_is_full(struct unwind_stage *s)
{
	return unwind_queue_is_full(&s->queue);
}

bool unwind_stage_empty_spool(struct unwind_stage *s)
{
	return unwind_queue_empty_spool(&s->queue);
}

void unwind_stage_end(struct unwind_stage *s)
{
	unwind_queue_end(&s->queue);
}

struct unwind_chunk *unwind_stage_take(struct unwind_stage *s, bool *finished)
{
	return unwind_queue_take(&s->queue, finished);
}

uint64_t unwind_stage_backlog(struct unwind_stage *s)
{
	return unwind_queue_backlog(&s->queue);
}

const struct unwind_stats *unwind_stage_stats(const struct unwind_stage *s)
{
	return &s->stream.stats;
}

const struct unwind_queue *unwind_stage_queue(const struct unwind_stage *s)
{
	return &s->queue;
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
