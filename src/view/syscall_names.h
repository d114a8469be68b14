/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names that only the text of structs needs; those of arguments, and of fields that have the same names, are in abi/syscall_flags.h.
 */
#ifndef ASSAY_VIEW_SYSCALL_NAMES_H
#define ASSAY_VIEW_SYSCALL_NAMES_H

#include "abi/syscall_flags.h"

/* syscall_names.c */
extern const struct syscall_flags syscall_owner_types, syscall_dirent_types, syscall_capability_versions, syscall_futex_op_names,
	syscall_futex_cmp_names, syscall_control_types, syscall_link_types, syscall_packet_types, syscall_ether_types, syscall_dumpable,
	syscall_secure_bits, syscall_seccomp_modes, syscall_ambient, syscall_audit_archs, syscall_interface_flags;
/* What si_code says beside the general reasons, by signal; NULL: nothing. */
const struct syscall_flags *syscall_signal_codes(int sig);

/* syscall_names_fs.c: file systems and terminals */
extern const struct syscall_flags syscall_statfs_types, syscall_inode_flags, syscall_input_modes, syscall_output_modes,
	syscall_control_modes, syscall_local_modes, syscall_baud_rates, syscall_character_sizes, syscall_flush_queues, syscall_flow_actions;

#endif
