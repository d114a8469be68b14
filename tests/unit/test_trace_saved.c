/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * kernel/trace_saved and kernel/trace_instance: the copy of settings as a killed process leaves it, names of instances, names of functions.
 */
#include "kernel/trace_saved.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "kernel/trace_functions.h"
#include "kernel/trace_instance.h"

static void test_copy(void **state)
{
	static const char text[] =
		"# tracer: nop\n#\n"
		"           <...>-93      [000] .....    20.962912: tracing_mark_write: assay-saved tracing_on =1\n"
		"           assay-93      [001] .....    20.962913: tracing_mark_write: assay-saved set_ftrace_filter =vfs_read vfs_write\n"
		"           assay-93      [001] .....    20.962913: tracing_mark_write: assay-saved set_ftrace_filter +vfs_fsync\n"
		"           assay-93      [001] .....    20.962914: tracing_mark_write: assay-saved set_ftrace_pid =\n"
		"           assay-93      [001] .....    20.962914: tracing_mark_write: assay-saved tracing_on =0\n"
		"           assay-93      [001] .....    20.962914: tracing_mark_write: assay-saved /etc/passwd =0\n"
		"           assay-93      [001] .....    20.962914: tracing_mark_write: assay-saved ../../x =0\n"
		"           assay-93      [001] .....    20.962914: tracing_mark_write: assay-saved nothing +0\n"
		"           assay-93      [001] .....    20.962914: tracing_mark_write: assay-saved \n"
		"           assay-93      [001] .....    20.962914: tracing_mark_write: assay-saved x\n"
		"           assay-93      [001] .....    20.962914: tracing_mark_write: something else\n"
		"           assay-93      [001] .....    20.962915: tracing_mark_write: assay-saved options/funcgraph-proc =1\n"
		"           assay-93      [001] .....    20.962915: tracing_mark_write: assay-saved max_graph_depth =12";
	struct trace_saved s;

	(void)state;
	trace_saved_init(&s, "/nonexistent", "/nonexistent/instances/x");
	trace_saved_parse(&s, text, strlen(text));
	assert_int_equal(s.files.nr, 4); /* the last line is cut */
	assert_string_equal(s.files.v[0].file, "tracing_on");
	assert_string_equal(s.files.v[0].pieces.v[0], "1"); /* what it was first */
	assert_false(s.files.v[0].is_list);
	assert_true(s.files.v[1].is_list);
	assert_int_equal(s.files.v[1].pieces.nr, 2);
	assert_string_equal(s.files.v[1].pieces.v[0], "vfs_read vfs_write");
	assert_string_equal(s.files.v[1].pieces.v[1], "vfs_fsync");
	assert_int_equal(s.files.v[2].pieces.nr, 0);
	assert_true(trace_saved_has(&s, "options/funcgraph-proc"));
	trace_saved_forget(&s, "set_ftrace_filter");
	assert_int_equal(s.files.nr, 3);
	assert_string_equal(s.files.v[1].file, "set_ftrace_pid");
	trace_saved_fini(&s);
}

static void test_instance_names(void **state)
{
	unsigned long long start;
	bool is_copy;
	pid_t pid;

	(void)state;
	assert_true(trace_instance_parse_name("assay-12-3456", &pid, &start, &is_copy));
	assert_int_equal(pid, 12);
	assert_int_equal(start, 3456);
	assert_false(is_copy);
	assert_true(trace_instance_parse_name("assay-12-3456-saved", &pid, &start, &is_copy));
	assert_true(is_copy);
	/* Those of others. */
	assert_false(trace_instance_parse_name("assay-12-3456-x", &pid, &start, &is_copy));
	assert_false(trace_instance_parse_name("assay-12-3456 ", &pid, &start, &is_copy));
	assert_false(trace_instance_parse_name("assay-012-3456", &pid, &start, &is_copy));
	assert_false(trace_instance_parse_name("assay--12-3456", &pid, &start, &is_copy));
	assert_false(trace_instance_parse_name("assay-12", &pid, &start, &is_copy));
	assert_false(trace_instance_parse_name("foo", &pid, &start, &is_copy));
}

static void test_function_names(void **state)
{
	(void)state;
	assert_true(trace_function_is_plain("vfs_read"));
	assert_true(trace_function_is_plain("vfs_*"));
	assert_true(trace_function_is_plain("*:mod:ext4"));
	assert_true(trace_function_is_plain("foo.isra.0"));
	/* Commands of the kernel, several words, and none. */
	assert_false(trace_function_is_plain("schedule:traceoff"));
	assert_false(trace_function_is_plain("schedule:traceoff:1"));
	assert_false(trace_function_is_plain("*:mod:"));
	assert_false(trace_function_is_plain("*:mod:ext4:traceoff"));
	assert_false(trace_function_is_plain("a b"));
	assert_false(trace_function_is_plain("a\nb"));
	assert_false(trace_function_is_plain("!a"));
	assert_false(trace_function_is_plain("#a"));
	assert_false(trace_function_is_plain(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_instance_names),
		cmocka_unit_test(test_function_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
