/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lists of CPUs and of tasks.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "kernel/cpus.h"
#include "kernel/tasks.h"

static void test_parse(void **state)
{
	static const struct {
		const char *text, *again;
	} good[] = {
		{ "", "" },	      { "0", "0" },	      { "0-3,7", "0-3,7" },
		{ "7,0-3", "0-3,7" }, { "0,1,2,2,1", "0-2" }, { " 1 - 2 , 5\n", "1-2,5" },
		{ "65535", "65535" },
	};
	static const char *const bad[] = { "x",
					   "1,",
					   ",1",
					   "1-",
					   "3-1",
					   "1,,2",
					   "-1",
					   "1 2",
					   "65536",
					   "99999999999",
					   "1-2-3",
					   "0x1",
					   "0-65535,0-65535,0-65535,0-65535,0-65535" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct cpu_list l = { 0 };
		char *again;

		assert_int_equal(cpu_list_parse(&l, good[i].text, NULL), 0);
		again = cpu_list_format(&l);
		assert_string_equal(again, good[i].again);
		free(again);
		cpu_list_fini(&l);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct cpu_list l = { 0 };
		struct errbuf eb = { 0 };

		assert_int_equal(cpu_list_parse(&l, bad[i], &eb), -EINVAL);
		assert_non_null(strstr(eb.text, "column"));
		assert_int_equal(l.cpus.nr, 0);
	}
}

static void test_online(void **state)
{
	struct cpu_list l = { 0 }, one = { 0 };
	struct errbuf eb = { 0 };

	(void)state;
	cpu_list_online(&l);
	assert_true(l.cpus.nr > 0);
	assert_int_equal((long)l.cpus.nr, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(cpu_list_has(&l, l.cpus.v[0]));
	assert_false(cpu_list_has(&l, 65000));
	assert_int_equal(cpu_list_parse_online(&one, "65000", &eb), -ENODEV);
	assert_non_null(strstr(eb.text, "65000"));
	assert_int_equal(cpu_list_parse_online(&one, "", NULL), -EINVAL);
	cpu_list_fini(&l);
	cpu_list_fini(&one);
}

static void *wait_for_lock(void *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
	return NULL;
}

static void test_tasks(void **state)
{
	static const char *const bad[] = { "", "x", "1,", "0", "-1", "1 2", "99999999999", "1,x" };
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct task_ids t = { 0 };
	struct errbuf eb = { 0 };
	pthread_t thread;
	pid_t other;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(task_ids_parse(&t, bad[i], "-p", NULL), -EINVAL);
	assert_int_equal(task_ids_parse(&t, "7,3,7", "-p", NULL), 0);
	assert_int_equal(t.ids.nr, 2);
	assert_int_equal(t.ids.v[0], 3);
	task_ids_fini(&t);

	pthread_mutex_lock(&lock);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_lock, &lock), 0);
	assert_int_equal(task_ids_add_threads(&t, getpid(), NULL), 0);
	assert_int_equal(t.ids.nr, 2);
	other = t.ids.v[0] == getpid() ? t.ids.v[1] : t.ids.v[0];
	assert_int_equal(task_ids_add_thread(&t, other, NULL), 0);
	assert_int_equal(t.ids.nr, 2);
	assert_int_equal(task_ids_add_threads(&t, other, &eb), -EINVAL);
	assert_non_null(strstr(eb.text, "-t"));
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	task_ids_fini(&t);

	errbuf_clear(&eb);
	assert_int_equal(task_ids_add_threads(&t, 0x3fffffff, &eb), -ESRCH);
	assert_non_null(strstr(eb.text, "1073741823"));
	assert_int_equal(task_ids_add_thread(&t, 0x3fffffff, NULL), -ESRCH);
	assert_int_equal(task_ids_add_user(&t, "no such user", NULL), -ENOENT);
	assert_int_equal(task_ids_add_user(&t, "3999999999", NULL), -ESRCH);
	task_ids_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_online),
		cmocka_unit_test(test_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
