/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct schedstat_sums: how far the counters of /proc/schedstat moved between the two readings of a recording, by CPU and domain, and the
 * mean over CPUs.
 */
#ifndef ASSAY_MODEL_SCHEDSTAT_SUMS_H
#define ASSAY_MODEL_SCHEDSTAT_SUMS_H

#include "abi/schedstat.h"
#include "base/errbuf.h"

/* A zeroed struct is empty. */
struct schedstat_sums {
	uint32_t version;
	uint64_t jiffies;
	VEC(struct schedstat_row) rows;	 /* by CPU, each followed by its domains */
	VEC(struct schedstat_row) means; /* of the CPUs, then of each domain of the first CPU that has it; .cpu: how many CPUs */
};

/* `path` is for sentences. -EBADMSG where the readings have other lines. */
int schedstat_sums_init(struct schedstat_sums *t, const struct schedstat *s, const char *path, struct errbuf *eb);
void schedstat_sums_fini(struct schedstat_sums *t);

#endif
