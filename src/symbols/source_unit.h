/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A source unit: one compilation unit's ranges, functions, inlined calls and lines as flat bytes without pointers: made once from
 * DWARF (dwarf_unit.c), looked up as it lies, stored in the symbol index.
 *
 * Bytes from a file are checked (source_unit_check) before they are looked at.
 */
#ifndef ASSAY_SYMBOLS_SOURCE_UNIT_H
#define ASSAY_SYMBOLS_SOURCE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOURCE_MAX_DEPTH 64 /* functions at one address; deeper ones are cut at the outer end */

struct source_place {
	uint32_t function; /* offset of a NUL-terminated string in the unit; 0: not known */
	uint32_t file;	   /* the same */
	uint32_t line, column;
	bool is_inlined;
};

/* True where the bytes (8-byte aligned) are a unit that lookups can rely on. */
bool source_unit_check(const void *unit, size_t size);
/* Places of an address, innermost first; 0 where the unit does not cover it. */
uint32_t source_unit_find(const void *unit, uint64_t addr, struct source_place *places, uint32_t max);
const char *source_unit_string(const void *unit, uint32_t off);
/* The i-th range [start, end) of addresses that the unit covers; false past the last. */
bool source_unit_range(const void *unit, uint32_t i, uint64_t *start, uint64_t *end);

#endif
