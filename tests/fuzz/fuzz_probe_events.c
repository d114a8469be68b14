/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * kernel/probe_events: any text as uprobe_events and kprobe_events, and as error_log. What is understood is written as it was read.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/probe_events.h"

static void check(const char *text, size_t size, bool is_kernel)
{
	struct probe_list l = { 0 };
	uint32_t nr;

	probe_list_parse(&l, text, size, is_kernel);
	nr = l.events.nr;
	for (uint32_t i = 0; i < nr; i++) {
		char *line = probe_event_line(&l.events.v[i]), *again;
		struct probe_list one = { 0 };

		probe_list_parse(&one, line, strlen(line), is_kernel);
		if (one.events.nr != 1)
			abort();
		again = probe_event_line(&one.events.v[0]);
		if (strcmp(line, again) != 0)
			abort();
		free(again);
		free(line);
		probe_list_fini(&one);
	}
	probe_list_sort(&l);
	probe_list_fini(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Without a NUL behind it, so that a read past the end is seen. */
	char *text = malloc(size ? size : 1), *line;
	const char *found, *stop;
	size_t len, column;

	memcpy(text, data, size);
	check(text, size, false);
	check(text, size, true);
	stop = memchr(text, '\n', size);
	line = strndup(text, stop ? (size_t)(stop - text) : size);
	found = probe_find_log_entry(text, size, line, &len, &column);
	if (found && (found < text || found > text + size || len > (size_t)(text + size - found)))
		abort();
	free(line);
	free(text);
	return 0;
}
