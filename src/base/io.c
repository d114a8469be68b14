/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whole transfers over file descriptors (a non-blocking one is waited for), files of /proc and /sys, files without a name.
 */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

/* What to do about errno: 0 to try again, or the negative errno. */
static int io_retry(int fd, short events)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	if (errno == EINTR)
		return 0;
	if (errno != EAGAIN)
		return -errno;
	if (poll(&pfd, 1, -1) < 0 && errno != EINTR)
		return -errno;
	return 0;
}

/* `positioned`: at `off`; otherwise at the fd's own position. */
static ssize_t io_read_all(int fd, void *buf, size_t size, bool positioned, uint64_t off)
{
	size_t done = 0;

	while (done < size) {
		char *p = (char *)buf + done;
		ssize_t n = positioned ? pread(fd, p, size - done, (off_t)(off + done)) : read(fd, p, size - done);

		if (n == 0)
			break;
		if (n > 0) {
			done += (size_t)n;
		} else {
			int err = io_retry(fd, POLLIN);

			if (err)
				return err;
		}
	}
	return (ssize_t)done;
}

ssize_t io_read(int fd, void *buf, size_t size)
{
	return io_read_all(fd, buf, size, false, 0);
}

ssize_t io_pread(int fd, void *buf, size_t size, uint64_t off)
{
	if (off > INT64_MAX || size > INT64_MAX - off)
		return -EINVAL;
	return io_read_all(fd, buf, size, true, off);
}

static int io_write_all(int fd, const void *buf, size_t size, bool positioned, uint64_t off, size_t *done_out)
{
	size_t done = 0;
	int err = 0;

	while (done < size && !err) {
		const char *p = (const char *)buf + done;
		ssize_t n = positioned ? pwrite(fd, p, size - done, (off_t)(off + done)) : write(fd, p, size - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			err = -EIO; /* no device does this; do not try again without end */
		else
			err = io_retry(fd, POLLOUT);
	}
	if (done_out)
		*done_out = done;
	return err;
}

int io_write(int fd, const void *buf, size_t size, size_t *done)
{
	return io_write_all(fd, buf, size, false, 0, done);
}

int io_pwrite(int fd, const void *buf, size_t size, uint64_t off, size_t *done)
{
	if (off > INT64_MAX || size > INT64_MAX - off) {
		if (done)
			*done = 0;
		return -EINVAL;
	}
	return io_write_all(fd, buf, size, true, off, done);
}

/* `at` (O_PATH) is closed. Reopened through /proc, it stays the file that was checked; without /proc it is opened by its path. */
static int io_reopen_regular(int at, const char *path)
{
	char name[32];
	struct stat st;
	int fd;

	if (fstat(at, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(at);
		return -ENOTSUP;
	}
	snprintf(name, sizeof(name), "/proc/self/fd/%d", at);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && errno == ENOENT && path)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	fd = fd < 0 ? -errno : fd;
	close(at);
	return fd;
}

int io_open_regular(const char *path)
{
	int at = open(path, O_PATH | O_CLOEXEC);

	return at < 0 ? -errno : io_reopen_regular(at, path);
}

int io_open_regular_nofollow(const char *path)
{
	int at = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (at < 0)
		return -errno;
	if (fstat(at, &st) == 0 && S_ISLNK(st.st_mode)) {
		close(at);
		return -ELOOP;
	}
	return io_reopen_regular(at, NULL);
}

int io_open_regular_below(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	int at = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	return at < 0 ? -errno : io_reopen_regular(at, NULL);
}

/* Files in more pieces are taken for what their blocks add up to. */
#define MAX_EXTENTS 65536

/* The bytes of data between `off` and `end`; negative where the file system does not say. Compressing file systems and those that keep small
 * files beside the inode have fewer blocks than bytes, so that blocks alone would not do. */
static int64_t io_sum_extents(int fd, int64_t off, int64_t end)
{
	int64_t sum = 0;

	for (unsigned i = 0; off < end; i++) {
		off_t data = lseek(fd, off, SEEK_DATA), hole;

		if (data < 0)
			return errno == ENXIO ? sum : -errno;
		if (i == MAX_EXTENTS)
			return -E2BIG;
		if (data >= end)
			break;
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole <= data)
			return hole < 0 ? -errno : -EIO; /* the file was cut meanwhile */
		sum += (hole < end ? hole : end) - data;
		off = hole;
	}
	return sum;
}

