/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text of a maps file, line by line, as proc_scan reads it; and lists of CPUs, which come from
 * sysfs and the command line alike.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/cpus.h"
#include "kernel/proc_scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const char *line, size_t len)
{
	/* A copy of its own, so that reads past the end are seen. */
	char *copy = mem_strndup(line, len);
	struct proc_map map;

	len = strlen(copy);
	if (proc_map_parse(copy, len, &map) && (map.end <= map.start || strlen(map.name) > len || (map.prot & ~7u)))
		abort();
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = size ? (const char *)data : "", *end = p + size;
	struct cpu_list cpus = { 0 }, again = { 0 };
	char *text = mem_strndup(p, size);

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end;

		check_line(p, (size_t)(stop - p));
		p = stop + 1;
	}
	if (!cpu_list_parse(&cpus, text, NULL)) {
		char *canonical = cpu_list_format(&cpus);

		if (cpu_list_parse(&again, canonical, NULL) || again.cpus.nr != cpus.cpus.nr)
			abort();
		free(canonical);
	}
	cpu_list_fini(&cpus);
	cpu_list_fini(&again);
	free(text);
	return 0;
}
