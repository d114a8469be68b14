/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * session/tracepoints.h: from the recording's blob to text, in both byte orders; strings of the
 * kernel; formats and records that hold less than they say.
 */
#include "session/tracepoints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/out.h"
#include "trace_fixture.h"

static void put_number(struct out *o, uint64_t v, int size, bool big)
{
	for (int i = 0; i < size; i++)
		out_char(o, (char)(v >> 8 * (big ? size - 1 - i : i)));
}

static void put_format(struct out *o, const char *text, bool big)
{
	put_number(o, strlen(text), 8, big);
	out_str(o, text);
}

static void make(struct out *o, bool big)
{
	const char *strings = "0xffffffff82000010 : \"Start\"\n0xffffffff82000020 : \"line\\n\"\n"
			      "nonsense\n0x : \n0x12\n";

	out_mem(o, "\027\010Dtracing0.6", 14);
	out_char(o, big);
	out_char(o, 8);
	put_number(o, 4096, 4, big);
	out_mem(o, "header_page", 12);
	put_number(o, 0, 8, big);
	out_mem(o, "header_event", 13);
	put_number(o, 0, 8, big);
	put_number(o, 0, 4, big);
	put_number(o, 1, 4, big);
	out_mem(o, "own", 4);
	put_number(o, 3, 4, big);
	put_format(o,
		   "name: a\nID: 1\nformat:\n" FIELD("int common", 0, 4, 1) "\n" FIELD("int x", 4, 4, 1) FIELD("char * s", 8, 8, 0) PRINT
		   "\"x=%d s=%s\", REC->x, REC->s\n",
		   big);
	put_format(o,
		   "name: b\nID: 2\nformat:\n" FIELD("int common", 0, 4, 1) "\n" FIELD("int x", 4, 4, 1) FIELD("u64 y", 8, 8, 0) PRINT
		   "\"%d\", no_such_function(REC->x)\n",
		   big);
	put_format(o, "name: c\nID: 3\nformat:\n", big);
	put_number(o, 0, 4, big);
	put_number(o, strlen(strings), 4, big);
	out_str(o, strings);
	put_number(o, 0, 8, big);
}

/* Values to be compared: numbers by their type, whichever order; not from behind the record's end. */
static void check_values(struct tracepoints *t, const void *raw)
{
	struct tracepoints_value v;
	uint32_t nr;
	const struct trace_field *f = tracepoints_fields(t, 1, &nr);

	assert_int_equal(nr, 3);
	assert_string_equal(f[1].name, "x");
	assert_true(tracepoints_value(t, &f[1], raw, 16, &v));
	assert_null(v.bytes);
	assert_int_equal((int64_t)v.number, -5);
	assert_true(tracepoints_value(t, &f[2], raw, 16, &v));
	assert_int_equal(v.number, 0xffffffff82000020);
	assert_false(tracepoints_value(t, &f[2], raw, 15, &v));
	assert_false(tracepoints_value(t, &f[1], raw, 0, &v));
	assert_null(tracepoints_fields(t, 3, &nr));
	assert_int_equal(nr, 0);
	assert_null(tracepoints_fields(t, 99, &nr));
}

static void test_both_orders(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct perfdata_info info = { 0 };
		struct out blob, raw;
		struct tracepoints *t;

		out_init(&blob, -1);
		out_init(&raw, -1);
		make(&blob, big);
		info.tracing_data = blob.buf;
		info.tracing_data_size = blob.len;
		t = tracepoints_new(&info, fixture_symbol, NULL);
		put_number(&raw, 0, 4, big);
		put_number(&raw, (uint64_t)-5, 4, big);
		put_number(&raw, 0xffffffff82000020, 8, big);
		assert_string_equal(tracepoints_text(t, 1, raw.buf, 16), "x=-5 s=line");
		assert_string_equal(tracepoints_text(t, 1, raw.buf, 12), "[FAILED TO PARSE] x=-5 s=?");
		assert_string_equal(tracepoints_text(t, 1, raw.buf, 0), "[FAILED TO PARSE] x=? s=?");
		assert_string_equal(tracepoints_text(t, 2, raw.buf, 16), "[FAILED TO PARSE] x=-5 y=18446744071595622432");
		assert_null(tracepoints_text(t, 3, raw.buf, 16));
		assert_null(tracepoints_text(t, 4, raw.buf, 16));
		assert_null(tracepoints_text(t, 4, raw.buf, 16));
		check_values(t, raw.buf);
		tracepoints_free(t);
		out_fini(&blob);
		out_fini(&raw);
	}
}

static void test_no_formats(void **state)
{
	struct perfdata_info info = { 0 };
	struct tracepoints *t;

	(void)state;
	t = tracepoints_new(&info, fixture_symbol, NULL);
	assert_null(tracepoints_text(t, 1, "", 0));
	info.tracing_data = "nonsense";
	info.tracing_data_size = 8;
	assert_null(tracepoints_text(t, 1, "", 0));
	tracepoints_free(t);
	tracepoints_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_orders),
		cmocka_unit_test(test_no_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
