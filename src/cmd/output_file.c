/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opening, checking and renaming of results. The temporary name is in the directory of the file
 * itself, so that taking its place is one rename(2); until all is written the new file has no name
 * where the file system can do so. Where no file can be made there, although the one that is there
 * may be written, it is written in place.
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

#include "base/mem.h"
#include "base/unnamed.h"
#include "cmd/cmd.h"

#define MAX_TRIES 100

bool output_file_is_stdout(const char *path)
{
	static const char *const names[] = { "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1" };

	if (!path)
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(path, names[i]))
			return true;
	return false;
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
	o->fd = open(o->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	return o->fd < 0 ? cannot_write(o->path, -errno, eb) : 0;
}

static void keep_owner(int fd, const struct stat *old)
{
	/* Where it cannot be kept, it is a file of whoever wrote it. */
	if (fchown(fd, old->st_uid, old->st_gid))
		errno = 0;
	fchmod(fd, old->st_mode & 0777);
}

/* Beside the file; `old` is that, or NULL. False: not possible. */
static bool open_beside(struct output_file *o, const struct stat *old)
{
	char resolved[PATH_MAX];

	if (old && !realpath(o->path, resolved))
		return false;
	o->target = mem_strdup(old ? resolved : o->path);
	o->fd = unnamed_open(o->target, 0666);
	if (o->fd >= 0) {
		if (old)
			keep_owner(o->fd, old);
		return true;
	}
	for (int i = 0; i < MAX_TRIES; i++) {
		o->tmp_path = mem_printf("%s.%d-%d.part", o->target, (int)getpid(), i);
		o->fd = open(o->tmp_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (o->fd >= 0) {
			if (old)
				keep_owner(o->fd, old);
			return true;
		}
		free(o->tmp_path);
		o->tmp_path = NULL;
		if (errno != EEXIST)
			break;
	}
	free(o->target);
	o->target = NULL;
	return false;
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
	return open_beside(o, is_there ? &st : NULL) ? 0 : open_in_place(o, eb);
}

int output_file_close(struct output_file *o, int err, struct errbuf *eb)
{
	if (!err && o->target && !o->tmp_path)
		err = unnamed_link(o->fd, o->target, &o->tmp_path);
	if (o->path && o->fd >= 0 && close(o->fd) && !err)
		err = -errno;
	if (!err && o->tmp_path && rename(o->tmp_path, o->target))
		err = -errno;
	if (err && o->tmp_path)
		unlink(o->tmp_path);
	if (err && err != -EPIPE)
		cannot_write(o->path, err, eb);
	free(o->tmp_path);
	free(o->target);
	*o = (struct output_file){ .fd = -1 };
	return err;
}
