/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/heat.h: edges, what lies outside, counts that add up, percentiles beside a sort.
 */
#include "model/heat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)

/* What holds for every matrix. */
static void check(const struct heat *h)
{
	uint64_t sum = 0, below = 0, above = 0;
	uint32_t max = 0, min = UINT32_MAX, nr_cells = 0, nr_low = 0;

	assert_true(h->nr_rows >= 1 && h->nr_columns >= 1);
	assert_int_equal(h->edges.nr, h->nr_rows + 1);
	for (uint32_t r = 0; r < h->nr_rows; r++)
		assert_true(h->edges.v[r] < h->edges.v[r + 1]);
	for (uint32_t c = 0; c < h->nr_columns; c++) {
		below += heat_count(h, c, HEAT_BELOW(h));
		above += heat_count(h, c, HEAT_ABOVE(h));
		for (uint32_t r = 0; r < h->nr_rows + 2; r++) {
			uint32_t n = heat_count(h, c, r);

			sum += n;
			max = n > max ? n : max;
			min = n && n < min ? n : min;
			nr_cells += n > 0;
			nr_low += n && n < h->low_count;
		}
	}
	assert_int_equal(sum, h->points.nr);
	assert_int_equal(below, h->nr_below);
	assert_int_equal(above, h->nr_above);
	assert_int_equal(max, h->max_count);
	assert_int_equal(min, h->min_count);
	assert_int_equal(nr_cells, h->nr_cells);
	assert_true(nr_low * 50 < nr_cells && h->low_count >= min && h->low_count <= max);
}

static void test_linear(void **state)
{
	struct heat h;

	(void)state;
	heat_init(&h);
	heat_build(&h, &(struct heat_options){ 0 });
	assert_int_equal(h.nr_rows, 0);
	for (uint64_t i = 0; i < 1000; i++)
		heat_add(&h, 5000 * MS + i * 10 * MS, i % 25 * MS);
	heat_build(&h, &(struct heat_options){ 0 });
	check(&h);
	assert_int_equal(h.edges.v[0], 0);
	assert_int_equal(h.edges.v[1], MS / 2); /* 24 ms in some fifty rows */
	assert_int_equal(h.edges.v[h.nr_rows], 24 * MS + MS / 2);
	assert_int_equal(h.start_ns, 5000 * MS);
	assert_int_equal(h.column_ns, 100 * MS);
	assert_int_equal(h.nr_columns, 100);
	assert_int_equal(heat_count(&h, 0, 0), 1);
	assert_int_equal(heat_count(&h, 0, 2), 1);
	assert_int_equal(h.nr_above + h.nr_below, 0);

	heat_build(&h, &(struct heat_options){ .has_max = true, .max = 10 * MS, .has_min = true, .min = 2 * MS });
	check(&h);
	assert_int_equal(h.nr_below, 40 * 2);
	assert_int_equal(h.nr_above, 40 * 14); /* 10 ms itself is inside */
	assert_int_equal(h.edges.v[0], 2 * MS);
	assert_int_equal(h.edges.v[h.nr_rows], 10 * MS + 1);

	heat_build(&h, &(struct heat_options){ .nr_rows = 7, .nr_columns = 9 });
	check(&h);
	assert_int_equal(h.nr_rows, 7);
	assert_int_equal(h.nr_columns, 9);
	heat_fini(&h);
}

/* A lower end above everything stays where it was put. */
static void test_high_min(void **state)
{
	struct heat h;

	(void)state;
	heat_init(&h);
	for (uint64_t i = 0; i < 100; i++)
		heat_add(&h, i * MS, i * 1000);
	for (int log = 0; log < 2; log++) {
		heat_build(&h, &(struct heat_options){ .scale = log ? HEAT_LOG : HEAT_LINEAR, .has_min = true, .min = 1000 * MS });
		check(&h);
		assert_int_equal(h.edges.v[0], 1000 * MS);
		assert_int_equal(h.nr_below, 100);
		assert_int_equal(h.nr_above, 0);
	}
	heat_fini(&h);
}

/* The poorest cells, here those of a column that was cut, do not set where colours begin. */
static void test_low_count(void **state)
{
	struct heat h;

	(void)state;
	heat_init(&h);
	for (uint64_t i = 0; i < 40000; i++)
		heat_add(&h, i / 10 % 100 * MS, i % 10 * MS);
	heat_add(&h, 100 * MS, 5 * MS);
	heat_build(&h, &(struct heat_options){ .nr_columns = 101, .nr_rows = 10 });
	check(&h);
	assert_int_equal(h.nr_cells, 1001);
	assert_int_equal(h.min_count, 1);
	assert_int_equal(h.low_count, 40);
	heat_fini(&h);
}

