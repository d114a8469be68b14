/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Threads take the next index from a counter until none is left. They live for one pool_run(); starting a few costs less than keeping them.
 */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

#define POOL_MAX_THREADS 256

struct pool {
	_Atomic uint32_t next;
	uint32_t nr;
	void (*job)(void *ctx, uint32_t i);
	void *ctx;
};

static void pool_work(struct pool *p)
{
	/* Not fetch_add: it could wrap where nr is close to 2^32. */
	uint32_t i = atomic_load_explicit(&p->next, memory_order_relaxed);

	while (i < p->nr) {
		if (!atomic_compare_exchange_weak_explicit(&p->next, &i, i + 1, memory_order_relaxed, memory_order_relaxed))
			continue;
		p->job(p->ctx, i);
		i = atomic_load_explicit(&p->next, memory_order_relaxed);
	}
}

static void *pool_thread(void *arg)
{
	pool_work(arg);
	return NULL;
}

uint32_t pool_nr_cpus(void)
{
	cpu_set_t set;
	long nr;

	if (!sched_getaffinity(0, sizeof(set), &set))
		return (uint32_t)CPU_COUNT(&set);
	/* More CPUs than cpu_set_t holds. */
	nr = sysconf(_SC_NPROCESSORS_ONLN);
	return nr > 0 ? (uint32_t)nr : 1;
}

void pool_run(uint32_t nr, uint32_t nr_threads, void (*job)(void *ctx, uint32_t i), void *ctx)
{
	struct pool p = { .nr = nr, .job = job, .ctx = ctx };
	uint32_t nr_started = 0;
	pthread_t *threads = NULL;
	sigset_t all, old;

	if (!nr_threads)
		nr_threads = pool_nr_cpus();
	if (nr_threads > nr)
		nr_threads = nr;
	if (nr_threads > POOL_MAX_THREADS)
		nr_threads = POOL_MAX_THREADS;

	if (nr_threads > 1) {
		threads = mem_alloc((nr_threads - 1) * sizeof(*threads));
		/* Signals are for the thread that waits for them, which is never one of these. */
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		while (nr_started < nr_threads - 1 && !pthread_create(&threads[nr_started], NULL, pool_thread, &p))
			nr_started++;
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	pool_work(&p);
	for (uint32_t i = 0; i < nr_started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}
