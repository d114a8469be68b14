/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct source_builder: collects what is known of a compilation unit in any order, and packs it into a flat source unit
 * (source_unit.h): overlapping functions and sequences of lines are settled here.
 */
#ifndef ASSAY_SYMBOLS_SOURCE_BUILDER_H
#define ASSAY_SYMBOLS_SOURCE_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "symbols/source_unit.h"

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

#endif
