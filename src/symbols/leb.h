/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * LEB128 on the byte cursor. Bits beyond 64 are dropped; a number that does not end fails the cursor.
 */
#ifndef ASSAY_SYMBOLS_LEB_H
#define ASSAY_SYMBOLS_LEB_H

#include "base/bytes.h"

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

#endif
