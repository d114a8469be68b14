/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A bounded cursor over untrusted bytes. Reads past the end give zero and set `failed`, which is checked once a structure.
 */
#ifndef ASSAY_BASE_BYTES_H
#define ASSAY_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *pos;
	const uint8_t *end;
	bool swap;
	bool failed;
};

static inline struct bytes bytes_of(const void *data, size_t size, bool swap)
{
	const uint8_t *p = data;
	return (struct bytes){ .pos = p, .end = size ? p + size : p, .swap = swap };
}

static inline size_t bytes_left(const struct bytes *b)
{
	return (size_t)(b->end - b->pos);
}

/* The next `size` bytes, or NULL (and `failed`) where there are fewer. */
static inline const void *bytes_take(struct bytes *b, size_t size)
{
	const void *p = b->pos;

	if (b->failed || bytes_left(b) < size) {
		b->failed = true;
		return NULL;
	}
	b->pos += size;
	return p;
}

static inline uint8_t bytes_u8(struct bytes *b)
{
	const uint8_t *p = bytes_take(b, 1);
	return p ? *p : 0;
}

#define DEFINE_BYTES(bits)                                                                                                                 \
	static inline uint##bits##_t bytes_u##bits(struct bytes *b)                                                                        \
	{                                                                                                                                  \
		const void *p = bytes_take(b, bits / 8);                                                                                   \
		uint##bits##_t v = 0;                                                                                                      \
                                                                                                                                           \
		if (p)                                                                                                                     \
			memcpy(&v, p, bits / 8);                                                                                           \
		return b->swap ? __builtin_bswap##bits(v) : v;                                                                             \
	}
DEFINE_BYTES(16)
DEFINE_BYTES(32)
DEFINE_BYTES(64)

/* True if `count` items of `item_size` bytes are left; by division, so that a hostile count cannot overflow. Sets `failed` otherwise. */
static inline bool bytes_has(struct bytes *b, uint64_t count, size_t item_size)
{
	if (!b->failed && count <= bytes_left(b) / item_size)
		return true;
	b->failed = true;
	return false;
}

/* The string in a field of `size` bytes, past which the cursor moves. NULL where the field is cut or has no NUL. */
static inline const char *bytes_str(struct bytes *b, size_t size)
{
	const char *p = bytes_take(b, size);

	if (p && !memchr(p, 0, size)) {
		b->failed = true;
		return NULL;
	}
	return p;
}

/* An unsigned number of 1, 2, 3, 4 or 8 bytes; other sizes fail the cursor. */
static inline uint64_t bytes_uint(struct bytes *b, unsigned int size)
{
	const uint8_t *p;

	switch (size) {
	case 1:
		return bytes_u8(b);
	case 2:
		return bytes_u16(b);
	case 3:
		p = bytes_take(b, 3);
		if (!p)
			return 0;
		/* Swapped bytes of a little-endian machine have the most significant byte first, and the other way round. */
		if (b->swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__))
			return (uint64_t)p[0] << 16 | (uint64_t)p[1] << 8 | p[2];
		return (uint64_t)p[2] << 16 | (uint64_t)p[1] << 8 | p[0];
	case 4:
		return bytes_u32(b);
	case 8:
		return bytes_u64(b);
	}
	b->failed = true;
	return 0;
}

/* The same, with the sign of its highest bit. */
static inline int64_t bytes_int(struct bytes *b, unsigned int size)
{
	uint64_t v = bytes_uint(b, size);

	return size && size < 8 && v >> (8 * size - 1) ? (int64_t)(v | ~UINT64_C(0) << 8 * size) : (int64_t)v;
}

/* LEB128. Bits beyond 64 are dropped; a number that does not end fails the cursor. */
static inline __attribute__((always_inline)) uint64_t bytes_leb(struct bytes *b, bool is_signed)
{
	uint64_t v = 0;
	unsigned int shift = 0;

	while (b->pos < b->end && !b->failed) {
		uint8_t byte = *b->pos++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			return is_signed && shift < 64 && byte & 0x40 ? v | ~UINT64_C(0) << shift : v;
	}
	b->failed = true;
	return 0;
}

static inline uint64_t bytes_uleb(struct bytes *b)
{
	return bytes_leb(b, false);
}

static inline int64_t bytes_sleb(struct bytes *b)
{
	return (int64_t)bytes_leb(b, true);
}

/* -1: not a hexadecimal digit. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Bytes of two digits each; false where something else is among them. */
static inline bool hex_bytes(const char *text, size_t nr, uint8_t *bytes)
{
	for (size_t i = 0; i < nr; i++) {
		int high = hex_digit(text[2 * i]), low = high < 0 ? -1 : hex_digit(text[2 * i + 1]);

		if (low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/* The number of 1 to 16 hexadecimal digits at *p, which moves past them; false where there is none. */
static inline bool hex_number(const char **p, const char *end, uint64_t *value)
{
	const char *start = *p;
	int digit;

	*value = 0;
	while (*p < end && (digit = hex_digit(**p)) >= 0) {
		*value = *value << 4 | (unsigned int)digit;
		(*p)++;
	}
	return *p > start && *p - start <= 16;
}

#endif
