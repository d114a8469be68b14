/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A bounded writer: what does not fit is counted, not written, so that one walk both measures and
 * writes.
 *
 * For this room alone.
 */
#ifndef ASSAY_ABI_PUT_H
#define ASSAY_ABI_PUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

static inline void put_u16(struct put *p, uint16_t v)
{
	put_bytes(p, &v, sizeof(v));
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

#endif
