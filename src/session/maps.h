/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which file was mapped where: the address space of one process (or of the kernel) at the current moment of the stream.
 *
 * `generation` names the contents: equal generations mean equal maps, in one process or two. A fork shares the parent's
 * set until one of them changes (`frozen` sets are never changed; task_table_map() goes on with a successor), so a call chain that was
 * resolved under a generation need not be resolved again.
 *
 * A successor shares with the frozen set all but what changed, so that it costs the logarithm of the number of maps, in time and memory:
 * a recording may have a process of a hundred thousand maps and a fork behind each.
 */
#ifndef ASSAY_SESSION_MAPS_H
#define ASSAY_SESSION_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/vec.h"

struct map {
	uint64_t start, end; /* [start, end) */
	uint64_t pgoff;
	uint32_t dso;
	bool identity; /* addresses of this map are runtime addresses (kernel, JIT, anonymous memory) */
	uint32_t prot, flags; /* PROT_*, MAP_*, as recorded */
	uint64_t ino;
};

struct map_node;

/* Where the nodes of sets live that may share some. A zeroed struct is an empty pool. */
struct map_pool {
	VEC(struct map_node *) chunks;
	struct map_node *spare; /* by their `left` */
	uint32_t nr_in_chunk;	/* of the last one that were ever used */
	uint32_t last_owner;
	uint32_t nr_made;
	struct budget *memory; /* what nodes are taken from, borrowed; NULL: nothing limits them */
};

struct map_set {
	struct map_pool *pool; /* set before the first map is added; outlives the set */
	struct map_node *root; /* sorted, not overlapping */
	uint32_t owner;	       /* of nodes that only this set has */
	uint32_t generation;
	bool frozen;
	bool is_used; /* task_table_forget()'s */
};

/* Adds a map; what it covers of others is cut away. */
void map_set_add(struct map_set *s, const struct map *m);
const struct map *map_set_find(const struct map_set *s, uint64_t ip);
uint32_t map_set_nr(const struct map_set *s);
/* By place in the order of addresses, below map_set_nr(). */
const struct map *map_set_at(const struct map_set *s, uint32_t i);
/* The maps of a frozen set, to be changed from there on. */
struct map_set map_set_successor(const struct map_set *frozen);

/* Lets go of what belongs to none of these sets, which are all that are in use. */
void map_pool_keep(struct map_pool *p, struct map_set *const *sets, uint32_t nr);
void map_pool_fini(struct map_pool *p);

/* The address that names a place in the DSO: file offset, or runtime address for identity maps. */
static inline uint64_t map_addr(const struct map *m, uint64_t ip)
{
	return m->identity ? ip : ip - m->start + m->pgoff;
}

#endif
