/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Call frame information: .eh_frame and .debug_frame from bytes to rows. For each function that an entry describes, the sink gets its
 * addresses and then, ascending, from which address on which rules hold. Addresses are those of the ELF file (vaddr). Works on bytes, not
 * on ELF files. Time is linear in the bytes: an entry is run once, what many entries share (a CIE) is run once.
 */
#ifndef ASSAY_SYMBOLS_CFI_H
#define ASSAY_SYMBOLS_CFI_H

#include "arch/arch.h"
#include "base/bytes.h"
#include "symbols/unwind_rule.h"

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
	/* From `vaddr` on (start ≤ vaddr < end) these rules hold. `state` NULL: nothing is known from here on, the entry is damaged. `ra`:
	 * the return address's column. */
	void (*row)(void *ctx, uint64_t vaddr, const struct cfi_state *state, uint8_t ra, bool is_signal);
	/* Keeps an expression; the value for rules that use it, or negative where memory for them is used up. */
	int32_t (*intern_expr)(void *ctx, const uint8_t *bytes, size_t size);
};

/* A section whose functions are read one by one, in any order; for one thread at a time. The section's bytes must outlive it. */
struct cfi_reader;
struct cfi_reader *cfi_reader_new(const struct cfi_section *section, const struct arch_ops *arch);
void cfi_reader_free(struct cfi_reader *r);
/* Lists the functions that entries describe, in the order of the section: where the entry is, and the function's addresses. False: they
 * share expressions, so that they cannot be read into sinks of their own. */
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
	const struct cfi_sink *sink;
	const struct cfi_cie *cie;
	bool is_initial; /* of the CIE itself: there is no address yet */
	bool has_exprs;	 /* gave expressions to the sink */
	uint64_t loc, end;
	struct cfi_state state;
	uint32_t nr_remembered;
	struct cfi_state remembered[CFI_MAX_REMEMBERED];
};

/* Runs instructions from p->state and p->loc on, and gives the sink the rows below p->end. -EBADMSG where they are damaged: the sink got
 * the rows up to the damage, and a row without rules there. */
int cfi_program_run(struct cfi_program *p, struct bytes code);

/* A pointer in one of the encodings of .eh_frame (DW_EH_PE_*), at the cursor. False: the encoding cannot be followed. */
bool cfi_pointer(const struct cfi_section *s, struct bytes *b, uint8_t encoding, uint8_t address_size, uint64_t *value);

#endif
