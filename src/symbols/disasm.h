/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Machine code as text, in the words and spacing of `objdump -d`, with what an instruction does to the flow of control. Instructions are decoded
 * by capstone; the text is ours (symbols/disasm_x86.c, disasm_arm64.c), and so are the instructions that capstone lacks (disasm_x86_mask.c).
 */
#ifndef ASSAY_SYMBOLS_DISASM_H
#define ASSAY_SYMBOLS_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/errbuf.h"

#define DISASM_TEXT_SIZE 192

enum disasm_syntax { DISASM_ATT, DISASM_INTEL };

enum disasm_kind {
	DISASM_OTHER,
	DISASM_JUMP,
	DISASM_BRANCH, /* a conditional jump */
	DISASM_CALL,
	DISASM_RETURN,
	DISASM_BAD, /* no instruction: one byte on x86 */
};

struct disasm_insn {
	uint64_t addr;
	uint64_t target; /* where it goes, or the data that it names */
	uint8_t size;
	uint8_t kind;	 /* enum disasm_kind */
	bool has_target; /* of a direct jump or call */
	bool has_name;	 /* the name of the target, as in " <main+0x10>", belongs behind the text */
	char text[DISASM_TEXT_SIZE];
};

struct disasm;

/* Of an ELF machine (EM_X86_64, EM_386, EM_AARCH64; arm64 has one syntax). -ENOTSUP, with a message that says what is missing, for others and
 * where there is no capstone. */
int disasm_open(struct disasm **d, uint16_t elf_machine, enum disasm_syntax syntax, struct errbuf *eb);
void disasm_close(struct disasm *d);

/* The instruction that the bytes begin with; `size` is not 0. Bytes that are none, or whose end is missing, are "(bad)". */
void disasm_next(struct disasm *d, const uint8_t *code, size_t size, uint64_t addr, struct disasm_insn *insn);

#endif
