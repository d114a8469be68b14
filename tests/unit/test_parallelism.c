/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct parallelism: states of tasks by their switches and by what they write themselves, losses, tids that are used again.
 */
#include "model/parallelism.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void see(struct parallelism *p, uint32_t type, uint16_t misc, int32_t tid, uint64_t time_ns)
{
	struct record_header h = { .type = type, .misc = misc, .size = sizeof(h) };
	struct task task = { .pid = 1, .tid = tid };
	struct session_record sr = { .header = &h, .task = &task, .time_ns = time_ns };

	sr.rec.task.ptid = 1; /* of forks */
	parallelism_see(p, &sr);
}

static void in(struct parallelism *p, int32_t tid)
{
	see(p, RECORD_SWITCH, MISC_USER, tid, 1);
}

static void out(struct parallelism *p, int32_t tid)
{
	see(p, RECORD_SWITCH, MISC_USER | MISC_SWITCH_OUT, tid, 1);
}

static uint32_t at(struct parallelism *p, int32_t tid)
{
	return parallelism_at_sample(p, &(struct task){ .pid = 1, .tid = tid });
}

static void test_switches(void **state)
{
	struct parallelism p = { 0 };

	(void)state;
	see(&p, RECORD_COMM, MISC_COMM_EXEC, 1, 1);
	assert_int_equal(at(&p, 1), 1);
	see(&p, RECORD_FORK, 0, 2, 2);
	see(&p, RECORD_FORK, 0, 3, 2);
	assert_int_equal(at(&p, 1), 1);
	in(&p, 2);
	in(&p, 2); /* of another event */
	assert_int_equal(at(&p, 1), 2);
	in(&p, 3);
	assert_int_equal(at(&p, 3), 3);
	out(&p, 1);
	out(&p, 1);
	assert_int_equal(at(&p, 2), 2);
	see(&p, RECORD_EXIT, 0, 3, 3);
	assert_int_equal(at(&p, 2), 1);
	out(&p, 2);
	/* Between its arrival and the record of that; somebody runs. */
	assert_int_equal(at(&p, 1), 1);
	assert_int_equal(p.nr_running, 0);
	assert_int_equal(p.max, 3);
	assert_false(p.has_lost || p.is_of_all_cpus);
	parallelism_fini(&p);
}

/* Nothing says that they run but what they write. */
static void test_attached(void **state)
{
	struct parallelism p = { 0 };

	(void)state;
	see(&p, RECORD_COMM, 0, 1, 0);
	see(&p, RECORD_FORK, 0, 2, 0);
	assert_int_equal(at(&p, 2), 1);
	see(&p, RECORD_FORK, 0, 5, 7); /* by task 1 */
	assert_int_equal(at(&p, 2), 2);
	out(&p, 1);
	assert_int_equal(at(&p, 2), 1);
	in(&p, 1);
	assert_int_equal(at(&p, 2), 2);
	parallelism_fini(&p);
}

static void test_loss(void **state)
{
	struct parallelism p = { 0 };

	(void)state;
	for (int32_t tid = 1; tid < 9; tid++)
		in(&p, tid);
	assert_int_equal(at(&p, 1), 8);
	see(&p, RECORD_LOST, 0, 1, 1);
	assert_true(p.has_lost);
	assert_int_equal(at(&p, 3), 1);
	assert_int_equal(at(&p, 4), 2);
	out(&p, 5);
	assert_int_equal(at(&p, 3), 2);
	parallelism_fini(&p);
}

static void test_odd(void **state)
{
	struct parallelism p = { 0 };
	struct record_header h = { .type = RECORD_SWITCH, .size = sizeof(h) };

	(void)state;
	parallelism_see(&p, &(struct session_record){ .header = &h, .time_ns = 1 }); /* of no task */
	in(&p, 0);
	in(&p, -1);
	assert_int_equal(at(&p, 0), 1);
	assert_int_equal(at(&p, -1), 1);
	assert_int_equal(p.tasks.nr, 0);
	see(&p, RECORD_SWITCH_CPU_WIDE, 0, 1, 1);
	assert_true(p.is_of_all_cpus);
	parallelism_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_attached),
		cmocka_unit_test(test_loss),
		cmocka_unit_test(test_odd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
