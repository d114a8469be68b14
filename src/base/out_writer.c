/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two buffers and one thread: the filler and the writer exchange them under a lock, once for each buffer.
 */
#include "base/out_writer.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/io.h"
#include "base/mem.h"

struct out_writer {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int fd;
	char *buf; /* being written while `busy`, else spare */
	size_t len;
	bool busy;
	bool is_awaited; /* by the filler */
	bool quit;
	int error;
};

static void *writer_main(void *arg)
{
	struct out_writer *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		int err = 0;

		while (!w->busy && !w->quit)
			pthread_cond_wait(&w->changed, &w->lock);
		if (!w->busy)
			break;
		pthread_mutex_unlock(&w->lock);
		if (!w->error)
			err = io_write(w->fd, w->buf, w->len, NULL);
		pthread_mutex_lock(&w->lock);
		if (!w->error)
			w->error = err;
		w->busy = false;
		/* Wake only a filler that waits, and only when it can go on at once. */
		if (w->is_awaited) {
			pthread_mutex_unlock(&w->lock);
			pthread_cond_signal(&w->changed);
			pthread_mutex_lock(&w->lock);
		}
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct out_writer *out_writer_new(int fd, size_t cap)
{
	struct out_writer *w = mem_zalloc(sizeof(*w));

	w->fd = fd;
	w->buf = mem_alloc(cap);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	if (!pthread_create(&w->thread, NULL, writer_main, w))
		return w;
	free(w->buf);
	free(w);
	return NULL;
}

char *out_writer_swap(struct out_writer *w, char *buf, size_t len, int *error)
{
	char *spare;

	pthread_mutex_lock(&w->lock);
	w->is_awaited = w->busy;
	while (w->busy)
		pthread_cond_wait(&w->changed, &w->lock);
	w->is_awaited = false;
	spare = w->buf;
	w->buf = buf;
	w->len = len;
	w->busy = !w->error;
	*error = w->error;
	pthread_mutex_unlock(&w->lock);
	pthread_cond_signal(&w->changed);
	return spare;
}

int out_writer_free(struct out_writer *w)
{
	int error;

	if (!w)
		return 0;
	pthread_mutex_lock(&w->lock);
	w->quit = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	error = w->error;
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w->buf);
	free(w);
	return error;
}
