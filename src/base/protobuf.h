/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writing protocol buffers' wire format into a `struct out`. A message inside of another is written into memory of its own first, since its
 * size precedes it. Zeroes are left out, as in proto3.
 */
#ifndef ASSAY_BASE_PROTOBUF_H
#define ASSAY_BASE_PROTOBUF_H

#include <stdint.h>

#include "base/out.h"

enum protobuf_wire {
	PROTOBUF_VARINT = 0,
	PROTOBUF_BYTES = 2,
};

#define PROTOBUF_MAX_VARINT 10

/* Seven bits a byte, the lowest first. */
static inline void protobuf_varint(struct out *o, uint64_t v)
{
	char *p = out_room(o, PROTOBUF_MAX_VARINT);
	size_t len = 0;

	for (; v >= 0x80; v >>= 7)
		p[len++] = (char)(v | 0x80);
	p[len++] = (char)v;
	out_advance(o, len);
}

static inline void protobuf_tag(struct out *o, uint32_t field, enum protobuf_wire wire)
{
	protobuf_varint(o, (uint64_t)field << 3 | wire);
}

static inline void protobuf_u64(struct out *o, uint32_t field, uint64_t v)
{
	if (!v)
		return;
	protobuf_tag(o, field, PROTOBUF_VARINT);
	protobuf_varint(o, v);
}

/* Negative numbers take ten bytes, as int64 does. */
static inline void protobuf_i64(struct out *o, uint32_t field, int64_t v)
{
	protobuf_u64(o, field, (uint64_t)v);
}

/* Also what is empty: an item of a list counts. */
static inline void protobuf_bytes(struct out *o, uint32_t field, const void *data, size_t size)
{
	protobuf_tag(o, field, PROTOBUF_BYTES);
	protobuf_varint(o, size);
	out_mem(o, data, size);
}

/* A message, or a packed list of numbers, that was written into memory; empties that memory. */
static inline void protobuf_message(struct out *o, uint32_t field, struct out *message)
{
	protobuf_bytes(o, field, message->buf, message->len);
	message->len = 0;
}

#endif
