/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Plain reads and writes at offsets on an unlinked file. What is in it, and when there is too much
 * of it, the queue knows.
 */
#include "capture/unwind_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/mem.h"

#define KEEP_MIN_BYTES (64ull << 20)

void unwind_spool_init(struct unwind_spool *s, const char *dir)
{
	*s = (struct unwind_spool){ .dir = dir ? dir : "/var/tmp", .fd = -1 };
}

void unwind_spool_fini(struct unwind_spool *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* Not every file system has files without a name from the start. */
static int open_unlinked(const char *dir)
{
	char *path = mem_printf("%s/.assay-spool-XXXXXX", dir);
	int fd = mkostemp(path, O_CLOEXEC);
	int err = fd < 0 ? -errno : 0;

	if (fd >= 0)
		unlink(path);
	free(path);
	return err ? err : fd;
}

static int spool_open(struct unwind_spool *s)
{
	s->fd = open(s->dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (s->fd < 0)
		s->fd = open_unlinked(s->dir);
	if (s->fd >= 0)
		return 0;

	int err = s->fd;

	s->fd = -1;
	return err;
}

/* A file system that does not tell has room. */
static int check_room(const struct unwind_spool *s, size_t size)
{
	uint64_t keep = s->keep_bytes;
	struct statvfs st;

	if (fstatvfs(s->fd, &st) || !st.f_frsize || !st.f_blocks)
		return 0;
	if (!keep) {
		keep = st.f_blocks / 10 * st.f_frsize;
		if (keep < KEEP_MIN_BYTES)
			keep = KEEP_MIN_BYTES;
	}
	if (size > UINT64_MAX - keep)
		return -ENOSPC;
	return st.f_bavail < (keep + size) / st.f_frsize + 1 ? -ENOSPC : 0;
}

int unwind_spool_add(struct unwind_spool *s, const void *data, size_t size, uint64_t *off)
{
	size_t done = 0;
	int err = s->fd < 0 ? spool_open(s) : 0;

	if (!err)
		err = check_room(s, size);

	while (!err && done < size) {
		ssize_t n = pwrite(s->fd, (const uint8_t *)data + done, size - done, (off_t)(s->end + done));

		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			err = -ENOSPC;
		else if (errno != EINTR)
			err = -errno;
	}
	if (err)
		return err;
	*off = s->end;
	s->end += size;
	s->total += size;
	return 0;
}

int unwind_spool_read(const struct unwind_spool *s, uint64_t off, void *data, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(s->fd, (uint8_t *)data + done, size - done, (off_t)(off + done));

		if (n == 0)
			return -ENODATA;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			done += (size_t)n;
	}
	/* Where this is not possible, its room comes back with the rest. */
	done = (size_t)fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)off, (off_t)size);
	(void)done;
	return 0;
}

void unwind_spool_reset(struct unwind_spool *s)
{
	s->end = 0;
	/* Where this fails, the room is given back when the file is closed. */
	if (s->fd >= 0 && ftruncate(s->fd, 0))
		return;
}
