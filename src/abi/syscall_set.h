/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct syscall_set: a choice of system calls, as `trace -e` gives it: names, numbers, classes, globs, regular expressions.
 */
#ifndef ASSAY_ABI_SYSCALL_SET_H
#define ASSAY_ABI_SYSCALL_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/syscalls.h"
#include "base/errbuf.h"

#define SYSCALL_SET_NUMBERS 512 /* more than any table has */

/* All zero: none. */
struct syscall_set {
	uint64_t bits[SYSCALL_NR_ABIS][SYSCALL_SET_NUMBERS / 64];
	bool is_chosen; /* a list was added: an empty set is meant */
};

/* Adds the calls of a list for programs of `abi`, and for 32-bit ones that run beside them. With commas between:
 *   openat, 257       a name, a number (of `abi`)
 *   %file, file       a class: of syscalls.h, net, pure, and strace's groups of stat calls (%stat, %%stat …)
 *   open*, /^open     a glob, a regular expression
 *   all, none      (none adds nothing: `-e trace=none` is an empty set)
 * "?" before a name that may be missing, "@64" and "@32" behind one to choose the size of programs. "!" before the list, or before one of
 * its items, removes: from all calls if nothing was added before. A leading "trace=" (strace's) is skipped.
 * -EINVAL with a message for what names nothing; the set is as it was then. */
int syscall_set_add(struct syscall_set *set, enum syscall_abi abi, const char *list, struct errbuf *eb);
/* Adds one call. */
void syscall_set_put(struct syscall_set *set, enum syscall_abi abi, uint32_t nr);
/* False for numbers that no table has, unless all calls are in the set. */
bool syscall_set_has(const struct syscall_set *set, enum syscall_abi abi, uint32_t nr);

#endif
