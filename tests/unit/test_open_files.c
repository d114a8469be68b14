/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/open_files.h, and through model/syscall_log.h what a long trace keeps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "model/syscall_log.h"

static uint32_t intern(struct open_files *o, const char *path)
{
	return open_files_intern(o, path, strlen(path));
}

static const char *path_of(struct open_files *o, int32_t pid, int32_t fd)
{
	const struct open_file *f = open_files_find(o, pid, fd);

	return f ? open_files_path(o, f->path) : NULL;
}

static void test_open_and_close(void **state)
{
	struct open_files o;

	(void)state;
	open_files_init(&o);
	assert_null(open_files_find(&o, 1, 3));
	open_files_close(&o, 1, 3);
	open_files_set(&o, 1, 3, intern(&o, "/a"), false);
	open_files_set(&o, 1, 4, intern(&o, "/b"), true);
	open_files_set(&o, 2, 3, intern(&o, "/c"), false);
	open_files_set(&o, 2, -1, intern(&o, "/d"), false);
	assert_int_equal(o.nr_files, 3);
	assert_string_equal(path_of(&o, 1, 3), "/a");
	assert_string_equal(path_of(&o, 1, 4), "/b");
	assert_string_equal(path_of(&o, 2, 3), "/c");
	open_files_set(&o, 1, 3, intern(&o, "/e"), false);
	assert_string_equal(path_of(&o, 1, 3), "/e");
	assert_int_equal(o.nr_files, 3);
	open_files_exec(&o, 1);
	assert_null(path_of(&o, 1, 4));
	assert_string_equal(path_of(&o, 1, 3), "/e");
	open_files_close(&o, 1, 3);
	assert_null(path_of(&o, 1, 3));
	assert_string_equal(path_of(&o, 2, 3), "/c");
	open_files_fini(&o);
}

static void test_lists(void **state)
{
	struct open_files o;
	struct open_file *f = NULL;
	uint32_t nr = 0, seen = 0;

	(void)state;
	open_files_init(&o);
	assert_null(open_files_next(&o, 7, NULL));
	for (int32_t fd = 0; fd < 10; fd++)
		open_files_set(&o, 7, fd, intern(&o, "/x"), fd > 7);
	open_files_set(&o, 8, 3, intern(&o, "/y"), false);
	for (int32_t fd = 3; fd < 6; fd++)
		open_files_close(&o, 7, fd);
	for (; (f = open_files_next(&o, 7, f)); nr++)
		seen |= 1u << f->fd;
	assert_true(nr == 7 && seen == 0x3c7);
	open_files_exec(&o, 7);
	assert_true(open_files_find(&o, 7, 7) && !open_files_find(&o, 7, 8) && !open_files_find(&o, 7, 9));
	/* What describes it goes with it, and not on to another file. */
	open_files_get(&o, 7, 7)->what = intern(&o, "a socket");
	open_files_fork(&o, 7, 9);
	assert_string_equal(open_files_path(&o, open_files_find(&o, 9, 7)->what), "a socket");
	open_files_set(&o, 7, 7, 0, false);
	assert_int_equal(open_files_find(&o, 7, 7)->what, 0);
	assert_null(open_files_get(&o, 7, -1));
	open_files_fini(&o);
}

static void test_processes(void **state)
{
	struct open_files o;

	(void)state;
	open_files_init(&o);
	open_files_set(&o, 1, 3, intern(&o, "/a"), false);
	open_files_set_cwd(&o, 1, intern(&o, "/home"));
	open_files_set(&o, 2, 9, intern(&o, "/of/another/with/that/pid"), false);
	open_files_fork(&o, 1, 2);
	open_files_fork(&o, 1, 1);
	assert_null(open_files_find(&o, 2, 9));
	assert_string_equal(path_of(&o, 2, 3), "/a");
	assert_string_equal(open_files_path(&o, open_files_cwd(&o, 2)), "/home");
	open_files_close(&o, 1, 3);
	assert_string_equal(path_of(&o, 2, 3), "/a");
	open_files_forget(&o, 2);
	open_files_forget(&o, 2);
	assert_null(open_files_find(&o, 2, 3));
	assert_int_equal(open_files_cwd(&o, 2), 0);
	assert_int_equal(o.nr_files, 0);
	open_files_fork(&o, 77, 78); /* of a process that nothing is known of */
	assert_int_equal(o.nr_processes, 1);
	/* Processes that come and go leave nothing. */
	for (int32_t pid = 100; pid < 100100; pid++) {
		open_files_fork(&o, 1, pid);
		open_files_set(&o, pid, 3, intern(&o, "/a"), false);
		open_files_forget(&o, pid);
	}
	assert_true(o.processes.nr <= 3 && o.files.nr <= 3);
	assert_true(o.index.nr == 0 && o.process_index.nr == 1);
	open_files_fini(&o);
}

