/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tracepoints for the catalogue. The kernel lists them in one file, available_events: one read instead of thousands of opens. What that
 * file leaves out and perf can count all the same, a few events of ftrace itself, are the directories of events/ftrace that have an id.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "kernel/event_catalog.h"
#include "kernel/tracefs.h"

#define EVENTS_MAX_BYTES (64u << 20)
#define FORMAT_MAX_BYTES (1u << 20)

/* `name` is SYSTEM:EVENT. */
static void add_if_fits(struct event_catalog *c, char *name, const struct catalog_filter *f)
{
	int flags = f->ignore_case ? FNM_CASEFOLD : 0;
	char *colon = strchr(name, ':');
	bool fits;

	if (!colon)
		return;
	*colon = 0;
	fits = (!f->system || !fnmatch(f->system, name, flags)) && catalog_filter_fits(f, colon + 1);
	*colon = ':';
	if (fits)
		catalog_new_event(c, CATALOG_TRACEPOINT, name)->pmu = "tracepoint";
}

static void add_ftrace_events(struct event_catalog *c, const char *root, const struct catalog_filter *f)
{
	char path[512];
	struct dirent *de;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/events/ftrace", root);
	dir = opendir(path);
	if (!dir)
		return;
	while ((de = readdir(dir))) {
		char id[sizeof(de->d_name) + 4];

		if (de->d_name[0] == '.' || de->d_type != DT_DIR)
			continue;
		snprintf(id, sizeof(id), "%s/id", de->d_name);
		if (!faccessat(dirfd(dir), id, F_OK, 0))
			add_if_fits(c, (char *)catalog_printf(c, "ftrace:%s", de->d_name), f);
	}
	closedir(dir);
}

static int unreadable(const char *root, int err, struct errbuf *eb)
{
	if (err == -EACCES || err == -EPERM)
		return errbuf_set(eb, err, "only root may read the names of tracepoints in %s: 'sudo assay list' does", root);
	return errbuf_set(eb, err, "cannot read %s/available_events: %s", root, strerror(-err));
}

int catalog_add_tracepoints(struct event_catalog *c, enum catalog_kind kind, const struct catalog_filter *f, struct errbuf *eb)
{
	const char *root = c->tracefs ? c->tracefs : tracefs_find(eb);
	uint32_t first = c->events.nr;
	char *text, *line, *copy, *rest;
	char path[512];
	size_t size;
	int err;

	(void)kind;
	if (!root)
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/available_events", root);
	err = io_read_file(path, EVENTS_MAX_BYTES, &text, &size);
	if (err)
		return unreadable(root, err, eb);
	copy = arena_str(&c->arena, text, size);
	free(text);
	for (rest = copy; (line = strsep(&rest, "\n"));)
		add_if_fits(c, line, f);
	add_ftrace_events(c, root, f);
	catalog_sort(c, first);
	return 0;
}

/* "\tfield:unsigned long args[6];\toffset:…" into "args"; false for other lines. */
static bool take_field(const char *line, const char **name, size_t *len)
{
	const char *end, *s;

	line += strspn(line, " \t");
	if (strncmp(line, "field:", 6) != 0)
		return false;
	line += 6;
	end = line + strcspn(line, ";");
	if (!*end)
		return false;
	/* the type may have brackets of its own: __data_loc char[] msg */
	if (end > line && end[-1] == ']') {
		while (end > line && *--end != '[')
			;
	}
	for (s = end; s > line && s[-1] != ' ' && s[-1] != '*' && s[-1] != '\t';)
		s--;
	*name = s;
	*len = (size_t)(end - s);
	return *len > 0;
}

const char *event_catalog_fields(struct event_catalog *c, const struct catalog_event *e)
{
	const char *colon = strchr(e->name, ':'), *root, *name, *list = NULL;
	char path[1024], *text, *rest, *line;
	size_t len, size;

	if (e->kind != CATALOG_TRACEPOINT || !colon)
		return NULL;
	root = c->tracefs ? c->tracefs : tracefs_find(NULL);
	if (!root)
		return NULL;
	snprintf(path, sizeof(path), "%s/events/%.*s/%s/format", root, (int)(colon - e->name), e->name, colon + 1);
	if (io_read_file(path, FORMAT_MAX_BYTES, &text, &size))
		return NULL;
	for (rest = text; (line = strsep(&rest, "\n"));) {
		/* what all tracepoints have is no news */
		if (!take_field(line, &name, &len) || !strncmp(name, "common_", 7))
			continue;
		list = list ? catalog_printf(c, "%s %.*s", list, (int)len, name) : catalog_printf(c, "%.*s", (int)len, name);
	}
	free(text);
	return list;
}
