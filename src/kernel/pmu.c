/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One openat() and read a file, relative to the PMU's directory: machines with many uncore units have thousands of them.
 */
#include "kernel/pmu.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/io.h"

#define NAME_MAX_LEN 255
#define TEXT_MAX 4096

/* Large cores before small ones, as perf has them; units by their number. */
static int compare_pmus(const void *a, const void *b)
{
	const char *x = ((const struct pmu *)a)->name, *y = ((const struct pmu *)b)->name;
	bool x_core = !strcmp(x, "cpu_core"), y_core = !strcmp(y, "cpu_core");

	return x_core != y_core ? y_core - x_core : strverscmp(x, y);
}

static int compare_formats(const void *a, const void *b)
{
	return strcmp(((const struct pmu_format *)a)->name, ((const struct pmu_format *)b)->name);
}

static int compare_events(const void *a, const void *b)
{
	return strcmp(((const struct pmu_event *)a)->name, ((const struct pmu_event *)b)->name);
}

/* One line of a file in a directory; false where it cannot be read or is longer than sysfs allows. */
static bool read_line_at(int dir, const char *name, char buf[TEXT_MAX])
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = io_read(fd, buf, TEXT_MAX - 1);
	close(fd);
	if (n < 0)
		return false;
	buf[n] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return strlen(buf) < TEXT_MAX - 1;
}

void pmu_set_init(struct pmu_set *s, const char *sysfs)
{
	struct dirent *de;
	DIR *dir;

	*s = (struct pmu_set){ 0 };
	if (!sysfs)
		return;
	s->devices = mem_printf("%s/bus/event_source/devices", sysfs);
	dir = opendir(s->devices);
	if (!dir)
		return;
	while ((de = readdir(dir))) {
		if (de->d_name[0] == '.')
			continue;
		vec_push(&s->pmus, ((struct pmu){ .name = arena_str(&s->arena, de->d_name, strlen(de->d_name)) }));
	}
	closedir(dir);
	vec_sort(&s->pmus, compare_pmus);
}

void pmu_set_fini(struct pmu_set *s)
{
	for (uint32_t i = 0; i < s->pmus.nr; i++) {
		cpu_list_fini(&s->pmus.v[i].cpus);
		vec_fini(&s->pmus.v[i].formats);
		vec_fini(&s->pmus.v[i].events);
	}
	vec_fini(&s->pmus);
	free(s->devices);
	s->devices = NULL;
	arena_fini(&s->arena);
}

const struct pmu *pmu_set_find(struct pmu_set *s, const char *name, size_t len)
{
	for (uint32_t i = 0; i < s->pmus.nr; i++) {
		struct pmu *pmu = &s->pmus.v[i];

		if (strlen(pmu->name) != len || memcmp(pmu->name, name, len) != 0)
			continue;
		pmu_load(s, pmu);
		return pmu;
	}
	return NULL;
}

static bool is_unit_of(const char *name, const char *kind, size_t len)
{
	if (strncmp(name, kind, len) != 0)
		return false;
	name += len;
	if (!*name)
		return true;
	if (*name == '_')
		name++;
	return *name && strspn(name, "0123456789") == strlen(name);
}

bool pmu_is_meant(const struct pmu *pmu, const char *text, size_t len)
{
	const char *name = pmu->name;
	char pattern[NAME_MAX_LEN + 1];

	if (!len || len > NAME_MAX_LEN || memchr(text, 0, len))
		return false;
	memcpy(pattern, text, len);
	pattern[len] = 0;
	if (is_unit_of(name, pattern, len))
		return true;
	if (strpbrk(pattern, "*?[") && !fnmatch(pattern, name, 0))
		return true;
	if (strncmp(name, "uncore_", 7) != 0 || !strncmp(pattern, "uncore_", 7))
		return false;
	return is_unit_of(name + 7, pattern, len) || (strpbrk(pattern, "*?[") && !fnmatch(pattern, name + 7, 0));
}

/* "0-7" or "21" at *s; moves on. */
static int take_bits(const char **s, uint64_t *mask)
{
	char *end;
	unsigned long from, to;

	if (!isdigit((unsigned char)**s))
		return -EBADMSG;
	from = to = strtoul(*s, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return -EBADMSG;
		to = strtoul(end + 1, &end, 10);
	}
	if (from > to || to > 63)
		return -EBADMSG;
	*mask |= ~0ull >> (63 - (to - from)) << from;
	*s = end;
	return 0;
}

int pmu_format_parse(struct pmu_format *f, const char *text)
{
	int err;

	if (strncmp(text, "config", 6) != 0)
		return -EBADMSG;
	text += 6;
	f->word = 0;
	f->mask = 0;
	if (*text >= '1' && *text < '0' + PMU_NR_CONFIG)
		f->word = (uint32_t)(*text++ - '0');
	if (*text++ != ':')
		return -EBADMSG;
	for (;; text++) {
		err = take_bits(&text, &f->mask);
		if (err || !*text)
			return err;
		if (*text != ',')
			return -EBADMSG;
	}
}

uint64_t pmu_format_max(const struct pmu_format *f)
{
	int bits = __builtin_popcountll(f->mask);

	return bits ? ~0ull >> (64 - bits) : 0;
}

