/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kinds of events that need no file system of their own (generic, tool, cache, PMU, the ways to write an event), how a word chooses
 * among all, and the order of the list. Tracepoints, SDT probes and libpfm4 have files of their own beside this one.
 */
#include "kernel/event_catalog.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/event_names.h"
#include "base/suggest.h"
#include "kernel/event_open.h"
#include "kernel/event_parser.h"

void event_catalog_init(struct event_catalog *c)
{
	const char *home = getenv("HOME");

	*c = (struct event_catalog){ .sysfs = "/sys" };
	if (home && *home)
		c->build_ids = catalog_printf(c, "%s/.debug", home);
}

void event_catalog_fini(struct event_catalog *c)
{
	vec_fini(&c->events);
	pmu_set_fini(&c->pmus);
	arena_fini(&c->arena);
}

void event_catalog_clear(struct event_catalog *c)
{
	c->events.nr = 0;
}

struct catalog_event *catalog_new_event(struct event_catalog *c, enum catalog_kind kind, const char *name)
{
	struct catalog_event *e = vec_add(&c->events);

	*e = (struct catalog_event){ .kind = kind, .name = name, .scale = 1.0 };
	return e;
}

const char *catalog_printf(struct event_catalog *c, const char *fmt, ...)
{
	va_list args;
	char *text, *copy;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		mem_die(0);
	copy = arena_str(&c->arena, text, (size_t)len);
	free(text);
	return copy;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct catalog_event *)a)->name, ((const struct catalog_event *)b)->name);
}

void catalog_sort(struct event_catalog *c, uint32_t first)
{
	if (c->events.nr > first)
		qsort(c->events.v + first, c->events.nr - first, sizeof(c->events.v[0]), compare_names);
}

struct pmu_set *catalog_pmus(struct event_catalog *c)
{
	if (!c->has_pmus) {
		pmu_set_init(&c->pmus, c->sysfs);
		c->has_pmus = true;
	}
	return &c->pmus;
}

/* An event that we are not allowed to open is taken to exist. */
static bool kernel_can_open(uint32_t type, uint64_t config)
{
	struct attr attr = { .type = type, .size = ATTR_SIZE_VER0, .config = config, .flags = ATTR_DISABLED };
	int err = event_try(&attr);

	if (err == -EACCES) {
		attr.flags |= ATTR_EXCLUDE_KERNEL;
		err = event_try(&attr);
	}
	return !err || err == -EACCES || err == -EPERM;
}

static bool can_open(const struct event_catalog *c, uint32_t type, uint64_t config)
{
	return c->can_open ? c->can_open(type, config) : kernel_can_open(type, config);
}

static int add_generic(struct event_catalog *c, enum catalog_kind kind, const struct catalog_filter *f, struct errbuf *eb)
{
	uint32_t type = kind == CATALOG_HARDWARE ? ATTR_TYPE_HARDWARE : ATTR_TYPE_SOFTWARE;
	uint32_t first = c->events.nr;
	const struct event_name *n;

	(void)eb;
	for (uint32_t i = 0; (n = event_names_get(i)); i++) {
		/* perf lists these two by the longer name, and prints the shorter in results. */
		bool swap = n->alias && (!strcmp(n->name, "cycles") || !strcmp(n->name, "branches"));
		struct catalog_event *e;

		if (n->type != type || f->system)
			continue;
		if (!catalog_filter_fits(f, n->name) && !(n->alias && catalog_filter_fits(f, n->alias)))
			continue;
		if (!can_open(c, n->type, n->config))
			continue;
		e = catalog_new_event(c, kind, swap ? n->alias : n->name);
		e->alias = swap ? n->name : n->alias;
		e->pmu = type == ATTR_TYPE_SOFTWARE ? "software" : NULL;
		e->encoding = catalog_printf(c, "%u:0x%llx", type, (unsigned long long)n->config);
	}
	catalog_sort(c, first);
	return 0;
}

static int add_cache(struct event_catalog *c, enum catalog_kind kind, const struct catalog_filter *f, struct errbuf *eb)
{
	uint32_t first = c->events.nr;
	char name[EVENT_NAME_MAX];
	uint64_t config;

	(void)eb;
	for (uint32_t i = 0; event_names_get_cache(i, &config, name, sizeof(name)); i++) {
		if (f->system || !catalog_filter_fits(f, name) || !can_open(c, ATTR_TYPE_HW_CACHE, config))
			continue;
		catalog_new_event(c, kind, arena_str(&c->arena, name, strlen(name)))->encoding =
			catalog_printf(c, "%u:0x%llx", ATTR_TYPE_HW_CACHE, (unsigned long long)config);
	}
	catalog_sort(c, first);
	return 0;
}

