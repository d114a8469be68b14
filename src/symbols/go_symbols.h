/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The functions of a stripped Go program, from the table that it carries itself (go_module.h).
 */
#ifndef ASSAY_SYMBOLS_GO_SYMBOLS_H
#define ASSAY_SYMBOLS_GO_SYMBOLS_H

#include "symbols/elf_file.h"
#include "symbols/symtab.h"

/* Adds the functions, at file offsets, and does not finish the table. Their number, or -ENODATA where `f` is no Go program. */
int go_symbols_load(struct symtab *t, const struct elf_file *f);

#endif
