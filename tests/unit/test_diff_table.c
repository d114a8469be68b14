/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tables of several recordings: rows matched by name whatever the addresses, perf's computations and order, filters, sides of several recordings.
 */
#include "session_fixture.h"

#include <math.h>

#include "model/diff_table.h"
#include "view/diff.h"

static const char *const old_names[] = { "main", "work", "leaf", "gone", NULL };
static const char *const new_names[] = { "main", "added", "work", "leaf", NULL }; /* work and leaf have moved */
#define PLACE(nth) (0x10010u + 0x100u * (nth))

struct made_recording {
	uint32_t nr[4]; /* samples of each function */
};

static const struct hist_options by_symbol = { .keys = { HIST_DSO, HIST_SYM }, .nr_keys = 2 };
static const struct diff_table_options delta_abs = { .keys = { HIST_DSO, HIST_SYM }, .nr_keys = 2, .compute = DIFF_DELTA_ABS, .order = 1 };

static void add(struct diff_table *t, uint32_t recording, const char *const *names, const struct made_recording *r,
		const struct filter *filter)
{
	struct fixture f;
	struct task *task;
	struct hist h;

	fixture_init(&f);
	task = fixture_task(&f, 10, 10, "app");
	fixture_map(&f, task, 0x10000, 0x1000, fixture_dso(&f, "/bin/app", names));
	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t k = 0; k < r->nr[i]; k++)
			fixture_sample(&f, task, 10, (uint64_t[]){ PLACE(i) }, 1);
	profile_symbolize(&f.p);
	hist_init(&h, &f.p, &by_symbol, 0);
	hist_build(&h, NULL);
	diff_table_add(t, recording, &h, filter);
	hist_fini(&h);
	fixture_fini(&f);
}

static uint32_t row_of(const struct diff_table *t, const char *symbol)
{
	for (uint32_t i = 0; i < t->shown.nr; i++)
		if (!strcmp(diff_table_keys(t, t->shown.v[i])[1].shown.text, symbol))
			return t->shown.v[i];
	fail_msg("there is no row %s", symbol);
	return 0;
}

static const char *nth_symbol(const struct diff_table *t, uint32_t nth)
{
	assert_true(nth < t->shown.nr);
	return diff_table_keys(t, t->shown.v[nth])[1].shown.text;
}

/* 100 samples before: 10 main, 50 work, 30 leaf, 10 gone; 200 after: 10 main, 20 added, 120 work, 50 leaf. */
static void make_pair(struct diff_table *t, const struct diff_table_options *o, const struct filter *filter)
{
	diff_table_init(t, o, (const uint32_t[]){ 0, 1 }, 2);
	add(t, 0, old_names, &(struct made_recording){ { 10, 50, 30, 10 } }, filter);
	add(t, 1, new_names, &(struct made_recording){ { 10, 20, 120, 50 } }, filter);
	diff_table_finish(t);
}

static void rows_are_matched_by_name(void **state)
{
	struct diff_table t;

	(void)state;
	make_pair(&t, &delta_abs, NULL);
	assert_int_equal(t.shown.nr, 5);
	assert_true(diff_table_figure(&t, row_of(&t, "work"), 0)->percent == 50);
	assert_true(diff_table_figure(&t, row_of(&t, "work"), 1)->value == 10);
	assert_true(diff_table_figure(&t, row_of(&t, "leaf"), 1)->value == -5);
	assert_false(diff_table_figure(&t, row_of(&t, "added"), 0)->is_present);
	assert_true(diff_table_figure(&t, row_of(&t, "added"), 1)->value == 10);
	assert_false(diff_table_figure(&t, row_of(&t, "gone"), 1)->is_valued);
	/* by size; of equal size what the baseline has, then what it lacks; what is gone is last */
	assert_string_equal(nth_symbol(&t, 0), "work");
	assert_string_equal(nth_symbol(&t, 1), "added");
	assert_string_equal(nth_symbol(&t, 2), "leaf");
	assert_string_equal(nth_symbol(&t, 3), "main");
	assert_string_equal(nth_symbol(&t, 4), "gone");
	/* one recording a side: an interval, no verdict */
	assert_int_equal(diff_table_figure(&t, row_of(&t, "work"), 1)->test.basis, DIFF_BY_SAMPLES);
	assert_int_equal(t.tests.nr_tests, 0);
	diff_table_fini(&t);
}

