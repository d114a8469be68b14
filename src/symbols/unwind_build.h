/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Compiling an unwind table from sections in memory: what unwind_table_build() does once it has found them in ELF files, and what tests do
 * with sections of their own. Memory is bounded by a multiple of the sections' sizes.
 */
#ifndef ASSAY_SYMBOLS_UNWIND_BUILD_H
#define ASSAY_SYMBOLS_UNWIND_BUILD_H

#include "base/hash.h"
#include "base/vec.h"
#include "symbols/cfi.h"
#include "symbols/elf_file.h"
#include "symbols/go_pclntab.h"

/* Go's own table (go_pclntab.h) says how far the stack pointer is below the frame at each address, and which functions leave the stack for
 * another one: the rows of .debug_frame, which stripped programs lack, and better ones around changes of the stack. */
struct go_unwind {
	const struct go_pclntab *table;
	const struct arch_ops *arch;
	/* Reads code: fewer bytes than `size` where there are no more. */
	size_t (*read)(const void *ctx, uint64_t vaddr, void *buf, size_t size);
	const void *ctx;
};

/* All functions. No more rows than a multiple of the table's bytes. */
void go_unwind_rows(const struct go_unwind *u, const struct cfi_sink *sink);
/* Code that runs on another stack than its caller's, and functions without a caller: no call frame information is right there. */
void go_unwind_switches(const struct go_unwind *u, const struct cfi_sink *sink);

/* Stubs of procedure linkage tables: only GNU linkers write call frame information for them. */
struct plt_section {
	const uint8_t *code;
	size_t size;
	uint64_t vaddr;
};

/* Rows of the stubs that are understood; others (retpolines, which call) have none. */
void plt_unwind_rows(const struct plt_section *s, const struct arch_ops *arch, const struct cfi_sink *sink);

#define UNWIND_MAX_SEGMENTS 64 /* executable ones; real files have one or two */
#define UNWIND_MAX_PLTS 8

struct unwind_segment {
	uint64_t vaddr, size_bytes, file_off;
};

/* Code whose caller is known without call frame information. */
struct unwind_place {
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
	struct cfi_section eh, debug;	    /* size 0: none. Where both cover an address, .eh_frame wins */
	const struct unwind_picked *picked; /* NULL: all of them */
	struct unwind_place trampolines[8]; /* by file_off: the kernel's return from a signal handler, found by its instructions */
	uint32_t nr_trampolines;
	/* By file_off: where programs and threads begin, which has no caller. What call frame information covers is left to it. */
	struct unwind_place starts[16];
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

/* Adds a place to a list of `max`, if there is room and it is not there yet: pieces of text that are searched overlap. */
void unwind_place_add(struct unwind_place *places, uint32_t *nr, uint32_t max, uint64_t file_off, uint32_t size);

/* Always gives a table, perhaps an empty one. */
struct unwind_table *unwind_build(const struct unwind_input *in);

struct unwind_rules {
	VEC(uint64_t) units; /* unit 0 is no rule */
	VEC(uint8_t) exprs;
	struct hindex rule_index, expr_index;
	size_t max_bytes; /* hostile input makes large rules of few bytes: of both together */
};

void unwind_rules_init(struct unwind_rules *r, size_t max_bytes);
void unwind_rules_fini(struct unwind_rules *r);

/* The rule's first unit; UNWIND_GAP where it cannot be followed (no CFA) or the limit is reached. */
uint32_t unwind_rules_intern(struct unwind_rules *r, const struct cfi_state *state, uint8_t ra, bool is_signal);
/* The place of an expression, or -1 where the limit is reached. */
int32_t unwind_rules_intern_expr(struct unwind_rules *r, const uint8_t *bytes, size_t size);

/* What symbols say, as file offsets. */
struct unwind_exits {
	uint64_t file_off[8]; /* exit(), pthread_exit() and the like. Programs that only import them have none */
	uint32_t nr;
	uint64_t entry, entry_end; /* the entry point, where there is one that is meant, and the next function behind it; 0: not known */
};

/* `all`: of the symbol table too, which may be large; else those of the dynamic linker. */
void unwind_entries_find_exits(struct unwind_exits *exits, const struct elf_file *f, bool all);
/* Adds what it finds in a piece of text; what is there already is not added again. */
void unwind_entries_search(struct unwind_input *in, const struct unwind_exits *exits, const uint8_t *text, size_t size, uint64_t file_off);
/* Adds the entry point and the calls behind it, which is where frames of it are met. What follows may be another function. */
void unwind_entries_add_entry(struct unwind_input *in, const struct unwind_exits *exits, const struct elf_file *f);

struct unwind_lazy;

/* A table of an input, whose sections are copied. Compiled at once where that is the only way: Go's, expressions that functions share. */
struct unwind_table *unwind_lazy_build(const struct unwind_input *in);

/* For the table that owns it. */
void unwind_lazy_free(struct unwind_lazy *l);
uint32_t unwind_lazy_nr_functions(const struct unwind_lazy *l);

#endif
