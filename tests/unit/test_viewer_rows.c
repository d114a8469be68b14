/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * view/viewer.h: rows of a page that are merged: sums stay, and so does how samples are spread over the time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "view/viewer.h"

#define NR_SAMPLES 20000u
#define NR_NODES 1000u
#define STEP_NS 3000000ull

static void fill(struct viewer_rows *r)
{
	*r = (struct viewer_rows){ 0 };
	for (uint32_t i = 0; i < NR_SAMPLES; i++)
		vec_push(&r->v,
			 ((struct viewer_row){ .time_ns = 1000000000 + i * STEP_NS, .period = i, .count = 1, .node = i % NR_NODES }));
}

/* Samples before a share of the time, and checks what has to hold. */
static uint64_t count_before(const struct viewer_rows *r, double share)
{
	uint64_t nr = 0, before = 0, periods = 0;

	for (uint32_t i = 0; i < r->v.nr; i++) {
		const struct viewer_row *row = &r->v.v[i];

		assert_true(!i || row->time_ns >= row[-1].time_ns);
		/* It is a time of one of its samples. */
		assert_int_equal((row->time_ns - 1000000000) / STEP_NS % NR_NODES, row->node);
		nr += row->count;
		periods += row->period;
		before += (double)(row->time_ns - 1000000000) < share * (double)(NR_SAMPLES * STEP_NS) ? row->count : 0;
	}
	assert_int_equal(nr, NR_SAMPLES);
	assert_int_equal(periods, (uint64_t)NR_SAMPLES * (NR_SAMPLES - 1) / 2);
	return before;
}

static void test_fits(void **state)
{
	struct viewer_rows r;

	(void)state;
	fill(&r);
	viewer_rows_fit(&r, NR_SAMPLES);
	assert_int_equal(r.v.nr, NR_SAMPLES);
	assert_int_equal(r.merged_ns, 0);
	assert_int_equal(count_before(&r, 0.5), NR_SAMPLES / 2);
	viewer_rows_fini(&r);
}

static void test_spread(void **state)
{
	(void)state;
	for (uint32_t most = NR_NODES; most <= 16 * NR_NODES; most *= 4) {
		struct viewer_rows r;

		fill(&r);
		viewer_rows_fit(&r, most);
		assert_in_range(r.v.nr, NR_NODES, most);
		assert_true(r.merged_ns > 0);
		for (double share = 0.25; share < 1; share += 0.25) {
			double got = (double)count_before(&r, share) / NR_SAMPLES;

			/* Five standard deviations of a thousand rows. */
			assert_true(got > share - 0.08 && got < share + 0.08);
		}
		viewer_rows_fini(&r);
	}
}

/* What differs stays apart, however few rows there should be. */
static void test_distinct(void **state)
{
	struct viewer_rows r;

	(void)state;
	fill(&r);
	viewer_rows_fit(&r, NR_NODES / 2);
	assert_int_equal(r.v.nr, NR_NODES);
	viewer_rows_fini(&r);
	viewer_rows_fit(&r, 0);
	assert_int_equal(r.v.nr, 0);
	viewer_rows_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fits),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_distinct),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
