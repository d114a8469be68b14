/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How large a dump must be: as far as the map goes in which the stack is, where that is a stack's
 * own; else one step more than what did not suffice. A dump takes its bytes in the ring whether
 * the stack fills them or not. And who has how much. Nothing is opened here but /proc.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/stack_growth.h"
#include "kernel/proc_scan.h"

#define MAPS_MAX_LINES 16384 /* the drain reads them: it has no time for more */

static const uint32_t sizes[] = { 16384, 32768, STACK_GROWTH_SIZE };

/* From sp to the end of its map; 0: that tells nothing. */
static uint64_t find_reach(uint32_t tid, uint64_t sp)
{
	uint64_t reach = 0;
	char path[40], *line = NULL;
	size_t cap = 0;
	ssize_t len;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", tid);
	f = sp ? fopen(path, "re") : NULL;
	if (!f)
		return 0;
	for (int i = 0; !reach && i < MAPS_MAX_LINES && (len = getline(&line, &cap, f)) > 0; i++) {
		struct proc_map m;

		if (line[len - 1] == '\n')
			line[--len] = '\0';
		if (!proc_map_parse(line, (size_t)len, &m) || sp < m.start || sp >= m.end)
			continue;
		reach = m.end - sp;
		/* Stacks of threads have maps of their own; those of coroutines lie in a heap. */
		if (reach > STACK_GROWTH_SIZE && strcmp(m.name, "[stack]"))
			break;
		free(line);
		fclose(f);
		return reach;
	}
	free(line);
	fclose(f);
	return 0;
}

uint32_t stack_growth_choose_size(const struct growth_wish *w)
{
	uint64_t need = find_reach(w->tid, w->sp);

	if (need <= w->dumped)
		need = w->dumped + 1ull;
	for (uint32_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i] >= need)
			return sizes[i];
	return STACK_GROWTH_SIZE;
}

struct grown_size *grown_sizes_find(const struct grown_sizes *s, uint32_t id)
{
	for (uint32_t i = 0; i < s->nr; i++)
		if (s->v[i].id == id)
			return &s->v[i];
	return NULL;
}

void grown_sizes_set(struct grown_sizes *s, uint32_t id, uint32_t size)
{
	struct grown_size *g = grown_sizes_find(s, id);

	if (!g)
		g = vec_add(s);
	*g = (struct grown_size){ id, size };
}

void grown_sizes_forget(struct grown_sizes *s, uint32_t id)
{
	struct grown_size *g = grown_sizes_find(s, id);

	if (g)
		*g = s->v[--s->nr];
}
