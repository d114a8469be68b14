/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Compiling an unwind table from sections in memory: what unwind_table_build() does once it has found them in ELF files, and what tests do
 * with sections of their own. Memory is bounded by a multiple of the sections' sizes.
 */
#ifndef ASSAY_SYMBOLS_UNWIND_BUILD_H
#define ASSAY_SYMBOLS_UNWIND_BUILD_H

#include "arch/arch.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/vec.h"
#include "symbols/elf_file.h"
#include "symbols/go_module.h"
#include "symbols/unwind_rule.h"

/* Call frame information: .eh_frame and .debug_frame from bytes to rows. For each function that an entry describes, the sink gets its
 * addresses and then, ascending, from which address on which rules hold. Addresses are those of the ELF file (vaddr). Works on bytes, not
 * on ELF files. Time is linear in the bytes: an entry is run once, what many entries share (a CIE) is run once. */

struct cfi_section {
	const void *bytes; /* little endian */
	size_t size;
	uint64_t vaddr;	     /* of the first byte; what pointers relative to themselves count from */
	uint64_t text_vaddr; /* bases of rarer pointers; 0: such pointers are damage */
	uint64_t data_vaddr;
	uint8_t address_size; /* 4 or 8 */
	bool is_eh;	      /* .eh_frame, not .debug_frame */
	bool ends_at_zero;    /* the size is a guess: a length of 0 is the end. In real sections others may follow */
};

enum cfi_cfa {
	CFI_CFA_NONE, /* not said yet, or by a register that is not followed */
	CFI_CFA_REG,
	CFI_CFA_EXPR,
};

struct cfi_reg {
	uint8_t how; /* enum unwind_how */
	int32_t value;
};

/* The rules at an address. */
struct cfi_state {
	uint8_t cfa; /* enum cfi_cfa */
	uint8_t cfa_reg;
	int32_t cfa_value;
	bool is_switch; /* the caller's frame may be on another stack */
	uint64_t set;	/* by register: has a rule */
	struct cfi_reg regs[ARCH_MAX_REGS];
};

/* Where the rows go. */
struct cfi_sink {
	void *ctx;
	/* A function begins; false: not interested, its rows are not worked out. */
	bool (*begin)(void *ctx, uint64_t start, uint64_t end);
	/* From `vaddr` on these rules hold; `state` NULL: unknown, the entry is damaged. `ra`: the column of the return address. */
	void (*row)(void *ctx, uint64_t vaddr, const struct cfi_state *state, uint8_t ra, bool is_signal);
	/* Keeps an expression; the value for rules that use it, or negative where memory for them is used up. */
	int32_t (*intern_expr)(void *ctx, const uint8_t *bytes, size_t size);
};

/* A section whose functions are read one by one, in any order; for one thread at a time. The section's bytes must outlive it. */
struct cfi_reader;
struct cfi_reader *cfi_reader_new(const struct cfi_section *section, const struct arch_ops *arch);
void cfi_reader_free(struct cfi_reader *r);
/* Lists entries and the addresses of their functions, in the order of the section. False: they share expressions, and one sink. */
bool cfi_reader_list(struct cfi_reader *r, void (*take)(void *ctx, uint64_t off, uint64_t start, uint64_t end), void *ctx);
/* Reads one that was listed. Returns whether it is damaged (rows up to the damage were given out). */
bool cfi_reader_read(struct cfi_reader *r, uint64_t off, const struct cfi_sink *sink);

/* Reads a whole section. Returns how many entries are damaged. */
uint32_t cfi_parse(const struct cfi_section *section, const struct arch_ops *arch, const struct cfi_sink *sink);

/* The instructions of a CIE or FDE (DW_CFA_*): a machine that moves an address forward and changes rules. Used by cfi.c only. */

#define CFI_MAX_REMEMBERED 32 /* compilers nest one deep */

/* What entries share. */
struct cfi_cie {
	uint64_t code_align;
	int64_t data_align;
	uint8_t ra;
	uint8_t fde_encoding;
	uint8_t address_size;
	bool has_data;	/* 'z': the length of the augmentation's data is said */
	bool is_signal; /* 'S' */
	bool is_damaged;
	bool has_exprs;		/* its rules are those of one sink */
	struct cfi_state state; /* what its instructions begin with */
};

struct cfi_program {
	const struct cfi_section *section;
	const struct arch_ops *arch;
	const struct cfi_sink *sink; /* NULL: functions are only listed */
	const struct cfi_cie *cie;
	bool is_initial; /* of the CIE itself: there is no address yet */
	bool has_exprs;	 /* gave expressions to the sink */
	uint64_t loc, end;
	struct cfi_state state;
	uint32_t nr_remembered;
	struct cfi_state remembered[CFI_MAX_REMEMBERED];
};

/* Runs instructions; the sink gets the rows below p->end. -EBADMSG where they are damaged: the last row has no rules then. */
int cfi_program_run(struct cfi_program *p, struct bytes code);

/* A pointer in one of the encodings of .eh_frame (DW_EH_PE_*), at the cursor. False: the encoding cannot be followed. */
bool cfi_pointer(const struct cfi_section *s, struct bytes *b, uint8_t encoding, uint8_t address_size, uint64_t *value);

/* Go's own table (go_module.h) says how far the stack pointer is below the frame at each address, and which functions leave the stack for
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
	struct cfi_section eh, debug;	   /* size 0: none. Where both cover an address, .eh_frame wins */
	const struct cfi_section *more_eh; /* further .eh_frame sections: of generated code, one a function */
	uint32_t nr_more_eh;
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
/* Where [start, end) is relative to the base, cut to its segment; `delta` is to be added to a vaddr. False: in none. */
bool unwind_input_place(const struct unwind_input *in, uint64_t base, uint64_t start, uint64_t end, uint32_t *from, uint32_t *to,
			uint64_t *delta);

/* Adds a place to a list of `max`, if there is room and it is not there yet: pieces of text that are searched overlap. */
void unwind_place_add(struct unwind_place *places, uint32_t *nr, uint32_t max, uint64_t file_off, uint32_t size);

/* Always gives a table, perhaps an empty one. */
struct unwind_table *unwind_build(const struct unwind_input *in);

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

/* A table whose sections are copied, and compiled on demand; at once where that is the only way (Go, shared expressions). */
struct unwind_table *unwind_lazy_build(const struct unwind_input *in);

#endif
