/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The arithmetic of the live charts, without a screen.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "view/plot_layout.h"

static void test_levels(void **state)
{
	(void)state;
	/* One line: eighths of the maximum. */
	assert_int_equal(plot_level(0, 100, 0, 1), 0);
	assert_int_equal(plot_level(100, 100, 0, 1), 8);
	assert_int_equal(plot_level(50, 100, 0, 1), 4);
	/* What is above zero shows. */
	assert_int_equal(plot_level(0.001, 100, 0, 1), 1);
	assert_int_equal(plot_level(0.001, 100, 0, 4), 1);
	/* Several lines: filled from below. */
	assert_int_equal(plot_level(50, 100, 0, 2), 8);
	assert_int_equal(plot_level(50, 100, 1, 2), 0);
	assert_int_equal(plot_level(75, 100, 1, 2), 4);
	assert_int_equal(plot_level(100, 100, 3, 4), 8);
	/* Nothing to draw, nothing to divide by. */
	assert_int_equal(plot_level(NAN, 100, 0, 1), 0);
	assert_int_equal(plot_level(-1, 100, 0, 1), 0);
	assert_int_equal(plot_level(5, 0, 0, 1), 0);
	assert_int_equal(plot_level(INFINITY, INFINITY, 0, 1), 0);
}

static void check_number(double value, const char *want)
{
	char text[PLOT_NUMBER_MAX];

	plot_number(value, text);
	assert_string_equal(text, want);
	assert_true(strlen(text) <= 6);
}

static void test_numbers(void **state)
{
	(void)state;
	check_number(0, "0");
	check_number(7, "7");
	check_number(0.0421, "0.042");
	check_number(0.9996, "1.00");
	check_number(1.5, "1.50");
	check_number(36.08, "36.1");
	check_number(214.6, "215");
	check_number(999, "999");
	check_number(999.7, "1.00K");
	check_number(1234, "1.23K");
	check_number(45.6e6, "45.6M");
	check_number(999.6e6, "1.00G");
	check_number(123e9, "123G");
	check_number(1e15, "1.00P");
	check_number(NAN, "-");
	check_number(-3, "-3");
}

static void test_times(void **state)
{
	char text[32];

	(void)state;
	plot_time(900000000, text);
	assert_string_equal(text, "900 ms");
	plot_time(12500000000, text);
	assert_string_equal(text, "12.5 s");
	plot_time(200000000000, text);
	assert_string_equal(text, "3 min 20 s");
}

static const struct plot_series *make_series(uint32_t nr)
{
	static struct plot_series series[64];

	for (uint32_t i = 0; i < nr; i++)
		series[i] = (struct plot_series){ i % 2 ? "page-faults" : "cpu-clock", i % 2 ? "" : "msec", NULL, 0 };
	return series;
}

/* Whatever the terminal: all fits, nothing overlaps. */
static void test_every_size(void **state)
{
	(void)state;
	for (uint32_t nr = 0; nr <= 40; nr++) {
		for (uint32_t w = 1; w < 250; w += 7) {
			for (uint32_t h = 1; h < 80; h += 3) {
				struct plot_layout l;

				plot_layout_init(&l, make_series(nr), nr, w, h);
				assert_int_equal(l.nr_shown + l.nr_hidden, nr);
				assert_true(l.chart_height >= 1);
				assert_true(l.chart_height <= PLOT_MAX_HEIGHT);
				assert_true(l.chart_width >= 1);
				/* One line is the cursor's; very small ones are beyond help. */
				if (h >= 5)
					assert_true(l.nr_lines < h);
				if (w >= 20)
					assert_true(l.chart_left + l.chart_width < w);
				if (l.numbers_left)
					assert_true(l.numbers_left + 10 < w);
			}
		}
	}
}

static void test_shape(void **state)
{
	struct plot_layout l;

	(void)state;
	/* Four charts on 30 lines: five high, with lines between them. */
	plot_layout_init(&l, make_series(4), 4, 100, 30);
	assert_int_equal(l.nr_shown, 4);
	assert_int_equal(l.chart_height, 5);
	assert_int_equal(l.gap, 1);
	assert_true(l.has_axis);
	assert_int_equal(l.nr_lines, 1 + 4 * 5 + 3 + 1);
	assert_int_equal(l.label_width, strlen("page-faults"));
	/* Twenty on 24: one line each, and units beside the names. */
	plot_layout_init(&l, make_series(20), 20, 100, 24);
	assert_int_equal(l.nr_shown, 20);
	assert_int_equal(l.chart_height, 1);
	assert_int_equal(l.gap, 0);
	assert_int_equal(l.label_width, strlen("cpu-clock msec"));
	/* Thirty on 24: some are hidden, and a line says so. */
	plot_layout_init(&l, make_series(30), 30, 100, 24);
	assert_int_equal(l.nr_hidden, 30 - l.nr_shown);
	assert_true(l.nr_hidden > 0);
	/* Of unknown size. */
	plot_layout_init(&l, make_series(1), 1, 0, 0);
	assert_int_equal(l.width, 80);
	assert_int_equal(l.height, 24);
	/* Too narrow for numbers. */
	plot_layout_init(&l, make_series(1), 1, 24, 10);
	assert_int_equal(l.numbers_left, 0);
}

static void test_window(void **state)
{
	static const double values[] = { 9, 1, 2, 3, NAN, 5 };
	struct plot_series s = { "x", "", values, 6 };
	struct plot_layout l = { .chart_width = 4 };
	uint32_t column;

	(void)state;
	/* The newest four: 2 3 - 5. The 9 is out of sight, and does not scale what is in it. */
	assert_int_equal(plot_layout_first(&l, s.nr, &column), 2);
	assert_int_equal(column, 0);
	assert_true(plot_layout_max(&l, &s) == 5);
	assert_true(fabs(plot_layout_mean(&l, &s) - 10.0 / 3) < 1e-9);
	/* Fewer than fit: at the right. */
	l.chart_width = 10;
	assert_int_equal(plot_layout_first(&l, s.nr, &column), 0);
	assert_int_equal(column, 4);
	assert_true(plot_layout_max(&l, &s) == 9);
	s.nr = 0;
	assert_true(plot_layout_max(&l, &s) == 0);
	assert_true(isnan(plot_layout_mean(&l, &s)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),	   cmocka_unit_test(test_numbers), cmocka_unit_test(test_times),
		cmocka_unit_test(test_every_size), cmocka_unit_test(test_shape),   cmocka_unit_test(test_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
