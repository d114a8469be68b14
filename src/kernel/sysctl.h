/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the system allows: the kernel's settings for profiling, limits of this process, its capabilities.
 */
#ifndef ASSAY_KERNEL_SYSCTL_H
#define ASSAY_KERNEL_SYSCTL_H

#include <stdbool.h>
#include <stdint.h>

/* kernel.perf_event_paranoid: -1 all, 0 no raw tracepoints, 1 no system-wide, 2 no kernel, 3+ nothing (some distributions). INT32_MAX where
 * the kernel has no perf events at all. */
int sysctl_paranoid(void);
/* kernel.kptr_restrict: 0, 1, 2; -1 unknown. */
int sysctl_kptr_restrict(void);
uint64_t sysctl_max_sample_rate(void); /* Hz; 0 unknown */
uint32_t sysctl_max_stack(void);       /* frames of a call chain: 127 unless set */
uint64_t sysctl_mlock_kb(void);	       /* ring memory a user may have per CPU: 516 unless set */

/* Numbers of the kernel's capabilities. */
#define SYSCTL_CAP_SYS_PTRACE 19
#define SYSCTL_CAP_SYS_ADMIN 21
#define SYSCTL_CAP_SYSLOG 34
#define SYSCTL_CAP_PERFMON 38
/* Is the capability effective for us? */
bool sysctl_has_cap(unsigned cap);
/* CAP_PERFMON or CAP_SYS_ADMIN: the paranoid setting does not bind us. */
bool sysctl_is_perfmon_capable(void);

/* Raises the soft limit of open files to the hard one; true if it changed. */
bool sysctl_raise_nofile(void);
uint64_t sysctl_nofile(void); /* the soft limit */

#endif
