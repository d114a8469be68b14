/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * session/trace_record.c: expressions come out as in C. Each is compiled by the parser under test
 * and by the compiler, side by side.
 */
#include "session/trace_print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace_fixture.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int64_t s64;

static struct {
	uint16_t common_type;
	int i;
	unsigned int u;
	s64 l;
	int8_t c;
	u16 a[4];
} fields, *REC = &fields;

#define FORMAT                                                                                                                             \
	"name: test\nID: 7\nformat:\n" FIELD("u16 common_type", 0, 2, 0) "\n" FIELD("int i", 4, 4, 1) FIELD("unsigned int u", 8, 4, 0)     \
		FIELD("long l", 16, 8, 1) FIELD("s8 c", 24, 1, 1) FIELD("u16 a[4]", 26, 8, 0)

static void check(const char *text, long long want)
{
	char format[2048], number[32];

	snprintf(format, sizeof(format), "%s%s\"%%lld\", %s\n", FORMAT, PRINT, text);
	snprintf(number, sizeof(number), "%lld", want);
	rec_new(sizeof(fields));
	memcpy(rec, &fields, sizeof(fields));
	if (strcmp(show(format), number))
		fail_msg("%s is %s instead of %s", text, show(format), number);
}

#define CHECK(...) check(#__VA_ARGS__, (long long)(__VA_ARGS__))

/* Some of it is what compilers warn of. */
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wbool-operation"

static void check_all(void)
{
	CHECK(REC->i + REC->u);
	CHECK(REC->i < 0);
	CHECK(REC->i < REC->u);
	CHECK(REC->l > REC->u);
	CHECK(REC->c == -1);
	CHECK(-REC->c * 3);
	CHECK(REC->i / 7 + REC->i % 7);
	CHECK(REC->u / 7 - REC->u % 7);
	CHECK((unsigned long)REC->i);
	CHECK((unsigned int)REC->l);
	CHECK((u8)REC->i << 2 | REC->c & 3);
	CHECK((short)(REC->u >> 3));
	CHECK(REC->i >> 2);
	CHECK(REC->u >> 2);
	CHECK(REC->l >> 40 & 0xfff);
	CHECK(~REC->u);
	CHECK(~REC->c ^ 0x5aU);
	CHECK(!REC->i + !!REC->u);
	CHECK(REC->a[0] + REC->a[3] * 2);
	CHECK(REC->a[REC->i & 3]);
	CHECK(1 + 2 * 3 - 4 / 2 << 1 > 9 == 1);
	CHECK(1 | 2 & 3 ^ 4);
	CHECK(REC->i && REC->u || REC->c);
	CHECK(REC->i > 0 ? REC->c > 0 ? 1 : 2 : 3);
	CHECK(0x80000000);
	CHECK(2147483648);
	CHECK(0xffffffffffffffff);
	CHECK(010 + 0x1f + 10UL + 'A');
	CHECK(1U << 31);
	CHECK((1UL << 40) - 1);
	CHECK(-1 < 0U);
	CHECK(-1L < 0U);
	CHECK(sizeof(REC->a) + sizeof(REC->a[0]) + sizeof(unsigned long));
	CHECK((s64)(int)0x80000000);
	CHECK((REC->l) * (-1));
}

static void test_as_c(void **state)
{
	static const s64 values[] = { 0, 1, -1, 7, -8, INT32_MAX, INT32_MIN, 0x123456789abcdef };

	(void)state;
	for (size_t n = 0; n < sizeof(values) / sizeof(values[0]); n++) {
		s64 v = values[n];

		fields.i = (int)v;
		fields.u = (unsigned)(v * 3);
		fields.l = v * 5;
		fields.c = (int8_t)v;
		for (int i = 0; i < 4; i++)
			fields.a[i] = (u16)(v + i * 1000);
		check_all();
	}
}

/* What C leaves open must still not trap. */
static void test_undefined(void **state)
{
	(void)state;
	memset(&fields, 0, sizeof(fields));
	fields.l = INT64_MIN;
	check("REC->l / (REC->i - 1)", INT64_MIN);
	check("REC->l % (REC->i - 1)", 0);
	check("1 / REC->i", 0);
	check("1 % REC->u", 0);
	check("1 << 99", 0);
	check("REC->l >> 99", -1);
	check("1 << -1", 0);
	check("NO_SUCH_NAME + 3", 3);
	check("((u32 *)REC->a)[1]", 0);
}

static void show_is(const char *args, const char *want)
{
	char format[2048];

	snprintf(format, sizeof(format), "%s%s\"%%d\", %s\n", FORMAT, PRINT, args);
	assert_string_equal(show(format), want);
}

static void test_outside(void **state)
{
	(void)state;
	rec_new(34);
	show_is("REC->a[3]", "0");
	show_is("REC->a[4]", "?");
	show_is("REC->a[-1]", "?");
	show_is("((u32 *)REC->a)[2]", "?");
	rec_size = 33;
	show_is("REC->a[0]", "?");
	show_is("REC->c", "0");
	rec_size = 0;
	show_is("REC->c", "?");
	show_is("0 && REC->c", "0"); /* not looked at */
}

static void test_byte_order(void **state)
{
	uint8_t raw[] = { 1, 2, 3, 4, 5, 6, 7, 0x88 };
	struct trace_record r = { .data = raw, .size = 8 };
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	(void)state;
	r.swap = !big;
	assert_int_equal(trace_record_number(&r, 0, (struct trace_type){ 2, false }), 0x102);
	assert_int_equal(trace_record_number(&r, 0, (struct trace_type){ 4, false }), 0x1020304);
	assert_true(trace_record_number(&r, 0, (struct trace_type){ 8, false }) == 0x102030405060788);
	r.swap = big;
	assert_int_equal(trace_record_number(&r, 6, (struct trace_type){ 2, true }), (uint64_t)-30713);
	assert_false(r.is_bad);
	trace_record_number(&r, 7, (struct trace_type){ 2, true });
	assert_true(r.is_bad);
	r.is_bad = false;
	trace_record_number(&r, UINT64_MAX, (struct trace_type){ 1, true });
	assert_true(r.is_bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_c),
		cmocka_unit_test(test_undefined),
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_byte_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
