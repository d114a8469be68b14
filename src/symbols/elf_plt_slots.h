/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct plt_slots: which function each slot of the global offset table is for, as the relocations say that fill it. Stubs of the procedure
 * linkage table jump through these slots (elf_plt.c).
 */
#ifndef ASSAY_SYMBOLS_ELF_PLT_SLOTS_H
#define ASSAY_SYMBOLS_ELF_PLT_SLOTS_H

#include "symbols/elf_file.h"

struct plt_slot {
	uint64_t slot;
	uint64_t resolver;  /* of an indirect function: the address of what chooses it; otherwise unused */
	uint32_t name;	    /* offset in the dynamic string table; PLT_INDIRECT */
	uint32_t indirect;  /* index into `indirect` names, once they are known */
};
#define PLT_INDIRECT UINT32_MAX

struct plt_slots {
	const struct elf_file *f;
	const Elf_Data *strings;
	VEC(struct plt_slot) v;	   /* sorted by slot */
	VEC(struct plt_slot) lazy; /* by the number that lazy stubs push: those of .rela.plt in their order */
	VEC(char *) names;	   /* of indirect functions */
};

/* Reads the relocations of an x86_64, i386 or arm64 file; empty for others, and where there are none. */
void plt_slots_init(struct plt_slots *s, const struct elf_file *f);
void plt_slots_fini(struct plt_slots *s);
/* The entry of a slot; NULL: no function's. */
const struct plt_slot *plt_slots_find(const struct plt_slots *s, uint64_t slot);
/* What the function is called, and how long that is; NULL where it has no name. Lives as long as `s` and the file. */
const char *plt_slots_name(const struct plt_slots *s, const struct plt_slot *slot, size_t *len);

#endif
