/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel modules that are loaded now, by /proc/modules, and what tells one loading of a module from another: /sys/module/NAME is
 * made when the module is loaded, so its inode number changes with every loading.
 */
#ifndef ASSAY_SYMBOLS_KERNEL_MODULES_H
#define ASSAY_SYMBOLS_KERNEL_MODULES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

struct kernel_module_now {
	const char *name;
	uint64_t start; /* of its code; never 0: modules whose address is hidden are not listed */
};

struct kernel_modules {
	struct arena arena;
	VEC(struct kernel_module_now) v;
};

/* Reads the list; empty where there is none, or addresses are hidden. */
void kernel_modules_read(struct kernel_modules *m);
/* The same from text. */
void kernel_modules_parse(struct kernel_modules *m, const char *text, size_t size);
void kernel_modules_fini(struct kernel_modules *m);
/* By name, or NULL. */
const struct kernel_module_now *kernel_modules_find(const struct kernel_modules *m, const char *name);

/* The inode number of /sys/module/NAME; 0: there is none. */
uint64_t kernel_module_inode(const char *name);

#endif
