/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Statistics against values from printed tables and closed forms.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/diff.h"

static void assert_near(double a, double b, double tolerance)
{
	if (!(fabs(a - b) <= tolerance))
		print_error("%.12g is not within %g of %.12g\n", a, tolerance, b);
	assert_true(fabs(a - b) <= tolerance);
}

static void beta_has_closed_forms(void **state)
{
	(void)state;
	for (double x = 0; x <= 1; x += 0.125) {
		assert_near(statistics_beta(x, 1, 1), x, 1e-13);
		assert_near(statistics_beta(x, 3, 1), x * x * x, 1e-13);
		assert_near(statistics_beta(x, 1, 4), 1 - pow(1 - x, 4), 1e-13);
		assert_near(statistics_beta(x, 0.5, 0.5), 2 / M_PI * asin(sqrt(x)), 1e-12);
		assert_near(statistics_beta(x, 2.5, 7.25) + statistics_beta(1 - x, 7.25, 2.5), 1, 1e-12);
	}
	assert_true(statistics_beta(-1, 2, 2) == 0);
	assert_true(statistics_beta(2, 2, 2) == 1);
}

/* P(T ≤ t) */
static double t_cdf(double t, double df)
{
	double tail = statistics_t_p(t, df) / 2;

	return t > 0 ? 1 - tail : tail;
}

static void t_has_closed_forms(void **state)
{
	(void)state;
	for (double t = -8; t <= 8; t += 0.5) {
		assert_near(t_cdf(t, 1), 0.5 + atan(t) / M_PI, 1e-12);
		assert_near(t_cdf(t, 2), 0.5 + t / (2 * sqrt(2 + t * t)), 1e-12);
		/* towards the normal distribution */
		assert_near(t_cdf(t, 1e6), 0.5 * erfc(-t / sqrt(2)), 1e-6);
	}
	assert_near(statistics_t_p(INFINITY, 3), 0, 0);
	assert_near(statistics_t_p(0, 3), 1, 1e-13);
}

/* As the tables in the back of textbooks have them. */
static void t_is_as_in_tables(void **state)
{
	static const struct {
		double confidence, df, t;
	} table[] = {
		{ 0.95, 1, 12.706 }, { 0.95, 2, 4.303 },   { 0.95, 3, 3.182 }, { 0.95, 4, 2.776 }, { 0.95, 8, 2.306 },
		{ 0.95, 10, 2.228 }, { 0.95, 30, 2.042 },  { 0.90, 5, 2.015 }, { 0.99, 4, 4.604 }, { 0.99, 10, 3.169 },
		{ 0.999, 8, 5.041 }, { 0.95, 120, 1.980 }, { 0.50, 7, 0.711 }, { 0.80, 3, 1.638 }, { 0.999, 2, 31.599 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_near(statistics_t_within(table[i].confidence, table[i].df), table[i].t, 0.0006);
		assert_near(statistics_t_p(statistics_t_within(table[i].confidence, table[i].df), table[i].df), 1 - table[i].confidence,
			    1e-10);
	}
}

static void means(void **state)
{
	const double a[] = { 18, 20, 20, 22, 23 };

	(void)state;
	assert_near(statistics_mean(a, 5), 20.6, 1e-12);
	assert_near(statistics_mean(a, 0), 0, 0);
	/* 1 / B(2, 3) = 12 */
	assert_near(statistics_log_beta(2, 3), log(12), 1e-12);
}

/* Weights move the error that is allowed from one test to the other, and no more than that. */
static void weights_share_the_error_out(void **state)
{
	double p[] = { 0.02, 0.02, NAN, 0.5, 0.9 }, same[] = { 0.02, 0.02, NAN, 0.5, 0.9 };
	const double heavy[] = { 30, 4, 100, 3, 3 }, alike[] = { 7, 7, 1, 7, 7 };

	(void)state;
	statistics_adjust(same, alike, 5);
	assert_near(same[0], 0.04, 1e-12);
	/* weights 3, 0.4, 0.3, 0.3 of four tests */
	statistics_adjust(p, heavy, 5);
	assert_near(p[0], 0.02 / 3 * 4, 1e-12);
	assert_near(p[1], 0.02 / 0.4 * 4 / 2, 1e-12);
	assert_true(isnan(p[2]));
	assert_near(p[4], 1, 0);
}

static void adjust_is_benjamini_and_hochbergs(void **state)
{
	/* The fifteen of their paper of 1995: at 0.05 four are significant. */
	double p[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
		       0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000 };
	double few[] = { 0.04, NAN, 0.01, NAN, 0.03 };
	int nr = 0;

	(void)state;
	statistics_adjust(p, NULL, 15);
	for (int i = 0; i < 15; i++)
		nr += p[i] < 0.05;
	assert_int_equal(nr, 4);
	assert_near(p[0], 0.0015, 1e-12);
	assert_near(p[3], 0.035625, 1e-12);
	assert_near(p[14], 1, 0);
	statistics_adjust(few, NULL, 5);
	assert_near(few[0], 0.04, 1e-12);
	assert_near(few[2], 0.03, 1e-12);
	assert_near(few[4], 0.04, 1e-12); /* 0.045, but no more than that of a larger one */
	assert_true(isnan(few[1]) && isnan(few[3]));
	statistics_adjust(NULL, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beta_has_closed_forms),
		cmocka_unit_test(t_has_closed_forms),
		cmocka_unit_test(t_is_as_in_tables),
		cmocka_unit_test(means),
		cmocka_unit_test(adjust_is_benjamini_and_hochbergs),
		cmocka_unit_test(weights_share_the_error_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
