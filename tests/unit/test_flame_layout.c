/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The layout of view/flame_svg.h: exact places of rectangles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "view/flame_svg.h"

static uint32_t frame(struct flame *f, const char *name)
{
	return flame_intern_frame(f, name, strlen(name), "", FLAME_USER, 0);
}

static void add(struct flame *f, uint32_t column, uint64_t weight, const char *a, const char *b)
{
	uint32_t path[2] = { frame(f, a), b ? frame(f, b) : 0 };

	flame_add_path(f, column, path, b ? 2 : 1, weight, weight);
}

/* main (10) with parse (3) and work (5); idle (4) */
static void make(struct flame *f)
{
	flame_init(f, 2);
	add(f, 0, 3, "main", "parse");
	add(f, 0, 5, "main", "work");
	add(f, 0, 2, "main", NULL);
	add(f, 0, 4, "idle", NULL);
	add(f, 1, 8, "main", "parse");
	flame_finish(f, NULL);
}

static void expect_rect(const struct flame *f, const struct flame_layout *l, uint32_t i, const char *name, uint32_t row, uint64_t x0,
			uint64_t x1)
{
	assert_string_equal(flame_name(f, l->rects.v[i].node), name);
	assert_int_equal(l->rects.v[i].row, row);
	assert_int_equal(l->rects.v[i].x0, x0);
	assert_int_equal(l->rects.v[i].x1, x1);
	if (i)
		assert_int_equal(l->rects.v[l->rects.v[i].above].node, f->tree.nodes.v[l->rects.v[i].node].parent);
}

static void test_exact(void **state)
{
	struct flame_layout l;
	struct flame f;

	(void)state;
	make(&f);
	flame_layout_build(&l, &f, flame_width_first, NULL, 0);
	assert_int_equal(l.total, 14);
	assert_int_equal(l.nr_rows, 3);
	assert_int_equal(l.rects.nr, 5);
	assert_int_equal(l.nr_hidden, 0);
	expect_rect(&f, &l, 0, "all", 0, 0, 14);
	expect_rect(&f, &l, 1, "idle", 1, 0, 4);
	expect_rect(&f, &l, 2, "main", 1, 4, 14);
	expect_rect(&f, &l, 3, "parse", 2, 4, 7);
	expect_rect(&f, &l, 4, "work", 2, 7, 12);
	flame_layout_fini(&l);
	flame_fini(&f);
}

static void test_least(void **state)
{
	struct flame_layout l;
	struct flame f;

	(void)state;
	make(&f);
	flame_layout_build(&l, &f, flame_width_first, NULL, 5);
	assert_int_equal(l.rects.nr, 3);
	assert_int_equal(l.nr_hidden, 2);
	/* what is left stands where it stood */
	expect_rect(&f, &l, 1, "main", 1, 4, 14);
	expect_rect(&f, &l, 2, "work", 2, 7, 12);
	flame_layout_fini(&l);
	flame_fini(&f);
}

/* As a diff does it: as wide as the larger side, once children fit. */
static uint64_t width_of_both(const struct flame *f, const uint64_t *weights, const void *ctx)
{
	(void)f;
	return (weights[0] + weights[1]) * *(const uint64_t *)ctx;
}

static void test_width_of(void **state)
{
	const uint64_t twice = 2;
	struct flame_layout l;
	struct flame f;

	(void)state;
	make(&f);
	flame_layout_build(&l, &f, width_of_both, &twice, 0);
	assert_int_equal(l.total, 44);
	expect_rect(&f, &l, 3, "parse", 2, 8, 30);
	expect_rect(&f, &l, 4, "work", 2, 30, 40);
	flame_layout_fini(&l);
	flame_fini(&f);
}

static void test_empty(void **state)
{
	struct flame_layout l;
	struct flame f;

	(void)state;
	flame_init(&f, 1);
	flame_finish(&f, NULL);
	flame_layout_build(&l, &f, flame_width_first, NULL, 0);
	assert_int_equal(l.rects.nr, 1);
	assert_int_equal(l.total, 0);
	assert_int_equal(l.nr_rows, 1);
	flame_layout_fini(&l);
	flame_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_width_of),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
