/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * DWARF's numbers of variable length on the byte cursor. Bits beyond 64 are dropped, a number that does not end fails the cursor.
 */
#ifndef ASSAY_SYMBOLS_CFI_LEB_H
#define ASSAY_SYMBOLS_CFI_LEB_H

#include "base/bytes.h"

static inline uint64_t bytes_uleb(struct bytes *b)
{
	uint64_t v = 0;

	for (unsigned int shift = 0;; shift += 7) {
		uint8_t byte = bytes_u8(b);

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		/* A failed cursor gives zero, which ends it. */
		if (!(byte & 0x80))
			return v;
	}
}

static inline int64_t bytes_sleb(struct bytes *b)
{
	uint64_t v = 0;

	for (unsigned int shift = 0;;) {
		uint8_t byte = bytes_u8(b);

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (shift < 64 && (byte & 0x40))
			v |= ~UINT64_C(0) << shift;
		return (int64_t)v;
	}
}

#endif
