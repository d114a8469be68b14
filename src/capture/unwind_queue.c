/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two lists under one lock. Reads and writes of the spool happen outside it: a slow disk holds up
 * neither side longer than its own bytes take.
 */
#include "capture/unwind_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/record.h"
#include "base/mem.h"

/* With a disk that takes nothing, so many times the limit wait in memory, and then the rings. */
#define FULL_FACTOR 4

struct unwind_chunk *unwind_chunk_new(size_t size)
{
	struct unwind_chunk *c = mem_zalloc(sizeof(*c));

	c->block.data = size ? mem_alloc(size) : NULL;
	c->block.size = c->block.cap = (uint32_t)size;
	return c;
}

struct unwind_chunk *unwind_chunk_new_pooled(struct buffer_pool *pool)
{
	struct unwind_chunk *c = unwind_chunk_new(0);

	c->pool = pool;
	c->block.data = buffer_pool_get(pool);
	c->block.cap = BUFFER_POOL_SIZE;
	return c;
}

void unwind_chunk_set_data(struct unwind_chunk *c, uint8_t *data, size_t size)
{
	if (c->pool && c->block.data)
		buffer_pool_put(c->pool, c->block.data);
	else
		free(c->block.data);
	c->pool = NULL;
	c->block.data = data;
	c->block.size = c->block.cap = (uint32_t)size;
}

void unwind_chunk_free(struct unwind_chunk *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->pieces.nr; i++)
		free(c->pieces.v[i].larger);
	vec_fini(&c->pieces);
	unwind_chunk_set_data(c, NULL, 0);
	free(c);
}

void unwind_counts_add(struct unwind_counts *c, const struct unwind_counts *more)
{
	for (int i = 0; i < UNWIND_NR_ENDS; i++)
		c->nr_ends[i] += more->nr_ends[i];
	c->nr_guessed += more->nr_guessed;
}

void unwind_chunks_add(struct unwind_chunks *l, struct unwind_chunk *c)
{
	c->next = NULL;
	if (l->last)
		l->last->next = c;
	else
		l->first = c;
	l->last = c;
}

struct unwind_chunk *unwind_chunks_take(struct unwind_chunks *l)
{
	struct unwind_chunk *c = l->first;

	if (c)
		l->first = c->next;
	if (!l->first)
		l->last = NULL;
	return c;
}

void unwind_queue_init(struct unwind_queue *q, uint64_t limit, const char *spool_dir, int wake_fd)
{
	memset(q, 0, sizeof(*q));
	q->limit = limit;
	q->wake_fd = wake_fd;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->changed, NULL);
	buffer_pool_init(&q->pool);
	unwind_spool_init(&q->spools[0], spool_dir);
	unwind_spool_init(&q->spools[1], NULL);
}

void unwind_queue_fini(struct unwind_queue *q)
{
	struct unwind_chunk *c;

	while ((c = unwind_chunks_take(&q->waiting)))
		unwind_chunk_free(c);
	while ((c = unwind_chunks_take(&q->done)))
		unwind_chunk_free(c);
	for (int i = 0; i < UNWIND_NR_SPOOLS; i++)
		unwind_spool_fini(&q->spools[i]);
	buffer_pool_fini(&q->pool);
	pthread_cond_destroy(&q->changed);
	pthread_mutex_destroy(&q->lock);
}

uint32_t unwind_chunk_count_samples(const struct unwind_chunk *c)
{
	const struct record_header *h;
	uint32_t nr = 0;

	if (c->is_opening)
		return 0;
	if (!c->block.data)
		return c->nr_samples;
	for (uint32_t off = 0; (h = record_frame(c->block.data, c->block.size, off)); off += h->size)
		nr += h->type == RECORD_SAMPLE;
	return nr;
}

static void spool(struct unwind_queue *q, struct unwind_chunk *c)
{
	int err = -ENOSPC;

	for (uint8_t i = 0; i < UNWIND_NR_SPOOLS && err && !q->is_spool_closed; i++) {
		c->spool = i;
		err = unwind_spool_add(&q->spools[i], c->block.data, c->block.size, &c->spool_off);
	}
	if (err) {
		q->spool_err = err;
		return;
	}
	/* Known before the bytes go: should the disk not give them back. */
	c->nr_samples = unwind_chunk_count_samples(c);
	c->is_spooled = true;
	q->spooled_bytes += c->block.size;
	unwind_chunk_set_data(c, NULL, c->block.size);
}

/* Under the lock. The stage has read all that was spooled: it begins anew. */
static void reset_spools(struct unwind_queue *q)
{
	for (int i = 0; i < UNWIND_NR_SPOOLS && !q->nr_spooled; i++)
		if (q->spools[i].end)
			unwind_spool_reset(&q->spools[i]);
}

