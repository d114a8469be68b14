/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Writes jitdump records into memory, for tests.
 */
#ifndef ASSAY_TESTS_JITDUMP_WRITER_H
#define ASSAY_TESTS_JITDUMP_WRITER_H

#include <stdint.h>
#include <string.h>

#include "base/out.h"

static inline void dump_u32(struct out *o, uint32_t v)
{
	out_mem(o, &v, sizeof(v));
}

static inline void dump_u64(struct out *o, uint64_t v)
{
	out_mem(o, &v, sizeof(v));
}

static inline void dump_head(struct out *o)
{
	out_init(o, -1);
	dump_u32(o, 0x4a695444);
	dump_u32(o, 1);
	dump_u32(o, 40);
	dump_u32(o, 62);
	dump_u32(o, 0);
	dump_u32(o, 42); /* pid */
	dump_u64(o, 0);
	dump_u64(o, 0);
}

static inline void dump_prefix(struct out *o, uint32_t type, size_t body, uint64_t time_ns)
{
	dump_u32(o, type);
	dump_u32(o, (uint32_t)(16 + body));
	dump_u64(o, time_ns);
}

/* Code of `size` bytes 0x90. */
static inline void dump_load(struct out *o, uint64_t time_ns, uint64_t addr, uint64_t size, uint64_t index, const char *name)
{
	dump_prefix(o, 0, 40 + strlen(name) + 1 + size, time_ns);
	dump_u64(o, 0);
	dump_u64(o, addr);
	dump_u64(o, addr);
	dump_u64(o, size);
	dump_u64(o, index);
	out_mem(o, name, strlen(name) + 1);
	memset(out_room(o, size), 0x90, size);
	out_advance(o, size);
}

static inline void dump_move(struct out *o, uint64_t time_ns, uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	dump_prefix(o, 1, 48, time_ns);
	dump_u64(o, 0);
	dump_u64(o, from);
	dump_u64(o, from);
	dump_u64(o, to);
	dump_u64(o, size);
	dump_u64(o, index);
}

#endif
