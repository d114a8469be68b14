/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where programs and threads begin in files whose call frame information does not say so: the entry point, and in C libraries without
 * unwind tables (musl's) the code that calls main() or a thread's function and exits with what it returns. Walks end there.
 */
#ifndef ASSAY_SYMBOLS_UNWIND_ENTRIES_H
#define ASSAY_SYMBOLS_UNWIND_ENTRIES_H

#include "symbols/elf_file.h"
#include "symbols/unwind_build.h"

/* What symbols say, as file offsets. */
struct unwind_exits {
	uint64_t file_off[8]; /* exit(), pthread_exit() and their kin. Programs that only import them have none */
	uint32_t nr;
	uint64_t entry, entry_end; /* the entry point, where there is one that is meant, and the next function behind it; 0: not known */
};

/* `all`: of the symbol table too, which may be large; else those of the dynamic linker. */
void unwind_entries_find_exits(struct unwind_exits *exits, const struct elf_file *f, bool all);
/* Adds what it finds in a piece of text; what is there already is not added again. */
void unwind_entries_search(struct unwind_input *in, const struct unwind_exits *exits, const uint8_t *text, size_t size, uint64_t file_off);
/* Adds the entry point and the calls behind it, which is where frames of it are met. What follows may be another function. */
void unwind_entries_add_entry(struct unwind_input *in, const struct unwind_exits *exits, const struct elf_file *f);

#endif
