/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What layout.c (modules) and layout_addresses.c (one module's addresses) share. Private to these.
 */
#ifndef ASSAY_IMPORT_LAYOUT_H
#define ASSAY_IMPORT_LAYOUT_H

#include "import/recording.h"
#include "symbols/symtab.h"

#define LAYOUT_PAGE 4096u

/* Addresses that were made up begin here, one range of 2^56 bytes each for user space and the kernel, of those that nothing else is in. */
struct import_ranges {
	uint64_t user, kernel;
};

struct layout {
	struct import_builder *b;
	struct import_ranges ranges;
	uint64_t next_user, next_kernel;
	/* of the module at hand */
	struct symtab *symtab;
	VEC(uint32_t) here;   /* its locations */
	VEC(uint32_t) claims; /* of bytes that have lines */
	struct hindex claim_index;
	struct hindex mapped_index; /* modules by what they are mapped as */
};

static inline struct import_location *layout_location(const struct layout *l, uint32_t i)
{
	return &l->b->locations.v[l->here.v[i]];
}
static inline void layout_add_symbol(struct layout *l, uint64_t start, uint64_t end, uint32_t symbol)
{
	symtab_add_borrowed(l->symtab, start, end, import_str(l->b, symbol), SYMBOL_GLOBAL, SYMBOL_FUNCTION);
}

struct layout_list { /* of locations */
	VEC(uint32_t) v;
};
typedef int layout_compare_fn(const void *, const void *, void *);
void layout_sort(const struct layout *l, struct layout_list *list, layout_compare_fn *compare);
layout_compare_fn layout_by_addr;

/* Makes a symbol table of the addresses that were told, and forgets those that do not find themselves in it. */
void layout_keep_told(struct layout *l);
/* Gives the others addresses behind all that are known; says from where on. */
uint64_t layout_make_up(struct layout *l);

/* The byte that the lines of a location go with. Where a function begins no call stands in front. */
static inline uint64_t layout_line_addr(const struct import_location *l)
{
	if (l->symbol && !l->off)
		return l->addr;
	return (l->is_caller || l->is_any) && l->addr ? l->addr - 1 : l->addr;
}

#endif
