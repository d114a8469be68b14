/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where programs and threads begin in files whose call frame information does not say so: the entry point, and in C libraries without
 * unwind tables (musl's) the code that calls main() or a thread's function and exits with what it returns. And where Go's runtime calls a
 * function on another stack than its caller's, which call frame information knows nothing of. Walks end there.
 */
#ifndef ASSAY_SYMBOLS_UNWIND_ENTRIES_H
#define ASSAY_SYMBOLS_UNWIND_ENTRIES_H

#include "symbols/elf_file.h"
#include "symbols/unwind_build.h"

/* Functions that are known by name, as file offsets: exit(), pthread_exit() and their kin, which programs that only import them have not;
 * and those that switch stacks. */
struct unwind_exits {
	uint64_t file_off[8];
	uint32_t nr;
	struct {
		uint64_t file_off, size_bytes;
	} switches[4];
	uint32_t nr_switches;
};

void unwind_entries_find_exits(struct unwind_exits *exits, const struct elf_file *f);
/* Adds the places of those that switch stacks that what they call returns to. */
void unwind_entries_add_switches(struct unwind_input *in, const struct unwind_exits *exits, const struct elf_file *f);
/* Adds what it finds in a piece of text; what is there already is not added again. */
void unwind_entries_search(struct unwind_input *in, const struct unwind_exits *exits, const uint8_t *text, size_t size, uint64_t file_off);
/* Adds the entry point, where a file has one that is meant: linkers give libraries one that is not. */
void unwind_entries_add_entry(struct unwind_input *in, const struct elf_file *f);

#endif
