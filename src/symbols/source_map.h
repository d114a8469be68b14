/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A source map: which compilation unit covers which addresses, as flat bytes: made from DWARF once, kept in the symbol index.
 */
#ifndef ASSAY_SYMBOLS_SOURCE_MAP_H
#define ASSAY_SYMBOLS_SOURCE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_map_item {
	uint64_t start, end; /* as linked */
	uint64_t unit;	     /* its offset in .debug_info */
};

/* Sorts the items, settles overlaps (the one that begins last counts) and packs them; malloc'd. */
void *source_map_pack(struct source_map_item *items, uint32_t nr, size_t *size);
/* True where the bytes (8-byte aligned) can be relied on. */
bool source_map_check(const void *map, size_t size);
/* The unit of an address. */
bool source_map_find(const void *map, uint64_t addr, uint64_t *unit);
uint32_t source_map_nr(const void *map);

#endif
