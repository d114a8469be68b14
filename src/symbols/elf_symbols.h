/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the symbol sections of ELF files to a struct symtab, with the choice of symbols and the
 * names that perf has.
 */
#ifndef ASSAY_SYMBOLS_ELF_SYMBOLS_H
#define ASSAY_SYMBOLS_ELF_SYMBOLS_H

#include "symbols/elf_file.h"
#include "symbols/symtab.h"

enum elf_addresses {
	ELF_FILE_OFFSETS, /* what maps of files speak of */
	ELF_VADDRS,	  /* as linked: for vmlinux */
};

/* Adds the symbols of `syms` (the file, or its separate debug file) and those of the procedure
 * linkage table of `runtime` (the file that was mapped, which also tells where segments lie; may be
 * `syms`). The table is finished afterwards; t->mangled must be set before. Number of symbols in
 * the table, or -errno. */
int elf_symbols_load(struct symtab *t, const struct elf_file *syms, const struct elf_file *runtime,
		     enum elf_addresses addresses);

/* The address, as linked, of a symbol in .symtab. */
bool elf_symbols_find(const struct elf_file *f, const char *name, uint64_t *vaddr);

/* Sections with stubs of the procedure linkage table. */
#define ELF_NR_PLT_SECTIONS 5
extern const char *const elf_plt_sections[ELF_NR_PLT_SECTIONS];

/* Part of elf_symbols_load(): "name@plt" symbols, not finished. */
void elf_plt_load(struct symtab *t, const struct elf_file *f);

#endif
