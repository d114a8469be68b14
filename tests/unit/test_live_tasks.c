/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Who lives: after forks, threads, exits in any order, and with records missing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/tally.h"

static bool lives(const struct live_tasks *l, pid_t pid)
{
	struct task_ids pids = { 0 };
	bool found = false;

	live_tasks_list(l, &pids);
	for (uint32_t i = 0; i < pids.ids.nr; i++)
		found |= pids.ids.v[i] == pid;
	task_ids_fini(&pids);
	return found;
}

static void test_life(void **state)
{
	struct live_tasks l = { 0 };

	(void)state;
	assert_false(lives(&l, 7));
	live_tasks_exit(&l, 7, 7); /* nobody knows it */
	live_tasks_fork(&l, 7);
	assert_true(lives(&l, 7));
	live_tasks_see(&l, 7);
	live_tasks_exit(&l, 7, 7);
	assert_false(lives(&l, 7));
	live_tasks_fork(&l, 7); /* the number again */
	assert_true(lives(&l, 7));
	assert_int_equal(l.processes.nr, 1);
	live_tasks_fini(&l);
}

static void test_threads(void **state)
{
	struct live_tasks l = { 0 };

	(void)state;
	live_tasks_fork(&l, 7);
	live_tasks_fork(&l, 7);
	live_tasks_exit(&l, 7, 7); /* the main thread; another goes on */
	assert_true(lives(&l, 7));
	live_tasks_fini(&l);
	/* the FORK of a thread was lost: its end is not the end of the process */
	live_tasks_fork(&l, 8);
	live_tasks_exit(&l, 8, 9);
	assert_true(lives(&l, 8));
	/* the FORK of the process was lost: its COMM tells */
	live_tasks_see(&l, 10);
	assert_true(lives(&l, 10));
	live_tasks_fini(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
