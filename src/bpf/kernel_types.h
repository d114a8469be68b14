/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Kernel types as far as our BPF programs use them, kept by hand: only the fields that are read, in any order. The loader finds where the
 * running kernel has them (CO-RE), so that a program is built once and for all kernels with BTF. Values of the UAPI come from its headers.
 */
#ifndef ASSAY_BPF_KERNEL_TYPES_H
#define ASSAY_BPF_KERNEL_TYPES_H

#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/types.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long di, si, dx, r10, r8, r9, sp, cs;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	__u64 regs[31];
	__u64 sp;
	__u64 orig_x0;
};
#endif

struct task_struct {
	int pid, tgid;
	int exit_code;
};

struct linux_binprm;

#pragma clang attribute pop

#endif
