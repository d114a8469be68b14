/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/budget.h: what fits, what does not, and sums that would leave 64 bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/budget.h"

static void test_takes_what_fits(void **state)
{
	struct budget b;

	(void)state;
	budget_init(&b, 100, 3, 50);
	assert_true(budget_limit(&b) == 150);
	assert_true(budget_take(&b, 100));
	assert_false(b.is_exhausted);
	assert_false(budget_take(&b, 51));
	assert_true(b.is_exhausted);
	assert_true(budget_take(&b, 50)); /* what was refused was not taken */
	assert_true(budget_left(&b) == 0);
	assert_true(budget_take(&b, 0));
	budget_give(&b, 20);
	assert_true(budget_take(&b, 20));
	assert_true(b.is_exhausted); /* stays */
}

static void test_floor(void **state)
{
	struct budget b;

	(void)state;
	budget_init(&b, 1000, 3, 50);
	assert_true(budget_limit(&b) == 1000);
	budget_extend(&b, 450);
	assert_true(budget_limit(&b) == 1500);
	budget_give(&b, 1); /* more than was taken */
	assert_true(budget_left(&b) == 1500);
	budget_init(&b, 0, 0, UINT64_MAX);
	assert_true(budget_take(&b, 0));
	assert_false(budget_take(&b, 1));
}

static void test_saturates(void **state)
{
	struct budget b;

	(void)state;
	budget_init(&b, 1, 16, UINT64_MAX / 4);
	assert_true(budget_limit(&b) == UINT64_MAX);
	assert_true(budget_take(&b, UINT64_MAX - 1));
	assert_false(budget_take(&b, UINT64_MAX));
	assert_true(budget_take(&b, 1));
	assert_false(budget_take(&b, 1));
	budget_init(&b, 0, 1, UINT64_MAX - 5);
	budget_extend(&b, 100);
	assert_true(budget_limit(&b) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_takes_what_fits),
		cmocka_unit_test(test_floor),
		cmocka_unit_test(test_saturates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