static void other_computations(void **state)
{
	struct diff_table_options o = delta_abs;
	struct diff_table t;

	(void)state;
	o.compute = DIFF_RATIO;
	make_pair(&t, &o, NULL);
	assert_true(diff_table_figure(&t, row_of(&t, "work"), 1)->value == 2.4);
	assert_true(isnan(diff_table_figure(&t, row_of(&t, "added"), 1)->value));
	assert_string_equal(nth_symbol(&t, 3), "added"); /* behind those with a ratio */
	diff_table_fini(&t);
	o.compute = DIFF_WEIGHTED;
	o.weight_base = 3;
	o.weight_now = 2;
	make_pair(&t, &o, NULL);
	assert_true(diff_table_figure(&t, row_of(&t, "work"), 1)->value == 1200 * 2 - 500 * 3);
	diff_table_fini(&t);
	o.compute = DIFF_DELTA;
	make_pair(&t, &o, NULL);
	assert_string_equal(nth_symbol(&t, 2), "leaf"); /* −5, as main; the larger baseline first */
	assert_string_equal(nth_symbol(&t, 3), "main");
	diff_table_fini(&t);
	o.order = 0;
	make_pair(&t, &o, NULL);
	assert_string_equal(nth_symbol(&t, 0), "work");
	assert_string_equal(nth_symbol(&t, 4), "added");
	diff_table_fini(&t);
}

static void baseline_only_and_filters(void **state)
{
	struct diff_table_options o = delta_abs;
	struct filter f = { 0 };
	struct diff_table t;

	(void)state;
	o.baseline_only = true;
	make_pair(&t, &o, NULL);
	assert_int_equal(t.shown.nr, 3);
	/* of 90 that have a match; the difference is of the whole */
	assert_true(fabs(diff_table_figure(&t, row_of(&t, "work"), 0)->percent - 100.0 * 50 / 90) < 1e-9);
	assert_true(diff_table_figure(&t, row_of(&t, "work"), 1)->value == 10);
	diff_table_fini(&t);
	o = delta_abs;
	filter_add_names(&f.symbols, "work,leaf");
	make_pair(&t, &o, &f);
	assert_int_equal(t.shown.nr, 2);
	assert_true(diff_table_figure(&t, row_of(&t, "work"), 0)->percent == 50);
	diff_table_fini(&t);
	o.relative = true;
	make_pair(&t, &o, &f);
	assert_true(diff_table_figure(&t, row_of(&t, "work"), 0)->percent == 62.5);
	diff_table_fini(&t);
	filter_fini(&f);
}

