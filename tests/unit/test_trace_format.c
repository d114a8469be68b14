/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * session/trace_format.h: field lines of all kinds, types, damage.
 */
#include "session/trace_format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace_fixture.h"

static const struct trace_field *find(const struct trace_format *f, const char *name)
{
	const struct trace_field *x = trace_format_find(f, name, strlen(name));

	assert_non_null(x);
	return x;
}

static void test_fields(void **state)
{
	const char *text = HEAD FIELD("const char *const * argv", 8, 8, 0) FIELD("char comm[TASK_COMM_LEN]", 16, 16, 0)
		FIELD("unsigned long args[6]", 32, 48, 0) FIELD("__data_loc unsigned int[] ids", 80, 4, 0)
			FIELD("__rel_loc char[] name", 84, 4, 0) FIELD("struct timespec64 ts", 88, 16, 0)
				FIELD("u32 rest[]", 104, 0, 0) "\tfield:long old;\toffset:104;\tsize:8;\n" /* kernels of long ago:
										no sign */
		PRINT "\"x\"\n";
	struct trace_format f;

	(void)state;
	assert_int_equal(trace_format_init(&f, text, strlen(text), 8), 0);
	assert_int_equal(f.fields.nr, 12);
	assert_true(find(&f, "common_pid")->is_common);
	assert_true(find(&f, "common_pid")->item.is_signed);
	assert_false(find(&f, "argv")->is_common);
	assert_true(find(&f, "argv")->is_pointer);
	assert_true(find(&f, "comm")->is_array && find(&f, "comm")->is_text);
	assert_int_equal(find(&f, "comm")->item.size, 1);
	assert_int_equal(find(&f, "args")->item.size, 8);
	assert_true(find(&f, "ids")->is_dynamic && !find(&f, "ids")->is_relative);
	assert_int_equal(find(&f, "ids")->item.size, 4);
	assert_true(find(&f, "name")->is_dynamic && find(&f, "name")->is_relative);
	assert_int_equal(find(&f, "ts")->item.size, 0);
	assert_int_equal(find(&f, "rest")->item.size, 4);
	assert_int_equal(find(&f, "old")->item.size, 8);
	assert_null(trace_format_find(&f, "arg", 3));
	assert_int_equal(f.print_size, strlen(" \"x\"\n"));
	trace_format_fini(&f);
}

static void test_bad_lines(void **state)
{
	static const char *const bad[] = {
		"field:int;\toffset:0;\tsize:4;\tsigned:1;",
		"field:;\toffset:0;\tsize:4;\tsigned:1;",
		"field:int x;\toffset:;\tsize:4;\tsigned:1;",
		"field:int x;\toffset:-4;\tsize:4;",
		"field:int x;\toffset:4;\tsize:70000;\tsigned:1;",
		"field:int x;\toffset:65535;\tsize:4;",
		"field:int x;\toffset:4294967295;\tsize:4;",
		"field:int x;\toffset:99999999999;\tsize:4;",
		"field:int x;\tsize:4;\toffset:0;",
		"field:int x;\toffset:0;\tsize:4",
		"field:int x",
		"field:__data_loc char[] x;\toffset:0;\tsize:8;",
		"field:int x];\toffset:0;\tsize:4;",
		"field:int [4];\toffset:0;\tsize:4;\tsigned:1;",
		"field:",
		"field",
	};
	char text[1024];
	struct trace_format f;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "format:\n\t%s\n", bad[i]);
		assert_int_equal(trace_format_init(&f, text, strlen(text), 8), -EBADMSG);
		trace_format_fini(&f);
		snprintf(text, sizeof(text), HEAD "\t%s\n%s", bad[i], FIELD("int y", 8, 4, 1));
		assert_int_equal(trace_format_init(&f, text, strlen(text), 8), 0);
		assert_null(trace_format_find(&f, "x", 1));
		assert_non_null(trace_format_find(&f, "y", 1)); /* the others stay */
		trace_format_fini(&f);
	}
}

/* Any prefix, and any byte changed: no more than a wrong answer. */
static void test_damage(void **state)
{
	const char *text = HEAD FIELD("char comm[16]", 8, 16, 0) FIELD("__data_loc char[] s", 24, 4, 0) PRINT
		"\"%s %pM%*d\\n\", REC->comm, REC->comm, (int)1, -0x2UL ? 3 : __get_str(s)\n";
	size_t size = strlen(text);

	(void)state;
	for (size_t i = 0; i <= size; i++)
		for (int how = 0; how < 4; how++) {
			char *copy = malloc(size + 1);
			struct trace_format f;
			struct trace_print p;
			size_t n = how ? size : i;

			memcpy(copy, text, n);
			if (how && i < size)
				copy[i] = (char[]){ 0, 0, '(', '"' }[how];
			copy = realloc(copy, n ? n : 1);
			if (!trace_format_init(&f, copy, n, 8))
				trace_print_compile(&p, &f);
			trace_format_fini(&f);
			free(copy);
		}
}

static void test_too_long(void **state)
{
	char *text = malloc(TRACE_FORMAT_MAX_SIZE + 1);
	struct trace_format f;

	(void)state;
	memset(text, '\n', TRACE_FORMAT_MAX_SIZE + 1);
	assert_int_equal(trace_format_init(&f, text, TRACE_FORMAT_MAX_SIZE + 1, 8), -E2BIG);
	trace_format_fini(&f);
	free(text);
}

static void type_is(const char *words, uint8_t size, bool is_signed, uint8_t pointed_size)
{
	struct trace_type t, pointed;

	assert_int_equal(trace_type_parse(&t, &pointed, words, strlen(words), 4), size != 0);
	assert_int_equal(t.size, size);
	assert_int_equal(pointed.size, pointed_size);
	if (size)
		assert_int_equal(t.is_signed, is_signed);
}

static void test_types(void **state)
{
	(void)state;
	type_is("int", 4, true, 0);
	type_is(" unsigned", 4, false, 0);
	type_is("unsigned char", 1, false, 0);
	type_is("const volatile short", 2, true, 0);
	type_is("unsigned long", 4, false, 0); /* a 32-bit machine */
	type_is("long long unsigned int", 8, false, 0);
	type_is("size_t", 4, false, 0);
	type_is("__u64", 8, false, 0);
	type_is("u16 *", 4, false, 2);
	type_is("const u8 * const", 4, false, 1);
	type_is("struct page *", 4, false, 0);
	type_is("char **", 4, false, 0);
	type_is("struct page", 0, false, 0);
	type_is("enum x", 0, false, 0);
	type_is("", 0, false, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),	 cmocka_unit_test(test_bad_lines), cmocka_unit_test(test_damage),
		cmocka_unit_test(test_too_long), cmocka_unit_test(test_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
