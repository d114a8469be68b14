/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Private to the disassembler: a handle of capstone's and the printers that use it.
 */
#ifndef ASSAY_SYMBOLS_DISASM_PRINTERS_H
#define ASSAY_SYMBOLS_DISASM_PRINTERS_H

#ifdef HAVE_CAPSTONE

#include <capstone/capstone.h>

#include "symbols/disasm.h"

struct disasm_engine {
	csh handle;
	cs_insn *insn;
	enum disasm_syntax syntax;
	bool is_64bit;
};

void disasm_x86(struct disasm_engine *e, const uint8_t *code, size_t size, struct disasm_insn *insn);
void disasm_arm64(struct disasm_engine *e, const uint8_t *code, size_t size, struct disasm_insn *insn);

#endif

#endif