static void sides_of_several_recordings(void **state)
{
	static const struct made_recording before[] = { { { 100, 500, 300, 100 } }, { { 90, 510, 310, 90 } }, { { 110, 490, 290, 110 } } };
	static const struct made_recording after[] = { { { 100, 300, 500, 100 } }, { { 90, 310, 510, 90 } }, { { 110, 290, 490, 110 } } };
	struct diff_table t;

	(void)state;
	diff_table_init(&t, &delta_abs, (const uint32_t[]){ 0, 0, 0, 1, 1, 1 }, 6);
	for (uint32_t i = 0; i < 3; i++) {
		add(&t, i, old_names, &before[i], NULL);
		add(&t, 3 + i, old_names, &after[i], NULL);
	}
	diff_table_finish(&t);
	assert_int_equal(t.nr_sides, 2);
	assert_int_equal(t.tests.nr_tests, 4);

	const struct diff_figure *work = diff_table_figure(&t, row_of(&t, "work"), 1), *gone = diff_table_figure(&t, row_of(&t, "gone"), 1);

	assert_true(fabs(work->value + 20) < 1e-9 && work->test.is_significant);
	assert_true(work->test.low < -20 && work->test.high > -20 && work->test.high < 0);
	assert_true(fabs(gone->value) < 1e-9 && !gone->test.is_significant);
	assert_int_equal(work->period, 3000);

	/* On a terminal noise is faint, and only noise. */
	const char *const files[] = { "a1", "a2", "a3", "b1", "b2", "b3" };
	struct diff_text_options text = { .keys = { HIST_SYM }, .nr_keys = 1, .show_noise = true, .is_colourful = true, .names = files };
	struct out o;

	out_init(&o, -1);
	diff_text(&o, &text, &t, "cycles");
	out_char(&o, 0);
	assert_non_null(strstr(o.buf, "#  [0] a1, a2, a3 (Baseline)\n#  [1] b1, b2, b3 \n"));
	assert_non_null(strstr(o.buf, "\n    50.00%    -20.00%"));
	assert_non_null(strstr(o.buf, "\n\033[2m    10.00%     "));
	assert_non_null(strstr(o.buf, "moderated t over recordings (3 and 3)"));
	assert_non_null(strstr(o.buf, "for 4 tests"));
	out_fini(&o);
	diff_table_fini(&t);
}

/* Twice the samples in the same shares: shares tell nothing, counts and ratios do; intervals are in the unit of the value. */
static void counts_are_tested_as_counts(void **state)
{
	static const struct made_recording before[] = { { { 100, 500, 300, 100 } }, { { 90, 510, 310, 90 } }, { { 110, 490, 290, 110 } } };
	static const struct made_recording after[] = { { { 200, 1000, 600, 200 } },
						       { { 180, 1020, 620, 180 } },
						       { { 220, 980, 580, 220 } } };
	static const double values[] = { 0, 50, 2, 5000 }, widest[] = { 10, 20, 1, 2000 };
	struct diff_table_options o = delta_abs;

	(void)state;
	for (int how = 0; how < 4; how++) {
		const struct diff_figure *work;
		struct diff_table t;

		o.absolute = how == 1;
		o.compute = how == 2 ? DIFF_RATIO : how == 3 ? DIFF_WEIGHTED : DIFF_DELTA_ABS;
		o.weight_base = o.weight_now = 1;
		diff_table_init(&t, &o, (const uint32_t[]){ 0, 0, 0, 1, 1, 1 }, 6);
		for (uint32_t i = 0; i < 3; i++) {
			add(&t, i, old_names, &before[i], NULL);
			add(&t, 3 + i, old_names, &after[i], NULL);
		}
		diff_table_finish(&t);
		work = diff_table_figure(&t, row_of(&t, "work"), 1);
		assert_true(work->test.is_significant == (how > 0));
		assert_true(work->test.low < work->value && work->value < work->test.high);
		assert_true(fabs(work->value - values[how]) < 1e-9);
		assert_true(work->test.high - work->test.low < widest[how]);
		assert_true(fabs(work->percent - (how == 1 ? 100 : 50)) < 1e-9);
		diff_table_fini(&t);
	}
}

/* A formula gives the value that stands beside it: of counts, all sides are parts of the baseline's mean. */
static void formulas_of_counts_give_their_value(void **state)
{
	const char *const files[] = { "a", "b", "c" };
	struct diff_text_options text = { .keys = { HIST_SYM }, .nr_keys = 1, .show_formula = true, .names = files };
	struct diff_table_options o = delta_abs;
	struct diff_table t;
	struct out out;

	(void)state;
	o.absolute = true;
	make_pair(&t, &o, NULL); /* work: 50 of 100, then 120 */
	out_init(&out, -1);
	diff_text(&out, &text, &t, "cycles");
	out_char(&out, 0);
	assert_non_null(strstr(out.buf, "+70.00%"));
	assert_non_null(strstr(out.buf, "(1200 * 100 / 1000) - (500 * 100 / 1000)"));
	out_fini(&out);
	diff_table_fini(&t);

	diff_table_init(&t, &o, (const uint32_t[]){ 0, 0, 1 }, 3);
	add(&t, 0, old_names, &(struct made_recording){ { 10, 50, 30, 10 } }, NULL);
	add(&t, 1, old_names, &(struct made_recording){ { 20, 60, 30, 91 } }, NULL);
	add(&t, 2, old_names, &(struct made_recording){ { 10, 120, 30, 40 } }, NULL);
	diff_table_finish(&t);
	out_init(&out, -1);
	diff_text(&out, &text, &t, "cycles");
	out_char(&out, 0);
	assert_non_null(strstr(out.buf, "(1200 * 100 / 1505) - mean(500 * 100 / 1505, 600 * 100 / 1505)"));
	out_fini(&out);
	diff_table_fini(&t);
}

