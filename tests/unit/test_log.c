/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/log.h: levels, and that names from outside cannot write to the terminal through a message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "base/log.h"

static char text[4096];

/* Runs `fn` with stderr in a pipe; gives what it wrote. */
static const char *stderr_of(void (*fn)(void))
{
	int fds[2], saved = dup(STDERR_FILENO);
	ssize_t n;

	assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDERR_FILENO);
	close(fds[1]);
	fn();
	dup2(saved, STDERR_FILENO);
	close(saved);
	n = read(fds[0], text, sizeof(text) - 1);
	close(fds[0]);
	assert_true(n >= 0);
	text[n] = '\0';
	return text;
}

static void say_all(void)
{
	log_error("error %d", 1);
	log_warn("warn %d", 2);
	log_info("info %d", 3);
	log_debug("debug %d", 4);
}

static void say_hostile(void)
{
	log_warn("comm '%s'", "\033[2J\x9b");
}

static void say_lines(void)
{
	log_warn("one\ntwo\n");
}

static void say_nothing(void)
{
	log_warn("%s", "");
}

static void test_levels(void **state)
{
	(void)state;
	log_level = LOG_QUIET;
	assert_string_equal(stderr_of(say_all), "assay: error 1\n");
	log_level = LOG_NORMAL;
	assert_string_equal(stderr_of(say_all), "assay: error 1\nassay: warn 2\n");
	log_level = LOG_VERBOSE;
	assert_string_equal(stderr_of(say_all), "assay: error 1\nassay: warn 2\nassay: info 3\n");
	log_level = LOG_DEBUG;
	assert_string_equal(stderr_of(say_all), "assay: error 1\nassay: warn 2\nassay: info 3\nassay: debug 4\n");
	log_level = LOG_NORMAL;
}

static void test_escapes(void **state)
{
	(void)state;
	assert_string_equal(stderr_of(say_hostile), "assay: comm '\\e[2J\\x9b'\n");
	assert_string_equal(stderr_of(say_lines), "assay: one\ntwo\n");
	assert_string_equal(stderr_of(say_nothing), "assay: \n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_escapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
