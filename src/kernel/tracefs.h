/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Finding tracefs (mounting it where we may) and the tracepoints in it.
 */
#ifndef ASSAY_KERNEL_TRACEFS_H
#define ASSAY_KERNEL_TRACEFS_H

#include <stdint.h>

#include "base/errbuf.h"

/* Where tracefs is: a static string. Mounts it on /sys/kernel/tracing where it is mounted nowhere and we are allowed to; otherwise NULL and
 * the sentence with the command. */
const char *tracefs_find(struct errbuf *eb);

/* Gives the tracepoints that match, in the order of their directories; `id` is attr.config. Both names may be patterns (fnmatch). Where
 * there is none: -ENOENT with the nearest name; -EACCES with the fix. */
typedef void tracefs_found_fn(void *ctx, const char *system, const char *name, uint64_t id);
int tracefs_find_events(const char *system, const char *name, tracefs_found_fn *found, void *ctx, struct errbuf *eb);

#endif
