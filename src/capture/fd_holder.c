/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The thread behind struct fd_holder: unshare(CLONE_FILES), then a job at a time, handed over under
 * a lock.
 */
#include "capture/event_fds.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

enum holder_state { HOLDER_STARTING, HOLDER_IDLE, HOLDER_POSTED, HOLDER_DONE, HOLDER_QUIT };

struct fd_holder {
	pthread_t thread;
	pthread_mutex_t turn; /* held by whoever has a job run */
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t changed;
	enum holder_state state;
	int err; /* of the start */
	void (*job)(void *ctx);
	void *ctx;
	const int *keep;
	uint32_t nr_keep;
};

static void close_range_or_each(unsigned from, unsigned to)
{
	long limit;

	if (from > to)
		return;
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, from, to, 0))
		return;
#endif
	limit = sysconf(_SC_OPEN_MAX);
	for (unsigned fd = from; fd <= to && (long)fd < limit; fd++)
		close((int)fd);
}

/* Copies of pipes would keep their other ends waiting, and every fd here is one less for events. */
static int holder_unshare(const struct fd_holder *h)
{
	unsigned from = 0;

	if (unshare(CLONE_FILES))
		return -errno;
	for (uint32_t i = 0; i < h->nr_keep; i++) {
		unsigned fd = (unsigned)h->keep[i];

		if (fd)
			close_range_or_each(from, fd - 1);
		from = fd + 1;
	}
	close_range_or_each(from, ~0u);
	return 0;
}

static void holder_set(struct fd_holder *h, enum holder_state state)
{
	h->state = state;
	pthread_cond_broadcast(&h->changed);
}

static void *holder_main(void *arg)
{
	struct fd_holder *h = arg;

	pthread_mutex_lock(&h->lock);
	h->err = holder_unshare(h);
	holder_set(h, HOLDER_IDLE);
	while (h->state != HOLDER_QUIT) {
		if (h->state == HOLDER_POSTED) {
			h->job(h->ctx);
			holder_set(h, HOLDER_DONE);
		}
		pthread_cond_wait(&h->changed, &h->lock);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

int fd_holder_new(struct fd_holder **holder, const int *keep, uint32_t nr, struct errbuf *eb)
{
	struct fd_holder *h = mem_zalloc(sizeof(*h));
	int err;

	pthread_mutex_init(&h->turn, NULL);
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->changed, NULL);
	h->keep = keep;
	h->nr_keep = nr;
	err = -pthread_create(&h->thread, NULL, holder_main, h);
	if (!err) {
		pthread_mutex_lock(&h->lock);
		while (h->state == HOLDER_STARTING)
			pthread_cond_wait(&h->changed, &h->lock);
		pthread_mutex_unlock(&h->lock);
		h->keep = NULL;
		err = h->err;
		if (!err) {
			*holder = h;
			return 0;
		}
		fd_holder_free(h);
	} else {
		free(h);
	}
	return errbuf_set(eb, err, "cannot start a thread to hold more events: %s", strerror(-err));
}

void fd_holder_run(struct fd_holder *h, void (*job)(void *ctx), void *ctx)
{
	pthread_mutex_lock(&h->turn);
	pthread_mutex_lock(&h->lock);
	h->job = job;
	h->ctx = ctx;
	holder_set(h, HOLDER_POSTED);
	while (h->state == HOLDER_POSTED)
		pthread_cond_wait(&h->changed, &h->lock);
	h->state = HOLDER_IDLE;
	pthread_mutex_unlock(&h->lock);
	pthread_mutex_unlock(&h->turn);
}

void fd_holder_free(struct fd_holder *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->lock);
	holder_set(h, HOLDER_QUIT);
	pthread_mutex_unlock(&h->lock);
	pthread_join(h->thread, NULL);
	pthread_mutex_destroy(&h->turn);
	pthread_mutex_destroy(&h->lock);
	pthread_cond_destroy(&h->changed);
	free(h);
}
