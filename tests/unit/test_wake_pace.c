/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Wakes go through while they bring news, and a few after that; then one in a period.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/mapped_files.h"

#define MS 1000000ull
#define START_NS (1000 * MS)

/* Wakes of `us` microseconds distance. Returns how many were held back. */
static uint32_t wake_often(struct wake_pace *p, uint64_t *now, uint32_t nr, uint64_t us, uint64_t *news, uint64_t more)
{
	uint32_t nr_held = 0;

	for (uint32_t i = 0; i < nr; i++) {
		*now += us * 1000;
		*news += more;
		nr_held += wake_pace_next(p, *now, *news) != WAKE_AT_ONCE;
	}
	return nr_held;
}

static void test_news(void **state)
{
	struct wake_pace p = { 0 };
	uint64_t now = START_NS, news = 0;

	(void)state;
	assert_int_equal(wake_often(&p, &now, 1000, 1000, &news, 1), 0);
}

static void test_known_files(void **state)
{
	struct wake_pace p = { 0 };
	uint64_t now = START_NS, news = 0;

	(void)state;
	assert_int_equal(wake_often(&p, &now, 1000, 1000, &news, 0), 1000 - WAKE_MAX_STALE);
	assert_int_equal(wake_pace_next(&p, now, news), WAKE_AFTER_PAUSE);
	/* Something new lifts it at once. */
	assert_int_equal(wake_often(&p, &now, 1, 1000, &news, 1), 0);
	assert_int_equal(wake_often(&p, &now, WAKE_MAX_STALE, 1000, &news, 0), 0);
	assert_int_equal(wake_often(&p, &now, 1, 1000, &news, 0), 1);
}

static void test_storm(void **state)
{
	struct wake_pace p = { 0 };
	uint64_t now = START_NS, news = 0;

	(void)state;
	assert_int_equal(wake_often(&p, &now, 100, 10, &news, 1), 100 - WAKE_MAX_PER_PERIOD);
	assert_int_equal(wake_pace_next(&p, now, ++news), WAKE_LATER);
	now += (WAKE_PERIOD_MS + 1) * MS;
	assert_int_equal(wake_often(&p, &now, 1, 10, &news, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_news),
		cmocka_unit_test(test_known_files),
		cmocka_unit_test(test_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
