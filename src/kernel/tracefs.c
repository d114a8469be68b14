/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names from a command line are checked before they become part of a path.
 */
#include "kernel/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/suggest.h"

#define TRACEFS_TYPE 0x74726163
#define TRACEFS_MOUNT "/sys/kernel/tracing"

static bool is_tracefs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && (uint64_t)fs.f_type == TRACEFS_TYPE;
}

const char *tracefs_find(struct errbuf *eb)
{
	int err;

	if (is_tracefs(TRACEFS_MOUNT))
		return TRACEFS_MOUNT;
	if (is_tracefs("/sys/kernel/debug/tracing"))
		return "/sys/kernel/debug/tracing";
	if (!mount("nodev", TRACEFS_MOUNT, "tracefs", 0, NULL) && is_tracefs(TRACEFS_MOUNT))
		return TRACEFS_MOUNT;
	err = errno;
	if (err == EPERM || err == EACCES)
		errbuf_set(eb, -err, "tracepoints need tracefs, which is not mounted: 'sudo mount -t tracefs nodev " TRACEFS_MOUNT "'");
	else
		errbuf_set(eb, -err,
			   "tracepoints need tracefs, which cannot be mounted on " TRACEFS_MOUNT
			   ": %s (is the kernel built with CONFIG_FTRACE?)",
			   strerror(err));
	return NULL;
}

static bool is_plain_name(const char *s)
{
	return *s && *s != '.' && !strchr(s, '/') && strlen(s) < 128;
}

/* Offers the names of a directory; `arena` keeps them for as long as the suggestion lives. */
static void offer_names(struct suggest *s, struct arena *arena, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *de;

	if (!dir)
		return;
	while ((de = readdir(dir)))
		if (de->d_name[0] != '.' && de->d_type == DT_DIR)
			suggest_offer(s, arena_str(arena, de->d_name, strlen(de->d_name)));
	closedir(dir);
}

static int unknown_tracepoint(const char *root, const char *system, const char *name, struct errbuf *eb)
{
	struct arena arena = { 0 };
	struct suggest system_hint, name_hint;
	char path[512];
	bool has_system;

	snprintf(path, sizeof(path), "%s/events/%s", root, system);
	has_system = is_tracefs(path);
	suggest_init(&system_hint, system);
	if (!has_system) {
		snprintf(path, sizeof(path), "%s/events", root);
		offer_names(&system_hint, &arena, path);
		snprintf(path, sizeof(path), "%s/events/%s", root, system_hint.best ? system_hint.best : system);
	}
	suggest_init(&name_hint, name);
	offer_names(&name_hint, &arena, path);

	if (name_hint.best && (has_system || system_hint.best))
		errbuf_set(eb, -ENOENT, "this kernel has no tracepoint '%s:%s'; did you mean '%s:%s'? 'ls %s' shows those near it", system,
			   name, has_system ? system : system_hint.best, name_hint.best, path);
	else if (has_system)
		errbuf_set(eb, -ENOENT, "this kernel has no tracepoint '%s:%s'; 'ls %s' shows those it has", system, name, path);
	else
		errbuf_set(eb, -ENOENT, "this kernel has no tracepoints of '%s'; 'ls %s/events' shows what it has", system, root);
	arena_fini(&arena);
	return -ENOENT;
}

/* A walk over events/SYSTEM/NAME: each directory is read at most once, each id with one open. */
struct walk {
	const char *system, *name;
	tracefs_found_fn *found;
	void *ctx;
	uint32_t nr;
	int err; /* the first that is more than a missing file */
};

static bool is_pattern(const char *s)
{
	return strpbrk(s, "*?[");
}

static void walk_error(struct walk *w, int err)
{
	if (!w->err && err != ENOENT && err != ENOTDIR)
		w->err = -err;
}

static void walk_event(struct walk *w, int system_fd, const char *system, const char *name)
{
	char path[300], text[32];
	uint64_t id = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/id", name);
	fd = openat(system_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		walk_error(w, errno);
		return;
	}
	n = io_read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0 || text[0] < '0' || text[0] > '9') {
		walk_error(w, n < 0 ? (int)-n : EBADMSG);
		return;
	}
	for (ssize_t i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		id = id * 10 + (uint64_t)(text[i] - '0');
	w->nr++;
	w->found(w->ctx, system, name, id);
}

static void walk_system(struct walk *w, int events_fd, const char *system)
{
	int fd = openat(events_fd, system, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *de;
	DIR *dir;

	if (fd < 0) {
		walk_error(w, errno);
		return;
	}
	if (!is_pattern(w->name)) {
		walk_event(w, fd, system, w->name);
		close(fd);
		return;
	}
	dir = fdopendir(fd);
	if (!dir) {
		walk_error(w, errno);
		close(fd);
		return;
	}
	while ((de = readdir(dir)))
		if (de->d_name[0] != '.' && de->d_type == DT_DIR && !fnmatch(w->name, de->d_name, 0))
			walk_event(w, fd, system, de->d_name);
	closedir(dir);
}

static void walk_events(struct walk *w, const char *root)
{
	char path[512];
	struct dirent *de;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/events", root);
	dir = opendir(path);
	if (!dir) {
		walk_error(w, errno);
		return;
	}
	if (!is_pattern(w->system))
		walk_system(w, dirfd(dir), w->system);
	else
		while ((de = readdir(dir)))
			if (de->d_name[0] != '.' && de->d_type == DT_DIR && !fnmatch(w->system, de->d_name, 0))
				walk_system(w, dirfd(dir), de->d_name);
	closedir(dir);
}

int tracefs_find_events(const char *system, const char *name, tracefs_found_fn *found, void *ctx, struct errbuf *eb)
{
	struct walk w = { .system = system, .name = name, .found = found, .ctx = ctx };
	const char *root;

	if (!is_plain_name(system) || !is_plain_name(name))
		return errbuf_set(eb, -EINVAL, "'%s:%s' cannot be the name of a tracepoint", system, name);
	root = tracefs_find(eb);
	if (!root)
		return -ENOENT;
	walk_events(&w, root);
	if (w.nr)
		return 0;
	if (w.err == -EACCES || w.err == -EPERM)
		return errbuf_set(eb, -EACCES,
				  "only root may read tracepoints here: 'sudo mount -o remount,mode=755,gid=$(id -g) %s' "
				  "opens them to your group, or run assay as root",
				  root);
	if (w.err)
		return errbuf_set(eb, w.err, "cannot read the tracepoints in %s/events: %s", root, strerror(-w.err));
	if (is_pattern(system) || is_pattern(name))
		return errbuf_set(eb, -ENOENT, "no tracepoint of this kernel matches '%s:%s'; 'assay list tracepoint' shows them", system,
				  name);
	return unknown_tracepoint(root, system, name, eb);
}
