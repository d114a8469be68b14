/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tables of lines as CPython 3.8, 3.10 and 3.11 have written them for one function, with what these interpreters say of it themselves
 * (dis.findlinestarts(), co_lines()).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbols/python_lines.h"

struct expected {
	uint32_t start, line;
};

static const uint8_t steps[] = { 0x00, 0x02, 0x04, 0x01, 0x06, 0x01, 0x02, 0xff, 0x06, 0x04,
				 0x04, 0x01, 0x02, 0x01, 0x02, 0xff, 0x04, 0x02, 0x08, 0x00 };
static const uint8_t ranges[] = {
	0x04, 0x02, 0x06, 0x01, 0x02, 0x01, 0x06, 0xff, 0x04, 0x04, 0x02, 0x01, 0x02, 0x01, 0x04, 0xff, 0x16, 0x02
};
static const uint8_t entries[] = { 0x80, 0x00, 0xe0, 0x08, 0x09, 0x80, 0x41, 0xf0, 0x02, 0x01, 0x09, 0x15, 0xf0, 0x00, 0x01,
				   0x09, 0x15, 0xd8, 0x12, 0x13, 0xf0, 0x03, 0x01, 0x09, 0x15, 0xf1, 0x00, 0x01, 0x09, 0x15,
				   0xf4, 0x00, 0x01, 0x09, 0x15, 0x80, 0x41, 0xf0, 0x08, 0x00, 0x08, 0x09, 0xf0, 0x00, 0x02,
				   0x05, 0x13, 0xd8, 0x10, 0x11, 0xd8, 0x10, 0x11, 0xf0, 0x03, 0x01, 0x10, 0x13, 0xf0, 0x00,
				   0x01, 0x09, 0x13, 0xe0, 0x0d, 0x0e, 0xd0, 0x04, 0x16, 0xd0, 0x04, 0x16, 0x88, 0x01, 0x90,
				   0x01, 0x90, 0x51, 0x91, 0x06, 0x90, 0x01, 0x90, 0x01, 0xd0, 0x04, 0x16, 0xd0, 0x04, 0x16 };

static const struct expected of_steps[] = { { 0, 3 },  { 4, 4 },   { 10, 5 }, { 12, 4 }, { 18, 8 },
					    { 22, 9 }, { 24, 10 }, { 26, 9 }, { 30, 11 } };
static const struct expected of_entries[] = { { 0, 1 },	 { 2, 3 },  { 6, 4 },	{ 10, 5 }, { 12, 4 },
					      { 30, 8 }, { 34, 9 }, { 36, 10 }, { 38, 9 }, { 42, 11 } };

/* At each byte of the instructions; those behind the end have no line, but where the table does not say where the end is. */
static void check(enum python_lines_kind kind, const uint8_t *table, size_t size, const struct expected *e, size_t nr, uint32_t end,
		  uint32_t behind)
{
	struct python_line_list l = { 0 };

	python_lines_parse(&l, kind, table, size, 1, false);
	for (size_t i = 0; i < nr; i++)
		for (uint32_t at = e[i].start; at < (i + 1 < nr ? e[i + 1].start : end); at++)
			assert_int_equal(python_lines_find(l.ranges.v, l.ranges.nr, at), e[i].line);
	assert_int_equal(python_lines_find(l.ranges.v, l.ranges.nr, end), behind);
	assert_int_equal(python_lines_find(l.ranges.v, l.ranges.nr, UINT32_MAX), 0);
	vec_fini(&l.ranges);
}

#define NR(a) (sizeof(a) / sizeof(*(a)))

static void test_kinds(void **state)
{
	(void)state;
	check(PYTHON_LINES_STEPS, steps, sizeof(steps), of_steps, NR(of_steps), 52, 11);
	check(PYTHON_LINES_RANGES, ranges, sizeof(ranges), of_steps, NR(of_steps), 52, 0);
	check(PYTHON_LINES_ENTRIES, entries, sizeof(entries), of_entries, NR(of_entries), 66, 0);
	check(PYTHON_LINES_NONE, entries, sizeof(entries), NULL, 0, 0, 0);
}

/* What is left of a table is right up to its end. */
static void test_cut(void **state)
{
	struct python_line_list l = { 0 };
	uint32_t first;

	(void)state;
	python_lines_parse(&l, PYTHON_LINES_STEPS, steps, 8, 1, true);
	assert_int_equal(python_lines_find(l.ranges.v, l.ranges.nr, 11), 5);
	assert_int_equal(python_lines_find(l.ranges.v, l.ranges.nr, 12), 0);
	first = l.ranges.nr;
	/* Behind another one, within an entry. */
	python_lines_parse(&l, PYTHON_LINES_ENTRIES, entries, 10, 1, true);
	assert_int_equal(python_lines_find(l.ranges.v + first, l.ranges.nr - first, 5), 3);
	assert_int_equal(python_lines_find(l.ranges.v + first, l.ranges.nr - first, 6), 0);
	vec_fini(&l.ranges);
}

/* No line: instructions of the compiler's own; one that is below the first or too large. */
static void test_no_line(void **state)
{
	static const uint8_t none[] = { 2, 0x80, 2, 1 }, below[] = { 2, 0xf0, 2, 0x11 };
	static const uint8_t large[] = { 0xe8, 0x7e, 0x7f, 0x7f, 0x7f, 0x7f, 0x03, 0xe8, 0x00 },
			     endless[] = { 0xe8, 0x7e, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f };
	static const struct expected of_none[] = { { 0, 0 }, { 2, 2 } };

	(void)state;
	check(PYTHON_LINES_RANGES, none, sizeof(none), of_none, 2, 4, 0);
	check(PYTHON_LINES_RANGES, below, sizeof(below), of_none, 2, 4, 0);
	check(PYTHON_LINES_ENTRIES, large, sizeof(large), of_none, 1, 2, 0);
	check(PYTHON_LINES_ENTRIES, endless, sizeof(endless), NULL, 0, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_no_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
