/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All names are made in the directory of the output itself, so that each change of name is one rename(2): at every moment there is a whole
 * old file or a readable new one.
 */
#include "capture/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/log.h"
#include "base/mem.h"

/* The same pipe, through a file description of its own: others that share it must not see O_NONBLOCK. */
static void make_nonblocking(struct output *o)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", o->fd);
	fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	close(o->fd);
	o->fd = fd;
}

static int open_stdout(struct output *o, struct errbuf *eb)
{
	struct stat st;

	if (isatty(STDOUT_FILENO))
		return errbuf_set(eb, -EINVAL,
				  "-o - writes binary data, and stdout is a terminal: pipe it on ('assay record -o - "
				  "… | assay script -i -') or name a file");
	/* The workload's own output goes to stderr; this copy is the recording's alone. */
	o->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (o->fd < 0)
		return errbuf_set(eb, -errno, "cannot write to stdout: %s", strerror(errno));
	o->is_open = o->is_pipe = true;
	if (!fstat(o->fd, &st))
		o->may_block = S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode);
	if (o->may_block)
		make_nonblocking(o);
	return 0;
}

/* Devices and FIFOs are written into as they are: there is nothing to keep of them. */
static int open_existing(struct output *o, const struct stat *st, struct errbuf *eb)
{
	bool is_fifo = S_ISFIFO(st->st_mode);

	if (S_ISDIR(st->st_mode))
		return errbuf_set(eb, -EISDIR, "%s is a directory: name a file with -o", o->path);
	/* Opening a FIFO would wait for its reader, and block signals. */
	o->fd = open(o->path, O_WRONLY | O_CLOEXEC | (is_fifo ? O_NONBLOCK : 0));
	if (o->fd < 0 && errno == ENXIO && is_fifo)
		return errbuf_set(eb, -ENXIO, "%s has no reader", o->path);
	if (o->fd < 0)
		return errbuf_set(eb, -errno, "cannot write to %s: %s", o->path, strerror(errno));
	o->is_open = true;
	o->is_pipe = o->may_block = is_fifo || S_ISSOCK(st->st_mode);
	return 0;
}

