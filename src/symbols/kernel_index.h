/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Symbols of the kernel and its modules in the symbol index: the kernel takes 50 ms to print /proc/kallsyms, so it is read once.
 *
 * What is kept does not change from boot to boot: the code of a kernel (and of a module) with one build-id has one layout, so its
 * symbols are kept relative to its start, and no address of this boot is stored. A recording says where the start was. A kernel or
 * a module without a build-id is known for this boot only, by the boot id, and a module for this loading of it only. Symbols of
 * BPF programs and trampolines are not kept: they come and go, and recordings bring their own (KSYMBOL records).
 */
#ifndef ASSAY_SYMBOLS_KERNEL_INDEX_H
#define ASSAY_SYMBOLS_KERNEL_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/build_id.h"
#include "symbols/kallsyms.h"
#include "symbols/symtab.h"

/* The boot id as 16 bytes, which name a kernel without a build-id; size 0 where it cannot be read. */
struct build_id kernel_index_boot_id(void);

/* The symbols of a kernel, with the symbol `ref_name` ("_text" or "_stext") at `ref_addr`; NULL where they are not there. `id`:
 * its build-id, or the boot id. */
struct symtab *kernel_index_find(const struct build_id *id, const char *ref_name, uint64_t ref_addr);
/* Whether they are there, or cannot be: there is no index. */
bool kernel_index_has(const struct build_id *id);
/* Keeps the symbols of the kernel; nothing where `k` has no start of the kernel or is not plausible (hidden addresses). */
void kernel_index_add(const struct build_id *id, const struct kallsyms *k);

/* Which module it is. */
struct kernel_index_module {
	const char *name;
	struct build_id id;   /* of the module; size 0: it has none, and boot id and inode count */
	struct build_id boot; /* kernel_index_boot_id() */
	uint64_t inode;	      /* kernel_module_inode() */
};

/* Its functions, for a module whose code begins at `start` (0: counted from there); NULL where they are not there. */
struct symtab *kernel_index_find_module(const struct kernel_index_module *m, uint64_t start);
/* Keeps the functions of a module whose code begins at `start` in that table. */
void kernel_index_add_module(const struct kernel_index_module *m, const struct symtab *t, uint64_t start);

/* Whether /proc/kallsyms and /sys are the kernel's own and not files that something else put there (a container, a test). */
bool kernel_index_trusts_proc(void);

#endif