/* Three sides that rest on different things: a line for each. */
static void each_side_says_what_it_rests_on(void **state)
{
	const char *const files[] = { "a1", "a2", "b1", "b2", "c1", "d1" };
	struct diff_text_options text = { .keys = { HIST_SYM }, .nr_keys = 1, .show_noise = true, .names = files };
	struct diff_table t;
	struct out o;

	(void)state;
	diff_table_init(&t, &delta_abs, (const uint32_t[]){ 0, 0, 1, 1, 2, 3 }, 6);
	for (uint32_t i = 0; i < 5; i++)
		add(&t, i, old_names, &(struct made_recording){ { 1, 0, 1, 0 } }, NULL);
	diff_table_finish(&t);
	out_init(&o, -1);
	diff_text(&o, &text, &t, "cycles");
	out_char(&o, 0);
	assert_non_null(strstr(o.buf, "# Interval of [1]: moderated t over recordings (2 and 2)"));
	assert_non_null(strstr(o.buf, "# Interval of [2]: by the number of samples alone"));
	assert_non_null(strstr(o.buf, "# Interval of [3]: none"));
	assert_non_null(strstr(o.buf, "No row is large enough to be tested"));
	assert_non_null(strstr(o.buf, "d1 (no samples: left out)"));
	out_fini(&o);
	diff_table_fini(&t);
}

/* A recording without a sample has no shares; a row that one side lacks has a tested difference. */
static void empty_recordings_and_rows(void **state)
{
	struct diff_table t;

	(void)state;
	diff_table_init(&t, &delta_abs, (const uint32_t[]){ 0, 0, 0, 1, 1 }, 5);
	add(&t, 0, old_names, &(struct made_recording){ { 100, 0, 0, 100 } }, NULL);
	add(&t, 1, old_names, &(struct made_recording){ { 0, 0, 0, 0 } }, NULL);
	add(&t, 2, old_names, &(struct made_recording){ { 100, 0, 0, 100 } }, NULL);
	add(&t, 3, old_names, &(struct made_recording){ { 200, 0, 0, 0 } }, NULL);
	add(&t, 4, old_names, &(struct made_recording){ { 200, 0, 0, 0 } }, NULL);
	diff_table_finish(&t);
	assert_int_equal(diff_table_nr_used(&t, 0), 2);
	assert_int_equal(diff_table_nr_used(&t, 1), 2);
	assert_true(diff_table_figure(&t, row_of(&t, "gone"), 0)->percent == 50);
	assert_true(diff_table_figure(&t, row_of(&t, "gone"), 1)->is_valued);
	assert_true(diff_table_figure(&t, row_of(&t, "gone"), 1)->value == -50);
	diff_table_fini(&t);
	diff_table_init(&t, &delta_abs, (const uint32_t[]){ 0, 1 }, 2);
	diff_table_finish(&t);
	assert_int_equal(t.shown.nr, 0);
	diff_table_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_matched_by_name),
		cmocka_unit_test(other_computations),
		cmocka_unit_test(baseline_only_and_filters),
		cmocka_unit_test(sides_of_several_recordings),
		cmocka_unit_test(empty_recordings_and_rows),
		cmocka_unit_test(counts_are_tested_as_counts),
		cmocka_unit_test(formulas_of_counts_give_their_value),
		cmocka_unit_test(each_side_says_what_it_rests_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
