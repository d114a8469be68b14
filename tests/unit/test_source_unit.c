/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/source_unit.h, source_unit.h, source_unit.h: what goes in comes out, overlaps are settled, damage is seen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/source_unit.h"

static uint32_t str(struct source_builder *b, const char *s)
{
	return source_builder_string(b, s, strlen(s));
}

static uint32_t scope(struct source_builder *b, uint32_t parent, const char *name, uint32_t call_line)
{
	struct source_unit_scope s = { .parent = parent, .function = str(b, name), .call_file = str(b, "/a.c"), .call_line = call_line };

	return source_builder_add_scope(b, &s);
}

static void row(struct source_builder *b, uint64_t addr, uint32_t line)
{
	struct source_builder_row r = { .addr = addr, .file = str(b, "/a.c"), .line = line, .column = 3 };

	source_builder_add_row(b, &r);
}

static void *finish(struct source_builder *b, size_t *size)
{
	void *unit = source_builder_finish(b, size);

	assert_non_null(unit);
	assert_true(source_unit_check(unit, *size));
	source_builder_fini(b);
	return unit;
}

/* "inner:12 outer:7": innermost first, each with its line. */
static void assert_found(const void *unit, uint64_t addr, const char *want)
{
	struct source_place p[SOURCE_MAX_DEPTH];
	uint32_t nr = source_unit_find(unit, addr, p, SOURCE_MAX_DEPTH);
	char text[256] = "";

	for (uint32_t i = 0; i < nr; i++) {
		size_t len = strlen(text);

		snprintf(text + len, sizeof(text) - len, "%s%s:%u", i ? " " : "", source_unit_string(unit, p[i].function), p[i].line);
		assert_int_equal(p[i].is_inlined, i + 1 < nr);
	}
	assert_string_equal(text, want);
}

static void nested(void **state)
{
	struct source_builder b = { 0 };
	uint64_t start, end;
	size_t size;
	void *unit;
	uint32_t f = scope(&b, SOURCE_NONE, "f", 0), g = scope(&b, f, "g", 7), h = scope(&b, g, "h", 9);

	(void)state;
	source_builder_add_range(&b, 0x100, 0x140);
	source_builder_add_range(&b, 0x140, 0x200);
	source_builder_add_span(&b, 0x100, 0x180, f);
	source_builder_add_span(&b, 0x110, 0x150, g);
	source_builder_add_span(&b, 0x110, 0x120, h);
	source_builder_add_span(&b, 0x160, 0x168, h);
	row(&b, 0x100, 5);
	row(&b, 0x110, 12);
	row(&b, 0x110, 13); /* the last at an address counts */
	row(&b, 0x120, 6);
	source_builder_end_rows(&b, 0x170);
	unit = finish(&b, &size);
	assert_found(unit, 0xff, "");
	assert_found(unit, 0x100, "f:5");
	assert_found(unit, 0x110, "h:13 g:9 f:7");
	assert_found(unit, 0x11f, "h:13 g:9 f:7");
	assert_found(unit, 0x120, "g:6 f:7");
	assert_found(unit, 0x150, "f:6");
	assert_found(unit, 0x160, "h:6 g:9 f:7");
	assert_found(unit, 0x168, "f:6");
	assert_found(unit, 0x170, "f:0"); /* a function without a line */
	assert_found(unit, 0x180, "");
	assert_found(unit, 0xffffffffffffffffULL, "");
	assert_true(source_unit_range(unit, 0, &start, &end));
	assert_int_equal(start, 0x100);
	assert_int_equal(end, 0x200);
	assert_false(source_unit_range(unit, 1, &start, &end));
	free(unit);
}

/* A line without a function, as in hand-written assembly; ranges come from the lines. */
static void lines_only(void **state)
{
	struct source_builder b = { 0 };
	uint64_t start, end;
	size_t size;
	void *unit;

	(void)state;
	row(&b, 0x5000, 3);
	row(&b, 0x5004, 4);
	source_builder_end_rows(&b, 0x5008);
	row(&b, 0x1000, 1);
	source_builder_end_rows(&b, 0x1004);
	row(&b, 0x9000, 1); /* a sequence that was never ended */
	unit = finish(&b, &size);
	assert_found(unit, 0x1000, ":1");
	assert_found(unit, 0x1004, "");
	assert_found(unit, 0x5007, ":4");
	assert_found(unit, 0x9000, "");
	assert_true(source_unit_range(unit, 1, &start, &end));
	assert_int_equal(start, 0x5000);
	free(unit);
}

/* Sequences that overlap: the later start wins, nothing is shown twice. */
static void overlapping(void **state)
{
	struct source_builder b = { 0 };
	size_t size;
	void *unit;
	uint32_t f = scope(&b, SOURCE_NONE, "f", 0), g = scope(&b, SOURCE_NONE, "g", 0);

	(void)state;
	source_builder_add_span(&b, 0x100, 0x180, f);
	source_builder_add_span(&b, 0x140, 0x1c0, g);
	row(&b, 0x100, 1);
	row(&b, 0x150, 2);
	source_builder_end_rows(&b, 0x180);
	row(&b, 0x140, 8);
	source_builder_end_rows(&b, 0x160);
	unit = finish(&b, &size);
	assert_found(unit, 0x13f, "f:1");
	assert_found(unit, 0x140, "g:8");
	assert_found(unit, 0x15f, "g:8");
	assert_found(unit, 0x160, "g:0");
	assert_found(unit, 0x1bf, "g:0");
	assert_found(unit, 0x1c0, "");
	free(unit);
}