uint64_t io_bytes_present(int fd, uint64_t off, uint64_t size)
{
	uint64_t blocks;
	struct stat st;
	int64_t sum;
	off_t was;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0 || off >= (uint64_t)st.st_size)
		return 0;
	if (size > (uint64_t)st.st_size - off)
		size = (uint64_t)st.st_size - off;
	blocks = (uint64_t)st.st_blocks * 512;
	if (blocks >= (uint64_t)st.st_size)
		return size;
	was = lseek(fd, 0, SEEK_CUR);
	sum = io_sum_extents(fd, (int64_t)off, (int64_t)(off + size));
	if (was >= 0)
		lseek(fd, was, SEEK_SET);
	if (sum < 0)
		return blocks < size ? blocks : size;
	return (uint64_t)sum;
}

static int io_open_read(const char *path)
{
	int fd;

	do {
		fd = open(path, O_RDONLY | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

/* Asks for one byte more than `max`, to distinguish "exactly max" from "more". */
int io_read_rest(int fd, size_t max, char **data, size_t *size)
{
	size_t limit = max < SIZE_MAX - 1 ? max + 1 : max;
	size_t cap = 0, len = 0;
	char *buf = NULL;

	for (;;) {
		ssize_t n;

		cap = cap ? cap * 2 : 4096;
		if (cap > limit || cap < len)
			cap = limit;
		buf = mem_realloc(buf, cap + 1, 1);
		n = io_read(fd, buf + len, cap - len);
		if (n < 0) {
			free(buf);
			return (int)n;
		}
		len += (size_t)n;
		if (len < cap)
			break;
		if (cap == limit) {
			free(buf);
			return -EFBIG;
		}
	}
	buf[len] = '\0';
	*data = buf;
	if (size)
		*size = len;
	return 0;
}

int io_read_file(const char *path, size_t max, char **data, size_t *size)
{
	int fd = io_open_read(path);
	int err;

	if (fd < 0)
		return fd;
	err = io_read_rest(fd, max, data, size);
	close(fd);
	return err;
}

int io_read_line(const char *path, char *buf, size_t size)
{
	int fd = io_open_read(path);
	ssize_t n;
	char *nl;

	if (fd < 0)
		return fd;
	n = io_read(fd, buf, size);
	close(fd);
	if (n < 0)
		return (int)n;
	nl = memchr(buf, '\n', (size_t)n);
	if (nl)
		n = nl - buf;
	else if ((size_t)n == size)
		return -EFBIG;
	buf[n] = '\0';
	return 0;
}

int io_read_i64(const char *path, int64_t *value)
{
	char text[64];
	char *start = text, *end;
	long long v;
	bool hex;
	int err = io_read_line(path, text, sizeof(text));

	if (err)
		return err == -EFBIG ? -EBADMSG : err;
	while (*start == ' ' || *start == '\t')
		start++;
	hex = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
	errno = 0;
	v = strtoll(start, &end, hex ? 16 : 10);
	if (errno == ERANGE)
		return -ERANGE;
	if (end == start)
		return -EBADMSG;
	while (*end == ' ' || *end == '\t' || *end == '\r')
		end++;
	if (*end)
		return -EBADMSG;
	*value = v;
	return 0;
}

/* linkat() by way of /proc needs no privilege. Without /proc there are no such files: one that could never be named would be lost. */
#define MAX_TRIES 100

int io_tmpfile_open(const char *path, mode_t mode)
{
	const char *slash = strrchr(path, '/');
	char *dir = !slash ? mem_strdup(".") : mem_strndup(path, slash == path ? 1 : (size_t)(slash - path));
	int fd = access("/proc/self/fd", X_OK) ? -1 : open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, mode), err = -errno;

	free(dir);
	return fd < 0 ? err : fd;
}

char *io_tmpfile_name(const char *path, int i)
{
	const char *slash = strrchr(path, '/');

	return mem_printf("%.*s.assay-%d-%d.part", slash ? (int)(slash + 1 - path) : 0, path, (int)getpid(), i);
}

int io_tmpfile_link(int fd, const char *path, char **name)
{
	char from[32];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	for (int i = 0; i < MAX_TRIES; i++) {
		int err;

		*name = io_tmpfile_name(path, i);
		if (!linkat(AT_FDCWD, from, AT_FDCWD, *name, AT_SYMLINK_FOLLOW))
			return 0;
		err = -errno;
		free(*name);
		*name = NULL;
		if (err != -EEXIST)
			return err;
	}
	return -EEXIST;
}

void io_notify(int eventfd)
{
	uint64_t one = 1;
	ssize_t n = eventfd >= 0 ? write(eventfd, &one, sizeof(one)) : 0;

	(void)n;
}

void io_take_notice(int eventfd)
{
	uint64_t value;
	ssize_t n = read(eventfd, &value, sizeof(value));

	(void)n;
}
