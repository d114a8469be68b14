// SPDX-License-Identifier: GPL-2.0-or-later
/* The run loop: what ends a wait, and with which status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/run_loop.h"

#define NS_PER_MS 1000000ull

static struct errbuf eb;

static int nr_usr2;

static void count_usr2(void *ctx)
{
	(void)ctx;
	nr_usr2++;
}

static void start(struct run_loop *l, char **argv)
{
	assert_int_equal(run_loop_init(l, count_usr2, NULL, &eb), 0);
	if (!argv)
		return;
	assert_int_equal(run_loop_prepare_workload(l, argv, false, &eb), 0);
	assert_int_equal(workload_start(&l->workload, &eb), 0);
}

static void test_ticks_and_deadline(void **state)
{
	uint64_t begin, nr_ticks = 0;
	struct run_loop l;

	(void)state;
	start(&l, NULL);
	begin = clock_now_ns();
	run_loop_set_ticks(&l, begin, 2 * NS_PER_MS);
	assert_int_equal(run_loop_next(&l, 0, &nr_ticks), RUN_TICK);
	assert_true(nr_ticks >= 1);
	assert_true(clock_now_ns() - begin >= 2 * NS_PER_MS);
	run_loop_set_ticks(&l, 0, 0);
	assert_int_equal(run_loop_next(&l, clock_now_ns() + NS_PER_MS, &nr_ticks), RUN_DEADLINE);
	assert_int_equal(run_loop_status(&l), 0);
	run_loop_fini(&l);
}

static void test_workload_ends(void **state)
{
	char *argv[] = { "sh", "-c", "exit 7", NULL };
	struct run_loop l;
	uint64_t nr_ticks;

	(void)state;
	start(&l, argv);
	assert_int_equal(run_loop_next(&l, 0, &nr_ticks), RUN_ENDED);
	assert_int_equal(run_loop_status(&l), 7);
	run_loop_fini(&l);
}

/* The first signal leaves the workload the time to end; the second does not. */
static void test_two_signals(void **state)
{
	char *argv[] = { "sh", "-c", "trap '' TERM; echo; exec sleep 100 >/dev/null", NULL };
	int ready[2], saved;
	struct run_loop l;
	uint64_t nr_ticks;
	char c;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	saved = dup(1);
	dup2(ready[1], 1);
	start(&l, argv);
	dup2(saved, 1);
	assert_int_equal(read(ready[0], &c, 1), 1); /* it ignores the signal by now */
	kill(getpid(), SIGTERM);
	kill(getpid(), SIGUSR2);
	assert_int_equal(run_loop_next(&l, clock_now_ns() + 20 * NS_PER_MS, &nr_ticks), RUN_DEADLINE);
	assert_int_equal(nr_usr2, 1);
	assert_int_equal(l.stop_signal, SIGTERM);
	kill(getpid(), SIGTERM);
	assert_int_equal(run_loop_next(&l, 0, &nr_ticks), RUN_ENDED);
	assert_int_equal(run_loop_status(&l), 128 + SIGTERM);
	workload_signal(&l.workload, SIGKILL);
	workload_wait(&l.workload);
	run_loop_fini(&l);
	close(saved);
	close(ready[0]);
	close(ready[1]);
}

static void test_stop_without_workload(void **state)
{
	struct run_loop l;
	uint64_t nr_ticks;

	(void)state;
	start(&l, NULL);
	kill(getpid(), SIGINT);
	assert_int_equal(run_loop_next(&l, 0, &nr_ticks), RUN_ENDED);
	assert_int_equal(run_loop_status(&l), 128 + SIGINT);
	run_loop_fini(&l);
}

static void test_watched_tasks(void **state)
{
	struct task_ids tasks = { 0 };
	struct run_loop l;
	uint64_t nr_ticks;
	pid_t pids[2];

	(void)state;
	start(&l, NULL);
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			pause();
			_exit(0);
		}
		vec_push(&tasks.ids, pids[i]);
	}
	run_loop_watch(&l, &tasks);
	kill(pids[0], SIGKILL);
	waitpid(pids[0], NULL, 0);
	assert_int_equal(run_loop_next(&l, clock_now_ns() + 20 * NS_PER_MS, &nr_ticks), RUN_DEADLINE);
	kill(pids[1], SIGKILL);
	assert_int_equal(run_loop_next(&l, 0, &nr_ticks), RUN_ENDED);
	waitpid(pids[1], NULL, 0);
	run_loop_fini(&l);
	task_ids_fini(&tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ticks_and_deadline),    cmocka_unit_test(test_workload_ends), cmocka_unit_test(test_two_signals),
		cmocka_unit_test(test_stop_without_workload), cmocka_unit_test(test_watched_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
