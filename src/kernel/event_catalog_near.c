/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The name nearest to a word that fits no event: a whole name, the part of it after a colon, or,
 * where only the system is mistyped ("syscals:*"), the system. Fed by the catalogue itself.
 */
#include <string.h>

#include "base/suggest.h"
#include "kernel/event_catalog.h"

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
