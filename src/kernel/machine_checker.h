/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the two files of checks (machine_checks.c, machine_limits.c) share, and nobody else sees.
 */
#ifndef ASSAY_KERNEL_MACHINE_CHECKER_H
#define ASSAY_KERNEL_MACHINE_CHECKER_H

#include "kernel/machine_checks.h"

void check_state(struct machine_check *c, enum check_level level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void check_effect(struct machine_check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void check_fix(struct machine_check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "sudo " where it takes that. */
const char *check_sudo(const struct machine_facts *f);

/* machine_limits.c */
typedef void check_fn(const struct machine_facts *f, struct machine_check *c);
check_fn check_rings, check_files, check_max_stack, check_sample_rate, check_cpu_time, check_clock, check_tracefs, check_probes, check_btf,
	check_ptrace, check_debuginfod, check_libc;

#endif
