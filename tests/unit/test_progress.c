/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/progress.h: silent in a pipe, under -q and for short work; on a terminal at most 10 a
 * second.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/progress.h"
#include "base/progress_watch.h"

/* Runs updates for `ms` milliseconds with stderr on `fd`. */
static void work(int fd, int ms, uint64_t total)
{
	int saved = dup(STDERR_FILENO);
	struct progress p;

	dup2(fd, STDERR_FILENO);
	progress_init(&p, "loading", total);
	for (int i = 0; i < ms; i += 5) {
		const struct timespec nap = { 0, 5000000 };

		progress_update(&p, (uint64_t)i);
		nanosleep(&nap, NULL);
	}
	progress_fini(&p);
	progress_fini(&p);
	dup2(saved, STDERR_FILENO);
	close(saved);
}

/* All that arrives until it is quiet for a while: a terminal passes bytes on a little later. */
static size_t read_now(int fd, char *buf, size_t size)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	size_t len = 0;
	ssize_t n;

	while (len < size - 1 && poll(&pfd, 1, 100) > 0 && (n = read(fd, buf + len, size - 1 - len)) > 0)
		len += (size_t)n;
	buf[len] = '\0';
	return len;
}

static void test_silent_in_a_pipe(void **state)
{
	char text[256];
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	work(fds[1], 700, 100);
	assert_int_equal(read_now(fds[0], text, sizeof(text)), 0);
	close(fds[0]);
	close(fds[1]);
}

static void test_terminal(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	char text[4096];
	unsigned nr = 0;
	int tty;

	(void)state;
	if (master < 0 || grantpt(master) || unlockpt(master))
		skip();
	tty = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(tty >= 0);

	work(tty, 200, 100);
	assert_int_equal(read_now(master, text, sizeof(text)), 0);
	log_level = LOG_QUIET;
	work(tty, 700, 100);
	assert_int_equal(read_now(master, text, sizeof(text)), 0);
	log_level = LOG_NORMAL;

	work(tty, 1000, 2000);
	assert_true(read_now(master, text, sizeof(text)) > 0);
	assert_non_null(strstr(text, "loading "));
	assert_non_null(strstr(text, "% 0."));
	assert_string_equal(text + strlen(text) - 4, "\r\033[K");
	for (const char *p = text; (p = strstr(p, "loading")); p++)
		nr++;
	assert_in_range(nr, 1, 20);

	/* An unknown total shows no share; more done than the total is 100%. */
	work(tty, 700, 0);
	read_now(master, text, sizeof(text));
	assert_non_null(strstr(text, "loading 0."));
	assert_null(strchr(text, '%'));
	work(tty, 700, 3);
	read_now(master, text, sizeof(text));
	assert_non_null(strstr(text, "loading 100% 0."));
	close(tty);
	close(master);
}

/* One call that takes long: the line is there while it runs, and gone behind it. */
static void test_watch(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), saved = dup(STDERR_FILENO), tty;
	struct pollfd pfd = { .fd = master, .events = POLLIN };
	struct progress_watch w;
	char text[4096];

	(void)state;
	if (master < 0 || grantpt(master) || unlockpt(master))
		skip();
	tty = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(tty >= 0);
	dup2(tty, STDERR_FILENO);
	progress_watch_begin(&w, "naming");
	assert_true(w.runs);
	assert_int_equal(poll(&pfd, 1, 60000), 1);
	progress_watch_end(&w);
	progress_watch_end(&w);
	log_level = LOG_QUIET;
	progress_watch_begin(&w, "quietly");
	assert_false(w.runs);
	progress_watch_end(&w);
	log_level = LOG_NORMAL;
	dup2(saved, STDERR_FILENO);
	read_now(master, text, sizeof(text));
	assert_non_null(strstr(text, "naming "));
	assert_null(strstr(text, "quietly"));
	assert_string_equal(text + strlen(text) - 4, "\r\033[K");
	close(saved);
	close(tty);
	close(master);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_silent_in_a_pipe),
		cmocka_unit_test(test_terminal),
		cmocka_unit_test(test_watch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
