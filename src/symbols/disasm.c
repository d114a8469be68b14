/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The disassembler: a handle of capstone's, and which printer makes the text.
 */
#include "symbols/disasm.h"

#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "symbols/disasm_printers.h"
#include "symbols/disasm_text.h"

void disasm_put_len(struct disasm_text *t, const char *s, size_t len)
{
	size_t left = t->size - 1 - t->len;

	if (len > left)
		len = left;
	memcpy(t->s + t->len, s, len);
	t->len += len;
	t->s[t->len] = 0;
}

void disasm_put(struct disasm_text *t, const char *s)
{
	disasm_put_len(t, s, strlen(s));
}

void disasm_putf(struct disasm_text *t, const char *fmt, ...)
{
	char buf[64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	disasm_put(t, buf);
}

#ifdef HAVE_CAPSTONE

struct disasm {
	struct disasm_engine engine;
	uint16_t machine;
};

int disasm_open(struct disasm **d, uint16_t elf_machine, enum disasm_syntax syntax, struct errbuf *eb)
{
	bool is_x86 = elf_machine == EM_X86_64 || elf_machine == EM_386;
	struct disasm_engine e = { .syntax = is_x86 ? syntax : DISASM_ATT, .is_64bit = elf_machine != EM_386 };
	cs_err err;

	*d = NULL;
	if (!is_x86 && elf_machine != EM_AARCH64)
		return errbuf_set(eb, -ENOTSUP, "code of the ELF machine %u cannot be disassembled: there is x86_64, i386 and arm64",
				  elf_machine);
	err = is_x86 ? cs_open(CS_ARCH_X86, e.is_64bit ? CS_MODE_64 : CS_MODE_32, &e.handle)
		     : cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &e.handle);
	if (err != CS_ERR_OK)
		return errbuf_set(
			eb, -ENOTSUP,
			"code cannot be disassembled: the library capstone is not installed or cannot be used (apt install libcapstone4)");
	if (is_x86 && syntax == DISASM_ATT)
		cs_option(e.handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	e.insn = cs_malloc(e.handle);
	*d = mem_alloc(sizeof(**d));
	**d = (struct disasm){ e, elf_machine };
	return 0;
}

void disasm_close(struct disasm *d)
{
	if (!d)
		return;
	cs_free(d->engine.insn, 1);
	cs_close(&d->engine.handle);
	free(d);
}

void disasm_next(struct disasm *d, const uint8_t *code, size_t size, uint64_t addr, struct disasm_insn *insn)
{
	*insn = (struct disasm_insn){ .addr = addr };
	if (d->machine == EM_AARCH64)
		disasm_arm64(&d->engine, code, size, insn);
	else
		disasm_x86(&d->engine, code, size, insn);
}

#else

int disasm_open(struct disasm **d, uint16_t elf_machine, enum disasm_syntax syntax, struct errbuf *eb)
{
	(void)elf_machine, (void)syntax;
	*d = NULL;
	return errbuf_set(eb, -ENOTSUP,
			  "code cannot be disassembled: this build has no capstone (apt install libcapstone-dev, then build again)");
}

void disasm_close(struct disasm *d)
{
	(void)d;
}

void disasm_next(struct disasm *d, const uint8_t *code, size_t size, uint64_t addr, struct disasm_insn *insn)
{
	(void)d, (void)code, (void)size;
	*insn = (struct disasm_insn){ .addr = addr, .size = 1, .kind = DISASM_BAD, .text = "(bad)" };
}

#endif
