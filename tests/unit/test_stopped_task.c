/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Really stops children of ours. Where that is forbidden (a sandbox) the tests are skipped.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "kernel/stopped_task.h"

#define TIMEOUT 10000000000ull

static volatile uint64_t *shared; /* [0]: a counter, [1]: signals taken */
static const char words[] = "words that only the child can tell us";

static void count_signal(int sig)
{
	(void)sig;
	shared[1]++;
}

/* A child that counts, or with `quiet` one that waits for signals. */
static pid_t start_child(bool quiet)
{
	pid_t pid;

	shared[0] = shared[1] = 0;
	pid = fork();
	if (!pid) {
		signal(SIGUSR1, count_signal);
		for (;;) {
			shared[0]++;
			if (quiet)
				pause();
		}
	}
	while (!shared[0])
		usleep(100);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void expect_running(void)
{
	uint64_t before = shared[0];

	for (int i = 0; i < 100000 && shared[0] == before; i++)
		usleep(100);
	/* Several children count without a lock: one that was preempted takes it back. */
	assert_true(shared[0] != before);
}

static bool is_forbidden(void)
{
	struct task_stopper s;
	struct stopped_task t;
	struct errbuf eb = { 0 };
	pid_t pid = start_child(true);
	int err;

	task_stopper_init(&s, pid);
	err = task_stopper_stop(&s, pid, TIMEOUT, &t, &eb);
	if (!err)
		task_stopper_resume(&s, &t);
	task_stopper_fini(&s);
	end_child(pid);
	if (err == -EPERM)
		printf("SKIP: a child cannot be stopped here: %s\n", eb.text);
	return err == -EPERM;
}

static void test_stop_and_go(void **state)
{
	pid_t pid = start_child(false);
	struct task_stopper s;
	struct stopped_task t;
	struct errbuf eb = { 0 };
	char copy[sizeof(words)];
	uint64_t stands;

	(void)state;
	task_stopper_init(&s, pid);
	for (int round = 0; round < 20; round++) {
		assert_int_equal(task_stopper_stop(&s, pid, TIMEOUT, &t, &eb), 0);
		stands = shared[0];
		assert_true(t.regs_size > 64);
		assert_false(t.by_job_control);
		assert_int_equal(t.signal, 0);
		/* fork() leaves everything where it is */
		assert_int_equal(task_stopper_read(&s, (uintptr_t)words, copy, sizeof(copy)), sizeof(copy));
		assert_memory_equal(copy, words, sizeof(words));
		usleep(1000);
		assert_int_equal(shared[0], stands);
		task_stopper_resume(&s, &t);
		expect_running();
	}
	assert_int_equal(s.nr_stops, 20);
	task_stopper_fini(&s);
	end_child(pid);
}

static void test_memory(void **state)
{
	char *page = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *buf = malloc(1 << 20);
	struct task_stopper s;
	pid_t pid;

	(void)state;
	memset(page, 'x', 3 * 4096);
	munmap(page + 2 * 4096, 4096);
	pid = start_child(true);
	task_stopper_init(&s, pid);
	assert_int_equal(s.reader, pid);
	for (int way = 0; way < 2; way++) {
		/* up to a hole */
		assert_int_equal(task_stopper_read(&s, (uintptr_t)page + 100, buf, 1 << 20), 2 * 4096 - 100);
		assert_int_equal(buf[0], 'x');
		assert_int_equal(task_stopper_read(&s, (uintptr_t)page + 2 * 4096, buf, 10), 0);
		assert_int_equal(task_stopper_read(&s, 8, buf, 8), 0);
		s.use_mem = true; /* the other way */
	}
	task_stopper_fini(&s);
	end_child(pid);
	munmap(page, 2 * 4096);
	free(buf);
}

/* What job control stopped stays stopped; what signals were on their way arrive, once. */
static void test_signals(void **state)
{
	pid_t pid = start_child(true);
	struct task_stopper s;
	struct stopped_task t;
	struct task_state now;
	struct errbuf eb = { 0 };
	int status;

	(void)state;
	task_stopper_init(&s, pid);
	kill(pid, SIGSTOP);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_int_equal(task_stopper_stop(&s, pid, TIMEOUT, &t, &eb), 0);
	assert_true(t.by_job_control);
	task_stopper_resume(&s, &t);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(task_state_read(&now, pid, pid), 0);
		if (now.state == 'T')
			break;
		usleep(1000);
	}
	assert_int_equal(now.state, 'T');
	kill(pid, SIGCONT);
	for (int i = 1; i <= 50; i++) {
		kill(pid, SIGUSR1);
		assert_int_equal(task_stopper_stop(&s, pid, TIMEOUT, &t, &eb), 0);
		task_stopper_resume(&s, &t);
		for (int j = 0; j < 100000 && shared[1] < (uint64_t)i; j++)
			usleep(100);
		assert_int_equal(shared[1], i);
	}
	task_stopper_fini(&s);
	end_child(pid);
}

static void test_gone(void **state)
{
	pid_t pid = start_child(true);
	struct task_stopper s;
	struct stopped_task t;
	struct errbuf eb = { 0 };

	(void)state;
	task_stopper_init(&s, pid);
	end_child(pid);
	assert_int_equal(task_stopper_stop(&s, pid, TIMEOUT, &t, &eb), -ESRCH);
	assert_int_equal(task_stopper_stop(&s, getpid(), TIMEOUT, &t, &eb), -EPERM);
	assert_non_null(strstr(eb.text, "itself"));
	task_stopper_fini(&s);
}

static void count_visit(void *ctx, uint32_t i, const struct stopped_task *t)
{
	uint32_t *seen = ctx;

	assert_true(t->regs_size > 64);
	seen[i]++;
}

/* All at once; one that is gone is told, and does not hold up the others. */
static void test_visit(void **state)
{
	uint32_t seen[TASK_STOPPER_MAX_BATCH] = { 0 };
	const struct stop_visitor v = { count_visit, seen };
	pid_t pids[TASK_STOPPER_MAX_BATCH];
	int results[TASK_STOPPER_MAX_BATCH];
	struct errbuf eb = { 0 };
	struct task_stopper s;

	(void)state;
	for (int i = 0; i < TASK_STOPPER_MAX_BATCH; i++)
		pids[i] = start_child(i % 2);
	task_stopper_init(&s, pids[0]);
	end_child(pids[5]);
	for (int round = 1; round <= 5; round++) {
		task_stopper_visit(&s, pids, results, TASK_STOPPER_MAX_BATCH, TIMEOUT, &v, &eb);
		for (int i = 0; i < TASK_STOPPER_MAX_BATCH; i++) {
			assert_int_equal(results[i], i == 5 ? -ESRCH : 0);
			assert_int_equal(seen[i], i == 5 ? 0 : round);
		}
	}
	assert_int_equal(s.nr_stops, 5 * (TASK_STOPPER_MAX_BATCH - 1));
	assert_int_equal(s.pending.nr, 0);
	expect_running();
	task_stopper_fini(&s);
	for (int i = 0; i < TASK_STOPPER_MAX_BATCH; i++)
		if (i != 5)
			end_child(pids[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stop_and_go), cmocka_unit_test(test_memory), cmocka_unit_test(test_signals),
		cmocka_unit_test(test_gone),	    cmocka_unit_test(test_visit),
	};

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (is_forbidden())
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