static int add_tools(struct event_catalog *c, enum catalog_kind kind, const struct catalog_filter *f, struct errbuf *eb)
{
	const char *name;

	(void)eb;
	for (uint32_t i = 0; (name = event_tool_name(i)); i++)
		if (!f->system && catalog_filter_fits(f, name))
			catalog_new_event(c, kind, name)->unit = "ns";
	return 0;
}

static int add_spellings(struct event_catalog *c, enum catalog_kind kind, const struct catalog_filter *f, struct errbuf *eb)
{
	static const char *const raw[] = { "rNNN", "cpu/t1=v1[,t2=v2,t3 ...]/modifier" };

	(void)eb;
	if (f->system || f->name)
		return 0;
	if (kind == CATALOG_BREAKPOINT) {
		catalog_new_event(c, kind, "mem:<addr>[/len][:access]");
		return 0;
	}
	for (size_t i = 0; i < sizeof(raw) / sizeof(raw[0]); i++)
		catalog_new_event(c, kind, raw[i]);
	return 0;
}

/* "pmu/event/", and what must be filled in by hand: "hv_24x7/PM_X,core=?/". */
static const char *pmu_spelling(struct event_catalog *c, const struct pmu *pmu, const struct pmu_event *pe)
{
	const char *text = catalog_printf(c, "%s/%s", pmu->name, pe->name);

	for (const char *t = pe->terms; *t;) {
		size_t len = strcspn(t, ",");

		if (len > 2 && t[len - 1] == '?' && t[len - 2] == '=')
			text = catalog_printf(c, "%s,%.*s", text, (int)len, t);
		t += len + (t[len] == ',');
	}
	return catalog_printf(c, "%s/", text);
}

static void add_pmu_event(struct event_catalog *c, const struct pmu *pmu, const struct pmu_event *pe, const struct catalog_filter *f)
{
	/* perf looks for these without regard to case, whatever it does elsewhere. */
	const struct catalog_filter any_case = { .name = f->name, .ignore_case = true };
	const char *spelling = pmu_spelling(c, pmu, pe);
	struct catalog_event *e;

	if (!catalog_filter_fits(&any_case, spelling) && !catalog_filter_fits(&any_case, pe->name))
		return;
	if (pmu->is_core) {
		e = catalog_new_event(c, CATALOG_PMU, pe->name);
		e->alias = e->plain_name = spelling;
	} else {
		e = catalog_new_event(c, CATALOG_PMU, spelling);
	}
	e->pmu = pmu->name;
	e->unit = pe->unit;
	e->scale = pe->scale;
	e->encoding = catalog_printf(c, "%s/%s/", pmu->name, pe->terms);
}

static int compare_pmu_events(const void *a, const void *b)
{
	const struct catalog_event *x = a, *y = b;
	int order = !x->alias - !y->alias; /* those of cores come first */

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : strcmp(x->pmu, y->pmu);
}

static bool is_wanted_pmu(const struct pmu *pmu, const char *name)
{
	return !name || !strcmp(pmu->name, name) || (!strncmp(pmu->name, "cpu_", 4) && !strcmp(pmu->name + 4, name));
}

static int add_pmus(struct event_catalog *c, enum catalog_kind kind, const struct catalog_filter *f, struct errbuf *eb)
{
	struct pmu_set *set = catalog_pmus(c);
	uint32_t first = c->events.nr;

	(void)kind, (void)eb;
	if (f->system)
		return 0;
	for (uint32_t i = 0; i < set->pmus.nr; i++) {
		struct pmu *pmu = &set->pmus.v[i];

		if (!is_wanted_pmu(pmu, f->pmu))
			continue;
		pmu_load(set, pmu);
		for (uint32_t k = 0; k < pmu->events.nr; k++)
			add_pmu_event(c, pmu, &pmu->events.v[k], f);
	}
	if (c->events.nr > first)
		qsort(c->events.v + first, c->events.nr - first, sizeof(c->events.v[0]), compare_pmu_events);
	return 0;
}

bool event_catalog_has_core_events(struct event_catalog *c, const char *names)
{
	return pmu_set_find_core(catalog_pmus(c), names);
}

static const struct {
	const char *name;
	catalog_add_fn *add;
} kinds_table[NR_CATALOG_KINDS] = {
	[CATALOG_HARDWARE] = { "Hardware event", add_generic },
	[CATALOG_SOFTWARE] = { "Software event", add_generic },
	[CATALOG_TOOL] = { "Tool event", add_tools },
	[CATALOG_CACHE] = { "Hardware cache event", add_cache },
	[CATALOG_PMU] = { "Kernel PMU event", add_pmus },
	[CATALOG_RAW] = { "Raw hardware event descriptor", add_spellings },
	[CATALOG_BREAKPOINT] = { "Hardware breakpoint", add_spellings },
	[CATALOG_TRACEPOINT] = { "Tracepoint event", catalog_add_tracepoints },
	[CATALOG_SDT] = { "SDT event", catalog_add_sdt },
	[CATALOG_PFM] = { "libpfm4 event", catalog_add_pfm },
};

