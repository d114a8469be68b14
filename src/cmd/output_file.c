/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The temporary file is in the directory of the output, so that taking its place is one rename(2). A file that cannot be replaced, or not
 * without losing its owner or its other names, gets a copy of the whole result; where no file can be made beside it, it is written in place.
 */
#include "cmd/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "capture/output.h"
#include "cmd/cmd.h"

#define MAX_TRIES 100

bool output_file_is_stdout(const char *path)
{
	return !path || output_is_stdout(path);
}

static const char *name_of(const char *path)
{
	return output_file_is_stdout(path) ? "standard output" : path;
}

static int cannot_write(const char *path, int err, struct errbuf *eb)
{
	return errbuf_set(eb, err, "cannot write %s: %s", name_of(path), strerror(-err));
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return mem_strdup(".");
	return slash == path ? mem_strdup("/") : mem_strndup(path, (size_t)(slash - path));
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* A recording that is a directory is read as a whole. */
static bool is_inside(const char *path, const struct stat *dir)
{
	char *parent = directory_of(path);
	struct stat st;
	bool is_in = S_ISDIR(dir->st_mode) && !stat(parent, &st) && is_same(&st, dir);

	free(parent);
	return is_in;
}

static bool is_input(const char *path, const char *input)
{
	bool to_stdout = output_file_is_stdout(path);
	struct stat in, out;

	if (!input || (strcmp(input, "-") ? stat(input, &in) : fstat(STDIN_FILENO, &in)))
		return false;
	if (!to_stdout && is_inside(path, &in))
		return true;
	if (to_stdout ? fstat(STDOUT_FILENO, &out) : stat(path, &out))
		return false;
	return S_ISREG(in.st_mode) && is_same(&in, &out);
}

int output_file_check(const char *path, const char *input, struct errbuf *eb)
{
	struct stat st;
	char *dir;
	int err = 0;

	if (is_input(path, input))
		return errbuf_set(eb, CMD_USAGE, "%s is what is read: write to another file (-o FILE)", path ? path : "standard output");
	if (output_file_is_stdout(path))
		return 0;
	if (!*path)
		return errbuf_set(eb, CMD_USAGE, "-o needs the name of a file");
	if (!stat(path, &st)) {
		if (S_ISDIR(st.st_mode))
			err = -EISDIR;
		else if (access(path, W_OK))
			err = -errno;
		return err ? cannot_write(path, err, eb) : 0;
	}
	if (errno == ENAMETOOLONG)
		return cannot_write(path, -ENAMETOOLONG, eb);
	dir = directory_of(path);
	if (access(dir, W_OK | X_OK))
		err = cannot_write(path, -errno, eb);
	free(dir);
	return err;
}

/* Links of the system to open files are no places for another file. */
static bool is_open_elsewhere(const char *path)
{
	return !strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/proc/", 6) || !strcmp(path, "/dev/stderr");
}

static int open_in_place(struct output_file *o, struct errbuf *eb)
{
	/* What is there is not to be made: in a shared directory that would be refused of another's file. */
	o->fd = open(o->path, O_WRONLY | (o->has_old ? 0 : O_CREAT) | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	return o->fd < 0 ? cannot_write(o->path, -errno, eb) : 0;
}

/* What the older file's readers and writers could do, they can do with the new one, and no other user can. False: only with the older
 * file itself. Its owner comes last: what is another's cannot be changed any more. */
static bool keep_owner(int fd, const struct stat *old)
{
	mode_t mode = old->st_mode & 0777;
	struct stat st;

	if (old->st_nlink > 1 || fstat(fd, &st))
		return false;
	if (fchown(fd, (uid_t)-1, old->st_gid))
		mode &= ~(mode_t)070;
	if (fchmod(fd, mode))
		return false;
	return st.st_uid == old->st_uid || !fchown(fd, old->st_uid, (gid_t)-1);
}

int output_file_resolve(const char *path, const struct stat *seen, char **name)
{
	char resolved[PATH_MAX];
	struct stat st;

	*name = NULL;
	if (!realpath(path, resolved) || lstat(resolved, &st))
		return -errno;
	if (!is_same(&st, seen))
		return -ESTALE;
	*name = mem_strdup(resolved);
	return 0;
}

/* Beside the file, by a temporary name where it cannot be without one; fd or negative errno. */
static int open_temporary(struct output_file *o)
{
	int fd = io_tmpfile_open(o->target, 0666);

	for (int i = 0; fd < 0 && i < MAX_TRIES; i++) {
		o->tmp_path = io_tmpfile_name(o->target, i);
		fd = open(o->tmp_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			break;
		fd = -errno;
		free(o->tmp_path);
		o->tmp_path = NULL;
		if (fd != -EEXIST)
			break;
	}
	return fd;
}

static int open_beside(struct output_file *o, struct errbuf *eb)
{
	int err = 0;

	if (o->has_old)
		err = output_file_resolve(o->path, &o->old, &o->target);
	else
		o->target = mem_strdup(o->path);
	if (err == -ESTALE)
		return errbuf_set(eb, err, "cannot write %s: it became another file while it was opened", o->path);
	if (err)
		return open_in_place(o, eb);
	o->fd = open_temporary(o);
	if (o->fd < 0) {
		free(o->target);
		o->target = NULL;
		return open_in_place(o, eb);
	}
	o->is_copied = o->has_old && !keep_owner(o->fd, &o->old);
	if (o->is_copied)
		fchmod(o->fd, 0600);
	return 0;
}

int output_file_open(struct output_file *o, const char *path, struct errbuf *eb)
{
	struct stat st;
	bool is_there;

	*o = (struct output_file){ .path = output_file_is_stdout(path) ? NULL : path, .fd = STDOUT_FILENO };
	if (!o->path)
		return 0;
	is_there = !stat(path, &st);
	if (is_there && S_ISREG(st.st_mode) && access(path, W_OK))
		return cannot_write(path, -errno, eb);
	/* A link that leads nowhere is followed by open(), too. */
	if ((is_there && !S_ISREG(st.st_mode)) || is_open_elsewhere(path) || (!is_there && !lstat(path, &st)))
		return open_in_place(o, eb);
	o->has_old = is_there;
	o->old = st;
	return open_beside(o, eb);
}

static int copy_all(int from, int to)
{
	char buf[1 << 16];
	uint64_t off = 0;
	ssize_t got;
	int err = 0;

	while (!err && (got = io_pread(from, buf, sizeof(buf), off)) != 0) {
		if (got < 0)
			return (int)got;
		off += (uint64_t)got;
		err = io_write(to, buf, (size_t)got, NULL);
	}
	return err;
}

/* Into the older file, if it still is that one. It is emptied only then. */
static int copy_over(const struct output_file *o)
{
	int err = 0, to = open(o->target, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (to < 0)
		return -errno;
	if (fstat(to, &st))
		err = -errno;
	else if (!is_same(&st, &o->old))
		err = -ESTALE;
	else if (ftruncate(to, 0))
		err = -errno;
	if (!err)
		err = copy_all(o->fd, to);
	if (close(to) && !err)
		err = -errno;
	return err;
}

/* Some file systems report a failed write only when the file is closed, which a copy of the descriptor does as well. */
static int flush_late(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy >= 0 && close(copy) ? -errno : 0;
}

/* A file may be one to write and yet none to replace: another's in a sticky directory, one that is mounted by itself. */
static bool is_not_replaceable(int err)
{
	return err == -EPERM || err == -EACCES || err == -EBUSY || err == -EXDEV;
}

static int take_place(struct output_file *o)
{
	int err = flush_late(o->fd);

	if (err)
		return err;
	if (o->is_copied)
		return copy_over(o);
	if (!o->tmp_path)
		err = io_tmpfile_link(o->fd, o->target, &o->tmp_path);
	if (!err && !rename(o->tmp_path, o->target)) {
		free(o->tmp_path);
		o->tmp_path = NULL;
		return 0;
	}
	err = err ? err : -errno;
	return o->has_old && is_not_replaceable(err) ? copy_over(o) : err;
}

int output_file_close(struct output_file *o, int err, struct errbuf *eb)
{
	if (!err && o->target)
		err = take_place(o);
	if (o->path && o->fd >= 0 && close(o->fd) && !err)
		err = -errno;
	if (o->tmp_path)
		unlink(o->tmp_path);
	if (err && err != -EPIPE)
		cannot_write(o->path, err, eb);
	free(o->tmp_path);
	free(o->target);
	*o = (struct output_file){ .fd = -1 };
	return err;
}
