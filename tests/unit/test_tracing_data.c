/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * perfdata/tracing_data.h: a small container made by hand, in both byte orders, whole and cut
 * at every byte.
 */
#include "perfdata/tracing_data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"

static void put_number(struct out *o, uint64_t v, int size, bool big)
{
	for (int i = 0; i < size; i++)
		out_char(o, (char)(v >> 8 * (big ? size - 1 - i : i)));
}

static void put_text(struct out *o, const char *text, bool big)
{
	put_number(o, strlen(text), 8, big);
	out_str(o, text);
}

#define SWITCH                                                                                                                             \
	"name: sched_switch\nID: 314\nformat:\n\tfield:int x;\toffset:0;\n"                                                                \
	"\nprint fmt: \"name: y\"\n"

static void make(struct out *o, bool big)
{
	out_mem(o, "\027\010Dtracing0.6", 14);
	out_char(o, big);
	out_char(o, 8);
	put_number(o, 4096, 4, big);
	out_mem(o, "header_page", 12);
	put_text(o, "page", big);
	out_mem(o, "header_event", 13);
	put_text(o, "event", big);
	put_number(o, 1, 4, big);
	put_text(o, "name: function\nID: 1\n", big);
	put_number(o, 2, 4, big);
	out_mem(o, "sched", 6);
	put_number(o, 2, 4, big);
	put_text(o, SWITCH, big);
	put_text(o, "name: no_id\nformat:\n", big);
	out_mem(o, "empty", 6);
	put_number(o, 0, 4, big);
}

static void test_whole(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		const struct tracing_event *e;
		struct tracing_data t;
		struct out o;

		out_init(&o, -1);
		make(&o, big);
		assert_int_equal(tracing_data_init(&t, o.buf, o.len), 0);
		assert_int_equal(t.page_size, 4096);
		assert_int_equal(t.long_size, 8);
		assert_int_equal(t.big_endian, big);
		assert_int_equal(t.events.nr, 2);
		e = tracing_data_find(&t, 314);
		assert_non_null(e);
		assert_string_equal(e->system, "sched");
		assert_string_equal(e->name, "sched_switch");
		assert_string_equal(e->format, SWITCH);
		assert_int_equal(e->format_size, strlen(SWITCH));
		assert_string_equal(tracing_data_find(&t, 1)->system, "ftrace");
		assert_null(tracing_data_find(&t, 315));
		tracing_data_fini(&t);
		out_fini(&o);
	}
}

static void test_cut(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1);
	make(&o, false);
	for (size_t size = 0; size < o.len; size++) {
		void *copy = malloc(size ? size : 1);
		struct tracing_data t;

		memcpy(copy, o.buf, size);
		assert_int_equal(tracing_data_init(&t, copy, size), -EBADMSG);
		assert_true(t.events.nr <= 2);
		tracing_data_fini(&t);
		free(copy);
	}
	out_fini(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
