/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What decoding, encoding and swapping of samples and records share. Private to abi.
 *
 * A sample is: the head fields; READ, CALLCHAIN, RAW, BRANCH_STACK, REGS_USER, STACK_USER; the cost fields; REGS_INTR; the place fields;
 * AUX. Other records are rows of a table of fields.
 */
#ifndef ASSAY_ABI_CODEC_H
#define ASSAY_ABI_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/sample.h"

/* A bounded writer: what does not fit is counted, not written, so that one pass both measures and writes. */
struct put {
	uint8_t *buf;
	size_t cap;
	size_t len; /* may pass cap: then the output is cut */
};

static inline void put_bytes(struct put *p, const void *data, size_t size)
{
	if (size && p->len <= p->cap && size <= p->cap - p->len)
		memcpy(p->buf + p->len, data, size);
	p->len += size;
}

static inline void put_u32(struct put *p, uint32_t v)
{
	put_bytes(p, &v, sizeof(v));
}

static inline void put_u64(struct put *p, uint64_t v)
{
	put_bytes(p, &v, sizeof(v));
}

static inline void put_align8(struct put *p)
{
	uint64_t zero = 0;

	put_bytes(p, &zero, -p->len & 7);
}

/* A bounded cursor that swaps the byte order of what it passes, in place. Every step returns false, and changes nothing, at the end. */
struct swap {
	uint8_t *pos;
	uint8_t *end;
};

static inline struct swap swap_of(void *data, size_t size)
{
	uint8_t *p = data;
	return (struct swap){ .pos = p, .end = p + size };
}

static inline size_t swap_left(const struct swap *s)
{
	return (size_t)(s->end - s->pos);
}

static inline bool swap_skip(struct swap *s, uint64_t size)
{
	if (size > swap_left(s))
		return false;
	s->pos += size;
	return true;
}

#define DEFINE_SWAP(bits)                                                                                                                  \
	static inline bool swap_u##bits(struct swap *s, uint##bits##_t *value)                                                             \
	{                                                                                                                                  \
		if (swap_left(s) < sizeof(*value))                                                                                         \
			return false;                                                                                                      \
		memcpy(value, s->pos, sizeof(*value));                                                                                     \
		*value = __builtin_bswap##bits(*value);                                                                                    \
		memcpy(s->pos, value, sizeof(*value));                                                                                     \
		s->pos += sizeof(*value);                                                                                                  \
		return true;                                                                                                               \
	}
DEFINE_SWAP(16)
DEFINE_SWAP(32)
DEFINE_SWAP(64)

/* One number of 1, 2, 4 or 8 bytes whose value does not matter. */
static inline bool swap_width(struct swap *s, unsigned width)
{
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (width) {
	case 8:
		return swap_u64(s, &v64);
	case 4:
		return swap_u32(s, &v32);
	case 2:
		return swap_u16(s, &v16);
	default:
		return swap_skip(s, width);
	}
}

/* `count` numbers; the count may be hostile. */
static inline bool swap_widths(struct swap *s, uint64_t count, unsigned width)
{
	if (count > swap_left(s) / width)
		return false;
	while (count--)
		swap_width(s, width);
	return true;
}

static inline bool swap_u64s(struct swap *s, uint64_t count)
{
	return swap_widths(s, count, 8);
}

/* An attr of `size` bytes (at least ATTR_SIZE_VER0) with its bit-fields, in attr.c. */
void attr_swap(void *attr, size_t size);

/* U64(bit, member), U32X2(bit, member, member), U32(bit, member) and four bytes unused. */
#define SAMPLE_HEAD_FIELDS(U64, U32X2, U32)                                                                                                \
	U64(SAMPLE_IDENTIFIER, id)                                                                                                         \
	U64(SAMPLE_IP, ip)                                                                                                                 \
	U32X2(SAMPLE_TID, pid, tid)                                                                                                        \
	U64(SAMPLE_TIME, time_ns)                                                                                                          \
	U64(SAMPLE_ADDR, addr)                                                                                                             \
	U64(SAMPLE_ID, id)                                                                                                                 \
	U64(SAMPLE_STREAM_ID, stream_id)                                                                                                   \
	U32(SAMPLE_CPU, cpu)                                                                                                               \
	U64(SAMPLE_PERIOD, period)

/* The kernel refuses both kinds of weight at once; there is one word for them. Its parts are declared per byte order, so that the whole
 * word swaps as a number; data_src likewise. */
#define SAMPLE_COST_FIELDS(U64)                                                                                                            \
	U64(SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT, weight)                                                                                  \
	U64(SAMPLE_DATA_SRC, data_src)                                                                                                     \
	U64(SAMPLE_TRANSACTION, transaction)

#define SAMPLE_PLACE_FIELDS(U64)                                                                                                           \
	U64(SAMPLE_PHYS_ADDR, phys_addr)                                                                                                   \
	U64(SAMPLE_CGROUP, cgroup)                                                                                                         \
	U64(SAMPLE_DATA_PAGE_SIZE, data_page_size)                                                                                         \
	U64(SAMPLE_CODE_PAGE_SIZE, code_page_size)

#define SAMPLE_HEAD_BITS                                                                                                                   \
	(SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_PERIOD)
#define SAMPLE_BLOCK_BITS                                                                                                                  \
	(SAMPLE_READ | SAMPLE_CALLCHAIN | SAMPLE_RAW | SAMPLE_BRANCH_STACK | SAMPLE_REGS_USER | SAMPLE_STACK_USER | SAMPLE_REGS_INTR |     \
	 SAMPLE_AUX)
#define SAMPLE_COST_BITS (SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT | SAMPLE_DATA_SRC | SAMPLE_TRANSACTION)
#define SAMPLE_PLACE_BITS (SAMPLE_PHYS_ADDR | SAMPLE_CGROUP | SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE)
_Static_assert((SAMPLE_HEAD_BITS | SAMPLE_BLOCK_BITS | SAMPLE_COST_BITS | SAMPLE_PLACE_BITS) == SAMPLE_ALL,
	       "every sample_type bit has a codec");

/* Words in one item of a READ group. */
static inline unsigned sample_read_item_words(uint64_t format)
{
	return 1 + !!(format & READ_ID) + !!(format & READ_LOST);
}

/* Words of the times, which follow the value (single) or the count (group). */
static inline unsigned sample_read_time_words(uint64_t format)
{
	return !!(format & READ_TOTAL_TIME_ENABLED) + !!(format & READ_TOTAL_TIME_RUNNING);
}

/* READ inside samples and in RECORD_READ; false where it does not fit. */
bool sample_read_decode(const struct sample_layout *l, struct bytes *b, struct sample_read *r);
void sample_read_encode(const struct sample_layout *l, struct put *p, const struct sample_read *r);

/* A field of a kernel record: how it is stored, and where it goes in struct record. */
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
