/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Three bytes are four letters.
 */
#include "base/base64.h"

void base64_put(struct out *o, const void *bytes, size_t size)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *b = bytes;

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		uint32_t three = (uint32_t)b[i] << 16 | (left > 1 ? (uint32_t)b[i + 1] << 8 : 0) | (left > 2 ? b[i + 2] : 0);
		char *to = out_room(o, 4);

		to[0] = letters[three >> 18];
		to[1] = letters[three >> 12 & 63];
		to[2] = left > 1 ? letters[three >> 6 & 63] : '=';
		to[3] = left > 2 ? letters[three & 63] : '=';
		out_advance(o, 4);
	}
}
