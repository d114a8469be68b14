/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the machine-readable printers of `stat` have in common: the order in which perf prints rows
 * in each aggregation mode, and what stands at a row's beginning. Formats are the printers' own.
 */
#ifndef ASSAY_VIEW_STAT_ROWS_H
#define ASSAY_VIEW_STAT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "model/counts.h"
#include "view/stat_text.h"

typedef void stat_row_fn(void *ctx, uint32_t event, uint32_t place);
/* Calls `fn` for each row there is. */
void stat_rows_each(const struct counts *c, bool skip_zero, stat_row_fn *fn, void *ctx);

/* The number beside "S0-D0-C0": the CPUs that were read for it. perf stops at the first that did
 * not count, and so says 1 where an event was not counted. */
uint32_t stat_row_nr_cpus(const struct counts_row *row);

/* "S0-D0-C0", "CPU1", "N0", "sh-17" (its comm as it is: escape it); "" for COUNTS_GLOBAL. Returns
 * the length. */
#define STAT_PLACE_MAX 96
size_t stat_place_name(const struct counts *c, uint32_t place, char name[STAT_PLACE_MAX]);
/* Is it followed by a number of CPUs? */
static inline bool stat_place_has_nr(enum counts_aggr aggr)
{
	return aggr == COUNTS_PER_SOCKET || aggr == COUNTS_PER_DIE || aggr == COUNTS_PER_CORE ||
	       aggr == COUNTS_PER_NODE;
}

/* Does any event belong to a cgroup? Then all rows have that field. */
bool stat_has_cgroups(const struct counts *c);

#endif
