/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct kallsyms: the kernel's own list of its symbols, /proc/kallsyms or a copy of it, read once and divided into the kernel proper and
 * its modules.
 */
#ifndef ASSAY_SYMBOLS_KALLSYMS_H
#define ASSAY_SYMBOLS_KALLSYMS_H

#include "base/errbuf.h"
#include "symbols/symtab.h"

/* Symbols at the start of the kernel's code: where it lies differs from boot to boot. */
enum kallsyms_mark { KALLSYMS_TEXT, KALLSYMS_STEXT, KALLSYMS_NR_MARKS };

struct kallsyms {
	struct symtab *kernel;		   /* NULL once taken */
	struct symtab *modules;		   /* names are "name\t[module]" */
	uint64_t ref_addr;		   /* of `ref_name`; 0: not there */
	uint64_t marks[KALLSYMS_NR_MARKS]; /* 0: not there */
};

/* Reads and parses the file. `ref_name` (may be NULL) is a symbol whose address is wanted: the marker of where a recording had the kernel.
 * -EACCES where the kernel hides the addresses, with a message that says how to change that. */
int kallsyms_open(struct kallsyms *k, const char *path, const char *ref_name, struct errbuf *eb);
/* Same from text in memory, which is written to and must outlive the tables; for tests. */
int kallsyms_parse(struct kallsyms *k, char *text, size_t size, const char *ref_name, struct errbuf *eb);
void kallsyms_close(struct kallsyms *k);
/* True where the file is there and shows no addresses to us. Looks at its beginning only. */
bool kallsyms_is_hidden(const char *path);

/* "_text" → KALLSYMS_TEXT; -1 for other names and NULL. */
int kallsyms_mark(const char *name);
/* Where a mark is by a look at the beginning of the file; 0: hidden, or not there. */
uint64_t kallsyms_peek_mark(const char *path, enum kallsyms_mark mark);

/* The kernel modules that are loaded now: where the code of one begins, by the text of /proc/modules or by the file; 0: it is not loaded,
 * or the address is hidden. */
uint64_t kernel_modules_find(const char *text, size_t size, const char *name);
uint64_t kernel_module_start(const char *name);
/* The inode number of /sys/module/NAME, which changes with every loading; 0: there is none. */
uint64_t kernel_module_inode(const char *name);

/* The kernel's own symbols, moved by `shift`; the caller's from now on. NULL when it was taken before. */
struct symtab *kallsyms_take_kernel(struct kallsyms *k, uint64_t shift);
/* A copy of one module's symbols, moved by `shift`: `module` is a name without brackets. Empty where there is no such module. */
struct symtab *kallsyms_copy_module(const struct kallsyms *k, const char *module, uint64_t shift);

#endif
