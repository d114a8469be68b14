/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct arch_ops of arm64. DWARF and the kernel's asm/perf_regs.h agree on x0–x30 and sp; the program counter has bit 32 there and no
 * number in DWARF.
 */
#include <elf.h>

#include "arch/arch.h"

enum { X19 = 19, X29 = 29, LR = 30, SP = 31, NR_REGS, PC = NR_REGS /* ours, in signal frames only */ };

#define NO ARCH_NO_REG

/* clang-format off */
static const uint8_t dwarf_of_perf[64] = {
	0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
};
/* clang-format on */

/* struct user_pt_regs: x0 … x30, sp, pc, pstate */
/* clang-format off */
static const char *const probe_regs[NR_REGS] = {
	"x0",
	"x1",
	"x2",
	"x3",
	"x4",
	"x5",
	"x6",
	"x7",
	"x8",
	"x9",
	"x10",
	"x11",
	"x12",
	"x13",
	"x14",
	"x15",
	"x16",
	"x17",
	"x18",
	"x19",
	"x20",
	"x21",
	"x22",
	"x23",
	"x24",
	"x25",
	"x26",
	"x27",
	"x28",
	"x29",
	"x30",
	"sp",
};

static const uint8_t thread_regs[] = {
	0,  1,	2,  3,	4,  5,	6,  7,	8,  9,	10, 11, 12, 13, 14, 15,		    16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, ARCH_THREAD_PC, NO,
};
/* clang-format on */

/* mov x8, #139; svc #0: in the vdso. Its call frame information, where it has any, describes x29 and x30 only. */
static const uint8_t sigreturn[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };

/* From the stack pointer: 128 bytes of siginfo, 176 of struct ucontext up to its registers, 8 of the fault address. */
#define X(nr) [nr] = 312 + 8 * (nr)
/* clang-format off */
static const uint16_t sigframe[ARCH_MAX_REGS] = {
	X(0),  X(1),  X(2),  X(3),  X(4),  X(5),  X(6),	 X(7),	X(8),  X(9),  X(10), X(11), X(12), X(13), X(14), X(15), X(16),
	X(17), X(18), X(19), X(20), X(21), X(22), X(23), X(24), X(25), X(26), X(27), X(28), X(29), X(30), X(31), X(PC),
};
/* clang-format on */

/* The signed field of `bits` bits from bit `from` on, in bytes. */
static int64_t branch_distance(uint32_t word, unsigned int from, unsigned int bits)
{
	return (int64_t)((int32_t)(word << (32 - from - bits)) >> (32 - bits)) * 4;
}

static bool call_before(const uint8_t *code, size_t size, struct arch_call *call)
{
	uint32_t word = size >= 4 ? arch_code_u32(code + size - 4) : 0;

	*call = (struct arch_call){ .size_bytes = 4 };
	if ((word & 0xfffffc1f) == 0xd63f0000 || (word & 0xfefff800) == 0xd63f0800) /* blr; blraa, blrab and the like */
		return true;
	if ((word & 0xfc000000) != 0x94000000) /* bl */
		return false;
	call->is_direct = true;
	call->distance = branch_distance(word, 0, 26) - 4;
	return true;
}

static bool may_jump(const uint8_t *code, size_t size, int64_t from, int64_t to)
{
	for (size_t i = 0; i + 4 <= size; i += 4) {
		uint32_t word = arch_code_u32(code + i);
		int64_t target = from - 1; /* none */

		if ((word & 0xfffffc1f) == 0xd61f0000 || (word & 0xfefff800) == 0xd61f0800) /* br; braa, brab and the like */
			return true;
		if ((word & 0xfc000000) == 0x14000000) /* b */
			target = (int64_t)i + branch_distance(word, 0, 26);
		else if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) /* b.cond, cbz */
			target = (int64_t)i + branch_distance(word, 5, 19);
		else if ((word & 0x7e000000) == 0x36000000) /* tbz */
			target = (int64_t)i + branch_distance(word, 5, 14);
		if (target >= from && target < to)
			return true;
	}
	return false;
}

/* Results and first arguments are in the same register. */
static size_t result_passed(const uint8_t *code, size_t size)
{
	(void)code;
	(void)size;
	return 0;
}

/* Moves from and to the stack pointer are additions of 0. */
static bool sp_use(const uint8_t *code, size_t size, struct arch_sp_use *use)
{
	uint32_t word = size >= 4 ? arch_code_u32(code) : 0, from = word >> 5 & 31, to = word & 31;
	bool adds = (word & 0x7f800000) == 0x11000000 || (word & 0x7f800000) == 0x51000000; /* add, sub of a number */
	bool ands = (word & 0xff800000) == 0x92000000;

	*use = (struct arch_sp_use){ .size_bytes = 4, .reg = ARCH_NO_REG };
	if ((word & 0xffffffe0) == 0x910003e0 && to >= X19 && to < X29) {
		use->is_copy = true;
		use->reg = (uint8_t)to;
		return true;
	}
	if (to != SP || from == SP || !(adds || ands))
		return false;
	if ((word & 0xfffffc00) == 0x91000000)
		use->reg = (uint8_t)from;
	return true;
}

const struct arch_ops arch_arm64 = {
	.name = "aarch64",
	.elf_machine = EM_AARCH64,
	.word_bytes = 8,
	.nr_regs = NR_REGS,
	.probe_regs = probe_regs,
	.arg_regs = { 0, 1, 2, 3, 4, 5, 6, 7 },
	.nr_arg_regs = 8,
	.sp = SP,
	.fp = X29,
	.ra = LR,
	.lr = LR,
	.perf_regs = (UINT64_C(1) << 33) - 1,
	.perf_pc = 32,
	.dwarf_of_perf = dwarf_of_perf,
	.thread_regs = thread_regs,
	.nr_thread_regs = sizeof(thread_regs),
	/* x19–x29 and sp */
	.callee_saved = (UINT64_C(1) << SP) | (((UINT64_C(1) << (X29 - X19 + 1)) - 1) << X19),
	/* Signatures fill the bits above the address space: 48 bits on what distributions build, 39 on small systems. */
	.pc_mask = (UINT64_C(1) << 48) - 1,
	.pc_mask_narrow = (UINT64_C(1) << 39) - 1,
	.sigreturn = { { sigreturn, sizeof(sigreturn) } },
	.sigframe = sigframe,
	.sigframe_pc = PC,
	.sigframe_first = true,
	.call_before = call_before,
	.may_jump = may_jump,
	.result_passed = result_passed,
	.sp_use = sp_use,
};