/* All paths of what is open stay, and no others. */
static void test_paths_are_dropped(void **state)
{
	struct open_files o;
	char path[64];

	(void)state;
	open_files_init(&o);
	open_files_set_cwd(&o, 5, intern(&o, "/the/directory"));
	for (int32_t i = 0; i < 300000; i++) {
		snprintf(path, sizeof(path), "/var/spool/some/where/%d", i);
		open_files_set(&o, 5, i % 1000, intern(&o, path), false);
		open_files_get(&o, 5, i % 1000)->what = intern(&o, path + 5);
		open_files_trim(&o);
	}
	assert_true(o.paths.entries.nr < 12000);
	assert_true(o.paths.arena.size_bytes < 1u << 20);
	for (int32_t fd = 0; fd < 1000; fd++) {
		snprintf(path, sizeof(path), "/var/spool/some/where/%d", 299000 + fd);
		assert_string_equal(path_of(&o, 5, fd), path);
		assert_string_equal(open_files_path(&o, open_files_find(&o, 5, fd)->what), path + 5);
	}
	assert_string_equal(open_files_path(&o, open_files_cwd(&o, 5)), "/the/directory");
	open_files_fini(&o);
}

/* However many are really open, and long: then some have no paths, until others are closed. */
static void test_paths_are_bounded(void **state)
{
	struct open_files o;
	char path[4000];
	uint32_t nr_known = 0;

	(void)state;
	open_files_init(&o);
	memset(path, 'p', sizeof(path));
	for (int32_t i = 0; i < 40000; i++) {
		snprintf(path, 20, "/%d/", i);
		path[strlen(path)] = 'x';
		open_files_set(&o, 5, i, open_files_intern(&o, path, sizeof(path) - 1), false);
		open_files_trim(&o);
		nr_known += open_files_find(&o, 5, i)->path != 0;
	}
	assert_true(nr_known > 10000 && nr_known < 20000);
	assert_true(o.paths.arena.size_bytes < 70u << 20);
	open_files_forget(&o, 5);
	for (int32_t i = 0; i < 90000; i++) {
		open_files_set(&o, 5, 3, intern(&o, "/short"), false);
		open_files_trim(&o);
	}
	assert_string_equal(path_of(&o, 5, 3), "/short");
	assert_true(o.paths.arena.size_bytes < 1u << 20);
	open_files_fini(&o);
}

/* A file may fork a process with many descriptors again and again: then nothing is known of any, instead of taking minutes. */
static void test_work_is_bounded(void **state)
{
	struct open_files o;
	uint32_t nr_forks = 0;

	(void)state;
	open_files_init(&o);
	open_files_limit(&o, 10 << 20);
	open_files_set_cwd(&o, 5, intern(&o, "/home"));
	for (int32_t fd = 0; fd < 20000; fd++)
		open_files_set(&o, 5, fd, intern(&o, "/a"), false);
	for (; !o.work.is_exhausted && nr_forks < 10000; nr_forks++)
		open_files_fork(&o, 5, 6);
	assert_true(nr_forks > 100 && nr_forks < 10000);
	assert_null(open_files_find(&o, 5, 3));
	assert_null(open_files_get(&o, 7, 3));
	assert_null(open_files_next(&o, 5, NULL));
	assert_int_equal(open_files_cwd(&o, 5), 0);
	open_files_set(&o, 5, 3, intern(&o, "/b"), false);
	open_files_set_cwd(&o, 5, intern(&o, "/home"));
	open_files_exec(&o, 5);
	open_files_forget(&o, 5);
	assert_null(open_files_find(&o, 5, 3));
	open_files_fini(&o);
}

/* ---- through the log ---- */

enum { CLOSE = 3, OPENAT = 257, CLOSE_RANGE = 436 };

static struct traced call_of(const struct task *task, uint32_t nr, uint64_t arg, int64_t result)
{
	struct traced t = { .kind = TRACED_CALL, .task = task };

	t.call = (struct syscall_call){
		.def = syscall_get(SYSCALL_X86_64, nr), .abi = SYSCALL_X86_64, .nr = nr, .result = result, .has_ended = true
	};
	t.call.args[0] = arg;
	return t;
}

