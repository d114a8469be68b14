/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Cgroups: those that exist before a recording begins, told as CGROUP records (id and path, the
 * root first), and the one that -G names.
 */
#ifndef ASSAY_KERNEL_CGROUP_SCAN_H
#define ASSAY_KERNEL_CGROUP_SCAN_H

#include <stdint.h>

#include "base/errbuf.h"
#include "kernel/proc_scan.h"

/* Walks the hierarchy that samples' cgroup ids refer to (cgroup v2, or v1's perf_event). Cgroups
 * that vanish meanwhile are passed over. *nr: how many were told; 0 where no such hierarchy is
 * mounted. A negative errno comes from the sink. */
int cgroup_scan(const struct record_sink *sink, uint32_t *nr);

/* Opens a cgroup by its path in that hierarchy ("system.slice/app", "/" for the root): the fd that
 * event_open() takes in place of a pid. A negative errno has its sentence. */
int cgroup_open(const char *name, struct errbuf *eb);

#endif
