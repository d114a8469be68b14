/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Peeking at the input and importing it into an anonymous file. A recording that comes through a pipe but was made into a file goes the same
 * way.
 */
#include "cmd/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "base/mem.h"
#include "perfdata/reader.h"

#define PEEK_BYTES 512
#define SNIFF_BYTES 65536 /* of a file, to be sure */
#define ENOUGH_BYTES 16	  /* of a pipe, whose writer may be slow */
#define PIPE_HEADER_SIZE 16

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
		/* Part of a word. poll() reports the end, but not when there is more than before. */
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
		off_t here = lseek(fd, 0, SEEK_CUR); /* others may have read before us */

		return io_pread(fd, buf, size, here > 0 ? (uint64_t)here : 0);
	}
	return 0;
}

bool input_import_is_profile(int fd)
{
	char *head = mem_alloc(SNIFF_BYTES);
	ssize_t got = peek(fd, head, SNIFF_BYTES);
	bool is_one = got > 0 && import_is_profile(head, (size_t)got);

	free(head);
	return is_one;
}

void input_import_warn(const char *name, const struct import_result *r)
{
	if (r->nr_skipped && r->format == IMPORT_PPROF)
		log_warn("%s: %llu of its samples make no sense and were left out, the first is number %llu", name,
			 (unsigned long long)r->nr_skipped, (unsigned long long)r->first_skipped);
	else if (r->nr_skipped)
		log_warn("%s: %llu of %llu lines are no %s and were left out, the first is line %llu", name,
			 (unsigned long long)r->nr_skipped, (unsigned long long)r->nr_lines,
			 r->format == IMPORT_FOLDED ? "folded stacks" : "samples of 'perf script'", (unsigned long long)r->first_skipped);
	if (r->nr_negative)
		log_warn(
			"%s: %llu of its samples have negative values and were left out, the first is number %llu: differences cannot be imported; "
			"import both profiles and compare them with 'assay diff'",
			name, (unsigned long long)r->nr_negative, (unsigned long long)r->first_negative);
	if (r->nr_other_fields)
		log_warn("%s: %llu lines have fields that are not imported (registers, branches, weights and the like)", name,
			 (unsigned long long)r->nr_other_fields);
	if (r->nr_rounded)
		log_warn("%s: %llu counts are no whole numbers and were rounded", name, (unsigned long long)r->nr_rounded);
	if (r->is_comm_unused)
		log_warn("%s: --comm is for folded stacks only and changes nothing here: %s", name,
			 r->is_recording ? "a recording is copied as it is" : "this format has places of its own for the names of tasks");
	if (r->nr_excess_events)
		log_warn("%s: it has more than %u events; %llu samples of the others were counted for the last one", name,
			 IMPORT_MAX_EVENTS, (unsigned long long)r->nr_excess_events);
	if (r->nr_cut)
		log_warn("%s: %llu stacks are too deep, and lost their outer end", name, (unsigned long long)r->nr_cut);
}

/* 1, or 0 where nothing of it can be imported and nothing was read of it. */
static int import_into_memory(int in, const char *name, bool any_owner, int *fd, uint64_t *bytes_present, struct errbuf *eb)
{
	struct import_options o = { .format = IMPORT_GUESS };
	struct import_result result;
	struct errbuf why = { 0 };
	off_t start = lseek(in, 0, SEEK_CUR);
	int err, out = memfd_create("assay-import", MFD_CLOEXEC);

	if (out < 0)
		return errbuf_set(eb, -errno, "cannot make a file in memory: %s", strerror(errno));
	err = import_file(in, out, name, &o, &result, &why);
	if (err) {
		close(out);
		/* What is refused stays where it was: it may be the list of a loop that we run in. A file is read again by who knows recordings, and
		 * says better what it is. */
		if (start >= 0 && lseek(in, start, SEEK_SET) == start && err == -ENOEXEC)
			return 0;
		return errbuf_set(eb, err, "%s", why.text);
	}
	if (result.is_recording && !any_owner)
		err = reader_check_owner(in, name, eb);
	if (err) {
		close(out);
		return err;
	}
	input_import_warn(name, &result);
	*fd = out;
	*bytes_present = result.bytes_read;
	return 1;
}

/* A recording that was made into a file has to be read at will, which a pipe does not allow: the header of one that may be piped says so by
 * its size. */
static bool is_piped_file(int fd, const char *head, size_t size)
{
	uint64_t header_size;
	struct stat st;

	if (size < sizeof(header_size) * 2 || fstat(fd, &st) || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return false;
	memcpy(&header_size, head + 8, sizeof(header_size));
	if (!memcmp(head, "PERFILE2", 8))
		return header_size != PIPE_HEADER_SIZE;
	return !memcmp(head, "2ELIFREP", 8) && header_size != __builtin_bswap64(PIPE_HEADER_SIZE);
}

int input_open_source(struct record_source **s, const char *path, bool force, uint64_t *bytes_present, struct errbuf *eb)
{
	bool is_stdin = !strcmp(path, "-");
	int in = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), fd = -1, ret = 0, err;
	const char *name = is_stdin ? "standard input" : path;
	char head[PEEK_BYTES];
	ssize_t got;

	*bytes_present = 0;
	if (in >= 0) { /* else the reader says why */
		*bytes_present = io_bytes_present(in, 0, UINT64_MAX);
		got = peek(in, head, sizeof(head));
		if (got > 0 && (import_could_be(head, (size_t)got) || is_piped_file(in, head, (size_t)got)))
			ret = import_into_memory(in, name, is_stdin || force, &fd, bytes_present, eb);
		if (!is_stdin)
			close(in);
	}
	if (ret < 0)
		return ret;
	err = ret ? reader_open_fd(s, fd, name, eb) : reader_open(s, path, force ? READER_ANY_OWNER : READER_OWN_FILES, eb);
	return err ? err : ret;
}
