/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lists of patterns: split once, matched by fnmatch(3).
 */
#include "model/latency.h"

#include <fnmatch.h>
#include <string.h>

void event_patterns_fini(struct event_patterns *p)
{
	for (uint32_t i = 0; i < p->v.nr; i++)
		free(p->v.v[i].text);
	vec_fini(&p->v);
}

static size_t length_of_first(const char *list)
{
	size_t len = 0;

	while (list[len] && list[len] != ',') {
		const char *slash = list[len] == '/' ? strchr(list + len + 1, '/') : NULL;

		len = slash ? (size_t)(slash - list) + 1 : len + 1;
	}
	return len;
}

bool event_patterns_add(struct event_patterns *p, const char *list)
{
	uint32_t before = p->v.nr;

	for (;;) {
		size_t len = length_of_first(list);

		if (!len)
			break;
		vec_push(&p->v, ((struct event_pattern){ .text = mem_strndup(list, len) }));
		if (!list[len])
			return true;
		list += len + 1;
	}
	while (p->v.nr > before)
		free(p->v.v[--p->v.nr].text);
	return false;
}

bool event_patterns_match(struct event_patterns *p, const char *name)
{
	bool is_met = false;

	for (uint32_t i = 0; i < p->v.nr; i++) {
		/* A name with brackets in it is still itself. */
		if (strcmp(p->v.v[i].text, name) && fnmatch(p->v.v[i].text, name, 0))
			continue;
		p->v.v[i].is_met = is_met = true;
	}
	return is_met;
}

void event_patterns_put(const struct event_patterns *p, struct out *o)
{
	for (uint32_t i = 0; i < p->v.nr; i++) {
		out_str(o, i ? "," : "");
		out_str(o, p->v.v[i].text);
	}
}
