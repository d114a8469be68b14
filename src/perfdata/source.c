/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Files are read with pread, never mapped: a mapped file that shrinks kills its reader.
 */
#include "perfdata/source.h"

#include <errno.h>
#include <unistd.h>

#include "base/io.h"
#include "base/stop.h"

ssize_t source_read(struct source *s, void *buf, size_t size)
{
	ssize_t n;

	if (size > s->end - s->off)
		size = s->end - s->off;
	if (!size)
		return 0;
	if (s->seekable) {
		n = io_pread(s->fd, buf, size, s->off);
	} else {
		/* What is there now: the other end of a pipe may be a recorder at work. */
		do
			n = read(s->fd, buf, size);
		while (n < 0 && errno == EINTR && !stop_signal);
		if (n < 0)
			n = -errno;
	}
	if (n > 0)
		s->off += (uint64_t)n;
	return n;
}

int64_t source_skip(struct source *s, uint64_t size)
{
	uint8_t buf[16384];
	uint64_t skipped = 0;

	if (s->seekable) {
		skipped = size < s->end - s->off ? size : s->end - s->off;
		s->off += skipped;
		return (int64_t)skipped;
	}
	while (skipped < size) {
		uint64_t left = size - skipped;
		ssize_t n = source_read(s, buf, left < sizeof(buf) ? left : sizeof(buf));

		if (n < 0)
			return n;
		if (!n)
			break;
		skipped += (uint64_t)n;
	}
	return (int64_t)skipped;
}
