/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * File descriptor I/O that does not stop half-way (EINTR and short transfers are handled here), and opening files with care.
 */
#ifndef ASSAY_BASE_IO_H
#define ASSAY_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Bytes transferred: fewer than `size` only at end of file. Negative errno on failure. */
ssize_t io_read(int fd, void *buf, size_t size);
ssize_t io_pread(int fd, void *buf, size_t size, uint64_t off);
/* 0, or negative errno; what was written before the failure stays written (*done bytes, if not NULL). */
int io_write(int fd, const void *buf, size_t size, size_t *done);
int io_pwrite(int fd, const void *buf, size_t size, uint64_t off, size_t *done);

/* Opens a regular file for reading: fd, -errno, or -ENOTSUP for anything else, which is not opened: that can have effects, or wait. */
int io_open_regular(const char *path);
/* The same, where the last part of the path is no symbolic link: -ELOOP. */
int io_open_regular_nofollow(const char *path);
/* The same below a directory (an fd, O_PATH will do), which is the root for the path and for links that it leads through. */
int io_open_regular_below(int root, const char *path);

/* How many of the `size` bytes at `off` a regular file really has: holes do not count. (fd, 0, UINT64_MAX) is the whole file. 0 for what is
 * no regular file: readers of a pipe count what arrives. The position of `fd` is kept. */
uint64_t io_bytes_present(int fd, uint64_t off, uint64_t size);

/* Reads a whole file (-EFBIG: more than `max` bytes), also of /proc and /sys, into memory that the caller frees; a NUL is added. */
int io_read_file(const char *path, size_t max, char **data, size_t *size);

/* The same from an open file on. */
int io_read_rest(int fd, size_t max, char **data, size_t *size);

/* Reads one line without its line break, "" from an empty file. -EFBIG where it does not fit with its NUL. */
int io_read_line(const char *path, char *buf, size_t size);
/* Reads a decimal (or 0x…) number from such a file; -EBADMSG where it holds something else. */
int io_read_i64(const char *path, int64_t *value);

/* Wakes the thread that polls an eventfd; -1: none. One that is full is readable all the same. */
void io_notify(int eventfd);
/* Makes it unreadable again. */
void io_take_notice(int eventfd);

/* Files without a name (O_TMPFILE): a writer that is stopped, by whatever signal, leaves nothing behind. Not every file system has them;
 * callers need another way. One in the directory of `path`, to be read and written: fd or negative errno. */
int io_tmpfile_open(const char *path, mode_t mode);
/* The i-th temporary name of this process beside `path`, whose own name may be too long to add to; the caller frees. */
char *io_tmpfile_name(const char *path, int i);
/* Gives the file such a name, which the caller frees. 0, or negative errno and *name is NULL. */
int io_tmpfile_link(int fd, const char *path, char **name);

#endif