/* What cannot be told exactly stays out, and is counted. */
static void test_too_large(void **state)
{
	struct heat h;

	(void)state;
	heat_init(&h);
	assert_true(heat_add(&h, HEAT_TIME_MAX, HEAT_VALUE_MAX));
	assert_true(heat_add(&h, HEAT_TIME_MAX + 1, 1));
	assert_true(heat_add(&h, 1, HEAT_VALUE_MAX + 1));
	assert_int_equal(h.points.nr, 1);
	assert_int_equal(h.nr_refused, 2);
	heat_fini(&h);
}

static void test_log(void **state)
{
	struct heat h;
	bool has_ms = false;

	(void)state;
	heat_init(&h);
	for (uint64_t v = 1000; v <= 1000 * MS; v *= 2)
		heat_add(&h, v, v);
	heat_build(&h, &(struct heat_options){ .scale = HEAT_LOG });
	check(&h);
	for (uint32_t i = 0; i < h.edges.nr; i++)
		has_ms |= h.edges.v[i] == MS;
	assert_true(has_ms);
	assert_in_range(h.nr_rows, 25, 60);
	heat_add(&h, 1, 0); /* zero has no logarithm, but a row */
	heat_build(&h, &(struct heat_options){ .scale = HEAT_LOG });
	check(&h);
	assert_int_equal(heat_count(&h, 0, 0), 1);
	heat_build(&h,
		   &(struct heat_options){ .scale = HEAT_LOG, .has_min = true, .min = 4000, .has_max = true, .max = MS, .nr_rows = 12 });
	check(&h);
	assert_int_equal(h.nr_rows, 12);
	assert_int_equal(h.nr_below, 3);
	assert_int_equal(h.edges.v[0], 4000);
	assert_int_equal(h.edges.v[12], MS + 1);
	heat_fini(&h);
}

static void test_offset(void **state)
{
	struct heat h;

	(void)state;
	heat_init(&h);
	for (uint64_t t = 1700 * MS; t < 5200 * MS; t += 10 * MS)
		heat_add(&h, t, t % HEAT_SECOND_NS);
	heat_build(&h, &(struct heat_options){ .is_offset = true });
	check(&h);
	assert_int_equal(h.start_ns, 1000 * MS);
	assert_int_equal(h.column_ns, HEAT_SECOND_NS);
	assert_int_equal(h.nr_columns, 5);
	assert_int_equal(h.nr_rows, 50);
	assert_int_equal(h.edges.v[50], HEAT_SECOND_NS);
	assert_int_equal(heat_count(&h, 0, 34), 0);
	assert_int_equal(heat_count(&h, 0, 35), 2);
	assert_int_equal(heat_count(&h, 4, 9), 2);
	assert_int_equal(heat_count(&h, 4, 10), 0);
	heat_build(&h, &(struct heat_options){ .is_offset = true, .nr_columns = 3, .nr_rows = 4 });
	check(&h);
	assert_int_equal(h.column_ns, 2 * HEAT_SECOND_NS);
	heat_fini(&h);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Nearest rank: the smallest value that has at least this share at or below it. */
static void test_percentiles(void **state)
{
	static const uint32_t sizes[] = { 1, 2, 3, 9, 10, 11, 99, 100, 101, 999, 1000, 1001, 5003 };
	static const double shares[] = { 0.5, 0.9, 0.99, 0.999, 1 };
	uint64_t rng = 3;

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		uint64_t *sorted = malloc(sizes[s] * sizeof(*sorted));
		struct heat h;

		heat_init(&h);
		for (uint32_t i = 0; i < sizes[s]; i++) {
			rng = rng * 6364136223846793005ULL + 1442695040888963407ULL;
			sorted[i] = rng >> (2 + s * 4 % 60); /* of all magnitudes */
			heat_add(&h, i, sorted[i]);
		}
		qsort(sorted, sizes[s], sizeof(*sorted), by_value);
		heat_build(&h, &(struct heat_options){ .scale = s % 2 ? HEAT_LOG : HEAT_LINEAR });
		check(&h);
		assert_int_equal(h.min, sorted[0]);
		for (int p = 0; p < HEAT_NR_RANKS; p++) {
			uint32_t k = 0;

			while ((double)(k + 1) < shares[p] * sizes[s] - 1e-9)
				k++;
			assert_int_equal(h.ranks[p], sorted[k]);
		}
		free(sorted);
		heat_fini(&h);
	}
}

