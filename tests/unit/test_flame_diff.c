/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Differential flame trees: widths that add up, what one side lacks, normalised and absolute, noise.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/flame.h"
#include "view/flame_svg.h"

static void add(struct flame *f, uint32_t column, const char *stack, uint64_t weight)
{
	uint32_t frames[8], nr = 0;

	while (*stack) {
		size_t len = strcspn(stack, ";");

		frames[nr++] = flame_intern_frame(f, stack, len, "", FLAME_USER, 0);
		stack += len + (stack[len] == ';');
	}
	flame_add_path(f, column, frames, nr, weight, weight);
}

static uint32_t find(const struct flame *f, const char *name)
{
	for (uint32_t i = 0; i < f->tree.nodes.nr; i++)
		if (!strcmp(flame_name(f, i), name))
			return i;
	fail_msg("there is no frame %s", name);
	return 0;
}

/* Before: 1000 = 300 a, 600 b, 100 gone. After: 2000 = 1000 a, 800 b, 200 added. */
static void make_pair(struct flame *f)
{
	flame_init(f, 2);
	add(f, 0, "main;a", 300);
	add(f, 0, "main;b;c", 600);
	add(f, 0, "main;gone", 100);
	add(f, 1, "main;a", 1000);
	add(f, 1, "main;b;c", 800);
	add(f, 1, "main;added", 200);
	flame_finish(f, NULL);
}

static double width(const struct flame_diff *d, const char *name)
{
	return (double)flame_diff_width(d->flame, weighted_totals(&d->flame->tree, find(d->flame, name)), d) /
	       (double)flame_diff_width(d->flame, weighted_totals(&d->flame->tree, WEIGHTED_ROOT), d);
}

static void both_sides_are_seen(void **state)
{
	struct flame_diff d;
	struct flame f;

	(void)state;
	make_pair(&f);
	flame_diff_init(&d, &f, 1, false);
	assert_true(fabs(width(&d, "a") - 0.4) < 1e-6);
	assert_true(fabs(width(&d, "b") - 0.5) < 1e-6);
	assert_true(fabs(width(&d, "gone") - 0.05) < 1e-6);
	assert_true(fabs(width(&d, "added") - 0.05) < 1e-6);
	assert_true(d.results[find(&f, "a")].delta == 20);
	assert_true(d.results[find(&f, "b")].delta == -20);
	assert_true(flame_diff_strength(&d, find(&f, "a")) == 1);
	assert_true(flame_diff_strength(&d, find(&f, "b")) == -1);
	assert_int_equal(d.basis, DIFF_BY_SAMPLES);
	assert_false(flame_diff_is_noise(&d, find(&f, "a")));
	assert_true(flame_diff_is_noise(&d, WEIGHTED_ROOT));
	flame_diff_fini(&d);
	flame_fini(&f);
}

static void absolute_is_as_counted(void **state)
{
	struct flame_diff d;
	struct flame f;

	(void)state;
	make_pair(&f);
	flame_diff_init(&d, &f, 1, true);
	assert_true(fabs(width(&d, "a") - 1300.0 / 3000) < 1e-6);
	assert_true(d.results[WEIGHTED_ROOT].delta == 100);	       /* twice as much */
	assert_true(fabs(d.results[find(&f, "b")].delta - 20) < 1e-9); /* 600 → 800 of 1000 */
	assert_true(d.results[find(&f, "gone")].delta == -10);
	flame_diff_fini(&d);
	flame_fini(&f);
}

