/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Output files: born under another name, committed, kept as .old, stamped; links and directories.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "capture/output.h"

static char old_cwd[4096], dir[4096];

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%s/assay-output-XXXXXX", tmp ? tmp : "/tmp");
	return !getcwd(old_cwd, sizeof(old_cwd)) || !mkdtemp(dir) || chdir(dir);
}

static int teardown(void **state)
{
	static const char *const names[] = { "perf.data", "perf.data.old", "link", "target", "fifo" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(names[i]);
	return chdir(old_cwd) || rmdir(dir);
}

static void put_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int has(const char *name, const char *text)
{
	char buf[64] = "";
	FILE *f = fopen(name, "r");

	if (!f)
		return 0;
	if (!fgets(buf, sizeof(buf), f))
		buf[0] = '\0';
	fclose(f);
	return !strcmp(buf, text);
}

static void test_commit(void **state)
{
	struct errbuf eb = { "" };
	struct output o;
	struct stat st;

	(void)state;
	put_file("perf.data", "older");
	assert_int_equal(output_open(&o, "perf.data", false, &eb), 0);
	assert_true(has("perf.data", "older"));
	output_close(&o); /* not committed: nothing happened */
	assert_true(has("perf.data", "older"));
	assert_int_equal(access("perf.data.old", F_OK), -1);

	assert_int_equal(output_open(&o, "perf.data", false, &eb), 0);
	assert_int_equal(write(o.fd, "new", 3), 3);
	output_commit(&o);
	output_close(&o);
	assert_true(has("perf.data", "new"));
	assert_true(has("perf.data.old", "older"));
	assert_int_equal(stat("perf.data", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

/* Nothing has a name until all is written; where the file system has no such files, the name is a temporary one. */
static void test_unnamed(void **state)
{
	struct errbuf eb = { "" };
	struct output o;
	char *name = NULL;
	int fd;

	(void)state;
	put_file("perf.data", "older");
	assert_int_equal(output_open(&o, "perf.data", true, &eb), 0);
	assert_true(o.is_unnamed == !o.tmp_path);
	assert_int_equal(write(o.fd, "new", 3), 3);
	output_close(&o);
	assert_true(has("perf.data", "older"));
	assert_int_equal(output_open(&o, "perf.data", true, &eb), 0);
	assert_int_equal(write(o.fd, "new", 3), 3);
	assert_int_equal(output_commit_unnamed(&o, &eb), 0);
	output_close(&o);
	assert_true(has("perf.data", "new"));
	assert_true(has("perf.data.old", "older"));

	assert_true(io_tmpfile_open("no-such-directory/x", 0600) < 0);
	fd = io_tmpfile_open("x", 0600);
	if (fd < 0)
		return;
	assert_int_equal(io_tmpfile_link(fd, "no-such-directory/x", &name), -ENOENT);
	assert_null(name);
	assert_int_equal(io_tmpfile_link(fd, "x", &name), 0);
	assert_int_equal(access(name, F_OK), 0);
	unlink(name);
	free(name);
	close(fd);
}

/* What cannot have its name is not there under another, nor is that a success. */
static void test_no_name(void **state)
{
	struct errbuf eb = { "" };
	struct output o;

	(void)state;
	put_file("perf.data", "older");
	assert_int_equal(mkdir("perf.data.old", 0700), 0);
	assert_int_equal(output_open(&o, "perf.data", true, &eb), 0);
	assert_int_equal(write(o.fd, "new", 3), 3);
	assert_int_equal(output_commit_unnamed(&o, &eb), -EISDIR);
	assert_non_null(strstr(eb.text, "cannot keep the older perf.data as perf.data.old"));
	assert_null(o.tmp_path);
	output_close(&o);
	assert_true(has("perf.data", "older"));
	assert_int_equal(rmdir("perf.data.old"), 0);
	/* teardown sees to it that nothing else is left */
}

static void test_stamp(void **state)
{
	struct errbuf eb = { "" };
	struct output o;
	char *a, *b;

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(output_open(&o, "perf.data", false, &eb), 0);
		output_commit(&o);
		assert_int_equal(output_stamp(&o, i ? &b : &a, &eb), 0);
		output_close(&o);
	}
	/* two within a hundredth of a second still have two names */
	assert_string_not_equal(a, b);
	assert_int_equal(strlen(a), strlen("perf.data.") + 16);
	assert_int_equal(unlink(a), 0);
	assert_int_equal(unlink(b), 0);
	free(a);
	free(b);
}

static void test_links(void **state)
{
	struct errbuf eb = { "" };
	struct output o;
	struct stat st;

	(void)state;
	assert_int_equal(symlink("target", "link"), 0);
	assert_int_equal(output_open(&o, "link", false, &eb), -ELOOP);
	assert_non_null(strstr(eb.text, "symbolic link"));
	output_close(&o);
	assert_int_equal(access("target", F_OK), -1);
	/* to a file: the link gives way, the file stays */
	put_file("target", "precious");
	errbuf_clear(&eb);
	assert_int_equal(output_open(&o, "link", false, &eb), 0);
	output_commit(&o);
	output_close(&o);
	assert_true(has("target", "precious"));
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISREG(st.st_mode));
	unlink("link.old");
}

static void test_others(void **state)
{
	struct errbuf eb = { "" };
	struct output o;

	(void)state;
	assert_int_equal(output_open(&o, ".", false, &eb), -EISDIR);
	output_close(&o);
	errbuf_clear(&eb);
	assert_int_equal(output_open(&o, "no/such/dir", false, &eb), -ENOENT);
	output_close(&o);
	errbuf_clear(&eb);
	assert_int_equal(output_open(&o, "/dev/null", false, &eb), 0);
	assert_false(o.is_pipe || o.is_own);
	output_commit(&o);
	output_close(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_commit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unnamed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stamp, setup, teardown),
		cmocka_unit_test_setup_teardown(test_links, setup, teardown),
		cmocka_unit_test_setup_teardown(test_others, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
