/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Comparing sides: means and intervals, what is called significant and how often that is wrong. Noise is drawn by a generator of fixed seed, so
 * that rates are the same in every run.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/diff.h"

#define NR_ROWS 12
#define MAX_RECORDINGS 5

static uint64_t rng = 88172645463325252u;

static double draw(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (double)(rng >> 11) / (double)(1ull << 53);
}

/* A recording: samples of rows with these shares. */
static void record(const double *shares, uint32_t nr_samples, double *percent)
{
	uint32_t nr[NR_ROWS] = { 0 };

	for (uint32_t i = 0; i < nr_samples; i++) {
		double at = draw();
		uint32_t row = 0;

		while (row < NR_ROWS - 1 && at >= shares[row])
			at -= shares[row++];
		nr[row]++;
	}
	for (uint32_t row = 0; row < NR_ROWS; row++)
		percent[row] = 100.0 * nr[row] / nr_samples;
}

static const double shares_before[NR_ROWS] = { 0.30, 0.20, 0.15, 0.10, 0.08, 0.06, 0.04, 0.03, 0.02, 0.01, 0.006, 0.004 };

/* Compares recordings of both sides, row by row; returns how many rows are significant. */
static uint32_t compare(const double *before, const double *after, uint32_t nr_recordings, uint32_t nr_samples, struct diff_result *r)
{
	double base[MAX_RECORDINGS][NR_ROWS], now[MAX_RECORDINGS][NR_ROWS];
	uint64_t samples[MAX_RECORDINGS];
	uint32_t nr = 0;

	for (uint32_t i = 0; i < nr_recordings; i++) {
		record(before, nr_samples, base[i]);
		record(after, nr_samples, now[i]);
		samples[i] = nr_samples;
	}
	for (uint32_t row = 0; row < NR_ROWS; row++) {
		double b[MAX_RECORDINGS], n[MAX_RECORDINGS];

		for (uint32_t i = 0; i < nr_recordings; i++) {
			b[i] = base[i][row];
			n[i] = now[i][row];
		}
		r[row] = diff_compare(&(struct diff_side){ b, samples, nr_recordings, false }, &(struct diff_side){ n, samples, nr_recordings, false });
	}
	diff_correct(r, NR_ROWS, sizeof(*r));
	for (uint32_t row = 0; row < NR_ROWS; row++)
		nr += r[row].is_significant;
	return nr;
}

static void identical_sides_show_nothing(void **state)
{
	struct diff_result r[NR_ROWS];
	uint32_t nr_false = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		nr_false += compare(shares_before, shares_before, 3 + i % 3, 500, r) > 0;
	print_message("of 1000 pairs of identical sides %u have a significant row\n", nr_false);
	assert_true(nr_false <= 50);
}

/* The interval has the true difference in it in 95 of 100 cases, or more. */
static void intervals_hold_what_they_promise(void **state)
{
	struct diff_result r[NR_ROWS];
	uint32_t nr_out = 0, nr = 0;

	(void)state;
	for (int i = 0; i < 300; i++) {
		compare(shares_before, shares_before, 3, 1000, r);
		for (int row = 0; row < 8; row++, nr++)
			nr_out += r[row].low > 0 || r[row].high < 0;
	}
	print_message("%u of %u intervals miss\n", nr_out, nr);
	assert_true(nr_out <= nr / 20);
}

/* One function of 30% takes 1.5 times as long: 0.45 of 1.15. */
static void what_changed_is_found(void **state)
{
	struct diff_result r[NR_ROWS];
	double after[NR_ROWS];
	uint32_t nr_found = 0;

	(void)state;
	for (int row = 0; row < NR_ROWS; row++)
		after[row] = shares_before[row] * (row ? 1 : 1.5) / 1.15;
	for (int i = 0; i < 100; i++) {
		compare(shares_before, after, 4, 2000, r);
		nr_found += r[0].is_significant && r[0].delta > 0;
		assert_true(r[0].low < r[0].delta && r[0].delta < r[0].high);
	}
	print_message("found in %u of 100\n", nr_found);
	assert_true(nr_found >= 99);
}

static void one_recording_proves_nothing(void **state)
{
	const double base[] = { 10 }, now[] = { 40 }, more[] = { 40, 41, 39 };
	const uint64_t nr[] = { 1000, 1000, 1000 };
	struct diff_result r = diff_compare(&(struct diff_side){ base, nr, 1, false }, &(struct diff_side){ now, nr, 1, false });

	(void)state;
	assert_int_equal(r.basis, DIFF_BY_SAMPLES);
	assert_true(r.delta == 30 && r.base == 10 && r.now == 40);
	/* 1.96 · sqrt(0.1·0.9/1000 + 0.4·0.6/1000) = 3.56% */
	assert_true(fabs(r.low - 26.4) < 0.15 && fabs(r.high - 33.5) < 0.15);
	assert_true(isnan(r.p));
	assert_int_equal(diff_correct(&r, 1, sizeof(r)), 0);
	assert_false(r.is_significant);
	r = diff_compare(&(struct diff_side){ base, nr, 1, false }, &(struct diff_side){ more, nr, 3, false });
	assert_int_equal(r.basis, DIFF_BY_SAMPLES);
	assert_true(isnan(r.p));
}

/* Recordings that agree to the digit are no proof where samples are few: 1 of 100 each on one side, none on the other. */
static void luck_is_no_proof(void **state)
{
	const double base[] = { 0, 0, 0 }, now[] = { 1, 1, 1 }, much[] = { 4, 4, 4 };
	const uint64_t few[] = { 100, 100, 100 }, many[] = { 100000, 100000, 100000 };
	struct diff_result r = diff_compare(&(struct diff_side){ base, few, 3, false }, &(struct diff_side){ now, few, 3, false });

	(void)state;
	assert_true(isnan(r.p)); /* three samples */
	r = diff_compare(&(struct diff_side){ base, few, 3, false }, &(struct diff_side){ much, few, 3, false });
	assert_true(r.p > 0.01 && r.low < r.delta);
	r = diff_compare(&(struct diff_side){ base, many, 3, false }, &(struct diff_side){ now, many, 3, false });
	diff_correct(&r, 1, sizeof(r));
	assert_true(r.is_significant);
}

static void nothing_compares_with_nothing(void **state)
{
	const double zero[] = { 0 };
	const uint64_t none[] = { 0 };
	struct diff_result r = diff_compare(&(struct diff_side){ zero, none, 1, false }, &(struct diff_side){ zero, none, 0, false });

	(void)state;
	assert_int_equal(r.basis, DIFF_BY_NOTHING);
	assert_true(isnan(r.low) && isnan(r.high) && isnan(r.p) && r.delta == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identical_sides_show_nothing), cmocka_unit_test(intervals_hold_what_they_promise),
		cmocka_unit_test(what_changed_is_found), cmocka_unit_test(one_recording_proves_nothing),
		cmocka_unit_test(luck_is_no_proof), cmocka_unit_test(nothing_compares_with_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
