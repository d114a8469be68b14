/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "symbols/file_identity.h"

static void test_differ(void **state)
{
	struct file_identity a = file_identity_of_map(8, 1, 42, 7), b = a, unknown = { 0 };

	(void)state;
	assert_false(file_identity_differ(&a, &b));
	assert_false(file_identity_differ(&a, &unknown));
	b.inode = 43;
	assert_true(file_identity_differ(&a, &b));
	b = file_identity_of_map(8, 2, 42, 7);
	assert_true(file_identity_differ(&a, &b));
	b = file_identity_of_map(8, 1, 42, 8);
	assert_true(file_identity_differ(&a, &b));
	/* Maps in /proc say nothing of generations. */
	b = file_identity_of_map(8, 1, 42, 0);
	assert_false(file_identity_differ(&a, &b));
	/* Without an inode there is no file. */
	b = file_identity_of_map(8, 1, 0, 0);
	assert_int_equal(b.known, 0);
}

static void expect(const struct file_identity *id, const struct stat *st, const char *why)
{
	struct errbuf eb = { "" };
	struct file_identity now = { 0 };
	int err;

	file_identity_set_stat(&now, st);
	now.generation = 5;
	now.known |= IDENTITY_GENERATION;
	err = file_identity_check(id, &now, "/f", &eb);

	assert_int_equal(err, why ? -ESTALE : 0);
	if (why)
		assert_non_null(strstr(eb.text, why));
}

static void test_check(void **state)
{
	struct stat st = { .st_ino = 42, .st_size = 16384, .st_mtim = { 100, 5 }, .st_ctim = { 100, 6 } }, now = st;
	struct file_identity id = { 0 };

	(void)state;
	expect(&id, &now, NULL);
	file_identity_set_stat(&id, &st);
	expect(&id, &now, NULL);
	/* Another number after a mount. */
	now.st_dev = 9;
	expect(&id, &now, NULL);
	now.st_size = 16520;
	expect(&id, &now, "(size 16384, now 16520)");
	now = st;
	now.st_ino = 43;
	expect(&id, &now, "inode 42, now 43");
	now = st;
	now.st_mtim.tv_nsec++;
	expect(&id, &now, "was changed");
	now = st;
	now.st_ctim.tv_nsec++;
	expect(&id, &now, "status changed");
}

/* What a recording of perf's says: an inode, and when the recording ended. */
static void test_check_map(void **state)
{
	struct file_identity id = file_identity_of_map(8, 1, 42, 0);
	struct stat now = { .st_ino = 42, .st_dev = 77, .st_mtim = { 100, 0 }, .st_ctim = { 101, 0 } };

	(void)state;
	expect(&id, &now, NULL);
	id.known |= IDENTITY_UNCHANGED_AT;
	id.unchanged_at_ns = 100000000000;
	expect(&id, &now, NULL);
	now.st_mtim.tv_nsec = 1;
	expect(&id, &now, "changed after the recording");
	now.st_ino = 43;
	expect(&id, &now, "inode 42, now 43");
	/* ext4 gives the number of a removed file to the next one. */
	now.st_ino = 42;
	id = file_identity_of_map(8, 1, 42, 5);
	expect(&id, &now, NULL);
	id.generation = 4;
	expect(&id, &now, "inode 42 was reused");
	id.known |= IDENTITY_LOST;
	expect(&id, &now, "rewritten while it was recorded");
}

/* Overlayfs with several file systems below. */
static void test_layers(void **state)
{
	struct file_identity id = file_identity_of_map(8, 1, 42, 0), now = { .known = IDENTITY_STAT, .stat.inode = 2ull << 32 | 42 };
	struct errbuf eb = { "" };

	(void)state;
	assert_int_equal(file_identity_check(&id, &now, "/f", &eb), -ESTALE);
	now.known |= IDENTITY_LAYERED;
	assert_int_equal(file_identity_check(&id, &now, "/f", &eb), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_differ), cmocka_unit_test(test_check), cmocka_unit_test(test_check_map),
					    cmocka_unit_test(test_layers) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
