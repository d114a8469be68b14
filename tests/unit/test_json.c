/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/json.h: commas, indentation, numbers, and that wrong nesting does not go unseen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"

static void check(struct out *o, const char *expected)
{
	out_char(o, '\0');
	assert_string_equal(o->buf, expected);
	out_fini(o);
}

static void write_sample(struct json *j)
{
	json_object(j);
	json_key(j, "name");
	json_str(j, "a \"b\"");
	json_key(j, "list");
	json_array(j);
	json_u64(j, UINT64_MAX);
	json_i64(j, INT64_MIN);
	json_i64(j, -1);
	json_i64(j, INT64_MAX);
	json_array_end(j);
	json_key(j, "empty");
	json_array(j);
	json_array_end(j);
	json_key(j, "none");
	json_object(j);
	json_object_end(j);
	json_key(j, "ip");
	json_hex(j, 0xffffffff81000000ULL);
	json_key(j, "ok");
	json_bool(j, true);
	json_key(j, "no");
	json_bool(j, false);
	json_key(j, "x");
	json_null(j);
	json_object_end(j);
}

static void test_compact(void **state)
{
	struct json j;
	struct out o;

	(void)state;
	out_init(&o, -1);
	json_init(&j, &o, false);
	write_sample(&j);
	check(&o, "{\"name\":\"a \\\"b\\\"\",\"list\":[18446744073709551615,-9223372036854775808,"
		  "-1,9223372036854775807],\"empty\":[],\"none\":{},\"ip\":\"0xffffffff81000000\","
		  "\"ok\":true,\"no\":false,\"x\":null}");
}

static void test_pretty(void **state)
{
	struct json j;
	struct out o;

	(void)state;
	out_init(&o, -1);
	json_init(&j, &o, true);
	write_sample(&j);
	check(&o, "{\n"
		  "  \"name\": \"a \\\"b\\\"\",\n"
		  "  \"list\": [\n"
		  "    18446744073709551615,\n"
		  "    -9223372036854775808,\n"
		  "    -1,\n"
		  "    9223372036854775807\n"
		  "  ],\n"
		  "  \"empty\": [],\n"
		  "  \"none\": {},\n"
		  "  \"ip\": \"0xffffffff81000000\",\n"
		  "  \"ok\": true,\n"
		  "  \"no\": false,\n"
		  "  \"x\": null\n"
		  "}");
}

static void test_doubles(void **state)
{
	struct json j;
	struct out o;

	(void)state;
	/* A decimal comma must not reach the text; where the locale is missing this tests less. */
	setlocale(LC_NUMERIC, "de_DE.UTF-8");
	out_init(&o, -1);
	json_init(&j, &o, false);
	json_array(&j);
	json_double(&j, 12.345, 2);
	json_double(&j, -0.5, 3);
	json_double(&j, 7, 0);
	json_double(&j, 7, -4);
	json_double(&j, NAN, 2);
	json_double(&j, INFINITY, 2);
	json_double(&j, -INFINITY, 2);
	json_array_end(&j);
	check(&o, "[12.35,-0.500,7,7,null,null,null]");
	setlocale(LC_NUMERIC, "C");

	out_init(&o, -1);
	json_init(&j, &o, false);
	json_double(&j, -DBL_MAX, 100);
	assert_true(o.len > 300);
	assert_memory_equal(o.buf, "-17976931348623157", 18);
	out_fini(&o);
}

static void test_strings_with_length(void **state)
{
	struct json j;
	struct out o;

	(void)state;
	out_init(&o, -1);
	json_init(&j, &o, false);
	json_array(&j);
	json_str_len(&j, "abcdef", 3);
	json_str_len(&j, "x\0y", 3);
	json_str_len(&j, "", 0);
	json_array_end(&j);
	check(&o, "[\"abc\",\"x\\u0000y\",\"\"]");
}

static void close_too_often(struct json *j)
{
	json_array(j);
	json_array_end(j);
	json_array_end(j);
}

static void key_without_value(struct json *j)
{
	json_object(j);
	json_key(j, "k");
	json_object_end(j);
}

static void key_after_key(struct json *j)
{
	json_object(j);
	json_key(j, "k");
	json_key(j, "l");
}

static void key_outside(struct json *j)
{
	json_key(j, "k");
}

static void test_wrong_nesting_aborts(void **state)
{
	void (*const wrong[])(struct json *) = {
		close_too_often,
		key_without_value,
		key_after_key,
		key_outside,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		pid_t pid = fork();
		int status;

		assert_true(pid >= 0);
		if (!pid) {
			struct json j;
			struct out o;

			signal(SIGABRT, SIG_DFL);
			close(STDERR_FILENO);
			out_init(&o, -1);
			json_init(&j, &o, false);
			wrong[i](&j);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	}
}

/* Call trees nest as deep as the stacks were. */
static void test_deep_nesting(void **state)
{
	const int depth = 100000;
	struct json j;
	struct out o;

	(void)state;
	out_init(&o, -1);
	json_init(&j, &o, false);
	for (int i = 0; i < depth; i++)
		json_array(&j);
	for (int i = 0; i < depth; i++)
		json_array_end(&j);
	assert_int_equal(o.len, 2 * (size_t)depth);
	out_fini(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compact),
		cmocka_unit_test(test_pretty),
		cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_strings_with_length),
		cmocka_unit_test(test_wrong_nesting_aborts),
		cmocka_unit_test(test_deep_nesting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
