/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A bounded cursor over untrusted bytes. Reads past the end give zero and set `failed`; a parser reads a whole structure and checks
 * `failed` once. `swap`: the bytes are of the other byte order.
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

/* The NUL-terminated string at the cursor inside a field of `size` bytes; the cursor moves past the field. NULL where the field is cut or
 * has no NUL. */
static inline const char *bytes_str(struct bytes *b, size_t size)
{
	const char *p = bytes_take(b, size);

	if (p && !memchr(p, 0, size)) {
		b->failed = true;
		return NULL;
	}
	return p;
}

/* LEB128. Bits beyond 64 are dropped; a number that does not end fails the cursor. */
static inline uint64_t bytes_uleb(struct bytes *b)
{
	uint64_t v = 0;
	unsigned int shift = 0;

	while (b->pos < b->end && !b->failed) {
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

static inline int64_t bytes_sleb(struct bytes *b)
{
	uint64_t v = 0;
	unsigned int shift = 0;

	while (b->pos < b->end && !b->failed) {
		uint8_t byte = *b->pos++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80)) {
			if (shift < 64 && (byte & 0x40))
				v |= ~UINT64_C(0) << shift;
			return (int64_t)v;
		}
	}
	b->failed = true;
	return 0;
}

/* -1: not a hexadecimal digit. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
