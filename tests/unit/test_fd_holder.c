/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A holder's table is its own: it keeps the fds it was given, closes the others, and its fds are
 * not ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/event_fds.h"

struct look {
	int kept, other; /* fds to look at */
	int kept_flags, other_flags;
	int nr_opened;
	int first;
};

static void job_look(void *ctx)
{
	struct look *l = ctx;

	l->kept_flags = fcntl(l->kept, F_GETFD);
	l->other_flags = fcntl(l->other, F_GETFD);
}

static void job_fill(void *ctx)
{
	struct look *l = ctx;

	for (;;) {
		int fd = dup(l->kept);

		if (fd < 0)
			return;
		if (!l->nr_opened++)
			l->first = fd;
	}
}

static void test_tables(void **state)
{
	struct rlimit rl, low;
	struct errbuf eb = { "" };
	struct fd_holder *a, *b;
	struct look look = { 0 }, second;
	int kept = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	look.kept = kept;
	look.other = dup(kept);
	second = look;
	assert_int_equal(fd_holder_new(&a, &kept, 1, &eb), 0);
	fd_holder_run(a, job_look, &look);
	assert_true(look.kept_flags >= 0);
	assert_int_equal(look.other_flags, -1);
	assert_true(fcntl(look.other, F_GETFD) >= 0); /* ours is still open */

	/* each fills its table up to the limit, and ours has room all the same */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &rl), 0);
	low = rl;
	low.rlim_cur = 40;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_int_equal(fd_holder_new(&b, &kept, 1, &eb), 0);
	fd_holder_run(a, job_fill, &look);
	fd_holder_run(b, job_fill, &second);
	assert_int_equal(look.nr_opened, 39);
	assert_int_equal(second.nr_opened, 39);
	assert_int_equal(look.first, 0);
	assert_true(dup(kept) >= 0);
	setrlimit(RLIMIT_NOFILE, &rl);
	fd_holder_free(a);
	fd_holder_free(b);
	fd_holder_free(NULL);
	close(look.other);
	close(kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_tables) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
