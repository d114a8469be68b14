/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/event_patterns.c: lists, names with commas in them, which patterns were met.
 */
#include "model/latency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect_text(const struct event_patterns *p, const char *want)
{
	struct out o;

	out_init(&o, -1);
	event_patterns_put(p, &o);
	out_char(&o, 0);
	assert_string_equal(o.buf, want);
	out_fini(&o);
}

static void test_lists(void **state)
{
	struct event_patterns p = { 0 };

	(void)state;
	assert_true(event_patterns_add(&p, "block:block_rq_issue"));
	assert_true(event_patterns_add(&p, "a:b*,c:?"));
	assert_int_equal(p.v.nr, 3);
	expect_text(&p, "block:block_rq_issue,a:b*,c:?");
	assert_true(event_patterns_match(&p, "a:bcd"));
	assert_true(event_patterns_match(&p, "c:d"));
	assert_false(event_patterns_match(&p, "c:de"));
	assert_false(event_patterns_match(&p, "block:block_rq_issue2"));
	assert_false(p.v.v[0].is_met);
	assert_true(p.v.v[1].is_met && p.v.v[2].is_met);
	/* nothing of a bad list stays */
	assert_false(event_patterns_add(&p, "x:y,,z"));
	assert_false(event_patterns_add(&p, ""));
	assert_false(event_patterns_add(&p, "x:y,"));
	assert_int_equal(p.v.nr, 3);
	event_patterns_fini(&p);
}

static void test_commas_in_names(void **state)
{
	struct event_patterns p = { 0 };

	(void)state;
	assert_true(event_patterns_add(&p, "cpu/event=1,umask=2/u,cycles,a/b,c[1]"));
	assert_int_equal(p.v.nr, 4);
	assert_true(event_patterns_match(&p, "cpu/event=1,umask=2/u"));
	assert_true(event_patterns_match(&p, "a/b"));
	assert_true(event_patterns_match(&p, "c[1]"));
	event_patterns_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_commas_in_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
