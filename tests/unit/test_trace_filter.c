/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/trace_filter.h"
#include "view/syscall_text.h"

static struct trace_filter f;
static struct syscall_log log_;
static struct recording recording;
static struct task task = { .pid = 10, .tid = 11 };
static struct errbuf eb;

static int set_up(void **state)
{
	(void)state;
	trace_filter_init(&f);
	syscall_log_init(&log_, &recording);
	eb.text[0] = 0;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	trace_filter_fini(&f);
	syscall_log_fini(&log_);
	return 0;
}

static struct traced call_of(uint32_t nr, int64_t result)
{
	struct traced t = { .kind = TRACED_CALL, .task = &task, .start_ns = 1000, .end_ns = 3000 };

	t.call = (struct syscall_call){
		.def = syscall_get(SYSCALL_X86_64, nr), .abi = SYSCALL_X86_64, .nr = nr, .result = result, .has_ended = true
	};
	return t;
}

static bool passes(const struct traced *t)
{
	return trace_filter_begins(&f, &log_, t, "worker") && trace_filter_ends(&f, t);
}

enum { READ = 0, OPENAT = 257, EXIT_GROUP = 231, GETPID = 39 };

static void test_all_passes(void **state)
{
	struct traced t = call_of(READ, -2);

	(void)state;
	assert_true(passes(&t));
	assert_false(trace_filter_is_needed(&f));
	t.kind = TRACED_EXIT;
	assert_true(passes(&t));
}

static void test_statuses(void **state)
{
	struct traced failed = call_of(READ, -EINTR), good = call_of(READ, 5), open = call_of(EXIT_GROUP, 0);

	(void)state;
	open.call.has_ended = false;
	assert_int_equal(trace_filter_set_statuses(&f, "failed", &eb), 0);
	assert_true(passes(&failed) && !passes(&good) && !passes(&open));
	assert_int_equal(trace_filter_set_statuses(&f, "!failed", &eb), 0);
	assert_true(!passes(&failed) && passes(&good) && passes(&open));
	assert_int_equal(trace_filter_set_statuses(&f, "successful,unfinished", &eb), 0);
	assert_true(!passes(&failed) && passes(&good) && passes(&open));
	assert_int_equal(trace_filter_set_statuses(&f, "none", &eb), 0);
	assert_true(!passes(&failed) && !passes(&good) && !passes(&open));
	assert_int_equal(trace_filter_set_statuses(&f, "failing", &eb), -EINVAL);
	assert_non_null(strstr(eb.text, "'failing'"));
}

static void test_errors(void **state)
{
	struct traced eintr = call_of(READ, -EINTR), good = call_of(READ, 5), eio = call_of(READ, -EIO);

	(void)state;
	assert_int_equal(trace_filter_add_errors(&f, "EINTR,5", syscall_error_number, &eb), 0);
	assert_true(passes(&eintr) && passes(&eio) && !passes(&good));
	assert_int_equal(trace_filter_add_errors(&f, "ENOPE", syscall_error_number, &eb), -EINVAL);
	assert_int_equal(syscall_error_number("EWOULDBLOCK"), EAGAIN);
}

static void test_tasks(void **state)
{
	struct traced t = call_of(READ, 5);

	(void)state;
	assert_int_equal(trace_filter_add_ids(&f.pids, "9,12", "process id", &eb), 0);
	assert_false(passes(&t));
	assert_int_equal(trace_filter_add_ids(&f.tids, "11", "thread id", &eb), 0);
	assert_true(passes(&t));
	assert_int_equal(trace_filter_add_ids(&f.tids, "x", "thread id", &eb), -EINVAL);
	vec_push(&f.comms, "work*");
	assert_true(passes(&t));
	f.comms.v[0] = "work";
	assert_false(passes(&t));
	t.kind = TRACED_SIGNAL;
	assert_false(passes(&t));
}

static void test_descriptors(void **state)
{
	struct traced reads = call_of(READ, 5), opens = call_of(OPENAT, 3), other = call_of(GETPID, 3);

	(void)state;
	reads.call.args[0] = 3;
	assert_int_equal(trace_filter_add_ids(&f.fds, "3", "file descriptor", &eb), 0);
	assert_true(passes(&reads) && passes(&opens) && !passes(&other));
	reads.call.args[0] = 4;
	assert_false(passes(&reads));
}

static void test_sizes_and_times(void **state)
{
	struct traced large = call_of(READ, 4096), small = call_of(READ, 4095), other = call_of(GETPID, 5000);

	(void)state;
	f.min_size = 4096;
	assert_true(passes(&large) && !passes(&small) && !passes(&other));
	f.min_duration_ns = 2000;
	assert_true(passes(&large));
	f.min_duration_ns = 2001;
	assert_false(passes(&large));
}

/* A path is compared as it was given, and from the root; descriptors by the path that they were opened with. */
static void test_paths(void **state)
{
	struct traced opens = call_of(OPENAT, 3), reads = call_of(READ, 5);
	static const char name[] = "sub/file";

	(void)state;
	log_.cwd = "/home";
	opens.call.args[0] = (uint32_t)SYSCALL_CWD;
	opens.call.memory[0] = (struct syscall_memory){ .data = (const uint8_t *)name, .size = sizeof(name), .arg = 1 };
	opens.call.nr_memory = 1;
	vec_push(&f.paths, "/home/*");
	assert_true(passes(&opens));
	syscall_log_apply(&log_, &opens);
	reads.call.args[0] = 3;
	assert_true(passes(&reads));
	reads.call.args[0] = 4;
	assert_false(passes(&reads));
	f.paths.v[0] = "sub/f?le";
	assert_true(passes(&opens));
	f.paths.v[0] = "file";
	assert_false(passes(&opens));
	/* Bytes that are no path. */
	opens.call.memory[0].size = 0;
	assert_false(passes(&opens));
	opens.call.memory[0].has_failed = true;
	assert_false(passes(&opens));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all_passes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_statuses, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_errors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_tasks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_descriptors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sizes_and_times, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_paths, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
