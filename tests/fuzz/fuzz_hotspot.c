/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a Java virtual machine, or what passes for one, says: its map and its list of compiled methods (symbols/hotspot_map), its counters and its status
 * in /proc (kernel/hotspot).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/hotspot.h"
#include "symbols/hotspot_map.h"

/* The first half is a map, the second a list. */
static void add(struct hotspot_map *m, const char *text, size_t size)
{
	struct hotspot_levels levels = { 0 };

	hotspot_levels_parse(&levels, text + size / 2, size - size / 2);
	for (uint32_t i = 1; i < levels.c1.nr; i++)
		if (levels.c1.v[i - 1] > levels.c1.v[i])
			abort();
	if (!hotspot_map_add(m, text, size / 2, &levels))
		abort();
	hotspot_levels_fini(&levels);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hotspot_map m = { 0 };
	struct hotspot_status status;
	char *text = malloc(size + 1);
	struct symtab *t;
	size_t before;

	memcpy(text, data, size);
	text[size] = 0;
	hotspot_counters_can_attach(text, size);
	if (!hotspot_parse_status(text, &status) && status.ns_pid <= 0)
		abort();
	add(&m, text, size);
	before = m.size;
	/* What is known already changes nothing. */
	if (!hotspot_map_add(&m, m.text, 0, &(struct hotspot_levels){ 0 }) || m.size != before)
		abort();
	t = hotspot_map_symbols(&m);
	for (uint32_t i = 0; i < t->symbols.nr; i++)
		if (!t->symbols.v[i].name[0])
			abort();
	symtab_free(t);
	hotspot_map_fini(&m);
	free(text);
	return 0;
}
