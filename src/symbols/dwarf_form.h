/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The values of DWARF attributes: how each form lies in the bytes, and the tables that say which attributes an entry has
 * (.debug_abbrev).
 */
#ifndef ASSAY_SYMBOLS_DWARF_FORM_H
#define ASSAY_SYMBOLS_DWARF_FORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/vec.h"
#include "symbols/dwarf_file.h"

struct dwarf_encoding {
	uint8_t version;
	uint8_t addr_size;   /* 1, 2, 4 or 8 */
	uint8_t offset_size; /* 4, or 8 in the 64-bit format */
};

/* A value before what it points to was looked up. */
struct dwarf_value {
	uint16_t form;	      /* 0: the attribute is not there */
	uint64_t u;	      /* constant, offset, index, reference; length of a block or string */
	const uint8_t *bytes; /* block and string: where it begins */
};

struct dwarf_attr {
	uint16_t name, form;
	int64_t implicit; /* the value itself, for DW_FORM_implicit_const */
};

struct dwarf_abbrev {
	uint64_t code;
	uint32_t first_attr, nr_attrs;
	uint32_t fixed_bytes; /* of all values together; UINT32_MAX: it depends */
	uint16_t tag;
	bool has_children;
};

/* The table of one unit. */
struct dwarf_abbrevs {
	uint64_t off;
	struct dwarf_encoding enc;
	bool is_dense; /* codes are 1, 2, 3…, as all compilers have them */
	VEC(struct dwarf_abbrev) decls;
	VEC(struct dwarf_attr) attrs;
};

static inline uint64_t dwarf_uleb(struct bytes *b)
{
	uint64_t v = 0;
	unsigned int shift = 0;

	while (b->pos < b->end) {
		uint8_t byte = *b->pos++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
		shift += 7;
	}
	b->failed = true;
	return 0;
}

static inline int64_t dwarf_sleb(struct bytes *b)
{
	uint64_t v = 0;
	unsigned int shift = 0;

	while (b->pos < b->end) {
		uint8_t byte = *b->pos++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80)) {
			if (shift < 64 && (byte & 0x40))
				v |= ~0ULL << shift;
			return (int64_t)v;
		}
	}
	b->failed = true;
	return 0;
}

/* An unsigned number of 1, 2, 3, 4 or 8 bytes. */
uint64_t dwarf_uint(struct bytes *b, unsigned int size);
/* The length at the head of a unit or table, and what it says of the format; false where it is cut. */
bool dwarf_unit_length(struct bytes *b, uint64_t *length, uint8_t *offset_size);

/* Reads one value; false (and b->failed) where it is cut or the form unknown. */
bool dwarf_value_read(struct bytes *b, const struct dwarf_encoding *enc, const struct dwarf_attr *attr, struct dwarf_value *v);
/* Constants of all kinds, as unsigned. */
bool dwarf_value_number(const struct dwarf_value *v, uint64_t *number);

/* Reads the table at an offset of .debug_abbrev. */
int dwarf_abbrevs_load(struct dwarf_abbrevs *t, const struct dwarf_file *d, uint64_t off, const struct dwarf_encoding *enc);
/* Reads no further than the declaration of that code: for the first entry of a unit. */
int dwarf_abbrevs_load_one(struct dwarf_abbrevs *t, const struct dwarf_file *d, uint64_t off, const struct dwarf_encoding *enc,
			   uint64_t code);
void dwarf_abbrevs_fini(struct dwarf_abbrevs *t);
const struct dwarf_abbrev *dwarf_abbrevs_search(const struct dwarf_abbrevs *t, uint64_t code);

static inline const struct dwarf_abbrev *dwarf_abbrevs_find(const struct dwarf_abbrevs *t, uint64_t code)
{
	if (t->is_dense)
		return code - 1 < t->decls.nr ? &t->decls.v[code - 1] : NULL;
	return dwarf_abbrevs_search(t, code);
}

/* Passes over the values of an entry; false where they are cut. */
static inline bool dwarf_abbrev_skip(const struct dwarf_abbrevs *t, const struct dwarf_abbrev *a, struct bytes *b)
{
	struct dwarf_value v;

	if (a->fixed_bytes != UINT32_MAX)
		return bytes_take(b, a->fixed_bytes) != NULL;
	for (uint32_t i = 0; i < a->nr_attrs; i++)
		if (!dwarf_value_read(b, &t->enc, &t->attrs.v[a->first_attr + i], &v))
			return false;
	return true;
}

#endif
