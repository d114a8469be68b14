/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The definitions of syscall_list_*.h by number: an entry of syscall_table[] each. Several may have one name, where the arguments of a call
 * differ between architectures.
 */
#ifndef ASSAY_ABI_SYSCALL_IDS_H
#define ASSAY_ABI_SYSCALL_IDS_H

#include "abi/syscalls.h"

#define SYSCALL(id, ...) SYSCALL_ID_##id,
#define SYSCALL_AS(id, ...) SYSCALL_ID_##id,
enum syscall_id {
	SYSCALL_ID_NONE,
#include "abi/syscall_list_file.h"
#include "abi/syscall_list_process.h"
#include "abi/syscall_list_system.h"
#include "abi/syscall_list_i386.h"
	SYSCALL_NR_IDS
};
#undef SYSCALL
#undef SYSCALL_AS

extern const struct syscall_def syscall_table[SYSCALL_NR_IDS];

#endif
