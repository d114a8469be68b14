/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Checks of an ELF file's first header before libelf reads it. Part of elf_file.c.
 */
#ifndef ASSAY_SYMBOLS_ELF_HEADERS_H
#define ASSAY_SYMBOLS_ELF_HEADERS_H

#include "symbols/elf_file.h"

/* -EBADMSG where the tables of sections or segments are larger than what the file has of them: libelf makes room for as many as are
 * claimed. Sets f->swap. 0 for what is no ELF file, which is left to libelf. */
int elf_headers_check(struct elf_file *f);

#endif
