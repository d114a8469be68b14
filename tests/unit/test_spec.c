/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The small option languages of record: sizes, times, --switch-output, -D.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/capture.h"

static void test_sizes(void **state)
{
	uint64_t v = 0;

	(void)state;
	assert_int_equal(spec_parse_size("4096B", &v), 0);
	assert_int_equal(v, 4096);
	assert_int_equal(spec_parse_size("64K", &v), 0);
	assert_int_equal(v, 65536);
	assert_int_equal(spec_parse_size("10M", &v), 0);
	assert_int_equal(v, 10u << 20);
	assert_int_equal(spec_parse_size("3g", &v), 0);
	assert_int_equal(v, 3ull << 30);
	assert_int_equal(spec_parse_size("", &v), -EINVAL);
	assert_int_equal(spec_parse_size("10", &v), -EINVAL);
	assert_int_equal(spec_parse_size("K", &v), -EINVAL);
	assert_int_equal(spec_parse_size("10KB", &v), -EINVAL);
	assert_int_equal(spec_parse_size("-1K", &v), -EINVAL);
	assert_int_equal(spec_parse_size("1.5M", &v), -EINVAL);
	assert_int_equal(spec_parse_size("0K", &v), -ERANGE);
	assert_int_equal(spec_parse_size("99999999999999999999K", &v), -ERANGE);
	assert_int_equal(spec_parse_size("18446744073709551615G", &v), -ERANGE);
}

static void test_seconds(void **state)
{
	uint64_t v = 0;

	(void)state;
	assert_int_equal(spec_parse_seconds("30s", &v), 0);
	assert_int_equal(v, 30);
	assert_int_equal(spec_parse_seconds("5m", &v), 0);
	assert_int_equal(v, 300);
	assert_int_equal(spec_parse_seconds("2h", &v), 0);
	assert_int_equal(v, 7200);
	assert_int_equal(spec_parse_seconds("1d", &v), 0);
	assert_int_equal(v, 86400);
	assert_int_equal(spec_parse_seconds("1w", &v), -EINVAL);
}

static void test_switch(void **state)
{
	struct switch_spec s;
	struct errbuf eb = { "" };

	(void)state;
	assert_int_equal(switch_spec_parse(&s, NULL, &eb), 0);
	assert_true(s.on_signal && switch_spec_is_on(&s));
	assert_int_equal(switch_spec_parse(&s, "signal", &eb), 0);
	assert_true(s.on_signal && !s.size_bytes && !s.every_s);
	/* large M is a size, small m a time */
	assert_int_equal(switch_spec_parse(&s, "2M", &eb), 0);
	assert_true(!s.on_signal && s.size_bytes == 2u << 20 && !s.every_s);
	assert_int_equal(switch_spec_parse(&s, "2m", &eb), 0);
	assert_true(!s.size_bytes && s.every_s == 120);
	assert_int_equal(switch_spec_parse(&s, "10s", &eb), 0);
	assert_true(s.every_s == 10);
	assert_int_equal(switch_spec_parse(&s, "1k", &eb), 0);
	assert_true(s.size_bytes == 1024);
	assert_int_equal(eb.text[0], 0);
	assert_int_equal(switch_spec_parse(&s, "5x", &eb), -EINVAL);
	assert_false(switch_spec_is_on(&s));
	assert_true(eb.text[0] != 0);
}

static void test_delay(void **state)
{
	static const char *const bad[] = { "",
					   "x",
					   "-2",
					   "5-",
					   "-5",
					   "10-10",
					   "20-10",
					   "10-20,15-30",
					   "10-20,20-30",
					   "10-20,",
					   "10-20;30-40",
					   "10,20",
					   "99999999999999999999" };
	struct delay_plan p = { 0 };
	struct errbuf eb = { "" };

	(void)state;
	assert_int_equal(delay_plan_parse(&p, "500", &eb), 0);
	assert_true(p.given && p.steps.nr == 1 && p.steps.v[0].at_ms == 500 && p.steps.v[0].enable);
	assert_int_equal(delay_plan_parse(&p, "0", &eb), 0);
	assert_false(p.given);
	assert_int_equal(delay_plan_parse(&p, "-1", &eb), 0);
	assert_true(p.given && p.steps.nr == 0);
	assert_int_equal(delay_plan_parse(&p, "10-20,30-40", &eb), 0);
	assert_int_equal(p.steps.nr, 4);
	assert_true(p.steps.v[0].enable && !p.steps.v[1].enable && p.steps.v[2].enable);
	assert_int_equal(p.steps.v[3].at_ms, 40);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errbuf_clear(&eb);
		assert_int_equal(delay_plan_parse(&p, bad[i], &eb), -EINVAL);
		assert_true(eb.text[0] != 0);
		assert_false(p.given);
	}
	delay_plan_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_seconds),
		cmocka_unit_test(test_switch),
		cmocka_unit_test(test_delay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
