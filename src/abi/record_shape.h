/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of kernel records (types 1–22) that decode, encode and swap walk. For this room alone.
 *
 * RECORD_SAMPLE has no shape: its layout depends on the attr (sample.c).
 */
#ifndef ASSAY_ABI_RECORD_SHAPE_H
#define ASSAY_ABI_RECORD_SHAPE_H

#include <stdint.h>

enum field_kind {
	FIELD_END,
	FIELD_U16,
	FIELD_U32,
	FIELD_U64,
	FIELD_TAG,    /* eight bytes without byte order; a pointer in struct record */
	FIELD_INODE,  /* of MMAP2: maj, min, ino, ino_generation, or a build-id instead */
	FIELD_STRING, /* up to the trailer; a pointer */
	FIELD_READ,   /* by read_format */
	FIELD_ARRAY1, /* a u64 count, in struct record followed by a pointer; items of one u64 */
	FIELD_ARRAY2, /* the same, items of two u64 */
	FIELD_CODE,   /* of TEXT_POKE: as many bytes as its two lengths say; a pointer */
};

struct record_field {
	uint16_t kind;
	uint16_t at; /* offset in struct record */
};

#define RECORD_FIELDS_MAX 10 /* with FIELD_END */

/* NULL for RECORD_SAMPLE, for perf's own and for unknown types. */
const struct record_field *record_shape_find(uint32_t type);

/* Words in an item of FIELD_ARRAY1 and FIELD_ARRAY2. */
static inline unsigned record_field_item_words(const struct record_field *f)
{
	return f->kind == FIELD_ARRAY2 ? 2 : 1;
}

/* In FIELD_INODE with a build-id: its length, three unused bytes, the id. */
#define MMAP_INODE_SIZE 24
#define MMAP_BUILD_ID_OFFSET 4

#endif
