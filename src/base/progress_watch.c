/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Signals are the main thread's: it knows what a Ctrl-C ends.
 */
#include "base/progress_watch.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "base/clock.h"

#define TURN_NS (100 * NS_PER_MS)

static void *watch(void *arg)
{
	struct progress_watch *w = arg;

	pthread_mutex_lock(&w->mutex);
	while (!w->ends) {
		uint64_t until_ns = clock_now_ns() + TURN_NS;
		const struct timespec until = { (time_t)(until_ns / NS_PER_SEC), (long)(until_ns % NS_PER_SEC) };

		if (pthread_cond_timedwait(&w->cond, &w->mutex, &until) == ETIMEDOUT)
			progress_update(&w->progress, 0);
	}
	pthread_mutex_unlock(&w->mutex);
	return NULL;
}

void progress_watch_begin(struct progress_watch *w, const char *what)
{
	pthread_condattr_t attr;
	sigset_t all, saved;

	*w = (struct progress_watch){ 0 };
	progress_init(&w->progress, what, 0);
	if (!w->progress.enabled)
		return;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->cond, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&w->mutex, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &saved);
	w->runs = !pthread_create(&w->thread, NULL, watch, w);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	if (!w->runs) {
		pthread_cond_destroy(&w->cond);
		pthread_mutex_destroy(&w->mutex);
	}
}

void progress_watch_end(struct progress_watch *w)
{
	if (w->runs) {
		pthread_mutex_lock(&w->mutex);
		w->ends = true;
		pthread_cond_signal(&w->cond);
		pthread_mutex_unlock(&w->mutex);
		pthread_join(w->thread, NULL);
		pthread_cond_destroy(&w->cond);
		pthread_mutex_destroy(&w->mutex);
	}
	w->runs = false;
	progress_fini(&w->progress);
}