static void far_apart(void **state)
{
	struct source_builder b = { 0 };
	size_t size;
	void *unit;
	uint32_t f = scope(&b, SOURCE_NONE, "f", 0);

	(void)state;
	source_builder_add_span(&b, 0xffffffff81000000ULL, 0xffffffff81000100ULL, f);
	source_builder_add_span(&b, 0xfffffffffffffff0ULL, 0xffffffffffffffffULL, f);
	unit = finish(&b, &size);
	assert_found(unit, 0xffffffff81000000ULL, "f:0");
	assert_found(unit, 0xfffffffffffffff5ULL, "f:0");
	assert_found(unit, 0, "");
	free(unit);
}

static void too_deep(void **state)
{
	struct source_place p[SOURCE_MAX_DEPTH];
	struct source_builder b = { 0 };
	uint32_t last = SOURCE_NONE;
	size_t size;
	void *unit;

	(void)state;
	for (int i = 0; i < 100; i++) {
		last = scope(&b, last, "f", (uint32_t)i);
		source_builder_add_span(&b, 0x100, 0x200, last);
	}
	unit = finish(&b, &size);
	assert_int_equal(source_unit_find(unit, 0x100, p, SOURCE_MAX_DEPTH), SOURCE_MAX_DEPTH);
	assert_int_equal(p[1].line, 99);
	assert_int_equal(source_unit_find(unit, 0x100, p, 3), 3);
	free(unit);
}

static void empty(void **state)
{
	struct source_builder b = { 0 };
	size_t size;

	(void)state;
	assert_null(source_builder_finish(&b, &size));
	source_builder_fini(&b);
}

/* Whatever byte is changed or missing: the check fails, or lookups still stay inside. */
static void damaged(void **state)
{
	struct source_place p[SOURCE_MAX_DEPTH];
	struct source_builder b = { 0 };
	uint32_t f = scope(&b, SOURCE_NONE, "f", 0), g = scope(&b, f, "g", 7);
	size_t size, nr_bad = 0;
	char *unit, *copy;

	(void)state;
	source_builder_add_span(&b, 0x100, 0x180, f);
	source_builder_add_span(&b, 0x110, 0x120, g);
	row(&b, 0x100, 5);
	source_builder_end_rows(&b, 0x180);
	unit = finish(&b, &size);
	assert_false(source_unit_check(unit + 4, size - 4));
	for (size_t cut = 0; cut < size; cut++) {
		copy = malloc(cut + 1);
		memcpy(copy, unit, cut);
		assert_false(source_unit_check(copy, cut));
		free(copy);
	}
	copy = malloc(size);
	for (size_t i = 0; i < size; i++)
		for (int bit = 0; bit < 8; bit++) {
			memcpy(copy, unit, size);
			copy[i] = (char)(copy[i] ^ 1 << bit);
			if (!source_unit_check(copy, size)) {
				nr_bad++;
				continue;
			}
			for (uint64_t addr = 0xf0; addr < 0x190; addr++) {
				uint32_t nr = source_unit_find(copy, addr, p, SOURCE_MAX_DEPTH);

				for (uint32_t j = 0; j < nr; j++)
					assert_true(strlen(source_unit_string(copy, p[j].function)) < size);
			}
		}
	assert_true(nr_bad > size * 2);
	free(copy);
	free(unit);
}

static void maps(void **state)
{
	struct source_map_item items[] = {
		{ 0x300, 0x400, 30 }, { 0x100, 0x500, 10 }, { 0x100, 0x180, 20 }, { 0x480, 0x600, 40 }, { 0x700, 0x710, 50 },
	};
	static const struct {
		uint64_t addr, unit;
	} want[] = { { 0x0ff, 0 },  { 0x100, 20 }, { 0x17f, 20 }, { 0x180, 10 }, { 0x2ff, 10 }, { 0x300, 30 }, { 0x3ff, 30 },
		     { 0x400, 10 }, { 0x480, 40 }, { 0x5ff, 40 }, { 0x600, 0 },	 { 0x700, 50 }, { 0x710, 0 } };
	uint64_t unit;
	size_t size;
	char *map = source_map_pack(items, sizeof(items) / sizeof(items[0]), &size);

	(void)state;
	assert_true(source_map_check(map, size));
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		unit = 0;
		assert_int_equal(source_map_find(map, want[i].addr, &unit), want[i].unit != 0);
		assert_int_equal(unit, want[i].unit);
	}
	for (size_t cut = 0; cut < size; cut++)
		assert_false(source_map_check(map, cut));
	memset(map + 8, 0xff, 8); /* a start behind its end */
	assert_false(source_map_check(map, size));
	free(map);
	map = source_map_pack(NULL, 0, &size);
	assert_true(source_map_check(map, size));
	assert_false(source_map_find(map, 0, &unit));
	free(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested),   cmocka_unit_test(lines_only), cmocka_unit_test(overlapping), cmocka_unit_test(far_apart),
		cmocka_unit_test(too_deep), cmocka_unit_test(empty),	  cmocka_unit_test(damaged),	 cmocka_unit_test(maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
