/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names from a command line are checked before they become part of a path.
 */
#include "kernel/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/vfs.h>

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

/* The next directory in it that matches, until the next call; NULL: no more, and `dir` (NULL: there is none) is closed. */
static const char *next_match(DIR *dir, const char *pattern)
{
	struct dirent *de;

	while (dir && (de = readdir(dir)))
		if (de->d_name[0] != '.' && de->d_type == DT_DIR && !fnmatch(pattern, de->d_name, 0))
			return de->d_name;
	if (dir)
		closedir(dir);
	return NULL;
}

/* Offers the names of a directory; `arena` keeps them for as long as the suggestion lives. */
static void offer_names(struct suggest *s, struct arena *arena, const char *path)
{
	DIR *dir = opendir(path);
	const char *name;

	while ((name = next_match(dir, "*")))
		suggest_offer(s, arena_str(arena, name, strlen(name)));
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
	else if (!strncmp(system, "probe_", 6) || !strcmp(system, "probe"))
		errbuf_set(eb, -ENOENT,
			   "no probe '%s:%s' is defined; 'assay probe -l' lists those that are, and 'assay probe -x FILE %s' defines one",
			   system, name, name);
	else
		errbuf_set(eb, -ENOENT, "this kernel has no tracepoints of '%s'; 'ls %s/events' shows what it has", system, root);
	arena_fini(&arena);
	return -ENOENT;
}

/* The system that was meant by a pattern's, and near names: those with the text of the pattern up to its first wildcard, shortened until some
 * begin so. */
static int unknown_pattern(const char *root, const char *system, const char *name, struct errbuf *eb)
{
	struct arena arena = { 0 };
	struct suggest system_hint;
	char path[512], near[256] = "";
	size_t len = strcspn(name, "*?["), nr = 0;
	bool has_system, is_one = !strpbrk(system, "*?[");

	snprintf(path, sizeof(path), "%s/events/%s", root, is_one ? system : "");
	has_system = is_one && is_tracefs(path);
	suggest_init(&system_hint, system);
	if (is_one && !has_system) {
		snprintf(path, sizeof(path), "%s/events", root);
		offer_names(&system_hint, &arena, path);
	}
	for (; has_system && !nr && len; len--) {
		DIR *dir = opendir(path);
		const char *found;

		while ((found = next_match(dir, "*"))) {
			size_t used = strlen(near);

			if (!strncmp(found, name, len) && nr++ < 3 && used + strlen(found) + 8 < sizeof(near))
				snprintf(near + used, sizeof(near) - used, "%s'%s:%s'", used ? ", " : "", system, found);
		}
	}
	errbuf_set(eb, -ENOENT, "no tracepoint of this kernel matches '%s:%s'%s%s%s%s; 'assay list tracepoint' shows them", system, name,
		   system_hint.best || near[0] ? "; did you mean " : "", system_hint.best ? "the system '" : near,
		   system_hint.best ? system_hint.best : "",
		   system_hint.best ? "'?"
		   : near[0]	    ? "?"
				    : "");
	arena_fini(&arena);
	return -ENOENT;
}

/* A walk over events/SYSTEM/NAME. */
struct walk {
	const char *root, *system, *name;
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
	if (!w->err && err != -ENOENT && err != -ENOTDIR)
		w->err = err;
}

static void walk_event(struct walk *w, const char *system, const char *name)
{
	char path[PATH_MAX];
	int64_t id;
	int err;

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", w->root, system, name);
	err = io_read_i64(path, &id);
	if (err) {
		walk_error(w, err);
		return;
	}
	w->nr++;
	w->found(w->ctx, system, name, (uint64_t)id);
}

static DIR *walk_open(struct walk *w, const char *system)
{
	char path[PATH_MAX];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/events/%s", w->root, system);
	dir = opendir(path);
	if (!dir)
		walk_error(w, -errno);
	return dir;
}

static void walk_system(struct walk *w, const char *system)
{
	DIR *dir = is_pattern(w->name) ? walk_open(w, system) : NULL;
	const char *name;

	if (!is_pattern(w->name))
		walk_event(w, system, w->name);
	while ((name = next_match(dir, w->name)))
		walk_event(w, system, name);
}

int tracefs_find_events(const char *system, const char *name, tracefs_found_fn *found, void *ctx, struct errbuf *eb)
{
	struct walk w = { .system = system, .name = name, .found = found, .ctx = ctx };
	const char *root, *match;
	DIR *dir = NULL;

	if (!is_plain_name(system) || !is_plain_name(name))
		return errbuf_set(eb, -EINVAL, "'%s:%s' cannot be the name of a tracepoint", system, name);
	root = tracefs_find(eb);
	if (!root)
		return -ENOENT;
	w.root = root;
	if (is_pattern(system))
		dir = walk_open(&w, "");
	else
		walk_system(&w, system);
	while ((match = next_match(dir, system)))
		walk_system(&w, match);
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
		return unknown_pattern(root, system, name, eb);
	return unknown_tracepoint(root, system, name, eb);
}