static void test_extremes(void **state)
{
	static const struct heat_options options[] = {
		{ 0 },
		{ .scale = HEAT_LOG },
		{ .nr_rows = 1000, .nr_columns = 4000 },
		{ .scale = HEAT_LOG, .nr_rows = 1000 },
		{ .is_offset = true },
		{ .has_max = true, .max = 1 },
		{ .scale = HEAT_LOG, .has_max = true, .max = 1 },
		{ .has_min = true, .min = HEAT_VALUE_MAX },
		{ .scale = HEAT_LOG, .has_min = true, .min = HEAT_VALUE_MAX / 2 },
		{ .scale = HEAT_LOG, .has_min = true, .min = 3, .has_max = true, .max = 4 },
	};
	static const uint64_t edges[][2] = {
		{ 0, 0 }, { 1, 1 }, { 0, HEAT_VALUE_MAX }, { HEAT_VALUE_MAX, HEAT_VALUE_MAX }, { HEAT_VALUE_MAX - 1, HEAT_VALUE_MAX }
	};

	(void)state;
	for (size_t e = 0; e < sizeof(edges) / sizeof(*edges); e++) {
		for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
			struct heat h;

			heat_init(&h);
			for (int k = 0; k < 2; k++)
				heat_add(&h, edges[e][k], options[i].is_offset ? edges[e][k] % HEAT_SECOND_NS : edges[e][1 - k]);
			heat_build(&h, &options[i]);
			check(&h);
			assert_true(h.nr_rows <= HEAT_MAX_ROWS && h.nr_columns <= HEAT_MAX_COLUMNS);
			heat_fini(&h);
		}
	}
}

static void test_round_step(void **state)
{
	(void)state;
	assert_int_equal(heat_round_step(0), 1);
	assert_int_equal(heat_round_step(1), 1);
	assert_int_equal(heat_round_step(2), 2);
	assert_int_equal(heat_round_step(7), 8);
	assert_int_equal(heat_round_step(11), 12);
	assert_int_equal(heat_round_step(81), 100);
	assert_int_equal(heat_round_step(2400001), 2500000);
	assert_int_equal(heat_round_step(100), 100);
}

/* 99 of `low` and one of `high`. */
static bool chooses_log(uint64_t low, uint64_t high, struct heat_options o)
{
	struct heat h;
	bool is_log;

	heat_init(&h);
	for (uint64_t i = 0; i < 100; i++)
		heat_add(&h, i, i ? low : high);
	heat_build(&h, &o);
	check(&h);
	is_log = h.is_log;
	heat_fini(&h);
	return is_log;
}

/* Where the median would be in the lowest hundredth, unless a scale was asked for. */
static void test_auto_scale(void **state)
{
	(void)state;
	assert_true(chooses_log(9999, MS, (struct heat_options){ 0 }));
	assert_false(chooses_log(10000, MS, (struct heat_options){ 0 }));
	assert_false(chooses_log(9999, MS, (struct heat_options){ .scale = HEAT_LINEAR }));
	assert_true(chooses_log(MS, MS, (struct heat_options){ .scale = HEAT_LOG }));
	/* what is drawn counts, not what is above it */
	assert_false(chooses_log(9999, MS, (struct heat_options){ .has_max = true, .max = 100000 }));
	assert_true(chooses_log(9999, 10000, (struct heat_options){ .has_max = true, .max = MS }));
	assert_true(chooses_log(0, MS, (struct heat_options){ 0 }));
	assert_false(chooses_log(0, 0, (struct heat_options){ 0 }));
	/* parts of a second are never logarithmic */
	assert_false(chooses_log(1, 999 * MS, (struct heat_options){ .is_offset = true }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_linear),	    cmocka_unit_test(test_log),	      cmocka_unit_test(test_offset),
		cmocka_unit_test(test_percentiles), cmocka_unit_test(test_extremes),  cmocka_unit_test(test_round_step),
		cmocka_unit_test(test_high_min),    cmocka_unit_test(test_low_count), cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_auto_scale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
