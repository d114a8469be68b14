/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One lock: sides meet once a block, and a copy into one takes microseconds.
 */
#include "perfdata/record_pipe.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/mem.h"

struct record_pipe {
	pthread_mutex_t lock;
	pthread_cond_t has_bytes, has_room;
	struct record_block *first, *last; /* filled */
	struct record_block *filling;	   /* behind them; NULL: none */
	struct record_block *unused;
	uint32_t nr_filled, max_blocks;
	bool is_ended, is_closed;
	int notice_fd; /* of a reader that does not wait; -1: it does */
};

struct record_pipe *record_pipe_new(uint32_t max_blocks)
{
	struct record_pipe *p = mem_zalloc(sizeof(*p));
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->has_bytes, NULL);
	pthread_cond_init(&p->has_room, &attr);
	pthread_condattr_destroy(&attr);
	p->max_blocks = max_blocks;
	p->notice_fd = -1;
	return p;
}

static void free_blocks(struct record_block *b)
{
	while (b) {
		struct record_block *next = b->next;

		free(b->data);
		free(b);
		b = next;
	}
}

void record_pipe_free(struct record_pipe *p)
{
	if (!p)
		return;
	free_blocks(p->first);
	free_blocks(p->filling);
	free_blocks(p->unused);
	pthread_cond_destroy(&p->has_bytes);
	pthread_cond_destroy(&p->has_room);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static struct record_block *new_block(struct record_pipe *p)
{
	struct record_block *b = p->unused;

	if (b) {
		p->unused = b->next;
	} else {
		b = mem_zalloc(sizeof(*b));
		b->data = mem_alloc(RECORD_PIPE_BLOCK_BYTES);
		b->cap = RECORD_PIPE_BLOCK_BYTES;
	}
	b->size = b->nr_held = 0;
	b->next = NULL;
	return b;
}

static void end_block(struct record_pipe *p)
{
	if (!p->filling)
		return;
	if (p->first)
		p->last->next = p->filling;
	else
		p->first = p->filling;
	p->last = p->filling;
	p->filling = NULL;
	p->nr_filled++;
}

static bool is_full(const struct record_pipe *p)
{
	return p->nr_filled >= p->max_blocks;
}

static void tell_reader(struct record_pipe *p)
{
	pthread_cond_signal(&p->has_bytes);
	io_notify(p->notice_fd);
}

ssize_t record_pipe_put(struct record_pipe *p, const void *data, size_t size)
{
	struct record_block *b;
	ssize_t done = 0;

	pthread_mutex_lock(&p->lock);
	b = p->filling;
	if (b && b->cap - b->size < size && size <= b->cap) {
		end_block(p);
		b = NULL;
	}
	if (p->is_closed) {
		done = -EPIPE;
	} else if (!is_full(p)) {
		if (!b)
			b = p->filling = new_block(p);
		done = (ssize_t)(size < b->cap - b->size ? size : b->cap - b->size);
		memcpy(b->data + b->size, data, (size_t)done);
		b->size += (uint32_t)done;
		if (b->size == b->cap)
			end_block(p);
		tell_reader(p);
	}
	pthread_mutex_unlock(&p->lock);
	return done;
}

bool record_pipe_await_room(struct record_pipe *p, int timeout_ms)
{
	uint64_t end_ns = clock_now_ns() + (uint64_t)timeout_ms * NS_PER_MS;
	const struct timespec end = { (time_t)(end_ns / NS_PER_SEC), (long)(end_ns % NS_PER_SEC) };
	bool has_room;
	int err = 0;

	pthread_mutex_lock(&p->lock);
	while (is_full(p) && !p->is_closed && !err)
		err = pthread_cond_timedwait(&p->has_room, &p->lock, &end);
	has_room = !is_full(p) || p->is_closed;
	pthread_mutex_unlock(&p->lock);
	return has_room;
}

bool record_pipe_is_closed(struct record_pipe *p)
{
	bool is_closed;

	pthread_mutex_lock(&p->lock);
	is_closed = p->is_closed;
	pthread_mutex_unlock(&p->lock);
	return is_closed;
}

void record_pipe_end(struct record_pipe *p)
{
	pthread_mutex_lock(&p->lock);
	p->is_ended = true;
	tell_reader(p);
	pthread_mutex_unlock(&p->lock);
}

/* With the lock. */
static struct record_block *take_block(struct record_pipe *p)
{
	struct record_block *b;

	if (!p->first)
		end_block(p);
	b = p->first;
	if (b) {
		p->first = b->next;
		p->nr_filled--;
		pthread_cond_signal(&p->has_room);
	}
	return b;
}

static void give_back(struct record_pipe *p, struct record_block *done)
{
	if (!done)
		return;
	done->next = p->unused;
	p->unused = done;
}

static void await_bytes(struct record_pipe *p)
{
	while (!p->first && !p->filling && !p->is_ended)
		pthread_cond_wait(&p->has_bytes, &p->lock);
}

struct record_block *record_pipe_take(struct record_pipe *p, struct record_block *done)
{
	struct record_block *b;

	pthread_mutex_lock(&p->lock);
	give_back(p, done);
	await_bytes(p);
	b = take_block(p);
	pthread_mutex_unlock(&p->lock);
	return b;
}

int record_pipe_next(struct record_pipe *p, struct record_block *done, struct record_block **block)
{
	bool is_ended;

	pthread_mutex_lock(&p->lock);
	give_back(p, done);
	if (p->notice_fd < 0)
		await_bytes(p);
	else
		io_take_notice(p->notice_fd);
	*block = take_block(p);
	is_ended = p->is_ended;
	pthread_mutex_unlock(&p->lock);
	if (*block)
		return 1;
	return is_ended ? 0 : -EAGAIN;
}

void record_pipe_set_notice(struct record_pipe *p, int eventfd)
{
	pthread_mutex_lock(&p->lock);
	p->notice_fd = eventfd;
	pthread_mutex_unlock(&p->lock);
}

void record_pipe_close(struct record_pipe *p)
{
	pthread_mutex_lock(&p->lock);
	p->is_closed = true;
	pthread_cond_signal(&p->has_room);
	pthread_mutex_unlock(&p->lock);
}
