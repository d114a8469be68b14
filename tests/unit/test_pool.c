/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/pool.h: every job exactly once; and base/stop.h, whose signals are not for the pool.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/stop.h"

struct work {
	_Atomic uint32_t *runs;
	_Atomic uint32_t nr_signals_open;
	_Atomic uint32_t nr_on_others;
	pthread_t caller;
};

static void run_one(void *ctx, uint32_t i)
{
	struct work *w = ctx;
	sigset_t mask;

	atomic_fetch_add(&w->runs[i], 1);
	if (pthread_equal(pthread_self(), w->caller))
		return;
	atomic_fetch_add(&w->nr_on_others, 1);
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	if (!sigismember(&mask, SIGINT))
		atomic_fetch_add(&w->nr_signals_open, 1);
}

static void check(uint32_t nr, uint32_t nr_threads)
{
	struct work w = { .runs = calloc(nr + 1, sizeof(*w.runs)), .caller = pthread_self() };

	pool_run(nr, nr_threads, run_one, &w);
	for (uint32_t i = 0; i < nr; i++)
		if (w.runs[i] != 1)
			fail_msg("job %u ran %u times", i, w.runs[i]);
	assert_int_equal(w.runs[nr], 0);
	assert_int_equal(w.nr_signals_open, 0);
	if (nr_threads == 1)
		assert_int_equal(w.nr_on_others, 0);
	free(w.runs);
}

static void test_each_once(void **state)
{
	const uint32_t counts[] = { 0, 1, 2, 3, 100, 100000 };
	const uint32_t threads[] = { 0, 1, 2, 7, 64, 100000 };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (size_t j = 0; j < sizeof(threads) / sizeof(threads[0]); j++)
			check(counts[i], threads[j]);
}

static void meet(void *ctx, uint32_t i)
{
	(void)i;
	pthread_barrier_wait(ctx);
}

/* Four jobs that wait for each other end only if they run at the same time. */
static void test_really_parallel(void **state)
{
	pthread_barrier_t barrier;

	(void)state;
	pthread_barrier_init(&barrier, NULL, 4);
	pool_run(4, 4, meet, &barrier);
	pthread_barrier_destroy(&barrier);
}

static void test_mask_is_restored(void **state)
{
	sigset_t mask;

	(void)state;
	check(10, 4);
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	assert_false(sigismember(&mask, SIGINT));
}

static void test_stop_flag(void **state)
{
	struct sigaction sa;

	(void)state;
	signal(SIGHUP, SIG_IGN); /* as under nohup */
	stop_install();
	assert_int_equal(stop_signal, 0);
	raise(SIGHUP);
	assert_int_equal(stop_signal, 0);
	raise(SIGTERM);
	assert_int_equal(stop_signal, SIGTERM);
	raise(SIGINT); /* the first is kept */
	assert_int_equal(stop_signal, SIGTERM);

	stop_signal = 0;
	signal(SIGHUP, SIG_DFL);
	stop_install();
	raise(SIGHUP);
	assert_int_equal(stop_signal, SIGHUP);
	sigaction(SIGINT, NULL, &sa);
	assert_int_equal(sa.sa_flags & SA_RESTART, 0);
	stop_signal = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_once),
		cmocka_unit_test(test_really_parallel),
		cmocka_unit_test(test_mask_is_restored),
		cmocka_unit_test(test_stop_flag),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
