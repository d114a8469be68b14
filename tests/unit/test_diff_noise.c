/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How often the test of model/diff.h is wrong, and how often it finds what is there, on recordings that are drawn: by samples alone, with jitter
 * that all functions have, that some have, that they have together; few and many rows; sides of different size. The generator has a fixed
 * seed, so that rates are the same in every run. These are the figures that the constants of diff_noise.c come from.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/diff.h"

#define MAX_ROWS 200
#define MAX_NR 5

static uint64_t rng = 88172645463325252u;

static double draw(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return ((double)(rng >> 11) + 0.5) / (double)(1ull << 53);
}

static double draw_normal(void)
{
	return sqrt(-2 * log(draw())) * cos(2 * M_PI * draw());
}

/* Of `nr` trials those that succeed. */
static uint32_t draw_binomial(uint32_t nr, double share)
{
	double expected = nr * share, at = 0;
	uint32_t found = 0;

	if (share >= 1)
		return nr;
	if (expected > 40) {
		double n = round(expected + sqrt(expected * (1 - share)) * draw_normal());

		return n < 0 ? 0 : n > nr ? nr : (uint32_t)n;
	}
	for (;;) {
		at += floor(log(draw()) / log1p(-share)) + 1;
		if (at > nr)
			return found;
		found++;
	}
}

enum jitter { JITTER_NONE, JITTER_ALL, JITTER_SOME, JITTER_ONE, JITTER_TOGETHER };

struct scene {
	const char *name;
	enum jitter jitter;
	double sd;
	uint32_t nr_rows, nr_samples;
	double slower; /* the first function, on the new side */
};

static double percent[2][MAX_ROWS][MAX_NR], effective[2][MAX_NR];
static uint64_t nr_here[MAX_ROWS];

static double jitter_of(const struct scene *s, uint32_t row, const bool *jitters, const double *together)
{
	switch (s->jitter) {
	case JITTER_ALL:
		return exp(s->sd * draw_normal());
	case JITTER_SOME:
		return jitters[row] ? exp(s->sd * draw_normal()) : 1;
	case JITTER_ONE:
		return row == 1 ? exp(s->sd * draw_normal()) : 1;
	case JITTER_TOGETHER:
		return exp(s->sd * together[row % 2]);
	default:
		return 1;
	}
}

static void record(const struct scene *s, uint32_t side, uint32_t recording, const bool *jitters)
{
	const double together[] = { draw_normal(), draw_normal() };
	uint32_t left = s->nr_samples * (recording == 1 ? 2 : 1); /* they are not of equal length */
	double weights[MAX_ROWS], rest = 0;

	effective[side][recording] = left;
	for (uint32_t row = 0; row < s->nr_rows; row++) {
		weights[row] = 1.0 / (row + 1) * (side && !row ? s->slower : 1) * jitter_of(s, row, jitters, together);
		rest += weights[row];
	}
	for (uint32_t row = 0; row < s->nr_rows; row++) {
		uint32_t nr = draw_binomial(left, row + 1 == s->nr_rows ? 1 : weights[row] / rest);

		percent[side][row][recording] = 100 * nr / effective[side][recording];
		nr_here[row] += nr;
		left -= nr;
		rest -= weights[row];
	}
}

/* Returns how many rows are significant; r[0] tells of the first. */
static uint32_t compare(const struct scene *s, uint32_t nr_base, uint32_t nr_now, struct diff_result *r)
{
	struct diff_design d;
	bool jitters[MAX_ROWS];
	uint32_t nr = 0;

	memset(nr_here, 0, sizeof(nr_here));
	for (uint32_t row = 0; row < s->nr_rows; row++)
		jitters[row] = draw() < 0.2;
	for (uint32_t i = 0; i < nr_base; i++)
		record(s, 0, i, jitters);
	for (uint32_t i = 0; i < nr_now; i++)
		record(s, 1, i, jitters);
	diff_design_init(&d, effective[0], nr_base, effective[1], nr_now, false);
	for (uint32_t row = 0; row < s->nr_rows; row++)
		r[row] = diff_compare(&d, percent[0][row], percent[1][row], nr_here[row]);
	diff_judge(&d, r, s->nr_rows, sizeof(*r));
	diff_correct(r, s->nr_rows, sizeof(*r));
	diff_design_fini(&d);
	for (uint32_t row = 0; row < s->nr_rows; row++)
		nr += r[row].is_significant;
	return nr;
}

