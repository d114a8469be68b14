/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What kind of file is it? Looks at the first bytes and leaves them where they are, in a pipe too: who opens it then reads it whole.
 */
#include "cmd/flame_peek.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

#define PEEK_BYTES 512
#define ENOUGH_BYTES 8 /* of a pipe, whose writer may be slow */

/* tee(2) copies what is in a pipe into another one and takes nothing out. */
static ssize_t peek_pipe_once(int fd, char *buf, size_t size)
{
	int copy[2];
	ssize_t got;

	if (pipe2(copy, O_CLOEXEC))
		return -errno;
	got = tee(fd, copy[1], size, 0);
	got = got < 0 ? -errno : got;
	close(copy[1]);
	if (got > 0)
		got = io_read(copy[0], buf, (size_t)got);
	close(copy[0]);
	return got;
}

static ssize_t peek_pipe(int fd, char *buf, size_t size)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t got = peek_pipe_once(fd, buf, size);

		if (got == -EINTR)
			continue;
		if (got <= 0 || got >= ENOUGH_BYTES)
			return got;
		/* Part of a word. Nothing tells when more is there, only when nothing will come. */
		if (poll(&p, 1, 0) < 0 || p.revents & POLLHUP)
			return got;
		usleep(2000);
	}
}

static ssize_t peek(int fd, char *buf, size_t size)
{
	struct stat st;
	ssize_t got;

	if (fstat(fd, &st))
		return -errno;
	if (S_ISFIFO(st.st_mode))
		return peek_pipe(fd, buf, size);
	if (S_ISSOCK(st.st_mode)) {
		got = recv(fd, buf, size, MSG_PEEK);
		return got < 0 ? -errno : got;
	}
	if (S_ISREG(st.st_mode)) {
		off_t at = lseek(fd, 0, SEEK_CUR);

		return io_pread(fd, buf, size, at > 0 ? (uint64_t)at : 0);
	}
	return 0;
}

static bool begins(const char *s, size_t len, const char *magic)
{
	return len >= strlen(magic) && !memcmp(s, magic, strlen(magic));
}

/* Names may hold any byte but a NUL. Compressed files have a NUL early as a rule; where not, their first bytes tell. */
static bool is_text(const char *s, size_t len)
{
	static const char *const others[] = { "PERFILE2", "2ELIFREP", "PERFFILE", "\x1f\x8b", "\x28\xb5\x2f\xfd", "BZh", "\3757zXZ" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (begins(s, len, others[i]))
			return false;
	return len && !memchr(s, 0, len);
}

bool flame_peek_is_text(int fd)
{
	char buf[PEEK_BYTES];
	ssize_t got = peek(fd, buf, sizeof(buf));

	return got > 0 && is_text(buf, (size_t)got);
}
