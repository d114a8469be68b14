/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Walks over a table with hostile registers and memory: shared by the targets that get at tables by call frame information and by flat
 * bytes. The table's file is mapped from 4 GiB on; below, from 64 KiB on, is code without a table.
 */
#ifndef ASSAY_TESTS_UNWIND_HOSTILE_H
#define ASSAY_TESTS_UNWIND_HOSTILE_H

#include <stdlib.h>
#include <string.h>

#include "symbols/unwind.h"
#include "symbols/unwind_rule.h"

#define HOSTILE_CODE UINT64_C(0x100000000)
#define HOSTILE_STACK UINT64_C(0x7fff00000000)
#define HOSTILE_MAX 256

static bool hostile_find(void *ctx, uint64_t ip, struct unwind_module *m)
{
	if (ip >= HOSTILE_CODE && ip < 2 * HOSTILE_CODE)
		*m = (struct unwind_module){ ctx, HOSTILE_CODE, 2 * HOSTILE_CODE, 0 };
	else if (ip >= 0x10000 && ip < 0x20000)
		*m = (struct unwind_module){ NULL, 0x10000, 0x20000, 0x10000 };
	else
		return false;
	return true;
}

static void hostile_walk(const struct arch_ops *arch, const struct unwind_table *t, uint64_t pc, const uint8_t *data, size_t size)
{
	static struct unwind_cache cache;
	struct unwind_access a = {
		.ctx = (void *)t, .find = hostile_find, .stack = data, .stack_start = HOSTILE_STACK, .stack_size = size
	};
	struct unwind_regs regs = { .pc = pc };
	uint64_t ips[HOSTILE_MAX];
	struct unwind_result walk;
	uint32_t nr;

	for (uint32_t i = 0; i < ARCH_MAX_REGS; i++) {
		/* on the stack, most of them */
		uint8_t b = size ? data[i % size] : 0;

		regs.v[i] = b & 1 ? (uint64_t)b << 56 | b : HOSTILE_STACK + b * UINT64_C(8);
		regs.valid |= (uint64_t)(b % 7 != 0) << i;
	}
	regs.v[arch->sp] = HOSTILE_STACK;
	memset(&cache, 0, sizeof(cache));
	a.cache = size & 1 ? &cache : NULL;
	nr = unwind_walk(arch, &regs, &a, ips, HOSTILE_MAX, &walk);
	if (!nr || nr > HOSTILE_MAX || walk.end == UNWIND_NOT_DONE || walk.end >= UNWIND_NR_ENDS)
		abort();
	if (walk.end == UNWIND_LIMIT && nr != HOSTILE_MAX)
		abort();
}

/* From the rows themselves, and from around them. */
static void hostile_walks(const struct unwind_table *t, const uint8_t *data, size_t size)
{
	const struct arch_ops *archs[] = { &arch_x86_64, &arch_arm64, &arch_i386 };
	uint32_t nr = t->head->nr_rows, step = nr / 32 + 1;

	for (int i = 0; i < 3; i++) {
		for (uint32_t row = 0; row < nr; row += step)
			hostile_walk(archs[i], t, HOSTILE_CODE + t->head->base + t->rows[row].addr, data, size);
		hostile_walk(archs[i], t, 0, data, size);
		hostile_walk(archs[i], t, 0x10008, data, size);
		hostile_walk(archs[i], t, UINT64_MAX, data, size);
	}
}

#endif
