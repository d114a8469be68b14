/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct probe_module inside: what probe_*.c share. The file that is probed, its symbols, the reader of its debug information, its call
 * frames. Each is read when first needed.
 */
#ifndef ASSAY_SYMBOLS_PROBE_MODULE_H
#define ASSAY_SYMBOLS_PROBE_MODULE_H

#include "arch/arch.h"
#include "symbols/debug_files.h"
#include "symbols/dwarf_tree.h"
#include "symbols/probe_point.h"
#include "symbols/symbolizer.h"
#include "symbols/unwind_table.h"

struct probe_rows;

struct probe_module {
	char *path;  /* absolute; NULL: the kernel */
	char *group; /* of events */
	struct symbolizer_options opts;
	struct module_ref ref;
	char *vmlinux, *symfs;
	const struct arch_ops *arch;
	struct source_files files; /* files.debug NULL: no debug information, `no_debug` says why */
	struct errbuf no_debug;
	struct symtab *symbols;	     /* file offsets, or addresses of the kernel */
	struct unwind_table *frames; /* NULL: not loaded yet */
	bool has_dwarf;		     /* the rest is open */
	struct dwarf_module dwarf;
	int64_t work; /* what reading for one probe may cost */
	struct dwarf_trees trees;
	void *map; /* which unit covers which addresses; NULL: not made yet */
	VEC(struct probe_rows *) rows;
};

/* The symbol table; file offsets, of the kernel addresses. */
int probe_module_symbols(struct probe_module *m, struct errbuf *eb);
/* Address as linked → what the kernel takes: file offset. False: in no segment of the file. */
bool probe_module_file_off(const struct probe_module *m, uint64_t vaddr, uint64_t *file_off);
bool probe_module_vaddr(const struct probe_module *m, uint64_t file_off, uint64_t *vaddr);

#endif
