/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * --filter and -G: what is said about events that were given before. Kept as text in the events;
 * whoever opens them hands it to the kernel.
 */
#include <errno.h>
#include <string.h>

#include "kernel/event_parse.h"

int event_list_add_filter(struct event_list *list, const char *filter, struct errbuf *eb)
{
	if (!list->events.nr)
		return errbuf_set(eb, -EINVAL,
				  "--filter '%s' stands before any event: it speaks about the "
				  "tracepoints of the -e before it",
				  filter);
	for (uint32_t i = list->last_first; i < list->events.nr; i++)
		if (list->events.v[i].attr.type != ATTR_TYPE_TRACEPOINT)
			return errbuf_set(eb, -EINVAL,
					  "--filter '%s': '%s' is no tracepoint, and only those have fields to "
					  "filter by; give --filter after the -e it is for",
					  filter, list->events.v[i].name);
	for (uint32_t i = list->last_first; i < list->events.nr; i++) {
		struct event_spec *spec = &list->events.v[i];
		char *joined = spec->filter ? mem_printf("(%s) && (%s)", spec->filter, filter) : mem_strdup(filter);

		free(spec->filter);
		spec->filter = joined;
	}
	return 0;
}

static void set_cgroup(struct event_spec *spec, const char *name, size_t len)
{
	free(spec->cgroup);
	spec->cgroup = len ? mem_strndup(name, len) : NULL;
}

int event_list_add_cgroups(struct event_list *list, const char *text, struct errbuf *eb)
{
	const char *s = text;
	uint32_t before = list->nr_cgroups;

	if (!list->events.nr)
		return errbuf_set(eb, -EINVAL, "-G %s stands before any event: give the events (-e) first", text);
	if (!before && !strchr(text, ',')) {
		for (uint32_t i = 0; i < list->events.nr; i++)
			if (!list->events.v[i].cgroup)
				set_cgroup(&list->events.v[i], text, strlen(text));
		list->nr_cgroups = list->events.nr;
		return 0;
	}
	for (;; s++) {
		size_t len = strcspn(s, ",");

		if (list->nr_cgroups >= list->events.nr)
			return errbuf_set(eb, -EINVAL,
					  "-G %s: there are more cgroups than events before them (%u); the "
					  "n-th cgroup is for the n-th event",
					  text, list->events.nr);
		set_cgroup(&list->events.v[list->nr_cgroups++], s, len);
		s += len;
		if (!*s)
			return 0;
	}
}
