/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct arch_ops: what differs between architectures, as one table each. A recording of another machine is read by its table: other code
 * has no `#ifdef __x86_64__`.
 */
#ifndef ASSAY_ARCH_ARCH_H
#define ASSAY_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCH_MAX_REGS 33 /* DWARF numbers that are followed: x86_64 0–16 (16 is the return address), arm64 0–30 and sp = 31 */
#define ARCH_NO_REG 0xff
#define ARCH_THREAD_PC 0xfe /* in arch_ops.thread_regs: the program counter, which may have no DWARF number */

struct arch_code {
	const uint8_t *bytes;
	uint8_t size_bytes; /* 0: none */
};

/* The instruction in front of a return address. */
struct arch_call {
	uint8_t size_bytes;
	bool is_direct;
	int64_t distance; /* of a direct one: from the return address to where it goes */
};

/* An instruction that takes the stack pointer elsewhere, or keeps it: not one that adds to it. */
struct arch_sp_use {
	uint8_t size_bytes;
	bool is_copy; /* into `reg`, a register that functions of C leave alone; else the stack pointer is set */
	uint8_t reg;  /* what it is set from; ARCH_NO_REG: memory, or what was computed */
};

struct arch_ops {
	const char *name; /* "x86_64", "aarch64", "i386": as uname has it and perf.data's header */
	uint16_t elf_machine;
	uint8_t word_bytes; /* of a register, an address, a slot of the stack */
	uint8_t nr_regs;    /* DWARF register numbers below this are followed */
	uint8_t sp, fp;	    /* DWARF numbers */
	uint8_t ra;	    /* the column of the return address */
	uint8_t lr;	    /* the register that holds it in a leaf; ARCH_NO_REG on x86_64 */
	/* By DWARF number, nr_regs of them: what the kernel calls a register in arguments of probes; NULL: it cannot be fetched */
	const char *const *probe_regs;
	uint8_t arg_regs[8]; /* DWARF numbers of the registers that pass integers and pointers, in their order */
	uint8_t nr_arg_regs;
	bool sret_is_arg;   /* where a struct is returned, its address is the first of them */
	uint64_t perf_regs; /* sample_regs_user that unwinding needs, the same as perf's */
	uint8_t perf_pc;    /* bit of the program counter in sample_regs_user */
	/* bit in sample_regs_user → DWARF number, ARCH_NO_REG: not followed; by bit, 64 entries */
	const uint8_t *dwarf_of_perf;
	/* The registers of a stopped thread as the kernel hands them out (NT_PRSTATUS), 8 bytes each: DWARF numbers, ARCH_THREAD_PC, or
	 * ARCH_NO_REG: not followed. */
	const uint8_t *thread_regs;
	uint8_t nr_thread_regs;	 /* 0: not known */
	uint64_t callee_saved;	 /* by DWARF number: keep their value in a caller where no rule says otherwise */
	uint64_t pc_mask;	 /* of a return address: without pointer authentication bits; 0: as it is */
	uint64_t pc_mask_narrow; /* tried where an address masked by the other lies in no map (small address spaces); 0: none */
	/* How the kernel leaves a signal's frame: the words that its return sequence is known by, and where registers lie from the stack
	 * pointer there; 0: not saved. The interrupted pc has the number sigframe_pc. */
	struct arch_code sigreturn[2];
	const uint16_t *sigframe; /* by DWARF number, ARCH_MAX_REGS entries */
	uint8_t sigframe_pc;
	bool sigframe_first;	       /* better than the call frame information of such a place */
	const struct arch_ops *narrow; /* of the 32-bit programs that its kernel runs; NULL: not known */
	/* Whether `size` bytes of code end with a call. Bytes that may be read as a direct call and as another are the other. NULL: not
	 * known of this architecture. */
	bool (*call_before)(const uint8_t *code, size_t size, struct arch_call *call);
	/* Whether code has a jump that may lead to [from, to), counted from its beginning, or to a place that only the CPU knows. */
	bool (*may_jump)(const uint8_t *code, size_t size, int64_t from, int64_t to);
	/* Instructions between a call and the next that pass the result on as an argument: how many bytes `code` has of them. */
	size_t (*result_passed)(const uint8_t *code, size_t size);
	/* Whether code begins with an instruction of that kind. */
	bool (*sp_use)(const uint8_t *code, size_t size, struct arch_sp_use *use);
};

/* Four bytes of code, little-endian. */
static inline uint32_t arch_code_u32(const uint8_t *code)
{
	return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

extern const struct arch_ops arch_x86_64, arch_arm64, arch_i386;

/* By the name in a header ("x86_64", "aarch64", "arm64", "i686"), or the ELF machine. NULL: one that we do not know. */
const struct arch_ops *arch_find(const char *name);
const struct arch_ops *arch_find_machine(uint16_t elf_machine);
/* Of this build. */
const struct arch_ops *arch_native(void);

#endif
