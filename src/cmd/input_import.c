/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Peeking at the input and importing it into an anonymous file.
 */
#include "cmd/input_import.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"

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
	if (S_ISREG(st.st_mode))
		return io_pread(fd, buf, size, 0);
	return 0;
}

void input_import_warn(const char *name, const struct import_result *r)
{
	if (r->nr_skipped && r->format == IMPORT_PPROF)
		log_warn("%s: %llu of its samples make no sense and were left out, the first is number %llu", name,
			 (unsigned long long)r->nr_skipped, (unsigned long long)r->first_skipped);
	else if (r->nr_skipped)
		log_warn("%s: %llu of %llu lines are no %s and were left out, the first is line %llu", name, (unsigned long long)r->nr_skipped,
			 (unsigned long long)r->nr_lines, r->format == IMPORT_FOLDED ? "folded stacks" : "samples of 'perf script'",
			 (unsigned long long)r->first_skipped);
	if (r->nr_rounded)
		log_warn("%s: %llu counts are no whole numbers and were rounded", name, (unsigned long long)r->nr_rounded);
	if (r->nr_cut)
		log_warn("%s: %llu stacks are too deep, and lost their outer end", name, (unsigned long long)r->nr_cut);
}

/* 1, or 0 where nothing of it can be imported and nothing was read of it. */
static int import_into_memory(int in, const char *name, int *fd, struct errbuf *eb)
{
	struct import_options o = { .format = IMPORT_GUESS };
	struct import_result result;
	struct errbuf why = { 0 };
	int err, out = memfd_create("assay-import", MFD_CLOEXEC);

	if (out < 0)
		return errbuf_set(eb, -errno, "cannot make a file in memory: %s", strerror(errno));
	err = import_file(in, out, name, &o, &result, &why);
	if (err) {
		close(out);
		/* A file is read again by who knows recordings, and says better what it is. */
		if (err == -ENOEXEC && lseek(in, 0, SEEK_SET) == 0)
			return 0;
		return errbuf_set(eb, err, "%s", why.text);
	}
	input_import_warn(name, &result);
	*fd = out;
	return 1;
}

int input_import(const char *path, int *fd, struct errbuf *eb)
{
	bool is_stdin = !strcmp(path, "-");
	int in = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), ret = 0;
	char head[PEEK_BYTES];
	ssize_t got;

	if (in < 0)
		return 0; /* who reads recordings says why */
	got = peek(in, head, sizeof(head));
	if (got > 0 && import_could_be(head, (size_t)got))
		ret = import_into_memory(in, is_stdin ? "standard input" : path, fd, eb);
	if (!is_stdin)
		close(in);
	return ret;
}
