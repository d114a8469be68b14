/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How often durations lay between two powers of two, in ns or µs, with their sum and extremes.
 */
#ifndef ASSAY_MODEL_LATENCY_HIST_H
#define ASSAY_MODEL_LATENCY_HIST_H

#include <stdint.h>

#include "abi/latency_figures.h"

struct latency_hist {
	uint64_t unit_ns; /* 1 or 1000 */
	uint64_t buckets[LATENCY_BUCKETS];
	uint64_t nr, total_ns, max_ns, min_ns;
	uint64_t nr_begun;	/* of all begins … */
	uint64_t nr_unfinished; /* … those that were not seen to end */
	uint64_t nr_replaced;	/* … whose key began again before it ended */
	uint64_t nr_dropped;	/* … that there was no place for */
	uint64_t nr_ends_alone;
	uint64_t nr_lost; /* events, before they could be read */
};

void latency_hist_init(struct latency_hist *h, uint64_t unit_ns);
void latency_hist_add(struct latency_hist *h, uint64_t took_ns);
/* What one CPU counted in the kernel. */
void latency_hist_add_figures(struct latency_hist *h, const struct latency_figures *f);

#endif
