/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts in samples: each id's period is how far it moved since its last sample; what did not move is left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/session.h"

static void begin(struct group_read *g, uint32_t tid, const uint64_t *values, uint64_t nr)
{
	const struct sample_layout l = { .sample_type = SAMPLE_READ, .read_format = READ_ID | READ_GROUP };
	const struct sample s = { .tid = tid, .read = { .nr = nr, .values = values } };

	group_read_begin(g, &l, &s, tid != 0);
}

static void test_deltas(void **state)
{
	struct group_read g = { 0 };
	uint64_t id, period;

	(void)state;
	begin(&g, 0, (uint64_t[]){ 100, 7, 5, 8, 0, 9 }, 3);
	assert_true(group_read_next(&g, &id, &period));
	assert_true(id == 7 && period == 100);
	assert_true(group_read_next(&g, &id, &period));
	assert_true(id == 8 && period == 5);
	assert_false(group_read_next(&g, &id, &period)); /* 9 has not counted */

	begin(&g, 0, (uint64_t[]){ 160, 7, 5, 8, 2, 9 }, 3);
	assert_true(group_read_next(&g, &id, &period));
	assert_true(id == 7 && period == 60);
	assert_true(group_read_next(&g, &id, &period));
	assert_true(id == 9 && period == 2);
	assert_false(group_read_next(&g, &id, &period));
	group_read_fini(&g);
}

static uint64_t period_of(struct group_read *g, uint32_t tid, uint64_t value)
{
	uint64_t id, period;

	begin(g, tid, (uint64_t[]){ value, 7 }, 1);
	assert_true(group_read_next(g, &id, &period));
	assert_true(id == 7);
	return period;
}

/* An inherited event has one id and a count for each task. */
static void test_per_task(void **state)
{
	struct group_read g = { 0 };

	(void)state;
	assert_true(period_of(&g, 10, 100) == 100);
	assert_true(period_of(&g, 11, 30) == 30);
	assert_true(period_of(&g, 10, 150) == 50);
	assert_true(period_of(&g, 11, 31) == 1);
	assert_true(period_of(&g, 11, 5) == 5); /* a new task with an old number */
	group_read_fini(&g);
}

static void test_without_ids(void **state)
{
	const struct sample_layout l = { .sample_type = SAMPLE_READ, .read_format = 0 };
	const struct sample s = { .read = { .nr = 1, .values = (uint64_t[]){ 5 } } };
	struct group_read g = { 0 };
	uint64_t id, period;

	(void)state;
	group_read_begin(&g, &l, &s, false);
	assert_false(group_read_next(&g, &id, &period));
	group_read_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_deltas), cmocka_unit_test(test_per_task),
					    cmocka_unit_test(test_without_ids) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
