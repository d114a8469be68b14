/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A bounded cursor that turns what it passes from the other byte order into ours, in place.
 *
 * For this room alone. Every step returns false, and moves nothing, where the bytes do not suffice.
 */
#ifndef ASSAY_ABI_SWAP_H
#define ASSAY_ABI_SWAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

static inline bool swap_u16(struct swap *s, uint16_t *value)
{
	uint16_t v;

	if (swap_left(s) < sizeof(v))
		return false;
	memcpy(&v, s->pos, sizeof(v));
	v = __builtin_bswap16(v);
	memcpy(s->pos, &v, sizeof(v));
	s->pos += sizeof(v);
	*value = v;
	return true;
}

static inline bool swap_u32(struct swap *s, uint32_t *value)
{
	uint32_t v;

	if (swap_left(s) < sizeof(v))
		return false;
	memcpy(&v, s->pos, sizeof(v));
	v = __builtin_bswap32(v);
	memcpy(s->pos, &v, sizeof(v));
	s->pos += sizeof(v);
	*value = v;
	return true;
}

static inline bool swap_u64(struct swap *s, uint64_t *value)
{
	uint64_t v;

	if (swap_left(s) < sizeof(v))
		return false;
	memcpy(&v, s->pos, sizeof(v));
	v = __builtin_bswap64(v);
	memcpy(s->pos, &v, sizeof(v));
	s->pos += sizeof(v);
	*value = v;
	return true;
}

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

#endif
