/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * view/heat_layout.h and heat_unit.h: cells where their rows and columns are, ticks at round numbers, labels that do not overlap, a colour
 * scale without gaps.
 */
#include "view/heat_svg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)

static const struct heat_layout_options plain = {
	.unit = HEAT_UNIT_AUTO, .colours = HEAT_COLOURS_LOG, .left = 100, .top = 50, .right = 130, .has_percentiles = true
};

static void fill(struct heat *h)
{
	heat_init(h);
	for (uint64_t i = 0; i < 3000; i++)
		heat_add(h, 7000 * MS + i * MS, (i % 3 == 0 ? 1 : i % 3 == 1 ? 5 : 20) * MS + i % 7 * 1000);
}

/* What holds for every picture. */
static void check(const struct heat_layout *l)
{
	const struct heat *h = l->heat;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < l->cells.nr; i++) {
		const struct heat_cell *c = &l->cells.v[i];

		sum += c->count;
		assert_int_equal(c->count, heat_count(h, c->column, c->row));
		assert_true(c->level < HEAT_NR_LEVELS);
		assert_in_range(c->y, l->top, l->top + l->height - 1);
	}
	assert_int_equal(sum, h->points.nr);
	for (uint32_t i = 0; i < l->x_ticks.nr; i++)
		assert_in_range(l->x_ticks.v[i].at, l->left, l->left + l->width);
	for (uint32_t i = 0; i < l->y_ticks.nr; i++) {
		assert_in_range(l->y_ticks.v[i].at, l->top, l->top + l->height);
		if (i)
			assert_true(l->y_ticks.v[i].at < l->y_ticks.v[i - 1].at);
	}
	assert_true(l->y_ticks.nr && l->x_ticks.nr);
	for (uint32_t i = 1; i < l->nr_lines; i++)
		assert_true(l->lines[i - 1].label_y - l->lines[i].label_y >= 15);
	/* every count has a step, in order */
	assert_int_equal(l->steps[0].from, h->min_count);
	assert_int_equal(l->steps[l->nr_steps - 1].to, h->max_count);
	for (uint32_t i = 0; i < l->nr_steps; i++) {
		assert_int_equal(heat_layout_level(l, l->steps[i].from), l->steps[i].level);
		assert_int_equal(heat_layout_level(l, l->steps[i].to), l->steps[i].level);
		if (i)
			assert_int_equal(l->steps[i].from, l->steps[i - 1].to + 1);
	}
}

static void test_bands(void **state)
{
	struct heat_layout l;
	struct heat h;
	uint32_t rows = 0;
	bool seen[200] = { false };

	(void)state;
	fill(&h);
	heat_build(&h, &(struct heat_options){ 0 });
	heat_layout_build(&l, &h, &plain);
	check(&l);
	for (uint32_t i = 0; i < l.cells.nr; i++) {
		rows += !seen[l.cells.v[i].row];
		seen[l.cells.v[i].row] = true;
		assert_int_equal(l.cells.v[i].y, 50 + (int32_t)(h.nr_rows - 1 - l.cells.v[i].row) * l.cell_height);
	}
	assert_int_equal(rows, 3);
	assert_int_equal(l.unit, HEAT_UNIT_MS);
	assert_string_equal(l.y_ticks.v[0].label, "0");
	assert_string_equal(l.y_ticks.v[1].label, "2");
	assert_int_equal(l.y_ticks.v[0].at, l.top + l.height);
	assert_string_equal(l.x_ticks.v[0].label, "0");
	assert_int_equal(l.x_ticks.v[0].at, l.left);
	/* the line of a value is inside of its row */
	assert_in_range(l.lines[HEAT_P50].y, heat_layout_row_y(&l, 10), heat_layout_row_y(&l, 10) + l.cell_height);
	heat_layout_fini(&l);
	heat_fini(&h);
}

static void test_outside(void **state)
{
	struct heat_layout l;
	struct heat h;

	(void)state;
	fill(&h);
	heat_build(&h, &(struct heat_options){ .has_min = true, .min = 2 * MS, .has_max = true, .max = 10 * MS });
	heat_layout_build(&l, &h, &plain);
	check(&l);
	assert_int_equal(heat_layout_row_y(&l, HEAT_ABOVE(&h)), 50);
	assert_true(heat_layout_row_y(&l, h.nr_rows - 1) > 50 + 12);
	assert_true(heat_layout_row_y(&l, HEAT_BELOW(&h)) > heat_layout_row_y(&l, 0) + l.cell_height);
	assert_int_equal(l.lines[HEAT_MAX].y, 56);
	assert_int_equal(heat_layout_value_y(&l, 10 * MS + 1), l.rows_top);
	heat_layout_fini(&l);
	heat_fini(&h);
}

