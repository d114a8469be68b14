/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct unwind_table: how to find the caller from each address (file offset) of a file, compiled from .eh_frame, .debug_frame and Go's own
 * table: sorted rows of (address, rule), rules interned. Flat bytes, used in the symbol index as they lie, once unwind_table_view() has
 * checked them.
 */
#ifndef ASSAY_SYMBOLS_UNWIND_TABLE_H
#define ASSAY_SYMBOLS_UNWIND_TABLE_H

#include "base/errbuf.h"
#include "symbols/elf_file.h"

struct unwind_table; /* opaque: a view of flat bytes, owned or borrowed */

/* Compiles the table. `debug` may be NULL or not open (a separate file with .debug_frame). An empty table where the file has no call frame
 * information. -EBADMSG with a message where it is damaged beyond use; single damaged entries are skipped and counted. `is_lazy`: where
 * there is much to compile, functions are compiled when an address in one is looked up (unwind_table.c). */
int unwind_table_build(struct unwind_table **t, const struct elf_file *runtime, const struct elf_file *debug, bool is_lazy,
		       struct errbuf *eb);
/* The flat bytes (NULL: compiled in pieces), and a table on such bytes (8-byte aligned), which must outlive it; -EBADMSG: not sound. */
const void *unwind_table_bytes(const struct unwind_table *t, size_t *size);
int unwind_table_view(struct unwind_table **t, const void *bytes, size_t size);
void unwind_table_free(struct unwind_table *t);

/* Rows, or functions where it is compiled in pieces; 0: it is empty. */
uint32_t unwind_table_nr_rows(const struct unwind_table *t);
uint32_t unwind_table_nr_damaged(const struct unwind_table *t);

/* What the row that covers an address says. */
enum unwind_cover {
	UNWIND_UNCOVERED, /* nothing */
	UNWIND_COVERED,
	UNWIND_OUTERMOST, /* the return address is undefined: there is no caller */
};
enum unwind_cover unwind_table_cover(const struct unwind_table *t, uint64_t addr);

#endif
