/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Runs independent jobs on all CPUs.
 */
#ifndef ASSAY_BASE_POOL_H
#define ASSAY_BASE_POOL_H

#include <stdint.h>

/* Calls job(ctx, i) for every i in [0, nr), each exactly once, on up to `nr_threads` threads (0: one per CPU we may run on), the caller's
 * among them. Returns when all are done. Falls back to fewer threads when none can be started. */
void pool_run(uint32_t nr, uint32_t nr_threads, void (*job)(void *ctx, uint32_t i), void *ctx);
/* CPUs that we may run on. */
uint32_t pool_nr_cpus(void);

#endif
