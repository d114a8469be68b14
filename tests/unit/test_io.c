/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/io.h: whole transfers over pipes and files, signals in between, and small files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/io.h"

static char dir[] = "/tmp/assay-test-io-XXXXXX";
static char path[64];

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/file", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static void put(const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, text, len, NULL), 0);
	close(fd);
}

static void ignore(int sig)
{
	(void)sig;
}

static void *write_all(void *arg)
{
	int fd = *(int *)arg;
	char *data = malloc(1 << 20);

	for (size_t i = 0; i < 1 << 20; i++)
		data[i] = (char)(i * 31 >> 8);
	for (int i = 0; i < 8; i++)
		assert_int_equal(io_write(fd, data, 1 << 20, NULL), 0);
	free(data);
	close(fd);
	return NULL;
}

/* 8 MiB through a pipe of 64 KiB while a timer interrupts both sides without SA_RESTART. */
static void test_pipe_with_signals(void **state)
{
	struct sigaction sa = { .sa_handler = ignore };
	struct itimerval timer = { { 0, 500 }, { 0, 500 } }, off = { { 0, 0 }, { 0, 0 } };
	size_t total = 8 << 20;
	char *back = malloc(total + 10);
	pthread_t thread;
	ssize_t n;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	assert_int_equal(pthread_create(&thread, NULL, write_all, &fds[1]), 0);
	n = io_read(fds[0], back, total + 10); /* more than there is: up to the end of file */
	setitimer(ITIMER_REAL, &off, NULL);
	pthread_join(thread, NULL);
	close(fds[0]);
	assert_int_equal(n, total);
	for (size_t i = 0; i < total; i++)
		if (back[i] != (char)((i & ((1 << 20) - 1)) * 31 >> 8))
			fail_msg("byte %zu is wrong", i);
	free(back);
}

static void test_nonblocking_read_waits(void **state)
{
	char back[4];
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(io_write(fds[1], "ab", 2, NULL), 0);
	close(fds[1]);
	assert_int_equal(io_read(fds[0], back, 4), 2);
	close(fds[0]);
}

static void test_errors(void **state)
{
	size_t done = 99;
	char c = 0;
	int fds[2];

	(void)state;
	assert_int_equal(io_read(-1, &c, 1), -EBADF);
	assert_int_equal(io_write(-1, &c, 1, &done), -EBADF);
	assert_int_equal(done, 0);
	assert_int_equal(io_write(-1, &c, 0, &done), 0);
	assert_int_equal(io_pread(0, &c, 1, UINT64_MAX), -EINVAL);
	assert_int_equal(io_pread(0, &c, 1, INT64_MAX), -EINVAL);
	assert_int_equal(io_pwrite(1, &c, 1, 1ULL << 63, &done), -EINVAL);
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	assert_int_equal(io_write(fds[1], &c, 1, &done), -EPIPE);
	close(fds[1]);
}

/* What fitted before the limit stays, and the caller learns how much that was. */
static void test_file_size_limit(void **state)
{
	struct rlimit old, limit;
	char *data = calloc(1, 100000);
	size_t done = 0;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	(void)state;
	assert_true(fd >= 0);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	limit = old;
	limit.rlim_cur = 65536;
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(io_write(fd, data, 100000, &done), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(done, 65536);
	assert_int_equal(lseek(fd, 0, SEEK_END), 65536);
	close(fd);
	free(data);
}

static void test_positioned(void **state)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t done = 0;
	char back[8];

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(io_pwrite(fd, "world", 5, 6, &done), 0);
	assert_int_equal(done, 5);
	assert_int_equal(io_pwrite(fd, "hello ", 6, 0, NULL), 0);
	assert_int_equal(io_pread(fd, back, 8, 4), 7); /* end of file in between */
	assert_memory_equal(back, "o world", 7);
	assert_int_equal(io_pread(fd, back, 8, 1 << 20), 0);
	close(fd);
}

static void test_read_file(void **state)
{
	static char big[10000];
	size_t size = 0;
	char *data = NULL;

	(void)state;
	memset(big, 'q', sizeof(big));
	put(big, sizeof(big));
	assert_int_equal(io_read_file(path, sizeof(big), &data, &size), 0); /* exactly the limit */
	assert_int_equal(size, sizeof(big));
	assert_memory_equal(data, big, sizeof(big));
	assert_int_equal(data[size], 0);
	free(data);
	data = NULL;
	assert_int_equal(io_read_file(path, sizeof(big) - 1, &data, &size), -EFBIG);
	assert_null(data);
	assert_int_equal(io_read_file(path, SIZE_MAX, &data, NULL), 0);
	free(data);

	put("", 0);
	assert_int_equal(io_read_file(path, 0, &data, &size), 0);
	assert_int_equal(size, 0);
	assert_string_equal(data, "");
	free(data);

	assert_int_equal(io_read_file("/nonexistent/x", 10, &data, &size), -ENOENT);
	assert_int_equal(io_read_file(dir, 10, &data, &size), -EISDIR);
	/* stat says 0 bytes */
	assert_int_equal(io_read_file("/proc/self/status", 1 << 20, &data, &size), 0);
	assert_true(size > 100);
	assert_memory_equal(data, "Name:", 5);
	free(data);
}

