/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct go_module: what a Go program carries for its own stack traces, found in its ELF file: the table of functions and lines
 * (go_pclntab.h), and the trees of inlined calls that it refers to. Read-only once opened: safe from several threads.
 */
#ifndef ASSAY_SYMBOLS_GO_MODULE_H
#define ASSAY_SYMBOLS_GO_MODULE_H

#include "symbols/elf_file.h"
#include "symbols/go_pclntab.h"

struct go_module {
	struct go_pclntab table;
	void *table_bytes;
	uint64_t table_vaddr;
	/* The part of the program with the trees of inlined calls; NULL: none, or not where they could be distinguished from other data. */
	uint8_t *trees;
	size_t trees_size;
	uint64_t trees_start; /* in the numbers that go_function.inline_tree has */
};

/* One inlined call. */
struct go_inlined {
	uint32_t name;	      /* for go_pclntab_name() */
	uint64_t parent_addr; /* an address of the function whose place in the source is the call */
};

/* Was the file made by a Go linker? Looks at headers only. */
bool go_module_is_go(const struct elf_file *f);
/* -ENODATA where there is no table, or none that can be relied on. Without `inlines` the trees are not looked for. */
int go_module_open(struct go_module *m, const struct elf_file *f, bool inlines);
void go_module_close(struct go_module *m);
/* The call that the i-th node of a function's tree stands for. False where it is not sound. */
bool go_module_inlined(const struct go_module *m, const struct go_function *f, uint32_t i, struct go_inlined *call);

/* Lines and inlined calls as source units of some functions each, as those made from DWARF. */
/* Which unit covers which addresses, as a flat source map (source_unit.h), malloc'd. A unit is named by its first function's number. */
void *go_source_map(const struct go_module *m, size_t *size);
/* A unit, malloc'd; NULL where there is none of that name. Safe from several threads. */
void *go_source_read(const struct go_module *m, uint64_t unit, size_t *size);

#endif
