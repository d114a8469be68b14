/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A span of whole records in two parts, as a ring has them where its end cuts it.
 */
#ifndef ASSAY_CAPTURE_RING_SPAN_H
#define ASSAY_CAPTURE_RING_SPAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/record.h"

struct ring_span {
	const uint8_t *a, *b;
	size_t a_size, size;
};

/* Headers are 8 bytes at multiples of 8, and so are the parts' sizes: they are never cut. */
static inline const struct record_header *ring_span_header(const struct ring_span *s, size_t off)
{
	return (const void *)(off < s->a_size ? s->a + off : s->b + (off - s->a_size));
}

static inline void ring_span_copy(const struct ring_span *s, size_t off, void *to, size_t size)
{
	size_t in_a = off < s->a_size ? s->a_size - off : 0;

	if (in_a > size)
		in_a = size;
	if (in_a)
		memcpy(to, s->a + off, in_a);
	if (size > in_a)
		memcpy((uint8_t *)to + in_a, s->b + (off + in_a - s->a_size), size - in_a);
}

#endif