static void test_read_line(void **state)
{
	char buf[8];

	(void)state;
	put("one\ntwo\n", 8);
	assert_int_equal(io_read_line(path, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "one");
	put("1234567", 7);
	assert_int_equal(io_read_line(path, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "1234567");
	put("1234567\n", 8);
	assert_int_equal(io_read_line(path, buf, sizeof(buf)), 0);
	put("12345678", 8);
	assert_int_equal(io_read_line(path, buf, sizeof(buf)), -EFBIG);
	put("", 0);
	assert_int_equal(io_read_line(path, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
	assert_int_equal(io_read_line("/nonexistent/x", buf, sizeof(buf)), -ENOENT);
}

static void test_read_i64(void **state)
{
	static const struct {
		const char *text;
		int err;
		int64_t value;
	} cases[] = {
		{ "42\n", 0, 42 },
		{ "-1\n", 0, -1 },
		{ "  7  \n", 0, 7 },
		{ "010\n", 0, 10 },
		{ "0xff\n", 0, 255 },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "-9223372036854775808", 0, INT64_MIN },
		{ "9223372036854775808", -ERANGE, 0 },
		{ "12abc\n", -EBADMSG, 0 },
		{ "0x\n", -EBADMSG, 0 },
		{ "", -EBADMSG, 0 },
		{ "\n5\n", -EBADMSG, 0 },
		{ "max\n", -EBADMSG, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t v = 12345;

		put(cases[i].text, strlen(cases[i].text));
		assert_int_equal(io_read_i64(path, &v), cases[i].err);
		assert_true(v == (cases[i].err ? 12345 : cases[i].value));
	}
}

/* A pipe is refused without being opened; a link is followed within the root. */
static void test_open_regular(void **state)
{
	char name[80], byte, event[256];
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), root, fd;

	(void)state;
	put("x", 1);
	fd = io_open_regular(path);
	assert_true(fd >= 0);
	assert_int_equal(io_read(fd, &byte, 1), 1);
	close(fd);
	assert_int_equal(io_open_regular("/nonexistent/x"), -ENOENT);
	assert_int_equal(io_open_regular(dir), -ENOTSUP);

	snprintf(name, sizeof(name), "%s/fifo", dir);
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_true(inotify_add_watch(watch, name, IN_OPEN) >= 0);
	assert_int_equal(io_open_regular(name), -ENOTSUP);
	assert_int_equal(read(watch, event, sizeof(event)), -1);
	assert_int_equal(errno, EAGAIN);
	close(watch);
	unlink(name);

	root = open(dir, O_PATH | O_CLOEXEC);
	snprintf(name, sizeof(name), "%s/link", dir);
	assert_int_equal(symlink(strrchr(path, '/'), name), 0);
	assert_int_equal(io_open_regular(name), -ENOENT);
	fd = io_open_regular_below(root, "/link");
	assert_true(fd >= 0);
	close(fd);
	unlink(name);
	close(root);
}

/* Holes are no bytes, wherever they lie; what was written is, also past a hole. */
static void test_bytes_present(void **state)
{
	enum { BLOCK = 65536 }; /* larger than the blocks of file systems that tests run on */
	const uint64_t size = 6ULL << 30;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), ends[2];
	static char bytes[BLOCK];

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	assert_true(fd >= 0);
	assert_true(io_bytes_present(fd, 0, UINT64_MAX) == 0);
	assert_int_equal(io_pwrite(fd, bytes, 100, 0, NULL), 0);
	assert_true(io_bytes_present(fd, 0, UINT64_MAX) == 100);
	assert_true(io_bytes_present(fd, 10, 20) == 20);
	assert_true(io_bytes_present(fd, 100, 1) == 0);
	assert_true(io_bytes_present(fd, UINT64_MAX, UINT64_MAX) == 0);

	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_int_equal(io_pwrite(fd, bytes, BLOCK, size / 2, NULL), 0);
	assert_int_equal(lseek(fd, 12, SEEK_SET), 12);
	assert_true(io_bytes_present(fd, 0, UINT64_MAX) >= 100 + BLOCK);
	assert_true(io_bytes_present(fd, 0, UINT64_MAX) <= 2 * BLOCK);
	assert_true(io_bytes_present(fd, size / 2 + 7, 1000) == 1000);
	assert_true(io_bytes_present(fd, size / 2 - 7, 1000) == 993);
	assert_true(io_bytes_present(fd, size - BLOCK, UINT64_MAX) == 0);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 12);
	close(fd);

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(io_write(ends[1], bytes, 100, NULL), 0);
	assert_true(io_bytes_present(ends[0], 0, UINT64_MAX) == 0);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipe_with_signals),
		cmocka_unit_test(test_nonblocking_read_waits),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_file_size_limit),
		cmocka_unit_test(test_positioned),
		cmocka_unit_test(test_read_file),
		cmocka_unit_test(test_read_line),
		cmocka_unit_test(test_read_i64),
		cmocka_unit_test(test_open_regular),
		cmocka_unit_test(test_bytes_present),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
