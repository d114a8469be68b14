/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/arena.h and base/mem.h: alignment, sizes from nothing to large, and contents that stay.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"

static void test_alignment_and_contents(void **state)
{
	enum { NR = 20000 };
	struct arena a = { 0 };
	uint8_t **p = malloc(NR * sizeof(*p));
	size_t asked = 0;

	(void)state;
	for (size_t i = 0; i < NR; i++) {
		size_t size = i % 97;

		if (i % 3 == 0)
			arena_str(&a, "x", 1); /* leaves odd positions behind */
		p[i] = arena_alloc(&a, size);
		assert_non_null(p[i]);
		assert_int_equal((uintptr_t)p[i] % 16, 0);
		memset(p[i], (int)(i & 0xff), size);
		asked += size;
	}
	for (size_t i = 0; i < NR; i++)
		for (size_t j = 0; j < i % 97; j++)
			if (p[i][j] != (i & 0xff))
				fail_msg("object %zu was written over", i);
	assert_true(a.size_bytes >= asked);
	assert_true(a.size_bytes < asked * 2 + (2 << 20));
	arena_fini(&a);
	assert_null(a.blocks);
	assert_int_equal(a.size_bytes, 0);
	arena_fini(&a);
	arena_fini(NULL);
	free(p);
}

static void test_large_objects(void **state)
{
	struct arena a = { 0 };
	char *small, *next, *large;

	(void)state;
	small = arena_alloc(&a, 16);
	large = arena_alloc(&a, 10 << 20);
	memset(large, 1, 10 << 20);
	next = arena_alloc(&a, 16);
	assert_ptr_equal(next, small + 16); /* the block in use was not given up */
	arena_fini(&a);
}

static void test_a_small_arena_is_small(void **state)
{
	struct arena a = { 0 };

	(void)state;
	arena_alloc(&a, 1);
	assert_int_equal(a.size_bytes, 512);
	arena_fini(&a);
}

static void test_copies(void **state)
{
	struct arena a = { 0 };
	const char *s;

	(void)state;
	s = arena_str(&a, "hello", 3);
	assert_string_equal(s, "hel");
	s = arena_str(&a, NULL, 0);
	assert_string_equal(s, "");
	s = arena_copy(&a, "a\0b", 3);
	assert_memory_equal(s, "a\0b", 3);
	assert_non_null(arena_copy(&a, NULL, 0));
	for (size_t len = 0; len < 9000; len += 11) {
		char *text = calloc(1, len + 1);
		char *copy;

		memset(text, 't', len);
		copy = arena_str(&a, text, len);
		assert_int_equal(strlen(copy), len);
		free(text);
	}
	arena_fini(&a);
}

static void test_mem(void **state)
{
	char *s = mem_printf("%d-%s", 42, "x");
	void *p;

	(void)state;
	assert_string_equal(s, "42-x");
	free(s);
	s = mem_strdup("");
	assert_string_equal(s, "");
	free(s);
	s = mem_strndup("abc", 100);
	assert_string_equal(s, "abc");
	free(s);
	s = mem_strndup("abc", 2);
	assert_string_equal(s, "ab");
	free(s);
	p = mem_alloc(0);
	assert_non_null(p);
	p = mem_realloc(p, 0, 8);
	assert_non_null(p);
	free(p);
	p = mem_zalloc(100);
	for (int i = 0; i < 100; i++)
		assert_int_equal(((char *)p)[i], 0);
	free(p);
}

static void test_mem_overflow_aborts(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGABRT, SIG_DFL);
		close(STDERR_FILENO);
		free(mem_realloc(NULL, SIZE_MAX / 4 + 2, 4)); /* wraps to 4 */
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alignment_and_contents),
		cmocka_unit_test(test_large_objects),
		cmocka_unit_test(test_a_small_arena_is_small),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_mem),
		cmocka_unit_test(test_mem_overflow_aborts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
