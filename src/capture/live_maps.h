/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a running process has mapped, as /proc tells it, for a machine: read once, and again when
 * an address turns up that is in no map. It knows nothing of threads or stacks.
 */
#ifndef ASSAY_CAPTURE_LIVE_MAPS_H
#define ASSAY_CAPTURE_LIVE_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/proc_scan.h"
#include "session/machine.h"

#define LIVE_MAPS_NR_MISSES 64u

struct live_maps {
	struct machine *machine;
	pid_t pid, tid;
	struct proc_scan scan;
	struct record_sink sink;
	/* pages that were looked for in vain, by hash, each plus 1 */
	uint64_t misses[LIVE_MAPS_NR_MISSES], misses_ns;
};

/* `tid`: the thread through which they are seen; 0: any of the process. */
void live_maps_init(struct live_maps *m, struct machine *machine, pid_t pid, pid_t tid, bool data_maps);
void live_maps_fini(struct live_maps *m);
void live_maps_read(struct live_maps *m);

/* `addr` is in no map (0: nothing is missing). True where reading them again may help: an address
 * that was looked for in vain a moment ago is a number that only looks like one. */
bool live_maps_miss(struct live_maps *m, uint64_t addr);

#endif
