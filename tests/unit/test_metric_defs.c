/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Named metrics: the calculator, and that every line of the table can be computed.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/metrics.h"

static void check(const char *formula, double want)
{
	const double values[] = { 2, 3, 5 };
	double result;

	assert_true(metric_formula(formula, values, 3, 8, &result, NULL));
	assert_true(fabs(result - want) < 1e-12);
}

static void check_bad(const char *formula, uint32_t want_at)
{
	const double values[] = { 2, 3, 0 };
	double result;
	uint32_t at;

	assert_false(metric_formula(formula, values, 3, 8, &result, &at));
	if (want_at != UINT32_MAX)
		assert_int_equal(at, want_at);
}

static void test_formula(void **state)
{
	(void)state;
	check("a", 2);
	check("a + b * c", 17);
	check("(a + b) * c", 25);
	check("10 - a - b", 5);
	check("60 / a / b", 10);
	check("100 * (1 - a / (S * c))", 95);
	check(" 1.5*a ", 3);
	/* Division by zero has no result; neither has what is no formula. */
	check_bad("a / c", UINT32_MAX);
	check_bad("a / (b - 3)", UINT32_MAX);
	check_bad("d", 0);
	check_bad("", 0);
	check_bad("a +", 3);
	check_bad("(a", 2);
	check_bad("a b", 2);
	check_bad("a)", 1);
	check_bad("a % b", 2);
}

static uint32_t count_words(const char *text)
{
	uint32_t nr = 1;

	for (; *text; text++)
		nr += *text == ',';
	return nr;
}

static void test_table(void **state)
{
	(void)state;
	for (const struct metric_def *d = metric_defs(); d->name; d++) {
		double values[26], result;
		uint32_t nr = count_words(d->events), at;

		for (uint32_t i = 0; i < nr; i++)
			values[i] = 100 + i;
		if (!metric_formula(d->formula, values, nr, 4, &result, &at))
			fail_msg("%s: %s: wrong at %u", d->name, d->formula, at);
		assert_true(d->shown_at < nr);
		assert_true(strlen(d->label) < sizeof(((struct metric *)0)->label));
		assert_non_null(d->group);
		assert_non_null(d->desc);
		/* One number, and nothing else to be filled in. */
		assert_non_null(strchr(d->format, '%'));
		assert_non_null(strchr(d->format, 'f'));
	}
}

static void test_topdown_adds_up(void **state)
{
	/* Of the first definition: all slots are of one of the four kinds. */
	const double values[] = { 1000, 300, 100, 250, 350 };
	double sum = 0, result;
	uint32_t nr = 0;

	(void)state;
	for (const struct metric_def *d = metric_defs(); d->name && nr < 4; d++) {
		if (!metric_def_is(d, "topdownl1"))
			continue;
		assert_true(metric_formula(d->formula, values, 5, 0, &result, NULL));
		sum += result;
		nr++;
	}
	assert_int_equal(nr, 4);
	assert_true(fabs(sum - 100) < 1e-9);
}

static void test_uses(void **state)
{
	struct metric_use use = { .def = metric_defs(), .first_event = 1 }; /* ipc: a / b */
	struct metric metrics[METRICS_MAX];
	struct counts c;

	(void)state;
	assert_string_equal(use.def->name, "ipc");
	counts_init(&c, COUNTS_GLOBAL);
	for (uint32_t i = 0; i < 3; i++)
		counts_add_event(&c,
				 &(struct counts_event){ .name = "x", .scale = 1, .type = 4, .config = i, .leader = i, .supported = true });
	counts_start(&c);
	counts_begin_run(&c);
	counts_put(&c, 0, 0, 0, 1, 10, 10);
	counts_put(&c, 1, 0, 0, 300, 10, 10);
	counts_put(&c, 2, 0, 0, 200, 10, 10);
	counts_put_times(&c, 10, 0, 0);
	counts_end_run(&c);
	counts_compute(&c, COUNTS_TOTAL);
	assert_int_equal(metric_uses_get(&c, &use, 1, 0, 0, metrics), 0);
	assert_int_equal(metric_uses_get(&c, &use, 1, 1, 0, metrics), 1);
	assert_false(metrics[0].empty);
	assert_true(metrics[0].value == 1.5);
	assert_string_equal(metrics[0].label, "insn per cycle");
	assert_int_equal(metric_uses_get(&c, &use, 1, 2, 0, metrics), 1);
	assert_true(metrics[0].empty);
	/* Through the common door, too. */
	c.uses = &use;
	c.nr_uses = 1;
	assert_int_equal(metrics_get(&c, 1, 0, metrics), 1);
	assert_true(metrics[0].value == 1.5);
	counts_fini(&c);
}

static void test_unknown(void **state)
{
	struct errbuf eb = { "" };

	(void)state;
	assert_int_equal(metric_unknown("ipx", &eb), -EINVAL);
	assert_non_null(strstr(eb.text, "did you mean 'ipc'"));
	errbuf_clear(&eb);
	assert_int_equal(metric_unknown("zzzzzzzzzz", &eb), -EINVAL);
	assert_non_null(strstr(eb.text, "list metric"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formula), cmocka_unit_test(test_table),	cmocka_unit_test(test_topdown_adds_up),
		cmocka_unit_test(test_uses),	cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
