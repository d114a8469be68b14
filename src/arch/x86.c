/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct arch_ops of x86_64, and of its 32-bit programs, whose samples have the same registers under the same bits of asm/perf_regs.h.
 * Numbers are those of the psABI (DWARF) and of asm/perf_regs.h; they are written out here, because a build for another machine reads files
 * of this one.
 */
#include <elf.h>

#include "arch/arch.h"

/* DWARF numbers */
enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15, RIP, NR_REGS };

#define NO ARCH_NO_REG

/* clang-format off */
static const uint8_t dwarf_of_perf[64] = {
	RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP,
	NO,  NO,  NO,  NO,  NO,	 NO,  NO,  NO, /* ip, flags, segments: the ip goes into struct unwind_regs by itself */
	R8,  R9,  R10, R11, R12, R13, R14, R15,
	NO,  NO,  NO,  NO,  NO,	 NO,  NO,  NO,	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
	NO,  NO,  NO,  NO,  NO,	 NO,  NO,  NO,	NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
};
/* clang-format on */

/* struct user_regs_struct: r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di orig_ax ip cs flags sp … */
/* clang-format off */
static const char *const probe_regs[NR_REGS] = {
	[RAX] = "ax", [RDX] = "dx", [RCX] = "cx", [RBX] = "bx",	  [RSI] = "si",	  [RDI] = "di",	  [RBP] = "bp",	  [RSP] = "sp",	 [R8] = "r8",
	[R9] = "r9",  [R10] = "r10", [R11] = "r11", [R12] = "r12", [R13] = "r13", [R14] = "r14", [R15] = "r15", [RIP] = "ip",
};

static const uint8_t thread_regs[] = {
	R15, R14, R13, R12,	       RBP, RBX, R11, R10, R9, R8, RAX, RCX, RDX, RSI,
	RDI, NO,  ARCH_THREAD_PC, NO, NO,	RSP, NO,  NO,  NO, NO, NO,  NO,	 NO,
};
/* clang-format on */

