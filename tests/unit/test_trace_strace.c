/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "view/strace_summary.h"
#include "view/trace_strace.h"

static struct trace_strace strace;
static struct strace_options opts;
static struct syscall_log log_;
static struct recording recording;
static struct out o;
static struct task tasks[2] = { { .pid = 10, .tid = 10 }, { .pid = 11, .tid = 11 } };

enum { PAUSE = 34, GETPID = 39, WAIT4 = 61, EXIT_GROUP = 231, EXECVE = 59 };

static void start(void)
{
	trace_strace_init(&strace, &opts, &o, &log_);
}

static const char *text(void)
{
	trace_strace_fini(&strace);
	out_char(&o, 0);
	o.len = 0;
	return o.buf;
}

static int set_up(void **state)
{
	(void)state;
	strace_options_init(&opts);
	opts.tasks = STRACE_ALL_TASKS;
	syscall_log_init(&log_, &recording);
	out_init(&o, -1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	syscall_log_fini(&log_);
	out_fini(&o);
	return 0;
}

static void take(enum traced_kind kind, int task, uint32_t nr, int64_t result, uint64_t at_ns)
{
	struct traced t = {
		.kind = kind, .task = &tasks[task], .start_ns = at_ns, .end_ns = kind == TRACED_CALL ? at_ns + 1000000 : at_ns
	};

	t.call = (struct syscall_call){
		.def = syscall_get(SYSCALL_X86_64, nr), .abi = SYSCALL_X86_64, .nr = nr, .result = result, .has_ended = kind == TRACED_CALL
	};
	t.signal = t.status = (int)result;
	trace_strace_take(&strace, &t);
}

static void test_one_task(void **state)
{
	(void)state;
	opts.tasks = STRACE_NO_TASKS;
	start();
	take(TRACED_ENTER, 0, GETPID, 0, 1);
	take(TRACED_CALL, 0, GETPID, 10, 1);
	take(TRACED_CALL, 0, PAUSE, -4, 1);
	take(TRACED_EXIT, 0, 0, 3 << 8, 2);
	assert_string_equal(text(), "getpid()                                = 10\n"
				    "pause()                                 = -1 EINTR (Interrupted system call)\n"
				    "+++ exited with 3 +++\n");
}

/* A line that another task interrupts goes on in one of its own, aligned from its beginning. */
static void test_interrupted(void **state)
{
	(void)state;
	start();
	take(TRACED_ENTER, 0, PAUSE, 0, 1);
	take(TRACED_ENTER, 1, GETPID, 0, 2);
	take(TRACED_CALL, 1, GETPID, 11, 2);
	take(TRACED_CALL, 0, PAUSE, -4, 1);
	assert_string_equal(text(), "10    pause( <unfinished ...>\n"
				    "11    getpid()                          = 11\n"
				    "10    <... pause resumed>)              = -1 EINTR (Interrupted system call)\n");
}

static void test_whole(void **state)
{
	(void)state;
	opts.is_whole = true;
	start();
	take(TRACED_ENTER, 0, PAUSE, 0, 1);
	take(TRACED_CALL, 1, GETPID, 11, 2);
	take(TRACED_CALL, 0, PAUSE, -4, 1);
	assert_string_equal(text(), "11    getpid()                          = 11\n"
				    "10    pause()                           = -1 EINTR (Interrupted system call)\n");
}

static void test_ends_in_a_call(void **state)
{
	(void)state;
	start();
	take(TRACED_ENTER, 0, PAUSE, 0, 1);
	take(TRACED_EXIT, 1, 0, 9, 2);
	take(TRACED_ENTER, 1, PAUSE, 0, 3);
	assert_string_equal(text(), "10    pause( <unfinished ...>\n"
				    "11    +++ killed by SIGKILL +++\n"
				    "11    pause( <detached ...>\n");
}

static void take_pending(int task, uint32_t nr, uint64_t at_ns)
{
	struct traced t = { .kind = TRACED_CALL, .task = &tasks[task], .start_ns = at_ns, .end_ns = at_ns + 1000, .is_pending = true };

	t.call = (struct syscall_call){ .def = syscall_get(SYSCALL_X86_64, nr), .abi = SYSCALL_X86_64, .nr = nr };
	trace_strace_take(&strace, &t);
}

/* What is being done when tracing ends: the line that is open, one that was cut, and one that was not begun. */
static void test_is_detached(void **state)
{
	(void)state;
	start();
	take(TRACED_ENTER, 0, PAUSE, 0, 1);
	take(TRACED_ENTER, 1, PAUSE, 0, 2);
	take_pending(0, PAUSE, 1);
	take_pending(1, PAUSE, 2);
	assert_string_equal(text(), "10    pause( <unfinished ...>\n"
				    "11    pause( <detached ...>\n");
	start();
	take_pending(0, PAUSE, 1);
	take_pending(1, GETPID, 2);
	assert_string_equal(text(), "10    pause( <detached ...>\n"
				    "11    getpid( <detached ...>\n");
}

/* A thread executes a program: the process goes on with its call, under the number of the main thread, whose own call has no end. */
static void test_is_superseded(void **state)
{
	struct traced t = { .kind = TRACED_EXIT, .task = &tasks[0], .end_ns = 3, .superseded_by = 11 };

	(void)state;
	start();
	take(TRACED_ENTER, 0, PAUSE, 0, 1);
	take(TRACED_ENTER, 1, EXECVE, 0, 2);
	trace_strace_take(&strace, &t);
	take(TRACED_CALL, 0, EXECVE, 0, 2);
	take(TRACED_CALL, 0, GETPID, 10, 4);
	assert_string_equal(text(), "10    pause( <unfinished ...>\n"
				    "11    execve(NULL, NULL, NULL <unfinished ...>\n"
				    "10    +++ superseded by execve in pid 11 +++\n"
				    "10    <... execve resumed>)             = 0\n"
				    "10    getpid()                          = 10\n");
}

static void test_times(void **state)
{
	(void)state;
	opts.tasks = STRACE_NO_TASKS;
	opts.clock = STRACE_EPOCH;
	opts.clock_digits = 6;
	opts.has_relative = opts.shows_duration = opts.shows_numbers = true;
	opts.wall_offset_ns = 5000000000;
	start();
	take(TRACED_CALL, 0, GETPID, 10, 1000000);
	take(TRACED_CALL, 0, GETPID, 10, 3000000);
	assert_string_equal(text(), "5.001000 (+     0.000000) [  39] getpid() = 10 <0.001000>\n"
				    "5.003000 (+     0.002000) [  39] getpid() = 10 <0.001000>\n");
}

static void test_left_out(void **state)
{
	(void)state;
	opts.tasks = STRACE_NO_TASKS;
	opts.shows_exits = false;
	opts.hidden_signals = 1u << 16; /* SIGCHLD */
	start();
	take(TRACED_SIGNAL, 0, 0, 17, 1);
	take(TRACED_SIGNAL, 0, 0, 10, 1);
	take(TRACED_EXIT, 0, 0, 0, 2);
	assert_string_equal(text(), "--- SIGUSR1 {} ---\n");
}

static struct out by_task[2];

static struct out *open_task(void *ctx, int tid, bool has_lines)
{
	(void)ctx;
	assert_false(has_lines);
	out_init(&by_task[tid - 10], -1);
	return &by_task[tid - 10];
}

static void close_task(void *ctx, struct out *to)
{
	(void)ctx;
	out_char(to, 0);
	assert_string_equal(to->buf, to == by_task ? "pause()                                 = 1\n+++ exited with 0 +++\n"
						   : "getpid()                                = 11\n");
	out_fini(to);
}

/* -ff */
static void test_separate(void **state)
{
	(void)state;
	opts.tasks = STRACE_NO_TASKS;
	opts.open_task = open_task;
	opts.close_task = close_task;
	start();
	take(TRACED_ENTER, 0, PAUSE, 0, 1);
	take(TRACED_ENTER, 1, GETPID, 0, 2);
	take(TRACED_CALL, 1, GETPID, 11, 2);
	take(TRACED_CALL, 0, PAUSE, 1, 1);
	take(TRACED_EXIT, 0, 0, 0, 3);
	assert_string_equal(text(), "");
}

static void test_summary(void **state)
{
	struct strace_summary_options by = { .sort = STRACE_BY_CALLS };
	struct syscall_sums s;

	(void)state;
	syscall_sums_init(&s, SYSCALL_X86_64, true);
	strace_summary_text(&o, &s, &by);
	assert_int_equal(o.len, 0);
	syscall_sums_add_call(&s, 1, 1, "a", PAUSE, 3000000, 4);
	syscall_sums_add_call(&s, 1, 1, "a", GETPID, 500000, 0);
	syscall_sums_add_call(&s, 2, 2, "b", GETPID, 500000, 0);
	syscall_sums_add_call(&s, 2, 2, "b", SYSCALL_NR_32 | 20, 1000000, 0);
	strace_summary_text(&o, &s, &by);
	out_char(&o, 0);
	assert_string_equal(o.buf, "% time     seconds  usecs/call     calls    errors syscall\n"
				   "------ ----------- ----------- --------- --------- ----------------\n"
				   " 25.00    0.001000         500         2           getpid\n"
				   " 75.00    0.003000        3000         1         1 pause\n"
				   "------ ----------- ----------- --------- --------- ----------------\n"
				   "100.00    0.004000        1333         3         1 total\n"
				   "System call usage summary for 32 bit mode:\n"
				   "% time     seconds  usecs/call     calls    errors syscall\n"
				   "------ ----------- ----------- --------- --------- ----------------\n"
				   "100.00    0.001000        1000         1           getpid\n"
				   "------ ----------- ----------- --------- --------- ----------------\n"
				   "100.00    0.001000        1000         1           total\n");
	syscall_sums_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_task, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_interrupted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_ends_in_a_call, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_is_detached, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_is_superseded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_times, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_left_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_separate, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_summary, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