/* Whatever the figures: children never exceed their parent, which the layout relies on. */
static void widths_add_up(void **state)
{
	static const uint64_t sums[] = { 1, 7, 1000, 1000003, 1ull << 40, 1ull << 62 };
	uint64_t rng = 88172645463325252u;

	(void)state;
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++) {
		for (int absolute = 0; absolute < 2; absolute++) {
			struct flame_layout l;
			struct flame_diff d;
			struct flame f;

			flame_init(&f, 5);
			for (uint32_t k = 0; k < 300; k++) {
				char stack[] = "main;a;b;c";

				rng ^= rng << 13;
				rng ^= rng >> 7;
				rng ^= rng << 17;
				stack[5] = (char)('a' + rng % 7);
				stack[7] = (char)('a' + (rng >> 8) % 7);
				stack[9] = (char)('a' + (rng >> 16) % 7);
				add(&f, k % 5, stack, (rng >> 20) % sums[i] / 300 + 1);
			}
			flame_finish(&f, NULL);
			flame_diff_init(&d, &f, 2, absolute);
			flame_layout_build(&l, &f, flame_diff_width, &d, 0);
			assert_true(l.total > 0);
			for (uint32_t k = 1; k < l.rects.nr; k++) {
				assert_true(l.rects.v[k].x0 >= l.rects.v[l.rects.v[k].above].x0);
				assert_true(l.rects.v[k].x1 <= l.rects.v[l.rects.v[k].above].x1);
				if (l.rects.v[k].row == l.rects.v[k - 1].row)
					assert_true(l.rects.v[k].x0 >= l.rects.v[k - 1].x1);
			}
			flame_layout_fini(&l);
			flame_diff_fini(&d);
			flame_fini(&f);
		}
	}
}

static void several_recordings_tell_noise(void **state)
{
	static const uint64_t a[6] = { 300, 310, 290, 500, 510, 490 }, b[6] = { 700, 690, 710, 500, 490, 510 };
	static const struct flame_svg_options none;
	struct flame_svg_options opts = none;
	struct flame_diff d;
	struct flame f;
	struct out o;

	(void)state;
	flame_init(&f, 6);
	for (uint32_t c = 0; c < 6; c++) {
		add(&f, c, "main;a", a[c]);
		add(&f, c, "main;b;same", b[c] / 2);
		add(&f, c, "main;b;half", b[c] - b[c] / 2);
		add(&f, c, "rest", 100 + c % 2 * 4);
		add(&f, c, "few", 1);
	}
	flame_finish(&f, NULL);
	flame_diff_init(&d, &f, 3, false);
	d.unit = "samples";
	assert_int_equal(d.basis, DIFF_BY_RECORDINGS);
	assert_false(flame_diff_is_noise(&d, find(&f, "a")));
	assert_true(flame_diff_is_noise(&d, find(&f, "rest")));
	assert_true(flame_diff_is_noise(&d, find(&f, "main")));
	assert_true(isnan(d.results[find(&f, "few")].p));

	/* red, blue, neither */
	uint32_t red, blue, pale;

	flame_diff_style(&opts, &d);
	red = opts.colour_of(&f, find(&f, "a"), opts.ctx);
	blue = opts.colour_of(&f, find(&f, "b"), opts.ctx);
	pale = opts.colour_of(&f, find(&f, "rest"), opts.ctx);
	assert_true((red >> 16) > (red & 0xff) + 100);
	assert_true((blue & 0xff) > (blue >> 16) + 100);
	assert_true(abs((int)(pale >> 16) - (int)(pale & 0xff)) < 40);

	out_init(&o, -1);
	opts.details_of(&o, &f, find(&f, "a"), opts.ctx);
	out_char(&o, 0);
	assert_non_null(strstr(o.buf, "significant"));
	assert_non_null(strstr(o.buf, "300 → 500 samples"));
	o.len = 0;
	flame_diff_basis(&o, &d);
	out_char(&o, 0);
	assert_non_null(strstr(o.buf, "moderated t over 3 and 3 recordings"));
	out_fini(&o);
	flame_diff_fini(&d);
	flame_fini(&f);
}

/* One of three recordings is empty: means and shares are those of the others. */
static void an_empty_recording_says_nothing(void **state)
{
	struct flame_diff d;
	struct flame f;

	(void)state;
	for (int absolute = 0; absolute < 2; absolute++) {
		flame_init(&f, 6);
		for (uint32_t c = 0; c < 6; c++) {
			if (c == 1)
				continue;
			add(&f, c, "main;a", 300);
			add(&f, c, "main;b", 700);
		}
		flame_finish(&f, NULL);
		flame_diff_init(&d, &f, 3, absolute);
		assert_int_equal(d.nr_used[FLAME_DIFF_BASE], 2);
		assert_int_equal(d.nr_used[FLAME_DIFF_NOW], 3);
		assert_true(fabs(d.results[find(&f, "a")].base - 30) < 1e-9 && fabs(d.results[find(&f, "a")].delta) < 1e-9);
		assert_true(flame_diff_mean(&d, find(&f, "a"), FLAME_DIFF_BASE) == 300);
		assert_true(fabs(width(&d, "a") - 0.3) < 1e-4);
		assert_int_equal(d.basis, DIFF_BY_RECORDINGS);
		flame_diff_fini(&d);
		flame_fini(&f);
	}
}

