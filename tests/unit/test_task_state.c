/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "kernel/stopped_task.h"

static void test_self(void **state)
{
	struct task_state t;

	(void)state;
	prctl(PR_SET_NAME, "odd) (R 1 2\n");
	assert_int_equal(task_state_read(&t, 0, getpid()), 0);
	assert_int_equal(t.pid, getpid());
	assert_int_equal(t.ppid, getppid());
	assert_int_equal(t.state, 'R');
	assert_false(t.is_kernel);
	assert_string_equal(t.comm, "odd) (R 1 2\n");
	task_state_read_wait(&t);
	assert_false(t.in_call);
	assert_int_equal(task_state_read(&t, 0, 0x7fffffff), -ESRCH);
}

/* A child asleep in read(): the call, its file. */
static void test_asleep(void **state)
{
	struct task_state t;
	int fds[2];
	char *text;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		char c;

		_exit(read(fds[0], &c, 1) < 0);
	}
	for (int i = 0; i < 10000; i++) {
		assert_int_equal(task_state_read(&t, pid, pid), 0);
		task_state_read_wait(&t);
		if (t.state == 'S' && t.in_call)
			break;
		usleep(1000);
	}
	if (t.in_call) { /* where the kernel lets us see it */
		assert_int_equal(t.nr, SYS_read);
		assert_true(t.place_known);
		assert_int_equal(t.args[0], fds[0]);
		text = task_state_text(&t);
		assert_non_null(strstr(text, "sleeping in read("));
		assert_non_null(strstr(text, "<pipe:["));
		free(text);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fds[0]);
	close(fds[1]);
}

static void expect_text(struct task_state *t, const char *want)
{
	char *text = task_state_text(t);

	assert_string_equal(text, want);
	free(text);
}

static void test_words(void **state)
{
	struct task_state t = { .state = 'R' };

	(void)state;
	expect_text(&t, "running");
	t.state = 'D';
	strcpy(t.wchan, "nfs_wait");
	expect_text(&t, "uninterruptible at nfs_wait");
	t.in_call = true;
	t.nr = SYS_openat;
	expect_text(&t, "uninterruptible in openat() at nfs_wait");
	t.state = 'S';
	t.nr = SYS_futex;
	t.args[0] = 0x1234;
	expect_text(&t, "sleeping in futex(0x1234)");
	t.nr = 99999;
	expect_text(&t, "sleeping in system call 99999");
	t.state = 'Z';
	t.in_call = false;
	t.wchan[0] = 0;
	expect_text(&t, "ended");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_asleep),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
