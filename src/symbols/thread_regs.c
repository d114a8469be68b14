/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * One small table for each architecture: the order of the kernel's register set, by DWARF number.
 */
#include "symbols/thread_regs.h"

#include <elf.h>
#include <string.h>

#include "base/bytes.h"

#define PC 0xfe	  /* the program counter, which has no number */
#define SKIP 0xff /* not followed: flags, segments, … */

/* struct user_regs_struct: r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di orig_ax ip cs flags
 * sp … */
static const uint8_t x86_64_order[] = {
	15, 14,	  13, 12,   6,	  3, 11,   10,	 9,    8,    0,	   2,	 1,    4,
	5,  SKIP, PC, SKIP, SKIP, 7, SKIP, SKIP, SKIP, SKIP, SKIP, SKIP, SKIP,
};

/* struct user_pt_regs: x0 … x30, sp, pc, pstate */
static const uint8_t arm64_order[] = {
	0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, PC, SKIP,
};

static const uint8_t *order_of(const struct arch_ops *arch, uint32_t *nr)
{
	switch (arch ? arch->elf_machine : EM_NONE) {
	case EM_X86_64:
		*nr = sizeof(x86_64_order);
		return x86_64_order;
	case EM_AARCH64:
		*nr = sizeof(arm64_order);
		return arm64_order;
	default:
		*nr = 0;
		return NULL;
	}
}

uint32_t thread_regs_size(const struct arch_ops *arch)
{
	uint32_t nr;

	order_of(arch, &nr);
	return nr * 8;
}

bool thread_regs_decode(const struct arch_ops *arch, const void *bytes, uint32_t size,
			struct unwind_regs *regs)
{
	struct bytes b = bytes_of(bytes, size, false);
	const uint8_t *order;
	uint32_t nr;

	memset(regs, 0, sizeof(*regs));
	order = order_of(arch, &nr);
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t v = bytes_u64(&b);

		if (order[i] == PC) {
			regs->pc = v;
		} else if (order[i] != SKIP) {
			regs->v[order[i]] = v;
			regs->valid |= UINT64_C(1) << order[i];
		}
	}
	return nr && !b.failed;
}
