/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * session/trace_shown.c: the part of an event's text that shows a field.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "trace_fixture.h"

/* What a field is shown as by this format; "-" where the text does not show it. */
static const char *shown_by(bool (*find)(struct trace_shown *, const struct trace_print *, struct trace_format *,
					 const struct trace_field *),
			    const char *format, const char *name, uint32_t *nr_fields)
{
	static const struct trace_names names = { NULL, fixture_symbol, fixture_string };
	static char out[256];
	struct trace_format f;
	struct trace_print p;
	struct trace_shown s;
	struct trace_text text = { 0 };
	struct trace_record r = { .data = rec, .size = rec_size, .long_size = 8 };

	assert_int_equal(trace_format_init(&f, format, strlen(format), 8), 0);
	assert_int_equal(trace_print_compile(&p, &f), 0);
	strcpy(out, "-");
	if (find(&s, &p, &f, trace_format_find(&f, name, strlen(name)))) {
		trace_shown_print(&s, &p, &r, &names, &text);
		assert_false(r.is_bad);
		strcpy(out, trace_text_get(&text));
		*nr_fields = s.nr_fields;
	}
	trace_text_fini(&text);
	trace_format_fini(&f);
	return out;
}

#define FIELDS FIELD("int a", 8, 4, 1) FIELD("int b", 12, 4, 1) FIELD("char c[8]", 16, 8, 0) FIELD("char *s", 24, 8, 0)
#define SHOWN(print, name) shown_by(trace_shown_find, HEAD FIELDS PRINT print "\n", name, &nr)
#define NAMED(print, name) shown_by(trace_shown_find_name, HEAD FIELDS PRINT print "\n", name, &nr)

static void test_labels(void **state)
{
	uint32_t nr;

	(void)state;
	rec_new(32);
	rec_put(8, 4, 10);
	rec_put(12, 4, 3);
	memcpy(rec + 16, "sh x", 5);
	rec_put(24, 8, 0xffffffff82000010);
	assert_string_equal(SHOWN("\"a=%d b=%d\", REC->a, REC->b", "a"), "10");
	assert_string_equal(SHOWN("\"a=%d b=%03d\", REC->a, REC->b", "b"), "003");
	assert_string_equal(SHOWN("\"a: 0x%08x, b: %d.\", REC->a, REC->b", "a"), "0x0000000a");
	assert_string_equal(SHOWN("\"a: 0x%08x, b: %d.\", REC->a, REC->b", "b"), "3");
	assert_string_equal(SHOWN("\"a=%d,b=%d\", REC->a, REC->b", "a"), "10");
	assert_string_equal(SHOWN("\"a %d,%d b %d\", REC->a >> 1, REC->a & 1, REC->b", "a"), "5,0");
	assert_string_equal(SHOWN("\"x [a=%d] (b=%d)\", REC->a, REC->b", "a"), "10");
	assert_string_equal(SHOWN("\"a = (%d:%d), x\", REC->a, REC->a", "a"), "(10:10)");
	/* Blanks in a value do not end it. */
	assert_string_equal(SHOWN("\"c=%s a=%d\", REC->c, REC->a", "c"), "sh x");
	assert_int_equal(nr, 1);
	/* Two conversions, one value; and what else it is made of. */
	assert_string_equal(SHOWN("\"a=%s%s ==> b=%d\", REC->a == 10 ? \"R\" : \"S\", REC->b & 1 ? \"+\" : \"\", REC->b", "a"), "R+");
	assert_int_equal(nr, 2);
}

static void test_none(void **state)
{
	uint32_t nr;

	(void)state;
	rec_new(32);
	rec_put(24, 8, 0xffffffff82000010);
	assert_string_equal(SHOWN("\"%d %d\", REC->a, REC->b", "a"), "-");
	assert_string_equal(SHOWN("\"aa=%d b=%d\", REC->a, REC->b", "a"), "-");
	assert_string_equal(SHOWN("\"a struct=%d\", REC->a", "a"), "-");
	/* The label is of something else. */
	assert_string_equal(SHOWN("\"a=%d x=%d\", REC->b, REC->a", "a"), "-");
	/* Constant strings of the kernel need no label. */
	assert_string_equal(SHOWN("\"%s\", REC->s", "s"), "Start");
}

/* The name of a value stands anywhere, and only where the value is what is named. */
static void test_names(void **state)
{
	uint32_t nr = 0;

	(void)state;
	rec_new(32);
	rec_put(8, 4, 10);
	rec_put(12, 4, 3);
	assert_string_equal(NAMED("\"a=%d [what=%s]\", REC->a, __print_symbolic(REC->a, { 9, \"nine\" }, { 10, \"ten\" })", "a"), "ten");
	assert_string_equal(NAMED("\"%s %d\", __print_flags(REC->b, \"|\", { 1, \"x\" }, { 2, \"y\" }), REC->a", "b"), "x|y");
	assert_int_equal(nr, 1);
	assert_string_equal(NAMED("\"%s %d\", __print_flags(REC->b, \"|\", { 1, \"x\" }, { 2, \"y\" }), REC->a", "a"), "-");
	assert_string_equal(NAMED("\"a=%d b=%d\", REC->a, REC->b", "a"), "-");
	assert_string_equal(NAMED("\"%s\", REC->a ? __print_symbolic(REC->b & 1, { 1, \"odd\" }, { 0, \"even\" }) : \"\"", "b"), "odd");
	assert_int_equal(nr, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_labels), cmocka_unit_test(test_names), cmocka_unit_test(test_none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
