/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A finished struct symtab as flat bytes without pointers, for the symbol index, and a struct symtab on such bytes whose names stay
 * where they lie.
 */
#ifndef ASSAY_SYMBOLS_SYMTAB_FLAT_H
#define ASSAY_SYMBOLS_SYMTAB_FLAT_H

#include <stddef.h>

#include "symbols/symtab.h"

/* The bytes, malloc'd; NULL where a table cannot be kept so (symbols of 4 GiB and more, names of 128 MB and more). */
void *symtab_flatten(const struct symtab *t, size_t *size);
/* Fills the empty table `t`; everything that lookups rely on is checked: -EBADMSG, and `t` stays empty. The bytes (8-byte aligned)
 * must outlive the table. */
int symtab_view(struct symtab *t, const void *bytes, size_t size);

#endif
