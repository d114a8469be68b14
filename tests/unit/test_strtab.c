/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/strtab.h: equal strings, equal ids; and base/vec.h, which carries it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strtab.h"

static void test_ids(void **state)
{
	struct strtab t;
	uint32_t a, b;

	(void)state;
	strtab_init(&t);
	assert_int_equal(strtab_intern(&t, ""), 0);
	assert_int_equal(strtab_intern_len(&t, "abc", 0), 0);
	assert_int_equal(strtab_intern_len(&t, NULL, 0), 0);
	assert_string_equal(strtab_get(&t, 0), "");
	a = strtab_intern(&t, "main");
	b = strtab_intern(&t, "mainly");
	assert_int_not_equal(a, b);
	assert_int_equal(strtab_intern_len(&t, "mainly", 4), a);
	assert_string_equal(strtab_get(&t, a), "main");
	assert_int_equal(strtab_len(&t, b), 6);
	strtab_fini(&t);
	strtab_fini(NULL);
}

static void test_bytes_inside(void **state)
{
	struct strtab t;
	uint32_t with, without;

	(void)state;
	strtab_init(&t);
	with = strtab_intern_len(&t, "a\0b", 3);
	without = strtab_intern_len(&t, "a", 1);
	assert_int_not_equal(with, without);
	assert_int_not_equal(strtab_intern_len(&t, "a\0c", 3), with);
	assert_int_equal(strtab_len(&t, with), 3);
	assert_memory_equal(strtab_get(&t, with), "a\0b", 4);
	strtab_fini(&t);
}

static void test_a_million_that_do_not_move(void **state)
{
	const uint32_t nr = 1200000;
	const char *first;
	struct strtab t;
	char text[32];

	(void)state;
	strtab_init(&t);
	assert_int_equal(strtab_intern(&t, "string 0"), 1);
	first = strtab_get(&t, 1);
	for (uint32_t i = 1; i < nr; i++) {
		snprintf(text, sizeof(text), "string %u", i);
		if (strtab_intern(&t, text) != i + 1)
			fail_msg("string %u has a wrong id", i);
	}
	assert_ptr_equal(strtab_get(&t, 1), first);
	for (uint32_t i = 0; i < nr; i += 7) {
		snprintf(text, sizeof(text), "string %u", i);
		if (strtab_intern(&t, text) != i + 1 || strcmp(strtab_get(&t, i + 1), text))
			fail_msg("string %u is lost", i);
	}
	assert_int_equal(t.entries.nr, nr + 1);
	strtab_fini(&t);
}

static void test_vec(void **state)
{
	VEC(uint64_t) v = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 100000; i++)
		vec_push(&v, i * i);
	assert_int_equal(v.nr, 100000);
	assert_true(v.v[99999] == 99999ULL * 99999);
	vec_reserve(&v, 500000);
	assert_true(v.cap >= 500000);
	assert_true(v.v[77] == 77 * 77);
	vec_fini(&v);
	assert_null(v.v);
	assert_int_equal(v.nr + v.cap, 0);
}

static void test_vec_next_cap(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	assert_int_equal(vec_next_cap(0, 1), 8);
	assert_int_equal(vec_next_cap(8, 9), 16);
	assert_int_equal(vec_next_cap(8, 1000), 1000);
	/* Near the end it stops short of the size whose nr + 1 wraps. */
	assert_int_equal(vec_next_cap(1u << 31, (1u << 31) + 1), UINT32_MAX - 1);
	assert_int_equal(vec_next_cap(UINT32_MAX - 2, UINT32_MAX - 1), UINT32_MAX - 1);

	/* A count that does not fit is the end, not a small array. */
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGABRT, SIG_DFL);
		close(STDERR_FILENO);
		vec_next_cap(8, (1ULL << 32) + 1);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids), cmocka_unit_test(test_bytes_inside), cmocka_unit_test(test_a_million_that_do_not_move),
		cmocka_unit_test(test_vec), cmocka_unit_test(test_vec_next_cap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
