/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Digits of numbers, written to a place in a buffer. Numbers are most of what assay prints; copies of a fixed size compile to plain moves, so
 * that more bytes may be written there than the number has digits.
 */
#ifndef ASSAY_BASE_DIGITS_H
#define ASSAY_BASE_DIGITS_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_PAD 24 /* bytes that may be written, whatever the number */

/* "00" to "99" */
extern const char digit_pairs[200 + 1];

static inline size_t digits_decimal_len(uint64_t v)
{
	static const uint64_t powers[] = {
		1,
		10,
		100,
		1000,
		10000,
		100000,
		1000000,
		10000000,
		100000000,
		1000000000,
		10000000000,
		100000000000,
		1000000000000,
		10000000000000,
		100000000000000,
		1000000000000000,
		10000000000000000,
		100000000000000000,
		1000000000000000000,
		10000000000000000000u,
	};
	/* 1233 / 4096 is a little more than the logarithm of 2. */
	uint32_t n = (64 - (uint32_t)__builtin_clzll(v | 1)) * 1233 >> 12;

	return n + (v >= powers[n]) + !v;
}

/* `len` digits, straight to their place: read again from a buffer in pieces of another size, they would have to wait for the writes. */
static inline void digits_decimal(char *to, uint64_t v, size_t len)
{
	char *p = to + len;

	while (v >= 100) {
		p -= 2;
		memcpy(p, digit_pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10)
		memcpy(p - 2, digit_pairs + v * 2, 2);
	else
		p[-1] = (char)('0' + v);
}

/* The eight hex digits of 32 bits, the first in the highest byte: nibbles are spread to bytes, then '0' or 'a' - 10 is added to each. */
static inline uint64_t digits_of_32_bits(uint64_t v)
{
	const uint64_t ones = 0x0101010101010101ULL;
	uint64_t above_nine;

	v = (v | v << 16) & 0x0000ffff0000ffffULL;
	v = (v | v << 8) & 0x00ff00ff00ff00ffULL;
	v = (v | v << 4) & 0x0f0f0f0f0f0f0f0fULL;
	above_nine = (v + 6 * ones) >> 4 & ones;
	return v + '0' * ones + ('a' - '0' - 10) * above_nine;
}

static inline size_t digits_hex_len(uint64_t v)
{
	return v ? (size_t)(67 - __builtin_clzll(v)) / 4 : 1;
}

/* Lower case; returns how many digits it has. */
static inline size_t digits_hex(char *to, uint64_t v)
{
	size_t nr = digits_hex_len(v);
	unsigned __int128 digits = digits_of_32_bits(v >> 32);
	uint64_t text[2];

	digits = (digits << 64 | digits_of_32_bits(v & UINT32_MAX)) << (16 - nr) * 8;
	text[0] = htobe64((uint64_t)(digits >> 64));
	text[1] = htobe64((uint64_t)digits);
	memcpy(to, text, sizeof(text));
	return nr;
}

#endif