int pmu_format_put(const struct pmu_format *f, uint64_t value, uint64_t words[PMU_NR_CONFIG])
{
	if (value > pmu_format_max(f))
		return -ERANGE;
	words[f->word] &= ~f->mask;
	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(f->mask >> bit & 1))
			continue;
		words[f->word] |= (value & 1) << bit;
		value >>= 1;
	}
	return 0;
}

/* assay sets no locale: the decimal point is a point. */
static double parse_scale(const char *text)
{
	double scale = strtod(text, NULL);

	return scale > 0 && isfinite(scale) ? scale : 1.0;
}

static bool read_suffixed(int dir, const char *event, const char *suffix, char buf[TEXT_MAX])
{
	char name[NAME_MAX_LEN + 16];

	snprintf(name, sizeof(name), "%s.%s", event, suffix);
	return read_line_at(dir, name, buf);
}

static bool ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n > m && !strcmp(s + n - m, suffix);
}

static bool is_attribute(const char *name)
{
	return ends_with(name, ".scale") || ends_with(name, ".unit") || ends_with(name, ".snapshot") || ends_with(name, ".per-pkg");
}

static void load_event(struct pmu_set *s, struct pmu *pmu, int dir, const char *name)
{
	struct pmu_event e = { .scale = 1.0 };
	char text[TEXT_MAX];

	if (is_attribute(name) || !read_line_at(dir, name, text) || !*text)
		return;
	e.name = arena_str(&s->arena, name, strlen(name));
	e.terms = arena_str(&s->arena, text, strlen(text));
	if (read_suffixed(dir, name, "unit", text) && *text)
		e.unit = arena_str(&s->arena, text, strlen(text));
	if (read_suffixed(dir, name, "scale", text))
		e.scale = parse_scale(text);
	e.is_snapshot = read_suffixed(dir, name, "snapshot", text) && !strcmp(text, "1");
	vec_push(&pmu->events, e);
}

static void load_format(struct pmu_set *s, struct pmu *pmu, int dir, const char *name)
{
	struct pmu_format f = { 0 };
	char text[TEXT_MAX];

	if (!read_line_at(dir, name, text) || pmu_format_parse(&f, text))
		return;
	f.name = arena_str(&s->arena, name, strlen(name));
	vec_push(&pmu->formats, f);
}

static void load_files(struct pmu_set *s, struct pmu *pmu, int parent, const char *name,
		       void (*load)(struct pmu_set *, struct pmu *, int, const char *))
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *de;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((de = readdir(dir)))
		if (de->d_name[0] != '.')
			load(s, pmu, fd, de->d_name);
	closedir(dir);
}

static void load_cpus(struct pmu *pmu, int dir)
{
	char text[TEXT_MAX];
	bool has_cpus = false;

	if (read_line_at(dir, "cpumask", text))
		pmu->is_uncore = true;
	else
		has_cpus = read_line_at(dir, "cpus", text);
	pmu->is_core = has_cpus || !strcmp(pmu->name, "cpu");
	if ((pmu->is_uncore || has_cpus) && cpu_list_parse(&pmu->cpus, text, NULL))
		cpu_list_fini(&pmu->cpus);
}

void pmu_load(struct pmu_set *s, struct pmu *pmu)
{
	char text[TEXT_MAX], path[TEXT_MAX];
	int dir;

	if (pmu->is_loaded)
		return;
	pmu->is_loaded = true;
	snprintf(path, sizeof(path), "%s/%s", s->devices, pmu->name);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return;
	if (read_line_at(dir, "type", text))
		pmu->type = (uint32_t)strtoul(text, NULL, 10);
	load_cpus(pmu, dir);
	load_files(s, pmu, dir, "format", load_format);
	load_files(s, pmu, dir, "events", load_event);
	close(dir);
	vec_sort(&pmu->formats, compare_formats);
	vec_sort(&pmu->events, compare_events);
}

const struct pmu_format *pmu_find_format(const struct pmu *pmu, const char *name, size_t len)
{
	for (uint32_t i = 0; i < pmu->formats.nr; i++)
		if (strlen(pmu->formats.v[i].name) == len && !memcmp(pmu->formats.v[i].name, name, len))
			return &pmu->formats.v[i];
	return NULL;
}

const struct pmu_event *pmu_find_event(const struct pmu *pmu, const char *name, size_t len)
{
	for (uint32_t i = 0; i < pmu->events.nr; i++)
		if (strlen(pmu->events.v[i].name) == len && !strncasecmp(pmu->events.v[i].name, name, len))
			return &pmu->events.v[i];
	return NULL;
}

const char *pmu_find_missing(const struct pmu *pmu, const char *events, size_t *len)
{
	for (const char *p = events; *p; p += *len + (p[*len] == ',')) {
		*len = strcspn(p, ",");
		if (!pmu_find_event(pmu, p, *len))
			return p;
	}
	return NULL;
}

const struct pmu *pmu_set_find_core(struct pmu_set *s, const char *events)
{
	size_t len;

	for (uint32_t i = 0; i < s->pmus.nr; i++) {
		pmu_load(s, &s->pmus.v[i]);
		if (s->pmus.v[i].is_core && !(events && pmu_find_missing(&s->pmus.v[i], events, &len)))
			return &s->pmus.v[i];
	}
	return NULL;
}
