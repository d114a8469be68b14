/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct arch_ops of x86_64. Numbers are those of the psABI (DWARF) and of the kernel's asm/perf_regs.h; they are written out here,
 * because a build for another machine reads files of this one.
 */
#include <elf.h>

#include "arch/arch.h"

/* DWARF numbers */
enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15, RIP, NR_REGS };

#define NO ARCH_NO_REG

static const uint8_t dwarf_of_perf[64] = {
	RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP,
	NO,  NO,  NO,  NO,  NO,	 NO,  NO,  NO, /* ip, flags, segments: the ip goes into struct unwind_regs by itself */
	R8,  R9,  R10, R11, R12, R13, R14, R15,
	NO,  NO,  NO,  NO,  NO,	 NO,  NO,  NO,	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
	NO,  NO,  NO,  NO,  NO,	 NO,  NO,  NO,	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
};

/* mov $15, %rax (or %eax); syscall. glibc's has call frame information, musl's and Go's have none. */
static const uint8_t sigreturn_rax[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
static const uint8_t sigreturn_eax[] = { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 };

/* The stack pointer is at the struct ucontext; its registers begin 40 bytes further. */
static const uint16_t sigframe[ARCH_MAX_REGS] = {
	[R8] = 40,   [R9] = 48,	  [R10] = 56,  [R11] = 64,  [R12] = 72,	 [R13] = 80,  [R14] = 88,  [R15] = 96,	[RDI] = 104,
	[RSI] = 112, [RBP] = 120, [RBX] = 128, [RDX] = 136, [RAX] = 144, [RCX] = 152, [RSP] = 160, [RIP] = 168,
};

#define BIT(nr) (UINT64_C(1) << (nr))

const struct arch_ops arch_x86_64 = {
	.name = "x86_64",
	.elf_machine = EM_X86_64,
	.word_bytes = 8,
	.nr_regs = NR_REGS,
	.sp = RSP,
	.fp = RBP,
	.ra = RIP,
	.lr = ARCH_NO_REG,
	.perf_regs = 0xff0fff, /* all but ds, es, fs, gs, which the kernel refuses */
	.perf_pc = 8,
	.dwarf_of_perf = dwarf_of_perf,
	.callee_saved = BIT(RBX) | BIT(RBP) | BIT(RSP) | BIT(R12) | BIT(R13) | BIT(R14) | BIT(R15),
	.sigreturn = { { sigreturn_rax, sizeof(sigreturn_rax) }, { sigreturn_eax, sizeof(sigreturn_eax) } },
	.sigframe = sigframe,
	.sigframe_pc = RIP,
};