const char *event_catalog_kind_name(enum catalog_kind kind)
{
	return kinds_table[kind].name;
}

int event_catalog_add(struct event_catalog *c, unsigned kinds, const struct catalog_filter *f, struct errbuf *eb)
{
	int err = 0;

	for (int kind = 0; kind < NR_CATALOG_KINDS; kind++) {
		int ret = 0;

		if (kinds & 1u << kind)
			ret = kinds_table[kind].add(c, (enum catalog_kind)kind, f, err ? NULL : eb);
		if (ret && !err)
			err = ret;
	}
	return err;
}

unsigned event_catalog_find_kinds(const char *word)
{
	static const struct {
		const char *word;
		unsigned kinds;
	} words[] = {
		{ "hw", 1u << CATALOG_HARDWARE },
		{ "hardware", 1u << CATALOG_HARDWARE },
		{ "sw", 1u << CATALOG_SOFTWARE | 1u << CATALOG_TOOL },
		{ "software", 1u << CATALOG_SOFTWARE | 1u << CATALOG_TOOL },
		{ "tool", 1u << CATALOG_TOOL },
		{ "cache", 1u << CATALOG_CACHE },
		{ "hwcache", 1u << CATALOG_CACHE },
		{ "pmu", 1u << CATALOG_PMU },
		{ "tracepoint", 1u << CATALOG_TRACEPOINT },
		{ "sdt", 1u << CATALOG_SDT },
		{ "pfm", 1u << CATALOG_PFM },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].word, word))
			return words[i].kinds;
	return 0;
}

bool catalog_filter_fits(const struct catalog_filter *f, const char *name)
{
	return !f->name || !fnmatch(f->name, name, f->ignore_case ? FNM_CASEFOLD : 0);
}

void catalog_filter_init(struct catalog_filter *f, const char *word)
{
	const char *colon = strchr(word, ':');

	*f = (struct catalog_filter){ 0 };
	if (!colon) {
		f->name = mem_printf("*%s*", word);
		return;
	}
	f->system = colon > word ? mem_strndup(word, (size_t)(colon - word)) : mem_strdup("*");
	f->name = mem_strdup(colon[1] ? colon + 1 : "*");
}

void catalog_filter_fini(struct catalog_filter *f)
{
	free((char *)f->system);
	free((char *)f->name);
	*f = (struct catalog_filter){ 0 };
}

static char *without_wildcards(const char *word)
{
	char *copy = mem_strdup(word), *to = copy;

	for (; *word; word++)
		if (!strchr("*?[]", *word))
			*to++ = *word;
	*to = 0;
	return copy;
}

static const char *nearest_name(const struct event_catalog *c, const char *typed)
{
	bool has_colon = strchr(typed, ':');
	const char *best = NULL;
	struct suggest s;

	suggest_init(&s, typed);
	for (uint32_t i = 0; i < c->events.nr; i++) {
		const struct catalog_event *e = &c->events.v[i];
		const char *name = e->plain_name ? e->plain_name : e->name;
		const char *colon = strchr(name, ':'), *before = s.best;

		suggest_offer(&s, name);
		if (colon && !has_colon)
			suggest_offer(&s, colon + 1);
		if (e->alias)
			suggest_offer(&s, e->alias);
		if (s.best != before)
			best = name;
	}
	return best;
}

/* `typed` ends with its colon cut off; `rest` is what stood after that, as it was typed. */
static const char *nearest_system(struct event_catalog *c, const char *typed, const char *rest)
{
	const char *system = "";
	struct suggest s;

	suggest_init(&s, typed);
	for (uint32_t i = 0; i < c->events.nr; i++) {
		const char *name = c->events.v[i].name, *colon = strchr(name, ':');
		size_t len = colon ? (size_t)(colon - name) : 0;

		if (!colon || c->events.v[i].kind != CATALOG_TRACEPOINT || (!strncmp(system, name, len) && !system[len]))
			continue;
		system = arena_str(&c->arena, name, len);
		suggest_offer(&s, system);
	}
	/* The system exists: then it is the rest that fits nothing. */
	if (!s.best || !strcmp(s.best, typed))
		return NULL;
	return catalog_printf(c, "%s:%s", s.best, *rest ? rest : "*");
}

const char *event_catalog_find_nearest(struct event_catalog *c, const char *word)
{
	static const struct catalog_filter any;
	char *typed = without_wildcards(word), *colon = strchr(typed, ':');
	const char *near;

	event_catalog_clear(c);
	event_catalog_add(c, CATALOG_NAMED, &any, NULL);
	/* "syscals:" would be near to many; only the system is meant. */
	if (colon && !colon[1])
		near = NULL;
	else
		near = nearest_name(c, typed);
	if (!near && colon) {
		*colon = 0;
		near = nearest_system(c, typed, strchr(word, ':') + 1);
	}
	event_catalog_clear(c);
	free(typed);
	return near;
}
