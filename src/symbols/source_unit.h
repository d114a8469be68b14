/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A source unit: one compilation unit's ranges, functions, inlined calls and lines as flat bytes without pointers: made once from
 * DWARF (dwarf_read.c, through source_builder.h), looked up as it lies, stored in the symbol index. Addresses are as linked.
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

/* How the bytes lie; the arrays follow the head in this order. */
/* Another number whenever units come out differently, be it only in their contents: old ones are in the index. */
#define SOURCE_UNIT_MAGIC 0x32554153U /* "SAU2" */
#define SOURCE_NONE UINT32_MAX

struct source_unit_head {
	uint32_t magic;
	uint32_t strings_bytes; /* the first byte and the last are NUL */
	uint64_t base;		/* addresses below are relative to it */
	uint32_t nr_ranges, nr_spans, nr_scopes, nr_rows;
};

struct source_unit_range {
	uint64_t start, end;
};

/* From here to the next one's start the innermost function is `scope`. */
struct source_unit_span {
	uint32_t start, scope; /* SOURCE_NONE: no function */
};

struct source_unit_scope {
	uint32_t parent; /* smaller than its own index; SOURCE_NONE: a function that was really called */
	uint32_t function;
	uint32_t call_file, call_line, call_column; /* where the parent calls it */
};

/* From here to the next one's start. */
struct source_unit_row {
	uint32_t start, file, line;
	uint16_t column;
	uint16_t is_end; /* there is no line from here on */
};

#endif