/* Samples of which a few weigh nearly everything are worth these few. */
static void weights_that_differ_say_less(void **state)
{
	double reach[2];

	(void)state;
	for (int uneven = 0; uneven < 2; uneven++) {
		struct flame_diff d;
		struct flame f;

		make_pair(&f);
		/* 1,000 and 2,000 that are worth 10 and 20 */
		for (uint32_t c = 0; uneven && c < 2; c++)
			f.squares[c] = (double)f.sum[c] * 100;
		flame_diff_init(&d, &f, 1, false);
		reach[uneven] = d.results[find(&f, "a")].high - d.results[find(&f, "a")].low;
		flame_diff_fini(&d);
		flame_fini(&f);
	}
	assert_true(reach[1] > 6 * reach[0]);
}

static void an_empty_side_is_no_error(void **state)
{
	struct flame_diff d;
	struct flame f;

	(void)state;
	flame_init(&f, 2);
	add(&f, 1, "main", 5);
	flame_finish(&f, NULL);
	flame_diff_init(&d, &f, 1, false);
	assert_int_equal(d.basis, DIFF_BY_NOTHING);
	assert_true(flame_diff_is_noise(&d, find(&f, "main")));
	assert_true(flame_diff_width(&f, weighted_totals(&f.tree, WEIGHTED_ROOT), &d) > 0);
	flame_diff_fini(&d);
	flame_fini(&f);
}

static uint32_t row_of(const struct flame_functions *fs, const struct flame *f, const char *name)
{
	for (uint32_t i = 0; i < fs->frames.nr; i++)
		if (!strcmp(strtab_get(&f->strings, f->frames.v[fs->frames.v[i]].name), name))
			return i;
	fail_msg("there is no function %s", name);
	return 0;
}

/* Recursive calls count once in the total, one that was inlined is the same function, and narrow frames are there. */
static void functions_are_added_up(void **state)
{
	const uint64_t least[2] = { 50, 50 };
	struct flame_functions fs;
	struct flame_diff d;
	uint32_t inlined, row;
	struct flame f;

	(void)state;
	flame_init(&f, 2);
	add(&f, 0, "main;walk;walk;leaf", 600);
	add(&f, 0, "main;walk", 400);
	add(&f, 1, "main;walk;walk;leaf", 300);
	add(&f, 1, "main;walk", 690);
	add(&f, 1, "main;narrow", 4);
	inlined = flame_intern_frame(&f, "narrow", 6, "", FLAME_USER, FLAME_INLINED);
	flame_add_path(&f, 1, &inlined, 1, 6, 6);
	flame_functions_init(&fs, &f);
	flame_finish(&f, least);
	flame_diff_init(&d, &f, 1, false);
	flame_functions_compare(&fs, &d);
	assert_int_equal(fs.frames.nr, 4);
	row = row_of(&fs, &f, "walk");
	assert_int_equal(fs.total[2 * row], 1000);
	assert_int_equal(fs.self[2 * row], 400);
	assert_int_equal(fs.self[2 * row + 1], 690);
	assert_true(fabs(fs.of_self[row].delta - 29) < 1e-9);
	assert_int_equal(diff_verdict(&fs.of_self[row]), DIFF_BEYOND_ERROR);
	row = row_of(&fs, &f, "narrow");
	assert_int_equal(fs.total[2 * row], 0);
	assert_int_equal(fs.self[2 * row + 1], 10);
	assert_true(fabs(fs.of_total[row].now - 1) < 1e-9);
	/* It never ran itself: nothing is said of that. */
	assert_int_equal(diff_verdict(&fs.of_self[row_of(&fs, &f, "main")]), DIFF_SAYS_NOTHING);
	flame_functions_fini(&fs);
	flame_diff_fini(&d);
	flame_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_added_up),	 cmocka_unit_test(both_sides_are_seen),
		cmocka_unit_test(absolute_is_as_counted),	 cmocka_unit_test(widths_add_up),
		cmocka_unit_test(several_recordings_tell_noise), cmocka_unit_test(an_empty_recording_says_nothing),
		cmocka_unit_test(weights_that_differ_say_less),	 cmocka_unit_test(an_empty_side_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
