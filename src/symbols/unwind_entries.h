/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where programs and threads begin in files whose call frame information does not say so: the entry point, and in C libraries without
 * unwind tables (musl's) the code that calls main() or a thread's function and exits with what it returns. Walks end there.
 */
#ifndef ASSAY_SYMBOLS_UNWIND_ENTRIES_H
#define ASSAY_SYMBOLS_UNWIND_ENTRIES_H

#include "symbols/elf_file.h"
#include "symbols/unwind_build.h"

/* exit(), pthread_exit() and their kin, as file offsets. Programs that only import them have none. */
struct unwind_exits {
	uint64_t file_off[8];
	uint32_t nr;
};

void unwind_entries_find_exits(struct unwind_exits *exits, const struct elf_file *f);
/* Adds what it finds in a piece of text; what is there already is not added again. */
void unwind_entries_search(struct unwind_input *in, const struct unwind_exits *exits, const uint8_t *text, size_t size, uint64_t file_off);
/* Adds the entry point, where a file has one that is meant: linkers give libraries one that is not. */
void unwind_entries_add_entry(struct unwind_input *in, const struct elf_file *f);

#endif
