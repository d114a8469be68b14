/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which file was mapped where: the address space of one process (or of the kernel) at the current moment of the stream.
 *
 * `generation` names the contents: equal generations mean equal maps, in one process or two. A fork shares the parent's
 * set until one of them changes (`frozen` sets are never changed; task_table_map() copies), so a call chain that was
 * resolved under a generation need not be resolved again.
 */
#ifndef ASSAY_SESSION_MAPS_H
#define ASSAY_SESSION_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct map {
	uint64_t start, end; /* [start, end) */
	uint64_t pgoff;
	uint32_t dso;
	bool identity; /* addresses of this map are runtime addresses (kernel, JIT, anonymous memory) */
	uint32_t prot, flags; /* PROT_*, MAP_*, as recorded */
	uint64_t ino;
};

struct map_set {
	VEC(struct map) maps; /* sorted, not overlapping */
	uint32_t generation;
	bool frozen;
	bool is_used; /* task_table_forget()'s */
};

/* Adds a map; what it covers of others is cut away. */
void map_set_add(struct map_set *s, const struct map *m);
const struct map *map_set_find(const struct map_set *s, uint64_t ip);
void map_set_fini(struct map_set *s);

/* The address that names a place in the DSO: file offset, or runtime address for identity maps. */
static inline uint64_t map_addr(const struct map *m, uint64_t ip)
{
	return m->identity ? ip : ip - m->start + m->pgoff;
}

#endif
