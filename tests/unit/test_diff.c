/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Comparing sides: means and intervals in the unit of what is measured, what is tested and what is not. How often that is wrong is
 * test_diff_noise.c's.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/diff.h"

#define SIDE(nr)                                                                                                                           \
	(const double[])                                                                                                                   \
	{                                                                                                                                  \
		nr, nr, nr                                                                                                                 \
	}

/* One row alone, of `nr_base` and `nr_now` recordings of so many samples. */
static struct diff_result one_row(struct diff_design *d, const double *base, uint32_t nr_base, const double *now, uint32_t nr_now,
				  double samples, bool is_count)
{
	struct diff_result r;
	double here = 0;

	diff_design_init(d, SIDE(samples), nr_base, SIDE(samples), nr_now, is_count);
	for (uint32_t i = 0; i < nr_base; i++)
		here += base[i] * samples / 100;
	for (uint32_t i = 0; i < nr_now; i++)
		here += now[i] * samples / 100;
	r = diff_compare(d, base, now, (uint64_t)llround(here));
	return r;
}

static struct diff_summary finish(struct diff_design *d, struct diff_result *r)
{
	struct diff_summary s;

	diff_judge(d, r, 1, sizeof(*r));
	s = diff_correct(r, 1, sizeof(*r));
	diff_design_fini(d);
	return s;
}

static void one_recording_proves_nothing(void **state)
{
	const double base[] = { 10 }, now[] = { 40 }, more[] = { 40, 41, 39 };
	struct diff_design d;
	struct diff_result r = one_row(&d, base, 1, now, 1, 1000, false);

	(void)state;
	assert_int_equal(finish(&d, &r).nr_tests, 0);
	assert_int_equal(r.basis, DIFF_BY_SAMPLES);
	assert_int_equal(r.test, DIFF_UNTESTED);
	assert_true(r.delta == 30 && r.base == 10 && r.now == 40);
	/* 1.96 · sqrt(0.1·0.9/1000 + 0.4·0.6/1000) = 3.56% */
	assert_true(fabs(r.low - 26.4) < 0.15 && fabs(r.high - 33.5) < 0.15);
	assert_true(isnan(r.p) && !r.is_significant);
	r = one_row(&d, base, 1, more, 3, 1000, false);
	finish(&d, &r);
	assert_int_equal(r.basis, DIFF_BY_SAMPLES);
	assert_true(isnan(r.p));
}

/* Recordings that agree to the digit are no proof where samples are few. */
static void luck_is_no_proof(void **state)
{
	const double base[] = { 0, 0, 0 }, now[] = { 1, 1, 1 }, much[] = { 4, 4, 4 }, tiny[] = { 0.01, 0.01, 0.01 };
	struct diff_summary s;
	struct diff_design d;
	struct diff_result r = one_row(&d, base, 3, now, 3, 100, false);

	(void)state;
	s = finish(&d, &r);
	assert_int_equal(r.test, DIFF_FEW); /* three samples */
	assert_int_equal(s.nr_few, 1);
	assert_false(s.can_find);
	assert_true(isnan(r.p) && r.low < r.delta);
	r = one_row(&d, base, 3, tiny, 3, 1000000, false);
	s = finish(&d, &r);
	assert_int_equal(r.test, DIFF_SMALL);
	assert_int_equal(s.nr_small, 1);
	r = one_row(&d, base, 3, much, 3, 100, false);
	finish(&d, &r);
	assert_true(r.p > 0.01);
	r = one_row(&d, base, 3, now, 3, 100000, false);
	s = finish(&d, &r);
	assert_true(r.is_significant && s.can_find);
}

/* Two recordings a side that are nothing but noise: whatever a row did, it would not be found. */
static void too_few_recordings_say_so(void **state)
{
	const double base[] = { 1, 30 }, now[] = { 28, 2 };
	struct diff_summary s;
	struct diff_design d;
	struct diff_result r = one_row(&d, base, 2, now, 2, 1000, false);

	(void)state;
	s = finish(&d, &r);
	assert_int_equal(s.nr_tests, 1);
	assert_false(s.can_find || r.is_significant);
}

static void intervals_stay_possible(void **state)
{
	const double base[] = { 0 }, now[] = { 100 };
	struct diff_design d;
	struct diff_result r = one_row(&d, base, 1, now, 1, 3, false);

	(void)state;
	finish(&d, &r);
	assert_true(r.high <= 100 && r.low >= -100 && r.low < r.high);
}

/* Periods twice as large: a ratio around 2, whose interval is one of ratios. */
static void ratios_have_intervals_of_ratios(void **state)
{
	const double base[] = { 30, 31, 29 }, now[] = { 60, 61, 59 }, none[] = { 0, 0, 0 };
	struct diff_design d;
	struct diff_result r = one_row(&d, base, 3, now, 3, 10000, true);

	(void)state;
	d.measure = DIFF_OF_RATIO;
	finish(&d, &r);
	assert_true(r.is_significant);
	assert_true(r.low > 1.6 && r.low < 2 && r.high > 2 && r.high < 2.5);
	r = one_row(&d, none, 3, now, 3, 10000, true);
	d.measure = DIFF_OF_RATIO;
	finish(&d, &r);
	assert_true(isinf(r.high) && r.low >= 0); /* by nothing */
	/* 2 · 30 − 60 is none */
	r = one_row(&d, now, 3, base, 3, 10000, true);
	d.weight[1] = 2;
	finish(&d, &r);
	assert_false(r.is_significant);
	assert_true(r.low < 0 && r.high > 0);
}

static void nothing_compares_with_nothing(void **state)
{
	const double zero[] = { 0 };
	struct diff_design d;
	struct diff_result r = one_row(&d, zero, 1, zero, 0, 0, false);

	(void)state;
	finish(&d, &r);
	assert_int_equal(r.basis, DIFF_BY_NOTHING);
	assert_true(isnan(r.low) && isnan(r.high) && isnan(r.p) && r.delta == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_recording_proves_nothing),	   cmocka_unit_test(luck_is_no_proof),
		cmocka_unit_test(too_few_recordings_say_so),	   cmocka_unit_test(intervals_stay_possible),
		cmocka_unit_test(ratios_have_intervals_of_ratios), cmocka_unit_test(nothing_compares_with_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