/* Where nothing changed, a table has a significant row in one of twenty cases at most. */
static void nothing_is_found_where_nothing_is(void **state)
{
	static const struct scene scenes[] = {
		{ "samples alone", JITTER_NONE, 0, 30, 5000, 1 },    { "jitter of 10%", JITTER_ALL, 0.1, 30, 5000, 1 },
		{ "jitter of 40%", JITTER_ALL, 0.4, 30, 5000, 1 },   { "40% of a fifth", JITTER_SOME, 0.4, 30, 20000, 1 },
		{ "40% of one row", JITTER_ONE, 0.4, 30, 20000, 1 }, { "20% together", JITTER_TOGETHER, 0.2, 30, 20000, 1 },
		{ "20%, few rows", JITTER_ALL, 0.2, 6, 5000, 1 },    { "40% of a fifth of many", JITTER_SOME, 0.4, 200, 5000, 1 },
	};
	static const uint32_t designs[][2] = { { 2, 2 }, { 3, 3 }, { 5, 5 }, { 2, 5 } };
	static struct diff_result r[MAX_ROWS];

	(void)state;
	for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++) {
		uint32_t nr_false = 0, nr = 0, nr_trials = scenes[i].nr_rows > 100 ? 25 : 75;

		for (size_t k = 0; k < sizeof(designs) / sizeof(*designs); k++)
			for (uint32_t trial = 0; trial < nr_trials; trial++, nr++)
				nr_false += compare(&scenes[i], designs[k][0], designs[k][1], r) > 0;
		print_message("%s: %u of %u tables are wrong\n", scenes[i].name, nr_false, nr);
		assert_true(nr_false * 20 <= nr);
	}
}

/* One function of 200, of 17%, takes 1.5 times as long; three recordings a side of 2,000 samples and more. */
static void what_changed_is_found(void **state)
{
	static const struct {
		struct scene scene;
		uint32_t nr, least; /* recordings a side; of 100 */
	} cases[] = {
		{ { "samples alone", JITTER_NONE, 0, 200, 2000, 1.5 }, 3, 95 },
		{ { "jitter of 5%", JITTER_ALL, 0.05, 200, 2000, 1.5 }, 3, 90 },
		{ { "jitter of 10%", JITTER_ALL, 0.1, 200, 2000, 1.5 }, 3, 65 },
		{ { "jitter of 10%, five a side", JITTER_ALL, 0.1, 200, 2000, 1.5 }, 5, 90 },
		{ { "samples alone, two a side", JITTER_NONE, 0, 200, 2000, 1.5 }, 2, 70 },
	};
	static struct diff_result r[MAX_ROWS];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t nr_found = 0;

		for (int trial = 0; trial < 50; trial++) {
			compare(&cases[i].scene, cases[i].nr, cases[i].nr, r);
			nr_found += r[0].is_significant && r[0].delta > 0;
		}
		print_message("%s: found in %u of 50\n", cases[i].scene.name, nr_found);
		assert_true(nr_found * 2 >= cases[i].least);
	}
}

/* The interval of a row has the true difference, none, in it in 95 of 100 cases. */
static void intervals_hold_what_they_promise(void **state)
{
	static const struct scene scenes[] = { { "", JITTER_NONE, 0, 12, 1000, 1 }, { "", JITTER_ALL, 0.1, 12, 1000, 1 } };
	static struct diff_result r[MAX_ROWS];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		uint32_t nr_out = 0, nr = 0;

		for (int trial = 0; trial < 200; trial++) {
			compare(&scenes[i], 3, 3, r);
			for (uint32_t row = 0; row < 12; row++, nr++)
				nr_out += r[row].low > 0 || r[row].high < 0;
		}
		print_message("%u of %u intervals miss\n", nr_out, nr);
		assert_true(nr_out * 20 <= nr);
	}
}

/* What is estimated: jitter that is there, and rows that are believed less where they move as one. */
static void jitter_is_seen(void **state)
{
	struct diff_noise apart, together;
	double own[6], sum;

	(void)state;
	diff_noise_init(&apart, 6, 2);
	diff_noise_init(&together, 6, 2);
	for (int row = 0; row < 100; row++) {
		struct diff_noise_row r = { 1e-7, 1e-4, 0 };
		double fresh[6];

		for (int side = 0; side < 2; side++) {
			sum = 0;
			for (int i = 0; i < 3; i++)
				sum += fresh[side * 3 + i] = 0.1 * 0.01 * draw_normal();
			for (int i = 0; i < 3; i++)
				fresh[side * 3 + i] -= sum / 3;
		}
		if (!row)
			memcpy(own, fresh, sizeof(own));
		for (int i = 0; i < 6; i++)
			r.spread += fresh[i] * fresh[i] / 4;
		diff_noise_add(&apart, &r, fresh);
		diff_noise_add(&together, &r, own);
	}
	diff_noise_fit(&apart);
	diff_noise_fit(&together);
	print_message("jitter %.3f worth %.1f, together %.1f\n", apart.jitter, apart.prior_df, together.prior_df);
	assert_true(apart.jitter > 0.08 && apart.jitter < 0.13);
	assert_true(apart.prior_df == 8);
	assert_true(together.prior_df < 0.1);
	/* never less than samples explain, nor than the row itself shows */
	assert_true(diff_noise_factor(&apart, &(struct diff_noise_row){ 1e-4, 0, 1e-9 }) == 1);
	assert_true(fabs(diff_noise_factor(&apart, &(struct diff_noise_row){ 1e-4, 0, 9e-4 }) - 9) < 1e-9);
	diff_noise_fini(&apart);
	diff_noise_fini(&together);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_found_where_nothing_is),
		cmocka_unit_test(what_changed_is_found),
		cmocka_unit_test(intervals_hold_what_they_promise),
		cmocka_unit_test(jitter_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
