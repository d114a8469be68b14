/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two lists under one lock. Reads and writes of the spool happen outside of it: a slow disk delays neither side longer than its own bytes
 * take.
 */
#include "capture/unwind_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "abi/record.h"
#include "base/io.h"
#include "base/mem.h"

/* With a disk that takes nothing, so many times the limit wait in memory, and then the rings. */
#define FULL_FACTOR 4

#define SPARE_MAX 32

static void pool_init(struct buffer_pool *p)
{
	*p = (struct buffer_pool){ 0 };
	pthread_mutex_init(&p->lock, NULL);
}

static void pool_fini(struct buffer_pool *p)
{
	for (uint32_t i = 0; i < p->spare.nr; i++)
		free(p->spare.v[i]);
	vec_fini(&p->spare);
	pthread_mutex_destroy(&p->lock);
}

/* The one that was used last, and may still be in a cache. */
static uint8_t *pool_get(struct buffer_pool *p)
{
	uint8_t *buffer = NULL;

	pthread_mutex_lock(&p->lock);
	if (p->spare.nr)
		buffer = p->spare.v[--p->spare.nr];
	pthread_mutex_unlock(&p->lock);
	return buffer ? buffer : mem_alloc(UNWIND_BUFFER_SIZE);
}

static void pool_put(struct buffer_pool *p, uint8_t *buffer)
{
	pthread_mutex_lock(&p->lock);
	if (buffer && p->spare.nr < SPARE_MAX) {
		vec_push(&p->spare, buffer);
		buffer = NULL;
	}
	pthread_mutex_unlock(&p->lock);
	free(buffer);
}

#define KEEP_MIN_BYTES (64ull << 20)

static void spool_init(struct unwind_spool *s, const char *dir)
{
	*s = (struct unwind_spool){ .dir = dir ? dir : "/var/tmp", .fd = -1 };
}

static void spool_fini(struct unwind_spool *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* Not every file system has files without a name from the start. */
static int open_unlinked(const char *dir)
{
	char *path = mem_printf("%s/.assay-spool-XXXXXX", dir);
	int fd = mkostemp(path, O_CLOEXEC);
	int err = fd < 0 ? -errno : 0;

	if (fd >= 0)
		unlink(path);
	free(path);
	return err ? err : fd;
}

static int spool_open(struct unwind_spool *s)
{
	s->fd = open(s->dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (s->fd < 0)
		s->fd = open_unlinked(s->dir);
	if (s->fd >= 0)
		return 0;

	int err = s->fd;

	s->fd = -1;
	return err;
}

/* Where the file system does not report it, there is room. */
static int check_room(const struct unwind_spool *s, size_t size)
{
	uint64_t keep = s->keep_bytes;
	struct statvfs st;

	if (fstatvfs(s->fd, &st) || !st.f_frsize || !st.f_blocks)
		return 0;
	if (!keep) {
		keep = st.f_blocks / 10 * st.f_frsize;
		if (keep < KEEP_MIN_BYTES)
			keep = KEEP_MIN_BYTES;
	}
	if (size > UINT64_MAX - keep)
		return -ENOSPC;
	return st.f_bavail < (keep + size) / st.f_frsize + 1 ? -ENOSPC : 0;
}

/* Appends, at *off. A negative errno: nothing was kept (-ENOSPC: too little would stay free). */
static int spool_add(struct unwind_spool *s, const void *data, size_t size, uint64_t *off)
{
	int err = s->fd < 0 ? spool_open(s) : 0;

	if (!err)
		err = check_room(s, size);
	if (!err)
		err = io_pwrite(s->fd, data, size, s->end, NULL);
	if (err)
		return err;
	*off = s->end;
	s->end += size;
	s->total += size;
	return 0;
}

/* Reads back what is at `off`, once: its room is free then. */
static int spool_read(const struct unwind_spool *s, uint64_t off, void *data, size_t size)
{
	ssize_t n = io_pread(s->fd, data, size, off);

	if (n != (ssize_t)size)
		return n < 0 ? (int)n : -ENODATA;
	/* Where this is not possible, the room comes back with the rest. */
	n = fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)off, (off_t)size);
	(void)n;
	return 0;
}

/* Everything was read: the disk has its room again. */
static void spool_reset(struct unwind_spool *s)
{
	s->end = 0;
	/* Where this fails, the room is given back when the file is closed. */
	if (s->fd >= 0 && ftruncate(s->fd, 0))
		return;
}

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
	c->block.data = pool_get(pool);
	c->block.cap = UNWIND_BUFFER_SIZE;
	return c;
}

void unwind_chunk_set_data(struct unwind_chunk *c, uint8_t *data, size_t size)
{
	if (c->pool && c->block.data)
		pool_put(c->pool, c->block.data);
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
	c->nr_cut_by_bpf += more->nr_cut_by_bpf;
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
	pool_init(&q->pool);
	spool_init(&q->spools[0], spool_dir);
	spool_init(&q->spools[1], NULL);
}

void unwind_queue_fini(struct unwind_queue *q)
{
	struct unwind_chunk *c;

	while ((c = unwind_chunks_take(&q->waiting)))
		unwind_chunk_free(c);
	while ((c = unwind_chunks_take(&q->done)))
		unwind_chunk_free(c);
	for (int i = 0; i < UNWIND_NR_SPOOLS; i++)
		spool_fini(&q->spools[i]);
	pool_fini(&q->pool);
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

static void spool_chunk(struct unwind_queue *q, struct unwind_chunk *c)
{
	int err = -ENOSPC;

	for (uint8_t i = 0; i < UNWIND_NR_SPOOLS && err && !q->is_spool_closed; i++) {
		c->spool = i;
		err = spool_add(&q->spools[i], c->block.data, c->block.size, &c->spool_off);
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
			spool_reset(&q->spools[i]);
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
		spool_chunk(q, c);
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

	if (c->block.size <= UNWIND_BUFFER_SIZE) {
		c->pool = &q->pool;
		c->block.data = pool_get(c->pool);
	} else {
		c->block.data = mem_alloc(c->block.size);
	}
	err = spool_read(&q->spools[c->spool], c->spool_off, c->block.data, c->block.size);
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

void unwind_queue_give(struct unwind_queue *q, struct unwind_chunk *c)
{
	pthread_mutex_lock(&q->lock);
	unwind_chunks_add(&q->done, c);
	pthread_mutex_unlock(&q->lock);
	io_notify(q->wake_fd);
}

void unwind_queue_finish(struct unwind_queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->is_finished = true;
	pthread_mutex_unlock(&q->lock);
	io_notify(q->wake_fd);
}