/* mov $15, %rax (or %eax); syscall. glibc's has call frame information, musl's and Go's have none. */
static const uint8_t sigreturn_rax[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
static const uint8_t sigreturn_eax[] = { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 };

/* The stack pointer is at the struct ucontext; its registers begin 40 bytes further. */
/* clang-format off */
static const uint16_t sigframe[ARCH_MAX_REGS] = {
	[R8] = 40,   [R9] = 48,	  [R10] = 56,  [R11] = 64,  [R12] = 72,	 [R13] = 80,  [R14] = 88,  [R15] = 96,	[RDI] = 104,
	[RSI] = 112, [RBP] = 120, [RBX] = 128, [RDX] = 136, [RAX] = 144, [RCX] = 152, [RSP] = 160, [RIP] = 168,
};
/* clang-format on */

#define CALL_RELATIVE 0xe8
#define JUMP_RELATIVE 0xe9
#define JUMP_SHORT 0xeb
#define GROUP_5 0xff /* with 2 in the middle of the next byte an indirect call, with 4 a jump */

static int64_t relative(const uint8_t *at)
{
	return (int32_t)arch_code_u32(at);
}

/* How many bytes an instruction of GROUP_5 has, by its second and third byte; 0: not the one of that number. */
static size_t group_size(const uint8_t *code, unsigned int number)
{
	uint8_t mod = code[1] >> 6, rm = code[1] & 7;
	size_t sib = mod != 3 && rm == 4;

	if (code[0] != GROUP_5 || (code[1] >> 3 & 7) != number)
		return 0;
	if (mod == 3)
		return 2;
	if (mod == 0)
		return (rm == 5 ? 6 : 2 + sib) + (sib && (code[2] & 7) == 5 ? 4 : 0);
	return 2 + sib + (mod == 1 ? 1 : 4);
}

static bool call_before(const uint8_t *code, size_t size, struct arch_call *call)
{
	for (size_t back = 2; back <= 7 && back <= size; back++) {
		uint8_t bytes[3] = { code[size - back], code[size - back + 1], back > 2 ? code[size - back + 2] : 0 };

		if (bytes[0] == GROUP_5 && group_size(bytes, 2) == back) {
			*call = (struct arch_call){ .size_bytes = (uint8_t)back };
			return true;
		}
	}
	if (size < 5 || code[size - 5] != CALL_RELATIVE)
		return false;
	*call = (struct arch_call){ 5, true, relative(code + size - 4) };
	return true;
}

/* Byte by byte: instructions are not decoded, so that more may be found than there are, but none is missed. */
static bool may_jump(const uint8_t *code, size_t size, int64_t from, int64_t to)
{
	for (size_t i = 0; i + 2 <= size; i++) {
		uint8_t bytes[3] = { code[i], code[i + 1], i + 2 < size ? code[i + 2] : 0 };
		int64_t target = from - 1; /* none */

		if (group_size(bytes, 4))
			return true;
		if (code[i] == JUMP_SHORT || (code[i] & 0xf0) == 0x70)
			target = (int64_t)i + 2 + (int8_t)code[i + 1];
		else if (i + 5 <= size && code[i] == JUMP_RELATIVE)
			target = (int64_t)i + 5 + relative(code + i + 1);
		else if (i + 6 <= size && code[i] == 0x0f && (code[i + 1] & 0xf0) == 0x80)
			target = (int64_t)i + 6 + relative(code + i + 2);
		if (target >= from && target < to)
			return true;
	}
	return false;
}

/* mov %eax, %edi or mov %rax, %rdi */
static size_t result_passed(const uint8_t *code, size_t size)
{
	size_t wide = size >= 3 && code[0] == 0x48;

	return size >= 2 + wide && code[wide] == 0x89 && code[wide + 1] == 0xc7 ? 2 + wide : 0;
}

#define BIT(nr) (UINT64_C(1) << (nr))
#define CALLEE_SAVED (BIT(RBX) | BIT(RBP) | BIT(RSP) | BIT(R12) | BIT(R13) | BIT(R14) | BIT(R15))

#define REX_W 0x48
#define REX_R 4
#define REX_B 1
#define MOV_FROM_REG 0x89
#define MOV_TO_REG 0x8b
#define LEA 0x8d
#define NR_SP 4 /* in instructions */

/* The number that an instruction has for a register. */
static uint8_t dwarf_of_code(unsigned int nr)
{
	static const uint8_t low[] = { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

	return nr < 8 ? low[nr] : (uint8_t)nr;
}

static bool sp_use(const uint8_t *code, size_t size, struct arch_sp_use *use)
{
	unsigned int reg, rm;
	bool is_reg;

	if (size < 4 || (code[0] & ~(REX_R | REX_B)) != REX_W)
		return false;
	reg = (code[2] >> 3 & 7) | (code[0] & REX_R ? 8 : 0);
	rm = (code[2] & 7) | (code[0] & REX_B ? 8 : 0);
	is_reg = code[2] >> 6 == 3;
	*use = (struct arch_sp_use){ .size_bytes = 3, .reg = ARCH_NO_REG };
	if (code[1] == MOV_FROM_REG && is_reg && reg == NR_SP && rm != NR_SP) {
		use->is_copy = true;
		use->reg = dwarf_of_code(rm);
		return CALLEE_SAVED >> use->reg & 1;
	}
	if (code[1] == MOV_FROM_REG && is_reg && rm == NR_SP && reg != NR_SP) {
		use->reg = dwarf_of_code(reg);
		return true;
	}
	/* and $-16, %rsp */
	if (code[0] == REX_W && code[1] == 0x83 && code[2] == 0xe4) {
		use->size_bytes = 4;
		return true;
	}
	/* From memory, with a displacement of one byte: how long others are matters little. */
	if (reg == NR_SP && !is_reg && (code[1] == MOV_TO_REG || (code[1] == LEA && rm != NR_SP))) {
		use->size_bytes = 4;
		return true;
	}
	return false;
}

/* 32-bit programs */
enum { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI, EIP, NR_REGS_32 };

static const char *const probe_regs_32[NR_REGS_32] = { "ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "ip" };

/* clang-format off */
static const uint8_t dwarf_of_perf_32[64] = {
	EAX, EBX, ECX, EDX, ESI, EDI, EBP, ESP, NO, NO, NO, NO, NO, NO, NO, NO,
	NO,  NO,  NO,  NO,  NO,	 NO,  NO,  NO,	NO, NO, NO, NO, NO, NO, NO, NO, NO,  NO,  NO,  NO,  NO,	 NO,  NO,  NO,
	NO,  NO,  NO,  NO,  NO,	 NO,  NO,  NO,	NO, NO, NO, NO, NO, NO, NO, NO, NO,  NO,  NO,  NO,  NO,	 NO,  NO,  NO,
};
/* clang-format on */

/* mov $173, %eax; int $0x80. The vdso's has call frame information, musl's has none. */
static const uint8_t sigreturn_32[] = { 0xb8, 0xad, 0, 0, 0, 0xcd, 0x80 };

/* The stack pointer is at the handler's arguments: number, siginfo and ucontext. The registers of the latter are 160 bytes further. */
/* clang-format off */
static const uint16_t sigframe_32[ARCH_MAX_REGS] = {
	[EDI] = 176, [ESI] = 180, [EBP] = 184, [ESP] = 188, [EBX] = 192, [EDX] = 196, [ECX] = 200, [EAX] = 204, [EIP] = 216,
};
/* clang-format on */

const struct arch_ops arch_i386 = {
	.name = "i386",
	.elf_machine = EM_386,
	.word_bytes = 4,
	.nr_regs = NR_REGS_32,
	.probe_regs = probe_regs_32,
	.sp = ESP,
	.fp = EBP,
	.ra = EIP,
	.lr = ARCH_NO_REG,
	.perf_regs = 0xfff,
	.perf_pc = 8,
	.dwarf_of_perf = dwarf_of_perf_32,
	.callee_saved = BIT(EBX) | BIT(EBP) | BIT(ESP) | BIT(ESI) | BIT(EDI),
	.sigreturn = { { sigreturn_32, sizeof(sigreturn_32) } },
	.sigframe = sigframe_32,
	.sigframe_pc = EIP,
};

const struct arch_ops arch_x86_64 = {
	.name = "x86_64",
	.elf_machine = EM_X86_64,
	.word_bytes = 8,
	.nr_regs = NR_REGS,
	.probe_regs = probe_regs,
	.arg_regs = { RDI, RSI, RDX, RCX, R8, R9 },
	.nr_arg_regs = 6,
	.sret_is_arg = true,
	.sp = RSP,
	.fp = RBP,
	.ra = RIP,
	.lr = ARCH_NO_REG,
	.perf_regs = 0xff0fff, /* all but ds, es, fs, gs, which the kernel refuses */
	.perf_pc = 8,
	.dwarf_of_perf = dwarf_of_perf,
	.thread_regs = thread_regs,
	.nr_thread_regs = sizeof(thread_regs),
	.callee_saved = CALLEE_SAVED,
	.sigreturn = { { sigreturn_rax, sizeof(sigreturn_rax) }, { sigreturn_eax, sizeof(sigreturn_eax) } },
	.sigframe = sigframe,
	.sigframe_pc = RIP,
	.narrow = &arch_i386,
	.call_before = call_before,
	.may_jump = may_jump,
	.result_passed = result_passed,
	.sp_use = sp_use,
};