static void open_path(struct syscall_log *l, const struct task *task, const char *path, int fd)
{
	struct traced t = call_of(task, OPENAT, (uint64_t)SYSCALL_CWD, fd);

	t.call.nr_memory = 1;
	t.call.memory[0] = (struct syscall_memory){ .data = (const uint8_t *)path, .size = (uint32_t)strlen(path) + 1, .arg = 1 };
	syscall_log_apply(l, &t);
}

/* Between two calls, as the records of a session come. */
static void take_nothing(struct syscall_log *l)
{
	const struct record_header h = { .type = RECORD_FINISHED_ROUND, .size = sizeof(h) };
	struct session_record sr = { .header = &h, .event = -1 };
	struct traced t;

	assert_false(syscall_log_take(l, &sr, &t));
}

static void end_task(struct syscall_log *l, uint32_t pid, uint32_t tid)
{
	const struct record_header h = { .type = RECORD_EXIT, .size = sizeof(h) };
	struct session_record sr = { .header = &h, .event = -1 };
	struct traced t;

	sr.rec.task.pid = pid;
	sr.rec.task.tid = tid;
	assert_false(syscall_log_take(l, &sr, &t));
}

/* A day of a program that opens a new file each time. */
static void test_long_trace(void **state)
{
	struct perfdata_info info = { 0 };
	struct recording recording = { .info = &info };
	const struct task task = { .pid = 10, .tid = 11 };
	struct syscall_log l;
	struct traced t;
	char path[64];

	(void)state;
	syscall_log_init(&l, &recording);
	open_path(&l, &task, "/etc/kept", 3);
	for (uint32_t i = 0; i < 500000; i++) {
		snprintf(path, sizeof(path), "/tmp/session/%u.tmp", i);
		open_path(&l, &task, path, 4);
		assert_string_equal(syscall_log_path(&l, &task, 4), path);
		t = call_of(&task, CLOSE, 4, 0);
		syscall_log_apply(&l, &t);
		take_nothing(&l);
	}
	assert_null(syscall_log_path(&l, &task, 4));
	assert_string_equal(syscall_log_path(&l, &task, 3), "/etc/kept");
	assert_true(l.files.paths.arena.size_bytes < 1u << 20);
	t = call_of(&task, CLOSE_RANGE, 3, 0);
	t.call.args[1] = UINT32_MAX;
	syscall_log_apply(&l, &t);
	assert_null(syscall_log_path(&l, &task, 3));
	/* Tasks that end leave nothing, whichever of the two records says so. */
	for (uint32_t i = 0; i < 100000; i++) {
		const struct task other = { .pid = (int32_t)(100 + i), .tid = (int32_t)(100 + i) };

		open_path(&l, &other, "/etc/passwd", 3);
		t = (struct traced){ .kind = TRACED_EXIT, .task = &other };
		syscall_log_apply(&l, &t);
		end_task(&l, 100 + i, 100 + i);
	}
	assert_true(l.tasks.nr <= 2 && l.files.processes.nr <= 2 && l.nr_live == 0);
	syscall_log_fini(&l);
}

static double look_up(int32_t nr_open, uint32_t nr)
{
	struct timespec a, b;
	struct open_files o;
	uint64_t sum = 0;

	open_files_init(&o);
	for (int32_t i = 0; i < nr_open; i++)
		open_files_set(&o, 9, i, intern(&o, "/p"), false);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	for (uint32_t i = 0; i < nr; i++)
		sum += open_files_find(&o, 9, (int32_t)(i * 7919u % (uint32_t)nr_open))->path;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	assert_int_equal(sum, nr);
	open_files_fini(&o);
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9;
}

/* A list would need a thousand times as long. */
static void test_many_descriptors(void **state)
{
	double few = look_up(20, 300000), many = look_up(20000, 300000);

	(void)state;
	print_message("300,000 look-ups: %.1f ms among 20, %.1f ms among 20,000\n", few * 1e3, many * 1e3);
	assert_true(many < 50 * few);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open_and_close),	  cmocka_unit_test(test_lists),
		cmocka_unit_test(test_processes),	  cmocka_unit_test(test_paths_are_dropped),
		cmocka_unit_test(test_paths_are_bounded), cmocka_unit_test(test_long_trace),
		cmocka_unit_test(test_many_descriptors),  cmocka_unit_test(test_work_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
