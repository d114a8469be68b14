/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Compiling an unwind table from sections in memory: what unwind_table_build() does once it has found them in ELF files, and what
 * tests do with sections of their own. Memory is bounded by a multiple of the sections' sizes.
 */
#ifndef ASSAY_SYMBOLS_UNWIND_BUILD_H
#define ASSAY_SYMBOLS_UNWIND_BUILD_H

#include "symbols/cfi.h"
#include "symbols/elf_file.h"
#include "symbols/go_unwind.h"
#include "symbols/plt_unwind.h"

#define UNWIND_MAX_SEGMENTS 64 /* executable ones; real files have one or two */
#define UNWIND_MAX_PLTS 8

struct unwind_segment {
	uint64_t vaddr, size_bytes, file_off;
};

/* Where the kernel's return from a signal handler is found by its instructions, not by call frame information. */
struct unwind_trampoline {
	uint64_t file_off;
	uint32_t size_bytes;
};

/* Where programs and threads begin: code without call frame information and without a caller. */
struct unwind_start {
	uint64_t file_off;
	uint32_t size_bytes;
};

/* A function of a section's, by offsets from the table's base. */
struct unwind_function_place {
	uint32_t from, to;
	uint32_t entry_off; /* in its section */
	bool is_debug;	    /* of .debug_frame */
};

/* Some functions, instead of whole sections. */
struct unwind_picked {
	struct cfi_reader *eh, *debug;
	const struct unwind_function_place *places; /* by section in the order of their entries, where they begin together */
	uint32_t nr;
};

struct unwind_input {
	const struct arch_ops *arch;
	const struct go_unwind *go; /* of a Go program, or NULL. Laid over .debug_frame; its changes of the stack over all */
	struct unwind_segment segments[UNWIND_MAX_SEGMENTS]; /* rows outside are dropped */
	uint32_t nr_segments;
	struct cfi_section eh, debug; /* size 0: none. Where both cover an address, .eh_frame wins */
	const struct unwind_picked *picked; /* NULL: all of them */
	struct unwind_trampoline trampolines[8];
	uint32_t nr_trampolines;
	struct unwind_start starts[16]; /* by file_off; what call frame information covers is left to it */
	uint32_t nr_starts;
	struct plt_section plts[UNWIND_MAX_PLTS]; /* likewise */
	uint32_t nr_plts;
};

/* Finds segments and sections (no trampolines) of a zeroed input in ELF files, of which one may be NULL or not open. False where the
 * architecture is not known. `*unpacked` is to be freed once the sections are not needed any more. */
bool unwind_input_find(struct unwind_input *in, const struct elf_file *runtime, const struct elf_file *debug, void **unpacked);

/* The file offset that a table's addresses count from. */
uint64_t unwind_input_base(const struct unwind_input *in);
/* Where the addresses [start, end) of the file are, from the base: `delta` is to be added to a vaddr. What leaves its segment is cut off.
 * False: in none. */
bool unwind_input_place(const struct unwind_input *in, uint64_t base, uint64_t start, uint64_t end, uint32_t *from, uint32_t *to,
			uint64_t *delta);

/* Always gives a table, perhaps an empty one. */
struct unwind_table *unwind_build(const struct unwind_input *in);

#endif
