/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Small sysfs files into an arena. Of host*.c only.
 */
#ifndef ASSAY_KERNEL_HOST_READ_H
#define ASSAY_KERNEL_HOST_READ_H

#include <stdint.h>

#include "base/arena.h"
#include "kernel/host.h"

/* First line of the file, or NULL. The path is a format. */
const char *host_read_str(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A number in it, or `fallback`. */
int64_t host_read_num(int64_t fallback, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The parts of host_init() that have files of their own. */
void host_read_topology(struct host *h); /* host_topology.c */
void host_read_caches(struct host *h);
void host_read_numa(struct host *h); /* host_memory.c */
void host_read_memory(struct host *h);

#endif
