/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A finished struct symtab as flat bytes without pointers, for the symbol index, and a struct symtab on such bytes whose names stay
 * where they lie.
 */
#ifndef ASSAY_SYMBOLS_SYMTAB_FLAT_H
#define ASSAY_SYMBOLS_SYMTAB_FLAT_H

#include <stddef.h>
#include <stdint.h>

#include "symbols/symtab.h"

/* The bytes, malloc'd; NULL where a table cannot be kept so (symbols of 4 GiB and more, names of 128 MB and more). */
void *symtab_flatten(struct symtab *t, size_t *size);
/* Makes the empty table `t` one on these bytes (8-byte aligned), which must outlive it. Nothing is read but the head, however large the
 * table: symbols are made of rows when they are found, and what lookups rely on is checked then. A row that is damaged has no symbol.
 * -EBADMSG where it is no table, and `t` stays empty. */
int symtab_view(struct symtab *t, const void *bytes, size_t size);
/* The same with all addresses moved by `shift`; -EBADMSG also where one would leave the address space. */
int symtab_view_at(struct symtab *t, const void *bytes, size_t size, uint64_t shift);

/* symtab_find() and symtab_at() for such a table. */
const struct symbol *symtab_flat_find(const struct symtab *t, uint64_t addr);
const struct symbol *symtab_flat_at(const struct symtab *t, uint32_t i);

#endif
