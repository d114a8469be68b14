/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/latency_lines.c: numbers to the last nanosecond, good and bad lines, text in pieces of any size.
 */
#include "model/latency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t times[64], values[64];
static uint32_t nr, limit;

static bool each(void *ctx, uint64_t time_ns, uint64_t value_ns)
{
	(void)ctx;
	times[nr] = time_ns;
	values[nr++] = value_ns;
	return nr < limit;
}

static void check_number(const char *text, int exponent, uint64_t want, const char *rest)
{
	const char *end = NULL;
	uint64_t v = 77;

	assert_int_equal(latency_number(text, &end, exponent, &v), 0);
	assert_int_equal(v, want);
	assert_string_equal(end, rest);
}

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		int err;
	} bad[] = {
		{ "", -EINVAL },
		{ "-1", -EDOM },
		{ "x", -EINVAL },
		{ ".", -EINVAL },
		{ "+", -EINVAL },
		{ "-", -EINVAL },
		{ "e5", -EINVAL },
		{ "nan", -EINVAL },
		{ "inf", -EINVAL },
		{ " 1", -EINVAL },
		{ "1e30", -ERANGE },
		{ "-1e30", -EDOM },
		{ "99999999999999999999", -ERANGE },
	};
	const char *end;
	uint64_t v;

	(void)state;
	check_number("12", 0, 12, "");
	check_number("12.5 x", 9, 12500000000, " x");
	check_number("1763190000.123456789", 9, 1763190000123456789, "");
	check_number(".5", 3, 500, "");
	check_number("5.", 0, 5, "");
	check_number("-0.00", 9, 0, "");
	check_number("1e-05", 9, 10000, "");
	check_number("1.25E+3", 0, 1250, "");
	check_number("0x10", 0, 0, "x10");
	check_number("1e", 0, 1, "e");
	check_number("1.2.3", 0, 1, ".3");
	/* to the nearest, halves upwards */
	check_number("0.0000000004999", 9, 0, "");
	check_number("0.0000000005", 9, 1, "");
	check_number("1.4999999", 0, 1, "");
	check_number("1.5", 0, 2, "");
	check_number("0.00000000000000000000000000000000001", 9, 0, "");
	check_number("000000000000000000000000000000000007.0", 0, 7, "");
	check_number("1e-999999999999", 9, 0, "");
	check_number("0e999999999999", 9, 0, "");
	check_number("18446744073709551615", 0, UINT64_MAX - 5, ""); /* 19 digits count */
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(latency_number(bad[i].text, &end, 0, &v), bad[i].err);
}

static void feed(struct latency_lines *l, const char *text, size_t size, size_t piece)
{
	nr = 0;
	limit = 64;
	latency_lines_init(l, 9, 6, each, NULL);
	for (size_t i = 0; i < size; i += piece)
		latency_lines_feed(l, text + i, size - i < piece ? size - i : piece);
	latency_lines_end(l);
}

static void test_lines(void **state)
{
	static const char text[] = "# time latency\n1 2\n\n 1.5\t2.5 read\n3,4\n4;5\r\nbad\n5\n6 x\n7 -1\n8 9y\n2 1";
	struct latency_lines *l = malloc(sizeof(*l));

	(void)state;
	for (size_t piece = 1; piece < sizeof(text); piece++) {
		feed(l, text, sizeof(text) - 1, piece);
		assert_int_equal(l->nr_lines, 12);
		assert_int_equal(l->nr_good, 5);
		assert_int_equal(l->nr_comments, 2);
		assert_int_equal(l->nr_bad, 5);
		assert_int_equal(l->first_bad, 7);
		assert_string_equal(l->first_bad_text, "bad");
		assert_int_equal(times[1], 1500000000);
		assert_int_equal(values[1], 2500000);
		assert_int_equal(values[4], 1000000);
	}
	free(l);
}

static void check_fault(const char *text, enum latency_fault fault)
{
	struct latency_lines *l = malloc(sizeof(*l));

	feed(l, text, strlen(text), 3);
	assert_int_equal(l->nr_bad, 1);
	assert_int_equal(l->nr_by_fault[fault], 1);
	free(l);
}

/* Each line says what is wrong with it. */
static void test_faults(void **state)
{
	(void)state;
	check_fault("1 -3", LATENCY_NEGATIVE);
	check_fault("-1 3", LATENCY_NEGATIVE);
	check_fault("1e30 1", LATENCY_TOO_LARGE);
	check_fault("1 5000000000000", LATENCY_TOO_LARGE); /* 158 years of ms */
	check_fault("10000000000 1", LATENCY_TOO_LARGE);   /* a time whose column would end past the last number */
	check_fault("1,5 0,003", LATENCY_DECIMAL_COMMA);
	check_fault("1,5;0,003 read", LATENCY_DECIMAL_COMMA);
	check_fault("12:30:01 5", LATENCY_NO_NUMBERS);
	check_fault("12:5", LATENCY_NO_NUMBERS);
	check_fault("\xef\xbb 1 2", LATENCY_NO_NUMBERS);
	check_fault("1 2\n\xef\xbb\xbf"
		    "3 4",
		    LATENCY_NO_NUMBERS); /* only the first line may have a mark */
}

/* Times as perf script prints them, the mark of some editors, fields of CSV. */
static void test_spellings(void **state)
{
	static const char text[] = "\xef\xbb\xbf"
				   "12.345678: 0.003\n13.5:\t1 read\n1,5,7\n1,5 2\n1,5 read,write\n9000000000 4000000000000\n";
	struct latency_lines *l = malloc(sizeof(*l));

	(void)state;
	for (size_t piece = 1; piece < 9; piece++) {
		feed(l, text, sizeof(text) - 1, piece);
		assert_int_equal(l->nr_bad, 0);
		assert_int_equal(l->nr_good, 6);
		assert_int_equal(times[0], 12345678000);
		assert_int_equal(values[0], 3000);
		assert_int_equal(times[1], 13500000000);
		assert_int_equal(values[2], 5000000);
	}
	free(l);
}

static void test_hostile(void **state)
{
	struct latency_lines *l = malloc(sizeof(*l));
	size_t size = 3 * LATENCY_LINE_MAX;
	char *text = malloc(size);

	(void)state;
	feed(l, "1 2\0 3\n4 5\n", 11, 4);
	assert_int_equal(l->nr_bad, 1);
	assert_int_equal(l->nr_good, 1);
	/* a line that is too long is one bad line, and ends */
	memset(text, '1', size);
	text[1] = ' ';
	text[size - 5] = '\n';
	memcpy(text + size - 4, "7 8\n", 4);
	feed(l, text, size, 1000);
	assert_int_equal(l->nr_bad, 1);
	assert_int_equal(l->nr_good, 1);
	assert_int_equal(times[0], 7000000000);
	feed(l, "", 0, 1);
	assert_int_equal(l->nr_lines, 0);
	/* the one who listens may have enough */
	limit = 1;
	nr = 0;
	latency_lines_init(l, 9, 9, each, NULL);
	latency_lines_feed(l, "1 1\n2 2\n3 3\n", 12);
	latency_lines_end(l);
	assert_int_equal(nr, 1);
	free(text);
	free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),	  cmocka_unit_test(test_lines),	  cmocka_unit_test(test_faults),
		cmocka_unit_test(test_spellings), cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
