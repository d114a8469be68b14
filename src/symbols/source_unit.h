/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A source unit: one compilation unit's ranges, functions, inlined calls and lines (addresses as linked) as flat bytes, made from DWARF or
 * Go's tables and stored in the symbol index. source_unit_check() goes before lookups.
 */
#ifndef ASSAY_SYMBOLS_SOURCE_UNIT_H
#define ASSAY_SYMBOLS_SOURCE_UNIT_H

#include <stdbool.h>

#include "symbols/source_info.h"
#include "base/hash.h"
#include "base/vec.h"

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

/* struct source_builder: collects what is known of a unit in any order and packs it, without overlaps, into the flat form. */

struct source_builder_span {
	uint64_t start, end;
	uint32_t scope;
};

struct source_builder_row {
	uint64_t addr;
	uint32_t file, line;
	uint16_t column;
};

/* Rows [first, first + nr) by address; the last one's line goes to `end`. */
struct source_builder_sequence {
	uint64_t start, end;
	uint32_t first, nr;
};

/* Zeroed, it is empty. */
struct source_builder {
	VEC(struct source_unit_range) ranges;
	VEC(struct source_builder_span) spans;
	VEC(struct source_unit_scope) scopes;
	VEC(struct source_builder_row) rows;
	VEC(struct source_builder_sequence) sequences;
	VEC(char) strings;
	struct hindex string_index;
	uint32_t first_row; /* of the sequence being read */
};

void source_builder_fini(struct source_builder *b);
/* Offset of a string in the unit; 0 for an empty one. */
uint32_t source_builder_string(struct source_builder *b, const char *s, size_t len);
/* Addresses that the unit covers. */
void source_builder_add_range(struct source_builder *b, uint64_t start, uint64_t end);
/* A function (parent SOURCE_NONE), or one that is inlined in another. */
uint32_t source_builder_add_scope(struct source_builder *b, const struct source_unit_scope *scope);
/* Where its code is. Of several at an address the one that begins last counts, then the one that was added last. */
void source_builder_add_span(struct source_builder *b, uint64_t start, uint64_t end, uint32_t scope);
/* The next row of a sequence of lines; addresses do not go down. A row at the address of the one before takes its place. */
void source_builder_add_row(struct source_builder *b, const struct source_builder_row *row);
/* Ends the sequence before `end`. */
void source_builder_end_rows(struct source_builder *b, uint64_t end);
/* Forgets the rows since the last sequence. */
void source_builder_drop_rows(struct source_builder *b);

/* The unit, malloc'd. A unit without ranges covers what its functions and lines do. NULL where nothing is known. */
void *source_builder_finish(struct source_builder *b, size_t *size);

/* A source map: which unit covers which addresses, as flat bytes. */

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

#endif
