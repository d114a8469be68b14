/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * tracefs: where it is mounted, and the ids of its tracepoints. Its names are the kernel's, but the
 * ones asked for come from a command line: they are checked before they become part of a path.
 */
#include "kernel/tracefs.h"

#include <dirent.h>
#include <errno.h>
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
		errbuf_set(
			eb, -err,
			"tracepoints need tracefs, which is not mounted: 'sudo mount -t tracefs nodev " TRACEFS_MOUNT
			"'");
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

static int unknown_tracepoint(const char *root, const char *system, const char *name,
			      struct errbuf *eb)
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
		snprintf(path, sizeof(path), "%s/events/%s", root,
			 system_hint.best ? system_hint.best : system);
	}
	suggest_init(&name_hint, name);
	offer_names(&name_hint, &arena, path);

	if (name_hint.best && (has_system || system_hint.best))
		errbuf_set(eb, -ENOENT,
			   "this kernel has no tracepoint '%s:%s'; did you mean '%s:%s'? "
			   "'ls %s' shows those near it",
			   system, name, has_system ? system : system_hint.best, name_hint.best,
			   path);
	else if (has_system)
		errbuf_set(eb, -ENOENT,
			   "this kernel has no tracepoint '%s:%s'; 'ls %s' shows those it has",
			   system, name, path);
	else
		errbuf_set(
			eb, -ENOENT,
			"this kernel has no tracepoints of '%s'; 'ls %s/events' shows what it has",
			system, root);
	arena_fini(&arena);
	return -ENOENT;
}

int tracefs_event_id(const char *system, const char *name, uint64_t *id, struct errbuf *eb)
{
	const char *root;
	char path[512];
	int64_t v;
	int err;

	if (!is_plain_name(system) || !is_plain_name(name))
		return errbuf_set(eb, -EINVAL, "'%s:%s' cannot be the name of a tracepoint", system,
				  name);
	root = tracefs_find(eb);
	if (!root)
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/events/%s/%s/id", root, system, name);
	err = io_read_i64(path, &v);
	if (err == -EACCES || err == -EPERM)
		return errbuf_set(
			eb, -EACCES,
			"only root may read tracepoints here: 'sudo mount -o remount,mode=755 %s' "
			"opens them to all users, or run assay as root",
			root);
	if (err == -ENOENT)
		return unknown_tracepoint(root, system, name, eb);
	if (err || v < 0)
		return errbuf_set(eb, err ? err : -EBADMSG,
				  "cannot read the tracepoint's id from %s: %s", path,
				  strerror(err ? -err : EBADMSG));
	*id = (uint64_t)v;
	return 0;
}