static void test_many_shapes(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 64; i++) {
		struct heat_options o = { .scale = i & 1 ? HEAT_LOG : HEAT_LINEAR,
					  .nr_rows = i & 2 ? 333 : 0,
					  .nr_columns = i & 4	? 1
							: i & 8 ? 2500
								: 0,
					  .has_max = i & 16,
					  .max = 3 * MS,
					  .has_min = i & 32,
					  .min = MS };
		struct heat_layout l;
		struct heat h;

		fill(&h);
		heat_build(&h, &o);
		heat_layout_build(&l, &h, &plain);
		check(&l);
		heat_layout_fini(&l);
		heat_fini(&h);
	}
}

static void test_one_point(void **state)
{
	(void)state;
	for (int log = 0; log < 2; log++) {
		struct heat_layout l;
		struct heat h;

		heat_init(&h);
		heat_add(&h, 5, 1234567);
		heat_build(&h, &(struct heat_options){ .scale = log ? HEAT_LOG : HEAT_LINEAR });
		heat_layout_build(&l, &h, &plain);
		check(&l);
		assert_int_equal(l.cells.nr, 1);
		assert_int_equal(l.nr_steps, 1);
		heat_layout_fini(&l);
		heat_fini(&h);
	}
}

/* However long a number is, its label has room on its side, and the legend's do not run together. */
static void test_long_labels(void **state)
{
	struct heat_layout_options o = plain;
	struct heat_layout l;
	struct heat h;

	(void)state;
	heat_init(&h);
	for (uint32_t i = 0; i < 400000; i++)
		heat_add(&h, 1, i % 100 ? 5 : 2605469525);
	heat_add(&h, 2, 2605469525);
	heat_build(&h, &(struct heat_options){ .has_max = true, .max = 123456789 });
	o.unit = HEAT_UNIT_NS;
	heat_layout_build(&l, &h, &o);
	assert_string_equal(l.lines[HEAT_MAX].label, "max 2,605,469,525 ns");
	assert_string_equal(l.above, "> 123,456,789 ns");
	assert_string_equal(l.below, "");
	/* at some 7 pixels a letter */
	assert_true(l.left >= HEAT_AXIS_NAME + 16 * 7 + HEAT_LABEL_GAP);
	assert_true(l.right >= HEAT_LINE_GAP + 20 * 7);
	assert_int_equal(l.x_ticks.v[0].at, l.left);
	assert_int_equal(l.label_every, 2);
	assert_int_equal(l.steps[l.nr_steps - 1].to, 396000);
	heat_layout_fini(&l);
	heat_fini(&h);
	fill(&h);
	heat_build(&h, &(struct heat_options){ 0 });
	heat_layout_build(&l, &h, &plain);
	assert_int_equal(l.left, 100);
	assert_in_range(l.right, 130, 150);
	assert_int_equal(l.label_every, 1);
	/* labels of lines are in the unit of the axis */
	assert_int_equal(l.unit, HEAT_UNIT_MS);
	assert_string_equal(l.lines[HEAT_P50].label, "p50 5.003 ms");
	heat_layout_fini(&l);
	heat_fini(&h);
}

/* Where every cell is full the colours still differ. */
static void test_full(void **state)
{
	(void)state;
	for (int log = 0; log < 2; log++) {
		struct heat_layout_options o = plain;
		struct heat_layout l;
		struct heat h;

		heat_init(&h);
		for (uint64_t column = 0; column < 5; column++)
			for (uint64_t i = 0; i < 10 * (36 + column); i++)
				heat_add(&h, column * MS, i % 10);
		heat_build(&h, &(struct heat_options){ .nr_columns = 5, .nr_rows = 10 });
		o.colours = log ? HEAT_COLOURS_LOG : HEAT_COLOURS_LINEAR;
		heat_layout_build(&l, &h, &o);
		check(&l);
		assert_int_equal(l.nr_steps, 5);
		assert_int_equal(l.steps[0].level, 0);
		assert_int_equal(l.steps[4].level, HEAT_NR_LEVELS - 1);
		assert_int_equal(l.steps[4].from, 40);
		heat_layout_fini(&l);
		heat_fini(&h);
	}
}

/* Any number of columns and rows makes a picture of about the same size. */
static void test_sizes(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 900; n += 7) {
		struct heat_layout l;
		struct heat h;

		heat_init(&h);
		for (uint64_t i = 0; i < 4000; i++)
			heat_add(&h, i * MS, i * MS);
		heat_build(&h, &(struct heat_options){ .nr_columns = n, .nr_rows = n });
		heat_layout_build(&l, &h, &plain);
		assert_in_range(l.width, 660, 1340);
		assert_in_range(l.height, n > 460 ? 460 : 300, n > 460 ? 900 : 620);
		heat_layout_fini(&l);
		heat_fini(&h);
	}
}

static void check_text(uint64_t ns, enum heat_unit u, uint64_t step, const char *want)
{
	char text[HEAT_LABEL_SIZE];

	heat_unit_text(text, ns, u, step);
	assert_string_equal(text, want);
}

