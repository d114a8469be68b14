/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One name at a time: each is opened without following it and checked through that fd, so that what was checked is what is used.
 */
#include "base/trusted_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define MAX_LINKS 40 /* as in the kernel */

struct walk {
	int fd;	     /* the directory so far; O_PATH */
	char *shown; /* its path, for sentences; "" is the root */
	char *rest;  /* what is still to be walked */
	unsigned int nr_links;
	struct errbuf *eb;
};

static int refuse_owner(const struct walk *w, const struct stat *st, const char *is)
{
	/* Root's are refused at the end only. */
	const char *whose = !geteuid() ? "root" : st->st_uid ? "you or root" : "you";

	return errbuf_set(w->eb, -EPERM, "%s%s belongs to user %u, not to %s", *w->shown ? w->shown : "/", is, (unsigned int)st->st_uid,
			  whose);
}

/* Distributions give each user a group of the same number, with no other member, and homes that it may write to. */
static bool is_private_group(const struct stat *st)
{
	return st->st_uid && st->st_gid == st->st_uid;
}

bool others_may_write(const struct stat *st)
{
	return st->st_mode & S_IWOTH || (st->st_mode & S_IWGRP && !is_private_group(st));
}

static int refuse_mode(const struct walk *w)
{
	const char *shown = *w->shown ? w->shown : "/";

	return errbuf_set(w->eb, -EPERM, "others may write to %s (chmod go-w %s)", shown, shown);
}

static int check_on_the_way(const struct walk *w, const struct stat *st)
{
	if (!S_ISDIR(st->st_mode))
		return errbuf_set(w->eb, -ENOTDIR, "%s is not a directory", w->shown);
	if (st->st_uid && st->st_uid != geteuid())
		return refuse_owner(w, st, "");
	return others_may_write(st) && !(st->st_mode & S_ISVTX) ? refuse_mode(w) : 0;
}

static int failed(const struct walk *w)
{
	int err = -errno;

	return errbuf_set(w->eb, err, "cannot open %s: %s", *w->shown ? w->shown : "/", strerror(-err));
}

/* From the root; what is still to be walked stays. */
static int start(struct walk *w)
{
	struct stat st;

	if (w->fd >= 0)
		close(w->fd);
	free(w->shown);
	w->shown = mem_strdup("");
	w->fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w->fd < 0 || fstat(w->fd, &st))
		return failed(w);
	return check_on_the_way(w, &st);
}

/* Takes the next name off `rest`. False at the end. */
static bool take_name(struct walk *w, char name[NAME_MAX + 1], int *err)
{
	char *at = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(at, "/");

	*err = len > NAME_MAX ? errbuf_set(w->eb, -ENAMETOOLONG, "cannot open %.200s…: %s", at, strerror(ENAMETOOLONG)) : 0;
	if (!len || *err)
		return false;
	memcpy(name, at, len);
	name[len] = 0;
	memmove(w->rest, at + len, strlen(at + len) + 1);
	return true;
}

static unsigned int nr_names(const char *path)
{
	unsigned int nr = 0;

	for (const char *at = path; *(at += strspn(at, "/")); at += strcspn(at, "/"))
		nr++;
	return nr;
}

/* `fd` is the link, and closed. What it leads to is walked next. */
static int follow(struct walk *w, int fd, const struct stat *st)
{
	char to[PATH_MAX], *rest;
	ssize_t len = readlinkat(fd, "", to, sizeof(to) - 1);
	int err = len < 0 ? failed(w) : 0;

	if (!err && st->st_uid && st->st_uid != geteuid())
		err = refuse_owner(w, st, ", a symbolic link,");
	if (!err && !nr_names(w->rest))
		err = errbuf_set(w->eb, -EPERM, "%s is a symbolic link", w->shown);
	if (!err && ++w->nr_links > MAX_LINKS)
		err = errbuf_set(w->eb, -ELOOP, "cannot open %s: %s", w->shown, strerror(ELOOP));
	close(fd);
	if (err)
		return err;
	to[len] = 0;
	rest = mem_printf("%s/%s", to, w->rest);
	free(w->rest);
	w->rest = rest;
	if (to[0] == '/')
		return start(w);
	*strrchr(w->shown, '/') = 0;
	return 0;
}

static int open_name(const struct walk *w, const char *name, unsigned int nr_made)
{
	int fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

	/* Made only where the walk came by: in a directory that is the user's or root's. */
	if (fd < 0 && errno == ENOENT && nr_names(w->rest) < nr_made && (mkdirat(w->fd, name, 0700) == 0 || errno == EEXIST))
		fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd;
}

static int step(struct walk *w, const char *name, unsigned int nr_made)
{
	int fd = open_name(w, name, nr_made), err;
	char *shown = mem_printf("%s/%s", w->shown, name);
	struct stat st;

	free(w->shown);
	w->shown = shown;
	if (fd < 0)
		return failed(w);
	if (fstat(fd, &st)) {
		close(fd);
		return failed(w);
	}
	if (S_ISLNK(st.st_mode))
		return follow(w, fd, &st);
	err = check_on_the_way(w, &st);
	if (err) {
		close(fd);
		return err;
	}
	close(w->fd);
	w->fd = fd;
	return 0;
}

/* The directory itself is the user's alone. */
static int enter(const struct walk *w)
{
	struct stat st;
	int fd, err = 0;

	if (fstat(w->fd, &st))
		return failed(w);
	if (st.st_uid != geteuid())
		return refuse_owner(w, &st, "");
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return refuse_mode(w);
	fd = openat(w->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		err = failed(w);
	return err ? err : fd;
}

int trusted_dir_open(const char *path, unsigned int nr_made, struct errbuf *eb)
{
	struct walk w = { .fd = -1, .rest = mem_strdup(path), .eb = eb };
	char name[NAME_MAX + 1];
	int err = start(&w), fd;

	while (!err && take_name(&w, name, &err))
		if (strcmp(name, ".") != 0)
			err = step(&w, name, nr_made);
	fd = err ? err : enter(&w);
	if (w.fd >= 0)
		close(w.fd);
	free(w.shown);
	free(w.rest);
	return fd;
}
