/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The instructions of a CIE or FDE (DW_CFA_*): a small machine that moves an address forward and changes rules. Used by cfi.c only.
 */
#ifndef ASSAY_SYMBOLS_CFI_PROGRAM_H
#define ASSAY_SYMBOLS_CFI_PROGRAM_H

#include "base/bytes.h"
#include "symbols/cfi.h"

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
	bool has_exprs; /* its rules are those of one sink */
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

/* Runs instructions from p->state and p->loc on, and tells the sink the rows below p->end. -EBADMSG where they are damaged; rows up
 * to the damage were told, and that nothing is known behind it. */
int cfi_program_run(struct cfi_program *p, struct bytes code);

/* A pointer in one of the encodings of .eh_frame (DW_EH_PE_*), at the cursor. False: the encoding cannot be followed. */
bool cfi_pointer(const struct cfi_section *s, struct bytes *b, uint8_t encoding, uint8_t address_size, uint64_t *value);

#endif
