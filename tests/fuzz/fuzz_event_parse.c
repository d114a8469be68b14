/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The event grammar on arbitrary text: it ends, it leaks nothing, and what it takes has a name and,
 * given again, means the same.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/event_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int tracepoint_id(const char *system, const char *name, uint64_t *id, struct errbuf *eb)
{
	if (strlen(system) + strlen(name) > 20)
		return errbuf_set(eb, -ENOENT, "no such tracepoint");
	*id = 1 + strlen(name);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct event_sources sources = { .tracepoint_id = tracepoint_id };
	struct event_list list = { 0 }, again = { 0 };
	struct errbuf eb = { 0 };
	char *text = mem_strndup(size ? (const char *)data : "", size);
	int err = event_list_parse_from(&list, text, &sources, &eb);

	if (err && (list.events.nr || !eb.text[0]))
		abort();
	for (uint32_t i = 0; i < list.events.nr; i++) {
		const struct event_spec *s = &list.events.v[i], *t;

		if (event_list_parse_from(&again, s->name, &sources, NULL) ||
		    again.events.nr != i + 1)
			abort();
		t = &again.events.v[i];
		if (t->attr.type != s->attr.type || t->attr.config != s->attr.config)
			abort();
	}
	event_list_fini(&again);
	event_list_fini(&list);
	free(text);
	return 0;
}
