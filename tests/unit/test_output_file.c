/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * cmd/output_file.h: whole or not at all, never over what is read, pipes and devices as they are.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
		nr += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
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

/* Other names of the file are names of the new one; and yet a failure leaves it as it was. */
static void test_hard_links(void **state)
{
	(void)state;
	put_file("a.svg", "older and longer");
	assert_int_equal(link("a.svg", "hard"), 0);
	write_to("a.svg", "half", -ENOSPC, -ENOSPC);
	assert_file("hard", "older and longer");
	write_to("a.svg", "new", 0, 0);
	assert_file("a.svg", "new");
	assert_file("hard", "new");
	assert_int_equal(nr_files(), 2);
}

/* In a directory that is shared, two names can come to mean different files between two looks at them. */
static void test_other_file(void **state)
{
	struct stat a, b;
	char *name;

	(void)state;
	put_file("a.svg", "a");
	put_file("b.svg", "b");
	assert_int_equal(symlink("a.svg", "link"), 0);
	assert_int_equal(stat("a.svg", &a), 0);
	assert_int_equal(stat("b.svg", &b), 0);
	assert_int_equal(output_file_resolve("link", &b, &name), -ESTALE);
	assert_null(name);
	assert_int_equal(output_file_resolve("link", &a, &name), 0);
	assert_string_equal(strrchr(name, '/'), "/a.svg");
	free(name);
}

/* All of a process that is not root: what it may write, but neither replace nor own. */
static void as_nobody(const char *path, const char *text)
{
	struct errbuf eb = { "" };
	struct output_file o;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
			_exit(2);
		if (access(dir, X_OK))
			_exit(77); /* the temporary files of the tests are root's alone */
		_exit(output_file_open(&o, path, &eb) || io_write(o.fd, text, strlen(text), NULL) || output_file_close(&o, 0, &eb));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

static void test_owner(void **state)
{
	struct stat old, st;

	(void)state;
	if (geteuid())
		skip();
	/* another's file in a sticky directory, and in one where it could be replaced */
	for (int i = 0; i < 2; i++) {
		assert_int_equal(chmod(".", i ? 0777 : 01777), 0);
		put_file("a.svg", "older");
		assert_int_equal(chmod("a.svg", 0666), 0);
		assert_int_equal(stat("a.svg", &old), 0);
		as_nobody("a.svg", "new");
		assert_file("a.svg", "new");
		assert_int_equal(stat("a.svg", &st), 0);
		assert_true(st.st_ino == old.st_ino && st.st_uid == 0 && (st.st_mode & 0777) == 0666);
	}
	/* its own, of a group that it has left: that may not read on by another's name */
	assert_int_equal(chown("a.svg", 65534, 0), 0);
	assert_int_equal(chmod("a.svg", 0664), 0);
	as_nobody("a.svg", "newer");
	assert_file("a.svg", "newer");
	assert_int_equal(stat("a.svg", &st), 0);
	assert_true(st.st_uid == 65534 && st.st_gid == 65534 && (st.st_mode & 0777) == 0604);
	/* root keeps both */
	assert_int_equal(chown("a.svg", 65534, 12), 0);
	assert_int_equal(chmod("a.svg", 0640), 0);
	write_to("a.svg", "newest", 0, 0);
	assert_int_equal(stat("a.svg", &st), 0);
	assert_true(st.st_uid == 65534 && st.st_gid == 12 && (st.st_mode & 0777) == 0640);
	assert_int_equal(nr_files(), 1);
}

/* As long as names can be. */
static void test_long_name(void **state)
{
	struct errbuf eb = { "" };
	char name[257];

	(void)state;
	memset(name, 'n', 256);
	name[256] = '\0';
	assert_int_equal(output_file_check(name, NULL, &eb), -ENAMETOOLONG);
	name[255] = '\0';
	write_to(name, "one", 0, 0);
	write_to(name, "two", 0, 0);
	assert_file(name, "two");
	assert_int_equal(nr_files(), 1);
	unlink(name);
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
		cmocka_unit_test_setup_teardown(test_hard_links, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_owner, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_check, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
