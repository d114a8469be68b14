/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * cmd/output_file.h: whole or not at all, never over what is read, pipes and devices as they are.
 */
#include <dirent.h>
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
#include "cmd/cmd.h"
#include "cmd/output_file.h"

static char old_cwd[4096], dir[4096];

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%s/assay-output-file-XXXXXX", tmp ? tmp : "/tmp");
	return !getcwd(old_cwd, sizeof(old_cwd)) || !mkdtemp(dir) || chdir(dir);
}

static int teardown(void **state)
{
	static const char *const names[] = { "a.svg", "b.svg", "link", "hard", "fifo", "sub/data", "sub" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		remove(names[i]);
	return chdir(old_cwd) || rmdir(dir);
}

static void put_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void assert_file(const char *name, const char *text)
{
	char *data;
	size_t size;

	assert_int_equal(io_read_file(name, 4096, &data, &size), 0);
	assert_string_equal(data, text);
	free(data);
}

static int nr_files(void)
{
	DIR *d = opendir(".");
	int nr = 0;

	assert_non_null(d);
	for (const struct dirent *e; (e = readdir(d));)
		nr += e->d_name[0] != '.';
	closedir(d);
	return nr;
}

static void write_to(const char *path, const char *text, int err, int want)
{
	struct errbuf eb = { "" };
	struct output_file o;

	assert_int_equal(output_file_open(&o, path, &eb), 0);
	assert_int_equal(io_write(o.fd, text, strlen(text), NULL), 0);
	assert_int_equal(output_file_close(&o, err, &eb), want);
	assert_int_equal(!!eb.text[0], want && want != -EPIPE);
	if (eb.text[0])
		assert_non_null(strstr(eb.text, path));
}

static void test_whole_or_not(void **state)
{
	struct stat st;

	(void)state;
	umask(022);
	write_to("a.svg", "one", 0, 0);
	assert_file("a.svg", "one");
	assert_int_equal(stat("a.svg", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	/* The mode stays; a failure leaves all as it was. */
	assert_int_equal(chmod("a.svg", 0600), 0);
	write_to("a.svg", "half", -ENOSPC, -ENOSPC);
	assert_file("a.svg", "one");
	write_to("a.svg", "half", -EPIPE, -EPIPE);
	write_to("b.svg", "half", -EIO, -EIO);
	assert_int_not_equal(access("b.svg", F_OK), 0);
	write_to("a.svg", "two", 0, 0);
	assert_file("a.svg", "two");
	assert_int_equal(stat("a.svg", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(nr_files(), 1);
}

/* Until it is whole, the old one is there. */
static void test_old_until_then(void **state)
{
	struct errbuf eb = { "" };
	struct output_file o;

	(void)state;
	put_file("a.svg", "old");
	assert_int_equal(output_file_open(&o, "a.svg", &eb), 0);
	assert_int_equal(io_write(o.fd, "new", 3, NULL), 0);
	assert_file("a.svg", "old");
	assert_int_equal(output_file_close(&o, 0, &eb), 0);
	assert_file("a.svg", "new");
}

static void test_links(void **state)
{
	struct stat st;

	(void)state;
	put_file("a.svg", "old");
	assert_int_equal(symlink("a.svg", "link"), 0);
	write_to("link", "new", 0, 0);
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_file("a.svg", "new");
	/* one that leads nowhere yet */
	assert_int_equal(unlink("a.svg"), 0);
	write_to("link", "newer", 0, 0);
	assert_file("a.svg", "newer");
	assert_int_equal(nr_files(), 2);
}

static void test_no_files(void **state)
{
	char buf[8] = "";
	int fd;

	(void)state;
	write_to("/dev/null", "x", 0, 0);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	fd = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	write_to("fifo", "pipe", 0, 0);
	assert_int_equal(io_read(fd, buf, 4), 4);
	assert_string_equal(buf, "pipe");
	close(fd);
	assert_true(output_file_is_stdout(NULL) && output_file_is_stdout("-") && output_file_is_stdout("/dev/stdout"));
	assert_false(output_file_is_stdout("a.svg"));
}

static int check(const char *path, const char *input)
{
	struct errbuf eb = { "" };
	int err = output_file_check(path, input, &eb);

	assert_int_equal(!!err, !!eb.text[0]);
	return err;
}

static void test_check(void **state)
{
	(void)state;
	put_file("a.svg", "recording");
	put_file("b.svg", "other");
	assert_int_equal(link("a.svg", "hard"), 0);
	assert_int_equal(symlink("a.svg", "link"), 0);
	assert_int_equal(mkdir("sub", 0700), 0);
	assert_int_equal(check("a.svg", "a.svg"), CMD_USAGE);
	assert_int_equal(check("hard", "a.svg"), CMD_USAGE);
	assert_int_equal(check("link", "./a.svg"), CMD_USAGE);
	assert_int_equal(check("a.svg", "link"), CMD_USAGE);
	assert_int_equal(check("sub/data", "sub"), CMD_USAGE);
	assert_int_equal(check("b.svg", "a.svg"), 0);
	assert_int_equal(check("new.svg", "a.svg"), 0);
	assert_int_equal(check("new.svg", NULL), 0);
	assert_int_equal(check("new.svg", "no such file"), 0);
	assert_int_equal(check("/dev/null", "/dev/null"), 0);
	assert_int_equal(check("sub", NULL), -EISDIR);
	assert_int_equal(check("no/such/dir", NULL), -ENOENT);
	assert_int_equal(check("", NULL), CMD_USAGE);
	assert_file("a.svg", "recording");
	assert_int_equal(nr_files(), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_whole_or_not, setup, teardown),
		cmocka_unit_test_setup_teardown(test_old_until_then, setup, teardown),
		cmocka_unit_test_setup_teardown(test_links, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_check, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
