/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct arch_ops of 32-bit x86, which a 64-bit kernel runs as well: samples of such a program have the same registers under the same
 * bits of asm/perf_regs.h, and the ABI 32.
 */
#include <elf.h>

#include "arch/arch.h"

/* DWARF numbers */
enum { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI, EIP, NR_REGS };

#define NO ARCH_NO_REG

static const uint8_t dwarf_of_perf[64] = {
	EAX, EBX, ECX, EDX, ESI, EDI, EBP, ESP, NO, NO, NO, NO, NO, NO, NO, NO,
	NO,  NO,  NO,  NO,  NO,	 NO,  NO,  NO,	NO, NO, NO, NO, NO, NO, NO, NO,
	NO,  NO,  NO,  NO,  NO,	 NO,  NO,  NO,	NO, NO, NO, NO, NO, NO, NO, NO,
	NO,  NO,  NO,  NO,  NO,	 NO,  NO,  NO,	NO, NO, NO, NO, NO, NO, NO, NO,
};

/* mov $173, %eax; int $0x80. The vdso's has call frame information, musl's has none. */
static const uint8_t sigreturn[] = { 0xb8, 0xad, 0, 0, 0, 0xcd, 0x80 };

/* The stack pointer is at the handler's arguments: number, siginfo and ucontext. The registers of the latter are 160 bytes further. */
static const uint16_t sigframe[ARCH_MAX_REGS] = {
	[EDI] = 176, [ESI] = 180, [EBP] = 184, [ESP] = 188, [EBX] = 192, [EDX] = 196, [ECX] = 200, [EAX] = 204, [EIP] = 216,
};

#define BIT(nr) (UINT64_C(1) << (nr))

const struct arch_ops arch_i386 = {
	.name = "i386",
	.elf_machine = EM_386,
	.word_bytes = 4,
	.nr_regs = NR_REGS,
	.sp = ESP,
	.fp = EBP,
	.ra = EIP,
	.lr = ARCH_NO_REG,
	.perf_regs = 0xfff,
	.perf_pc = 8,
	.dwarf_of_perf = dwarf_of_perf,
	.callee_saved = BIT(EBX) | BIT(EBP) | BIT(ESP) | BIT(ESI) | BIT(EDI),
	.sigreturn = { { sigreturn, sizeof(sigreturn) } },
	.sigframe = sigframe,
	.sigframe_pc = EIP,
};