bool output_is_stdout(const char *path)
{
	static const char *const names[] = { "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(path, names[i]))
			return true;
	return false;
}

/* Is it, over any number of links, a link that the system keeps to an open file? Its name must not be given to another file, and the file
 * behind it is in use. */
static bool is_system_link(const char *path)
{
	char name[PATH_MAX], target[PATH_MAX], dir[PATH_MAX];

	snprintf(name, sizeof(name), "%s", path);
	for (int hops = 0; hops < 40; hops++) {
		ssize_t n = readlink(name, target, sizeof(target) - 1);
		char *slash = strrchr(name, '/');

		if (n <= 0)
			return false;
		target[n] = '\0';
		if (slash)
			*slash = '\0';
		if (!realpath(slash == name ? "/" : slash ? name : ".", dir))
			return false;
		if (!strcmp(dir, "/dev") || !strncmp(dir, "/dev/", 5) || !strncmp(dir, "/proc/", 6))
			return true;
		n = snprintf(name, sizeof(name), "%s%s%s", target[0] == '/' ? "" : dir, target[0] == '/' ? "" : "/", target);
		if (n >= (ssize_t)sizeof(name))
			return false;
	}
	return false;
}

static int open_temporary(struct output *o, struct errbuf *eb)
{
	int fd;

	o->tmp_path = mem_printf("%s.XXXXXX", o->path);
	fd = mkostemp(o->tmp_path, O_CLOEXEC); /* mode 0600, and never an existing file */
	if (fd < 0) {
		int err = -errno;

		free(o->tmp_path);
		o->tmp_path = NULL;
		return errbuf_set(eb, err, "cannot create %s: %s%s", o->path, strerror(-err),
				  err == -EACCES || err == -EROFS ? "; name a file that you may write with -o" : "");
	}
	o->fd = fd;
	o->is_open = o->is_own = true;
	return 0;
}

int output_open(struct output *o, const char *path, bool is_unnamed, struct errbuf *eb)
{
	struct stat st, link_st;

	memset(o, 0, sizeof(*o));
	o->path = path;
	o->fd = -1;
	if (output_is_stdout(path))
		return open_stdout(o, eb);
	if (!*path)
		return errbuf_set(eb, -EINVAL, "-o needs the name of a file");
	if (is_system_link(path) && (stat(path, &st) || S_ISREG(st.st_mode)))
		return errbuf_set(eb, -EINVAL, "%s is a link to a file that is open elsewhere: name a file, or write to stdout with -o -",
				  path);
	if (!stat(path, &st)) {
		if (!S_ISREG(st.st_mode))
			return open_existing(o, &st, eb);
	} else if (!lstat(path, &link_st) && S_ISLNK(link_st.st_mode)) {
		return errbuf_set(eb, -ELOOP, "%s is a symbolic link that leads nowhere; remove it ('rm %s') or name another file with -o",
				  path, path);
	}
	if (is_unnamed && (o->fd = io_tmpfile_open(path, 0600)) >= 0) {
		o->is_open = o->is_own = o->is_unnamed = true;
		return 0;
	}
	return open_temporary(o, eb);
}

int output_use_pipe(struct output *o)
{
	*o = (struct output){ .path = "the reader", .fd = -1, .is_pipe = true, .may_block = true };
	return 0;
}

/* Gives the file its name. An error, with its sentence, and all is as before: impossible. */
static int take_name(struct output *o, struct errbuf *eb)
{
	char *old = mem_printf("%s.old", o->path);
	bool is_kept = false;
	struct stat st;
	int err = 0;

	if (!stat(o->path, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		is_kept = !rename(o->path, old);
		if (!is_kept)
			err = errbuf_set(eb, -errno, "cannot keep the older %s as %s: %s", o->path, old, strerror(errno));
	}
	if (!err && rename(o->tmp_path, o->path))
		err = errbuf_set(eb, -errno, "cannot create %s: %s", o->path, strerror(errno));
	if (err && is_kept && rename(old, o->path))
		log_warn("the older %s is now %s", o->path, old);
	free(old);
	return err;
}

void output_commit(struct output *o)
{
	struct errbuf eb = { "" };

	if (!o->tmp_path)
		return;
	if (!take_name(o, &eb)) {
		free(o->tmp_path);
	} else {
		log_warn("%s: recording into %s", eb.text, o->tmp_path);
		o->path = o->own_path = o->tmp_path;
	}
	o->tmp_path = NULL;
}

int output_commit_unnamed(struct output *o, struct errbuf *eb)
{
	int err = o->is_unnamed ? io_tmpfile_link(o->fd, o->path, &o->tmp_path) : 0;
	struct errbuf cause = { "" };

	if (err)
		return errbuf_set(eb, err, "cannot create %s: %s", o->path, strerror(-err));
	o->is_unnamed = false;
	if (!o->tmp_path)
		return 0;
	/* What was written in one go can be written again: it is better refused than elsewhere. */
	err = take_name(o, &cause);
	if (err) {
		errbuf_set(eb, err, "%s; name another file with -o", cause.text);
		unlink(o->tmp_path);
	}
	free(o->tmp_path);
	o->tmp_path = NULL;
	return err;
}

int output_stamp(struct output *o, char **name, struct errbuf *eb)
{
	struct timeval tv;
	struct stat st;
	struct tm tm;
	char text[32] = "";
	char *stamped = NULL;

	if (!o->is_own) {
		*name = mem_strdup(o->path);
		return 0;
	}
	gettimeofday(&tv, NULL);
	if (localtime_r(&tv.tv_sec, &tm))
		strftime(text, sizeof(text), "%Y%m%d%H%M%S", &tm);
	/* Two files within a hundredth of a second: the later one counts on. */
	for (unsigned i = (unsigned)(tv.tv_usec / 10000); !stamped || !lstat(stamped, &st); i++) {
		free(stamped);
		stamped = mem_printf("%s.%s%02u", o->path, text, i);
	}
	if (rename(o->path, stamped)) {
		int err = errbuf_set(eb, -errno, "cannot rename %s to %s: %s", o->path, stamped, strerror(errno));

		free(stamped);
		return err;
	}
	*name = stamped;
	return 0;
}

void output_close(struct output *o)
{
	if (o->tmp_path)
		unlink(o->tmp_path);
	free(o->tmp_path);
	free(o->own_path);
	o->tmp_path = o->own_path = NULL;
	if (o->is_open)
		close(o->fd);
	o->is_open = false;
	o->fd = -1;
}
