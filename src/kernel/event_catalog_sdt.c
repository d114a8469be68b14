/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SDT probes for the catalogue: the `probes` files of perf's build-id cache, to which `perf record` and `perf buildid-cache --add` write
 * what a binary declares. A line "%GROUP:EVENT=…" is one probe; the same name may be in several binaries, and then the list says in which.
 */
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "kernel/event_catalog.h"

#define PROBES_MAX_BYTES (16u << 20)

struct sdt_probe {
	const char *name;     /* GROUP:EVENT */
	const char *build_id; /* of its binary, in hex */
	const char *path;     /* of its binary */
};

struct sdt_scan {
	struct event_catalog *c;
	const struct catalog_filter *f;
	VEC(struct sdt_probe) probes;
};

/* A name that the kernel accepts for a probe; others are left out. */
static bool is_plain_name(const char *s)
{
	return s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.-")] == 0;
}

/* GROUP:EVENT=… with the probe's own argument names after it. */
static void scan_line(struct sdt_scan *s, const char *line, const char *build_id, const char *path)
{
	int flags = s->f->ignore_case ? FNM_CASEFOLD : 0;
	size_t len = strcspn(line, "=");
	char *name = arena_str(&s->c->arena, line, len);
	char *colon = strchr(name, ':');
	bool fits;

	if (!colon || !is_plain_name(name))
		return;
	*colon = 0;
	fits = (!s->f->system || !fnmatch(s->f->system, name, flags)) && catalog_filter_fits(s->f, colon + 1);
	*colon = ':';
	if (fits)
		vec_push(&s->probes, ((struct sdt_probe){ name, build_id, path }));
}

/* DIR/XX/YYYY… is a link to ../../PATH/BUILD-ID. */
static const char *binary_path(struct sdt_scan *s, int dir, const char *name)
{
	char link[4096];
	ssize_t n = readlinkat(dir, name, link, sizeof(link) - 1);
	const char *path = link;
	char *slash;

	if (n <= 0)
		return "";
	link[n] = 0;
	while (!strncmp(path, "../", 3))
		path += 3;
	slash = strrchr(path, '/');
	if (slash)
		*slash = 0;
	/* [vdso] and [kernel.kallsyms] are names, not paths */
	return catalog_printf(s->c, "%s%s", *path == '[' ? "" : "/", path);
}

static bool is_hex(const char *s)
{
	return *s && s[strspn(s, "0123456789abcdef")] == 0;
}

static void scan_binary(struct sdt_scan *s, int dir, const char *head, const char *tail, const char *dir_path)
{
	const char *build_id, *path;
	char file[4096], *text, *rest, *line;
	size_t size;

	snprintf(file, sizeof(file), "%s/%s/probes", dir_path, tail);
	if (io_read_file(file, PROBES_MAX_BYTES, &text, &size))
		return;
	if (size) {
		build_id = catalog_printf(s->c, "%s%s", head, tail);
		path = binary_path(s, dir, tail);
		for (rest = text; (line = strsep(&rest, "\n"));)
			if (line[0] == '%')
				scan_line(s, line + 1, build_id, path);
	}
	free(text);
}

/* The build-ids that begin with these two digits. */
static void scan_directory(struct sdt_scan *s, const char *head)
{
	char path[2048];
	struct dirent *de;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/.build-id/%s", s->c->build_ids, head);
	dir = opendir(path);
	if (!dir)
		return;
	while ((de = readdir(dir)))
		if (is_hex(de->d_name))
			scan_binary(s, dirfd(dir), head, de->d_name, path);
	closedir(dir);
}

/* perf's order: that of the texts NAME@BUILD-ID. */
static int compare_probes(const void *a, const void *b)
{
	const struct sdt_probe *x = a, *y = b;
	size_t i = 0;

	while (x->name[i] && x->name[i] == y->name[i])
		i++;
	if (x->name[i] != y->name[i]) {
		unsigned char left = (unsigned char)(x->name[i] ? x->name[i] : '@');
		unsigned char right = (unsigned char)(y->name[i] ? y->name[i] : '@');

		return left < right ? -1 : 1;
	}
	return strcmp(x->build_id, y->build_id);
}

static bool same_name(const struct sdt_scan *s, uint32_t i, uint32_t k)
{
	return k < s->probes.nr && !strcmp(s->probes.v[i].name, s->probes.v[k].name);
}

/* Many places of one binary are one probe. */
static void drop_doubles(struct sdt_scan *s)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < s->probes.nr; i++)
		if (!nr || compare_probes(&s->probes.v[nr - 1], &s->probes.v[i]))
			s->probes.v[nr++] = s->probes.v[i];
	s->probes.nr = nr;
}

int catalog_add_sdt(struct event_catalog *c, enum catalog_kind kind, const struct catalog_filter *f, struct errbuf *eb)
{
	struct sdt_scan s = { .c = c, .f = f };
	struct dirent *de;
	char path[2048];
	DIR *dir;

	(void)eb;
	if (!c->build_ids)
		return 0;
	snprintf(path, sizeof(path), "%s/.build-id", c->build_ids);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((de = readdir(dir)))
		if (strlen(de->d_name) == 2 && is_hex(de->d_name))
			scan_directory(&s, de->d_name);
	closedir(dir);
	vec_sort(&s.probes, compare_probes);
	drop_doubles(&s);
	for (uint32_t i = 0; i < s.probes.nr; i++) {
		const struct sdt_probe *p = &s.probes.v[i];
		struct catalog_event *e = catalog_new_event(c, kind, p->name);

		if (same_name(&s, i, i + 1) || (i && same_name(&s, i, i - 1))) {
			e->plain_name = p->name;
			e->name = catalog_printf(c, "%s@%s(%.12s)", p->name, p->path, p->build_id);
		}
	}
	vec_fini(&s.probes);
	return 0;
}