static void test_units(void **state)
{
	char text[HEAT_LABEL_SIZE];
	enum heat_unit u;

	(void)state;
	check_text(1250000, HEAT_UNIT_MS, 250000, "1.25 ms");
	check_text(1250000, HEAT_UNIT_MS, 1000000, "1.3 ms");
	check_text(1000000, HEAT_UNIT_MS, 100, "1 ms");
	check_text(999, HEAT_UNIT_NS, 1, "999 ns");
	check_text(0, HEAT_UNIT_NS, 1, "0 ns");
	check_text(1500, HEAT_UNIT_US, 100, "1.5 µs");
	check_text(20 * MS, HEAT_UNIT_MS, 10 * MS, "20 ms");
	check_text(UINT64_MAX / 4, HEAT_UNIT_S, 1, "4,611,686,018.427387903 s");
	check_text(1000, HEAT_UNIT_NS, 1, "1,000 ns");
	check_text(999999, HEAT_UNIT_NS, 1, "999,999 ns");
	heat_unit_exact(text, 1000001, HEAT_UNIT_MS);
	assert_string_equal(text, "1.000001");
	assert_true(heat_unit_find("us", &u) && u == HEAT_UNIT_US);
	assert_true(heat_unit_find("µs", &u) && u == HEAT_UNIT_US);
	assert_false(heat_unit_find("m", &u));
	assert_false(heat_unit_find("", &u));
}

/* One unit for the axis and the lines, also where the scale spans many. */
static void test_one_unit(void **state)
{
	struct heat_layout l;
	struct heat h;

	(void)state;
	heat_init(&h);
	for (uint64_t i = 0; i < 1000; i++)
		heat_add(&h, i * MS, i % 100 ? 70000 : 300 * MS);
	heat_build(&h, &(struct heat_options){ 0 });
	assert_true(h.is_log);
	heat_layout_build(&l, &h, &plain);
	check(&l);
	assert_int_equal(l.unit, HEAT_UNIT_MS);
	assert_string_equal(l.lines[HEAT_P50].label, "p50 0.07 ms");
	assert_string_equal(l.lines[HEAT_MAX].label, "max 300 ms");
	for (uint32_t i = 0; i < l.y_ticks.nr; i++)
		assert_int_equal(strspn(l.y_ticks.v[i].label, "0123456789.,"), strlen(l.y_ticks.v[i].label));
	assert_string_equal(l.y_ticks.v[0].label, "0.1");
	assert_int_equal(heat_layout_unit(&h, HEAT_UNIT_NS), HEAT_UNIT_NS);
	heat_layout_fini(&l);
	/* a linear one that was asked for: still one unit */
	heat_build(&h, &(struct heat_options){ .scale = HEAT_LINEAR });
	heat_layout_build(&l, &h, &plain);
	assert_string_equal(l.lines[HEAT_P50].label, "p50 0.07 ms");
	heat_layout_fini(&l);
	heat_fini(&h);
}

/* Ten cells of 100 to 109 and one of 100,000: the ten differ as much as colours can. */
static void test_spread(void **state)
{
	struct heat_layout_options o = plain;
	struct heat_layout l;
	struct heat h;
	uint32_t seen = 0;

	(void)state;
	o.colours = HEAT_COLOURS_SPREAD;
	heat_init(&h);
	for (uint64_t column = 0; column < 11; column++)
		for (uint64_t i = 0; i < (column < 10 ? 100 + column : 100000); i++)
			heat_add(&h, column * HEAT_SECOND_NS, 5);
	heat_build(&h, &(struct heat_options){ .is_offset = true });
	heat_layout_build(&l, &h, &o);
	check(&l);
	assert_int_equal(l.cells.nr, 11);
	for (uint32_t i = 0; i < l.cells.nr; i++) {
		assert_false(seen & 1u << l.cells.v[i].level);
		seen |= 1u << l.cells.v[i].level;
	}
	assert_int_equal(l.cells.v[0].level, 0);
	assert_int_equal(l.cells.v[10].level, HEAT_NR_LEVELS - 1);
	assert_int_equal(l.nr_steps, 11);
	assert_int_equal(l.steps[9].from, 109);
	heat_layout_fini(&l);
	/* by the counts themselves all ten would look the same */
	o.colours = HEAT_COLOURS_LINEAR;
	heat_layout_build(&l, &h, &o);
	assert_int_equal(l.cells.v[9].level, 0);
	heat_layout_fini(&l);
	heat_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bands),	  cmocka_unit_test(test_outside), cmocka_unit_test(test_many_shapes),
		cmocka_unit_test(test_one_point), cmocka_unit_test(test_units),	  cmocka_unit_test(test_long_labels),
		cmocka_unit_test(test_full),	  cmocka_unit_test(test_sizes),	  cmocka_unit_test(test_one_unit),
		cmocka_unit_test(test_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