bool unwind_queue_empty_spool(struct unwind_queue *q)
{
	bool is_empty;

	pthread_mutex_lock(&q->lock);
	reset_spools(q);
	is_empty = !q->nr_spooled;
	q->is_spool_closed = !is_empty;
	pthread_mutex_unlock(&q->lock);
	return is_empty;
}

void unwind_queue_put(struct unwind_queue *q, struct unwind_chunk *c)
{
	bool is_too_much;

	pthread_mutex_lock(&q->lock);
	is_too_much = c->block.size && q->memory + c->block.cap > q->limit;
	reset_spools(q);
	pthread_mutex_unlock(&q->lock);
	if (is_too_much)
		spool(q, c);
	pthread_mutex_lock(&q->lock);
	if (c->is_spooled)
		q->nr_spooled++;
	else
		q->memory += c->block.cap;
	q->backlog += c->block.size;
	unwind_chunks_add(&q->waiting, c);
	pthread_cond_signal(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

bool unwind_queue_is_full(struct unwind_queue *q)
{
	bool is_full;

	pthread_mutex_lock(&q->lock);
	is_full = q->spool_err && q->memory > q->limit * FULL_FACTOR;
	pthread_mutex_unlock(&q->lock);
	return is_full;
}

void unwind_queue_end(struct unwind_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->is_ended = true;
	pthread_cond_signal(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

uint64_t unwind_queue_abandon(struct unwind_queue *q)
{
	struct unwind_chunk *c;
	uint64_t nr = 0;

	pthread_mutex_lock(&q->lock);
	q->is_ended = true;
	while ((c = unwind_chunks_take(&q->waiting))) {
		nr += unwind_chunk_count_samples(c);
		q->nr_spooled -= c->is_spooled;
		unwind_chunk_free(c);
	}
	q->backlog = q->memory = 0;
	pthread_cond_signal(&q->changed);
	pthread_mutex_unlock(&q->lock);
	return nr;
}

struct unwind_chunk *unwind_queue_take(struct unwind_queue *q, bool *finished)
{
	struct unwind_chunk *c;

	pthread_mutex_lock(&q->lock);
	c = unwind_chunks_take(&q->done);
	*finished = !c && q->is_finished;
	pthread_mutex_unlock(&q->lock);
	return c;
}

uint64_t unwind_queue_backlog(struct unwind_queue *q)
{
	uint64_t backlog;

	pthread_mutex_lock(&q->lock);
	backlog = q->backlog;
	pthread_mutex_unlock(&q->lock);
	return backlog;
}

/* Brings a chunk back into memory. Where that fails, it is empty, and its samples are counted. */
static void unspool(struct unwind_queue *q, struct unwind_chunk *c)
{
	int err;

	if (c->block.size <= BUFFER_POOL_SIZE) {
		c->pool = &q->pool;
		c->block.data = buffer_pool_get(c->pool);
	} else {
		c->block.data = mem_alloc(c->block.size);
	}
	err = unwind_spool_read(&q->spools[c->spool], c->spool_off, c->block.data, c->block.size);
	pthread_mutex_lock(&q->lock);
	q->nr_spooled--;
	if (err) {
		q->nr_unreadable += c->nr_samples;
		q->unreadable_err = err;
		c->block.size = 0;
	}
	pthread_mutex_unlock(&q->lock);
}

struct unwind_chunk *unwind_queue_next(struct unwind_queue *q)
{
	struct unwind_chunk *c;

	pthread_mutex_lock(&q->lock);
	while (!q->waiting.first && !q->is_ended)
		pthread_cond_wait(&q->changed, &q->lock);
	c = unwind_chunks_take(&q->waiting);
	if (c) {
		q->backlog -= c->block.size;
		if (!c->is_spooled)
			q->memory -= c->block.cap;
	}
	pthread_mutex_unlock(&q->lock);
	if (c && c->is_spooled)
		unspool(q, c);
	return c;
}

static void wake(struct unwind_queue *q)
{
	uint64_t one = 1;
	ssize_t n = q->wake_fd >= 0 ? write(q->wake_fd, &one, sizeof(one)) : 0;

	(void)n;
}

void unwind_queue_give(struct unwind_queue *q, struct unwind_chunk *c)
{
	pthread_mutex_lock(&q->lock);
	unwind_chunks_add(&q->done, c);
	pthread_mutex_unlock(&q->lock);
	wake(q);
}

void unwind_queue_finish(struct unwind_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->is_finished = true;
	pthread_mutex_unlock(&q->lock);
	wake(q);
}
