/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A ring of blocks and one lock: sides meet once a block.
 */
#include "perfdata/read_ahead.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/mem.h"

struct read_ahead {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t has_empty, has_filled;
	int fd;
	uint64_t off, end; /* of what is read next */
	struct {
		struct record_block *block;
		uint64_t off;
		ssize_t size;
	} ring[READ_AHEAD_BLOCKS];
	uint32_t nr_lent, nr_filled, nr_taken; /* so far, each; they wrap */
	bool is_awaited;		       /* by the reader */
	bool quit;
};

static ssize_t fill(struct read_ahead *a, struct record_block *b)
{
	uint64_t size = b->cap - READ_AHEAD_FREE;
	ssize_t n;

	if (size > a->end - a->off)
		size = a->end - a->off;
	n = size ? io_pread(a->fd, b->data + READ_AHEAD_FREE, size, a->off) : 0;
	a->off += n > 0 ? (uint64_t)n : 0;
	return n;
}

static void *read_main(void *arg)
{
	struct read_ahead *a = arg;

	pthread_mutex_lock(&a->lock);
	while (!a->quit) {
		uint32_t slot = a->nr_filled % READ_AHEAD_BLOCKS;

		if (a->nr_filled == a->nr_lent) {
			pthread_cond_wait(&a->has_empty, &a->lock);
			continue;
		}
		a->ring[slot].off = a->off;
		pthread_mutex_unlock(&a->lock);
		a->ring[slot].size = fill(a, a->ring[slot].block);
		pthread_mutex_lock(&a->lock);
		a->nr_filled++;
		if (a->is_awaited)
			pthread_cond_signal(&a->has_filled);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static void release(struct read_ahead *a)
{
	pthread_cond_destroy(&a->has_empty);
	pthread_cond_destroy(&a->has_filled);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

struct read_ahead *read_ahead_start(int fd, uint64_t off, uint64_t end)
{
	struct read_ahead *a = mem_zalloc(sizeof(*a));

	a->fd = fd;
	a->off = off;
	a->end = end;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->has_empty, NULL);
	pthread_cond_init(&a->has_filled, NULL);
	if (!pthread_create(&a->thread, NULL, read_main, a))
		return a;
	release(a);
	return NULL;
}

void read_ahead_stop(struct read_ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->quit = true;
	pthread_cond_signal(&a->has_empty);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	while (a->nr_taken != a->nr_lent)
		record_release(a->ring[a->nr_taken++ % READ_AHEAD_BLOCKS].block);
	release(a);
}

void read_ahead_lend(struct read_ahead *a, struct record_block *b)
{
	uint32_t nr_empty;

	record_hold(b);
	pthread_mutex_lock(&a->lock);
	a->ring[a->nr_lent % READ_AHEAD_BLOCKS].block = b;
	nr_empty = ++a->nr_lent - a->nr_filled;
	pthread_mutex_unlock(&a->lock);
	/* Waking a thread takes longer than reading a block: for several at a time. */
	if (nr_empty >= READ_AHEAD_BLOCKS / 2)
		pthread_cond_signal(&a->has_empty);
}

struct record_block *read_ahead_take(struct read_ahead *a, ssize_t *size, uint64_t *off)
{
	uint32_t slot = a->nr_taken % READ_AHEAD_BLOCKS;

	if (a->nr_taken == a->nr_lent)
		return NULL;
	pthread_mutex_lock(&a->lock);
	if (a->nr_filled == a->nr_taken) {
		pthread_cond_signal(&a->has_empty);
		a->is_awaited = true;
		while (a->nr_filled == a->nr_taken)
			pthread_cond_wait(&a->has_filled, &a->lock);
		a->is_awaited = false;
	}
	pthread_mutex_unlock(&a->lock);
	a->nr_taken++;
	*size = a->ring[slot].size;
	*off = a->ring[slot].off;
	record_release(a->ring[slot].block);
	return a->ring[slot].block;
}
