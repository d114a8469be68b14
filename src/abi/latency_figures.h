/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Durations as the program bpf/latency.bpf.c counts them, on each CPU. Included by it, too.
 */
#ifndef ASSAY_ABI_LATENCY_FIGURES_H
#define ASSAY_ABI_LATENCY_FIGURES_H

/* Bucket 0: below one unit; i: from 2^(i-1) units on; the last has all that is longer. */
#define LATENCY_BUCKETS 40

struct latency_figures {
	unsigned long long buckets[LATENCY_BUCKETS];
	unsigned long long nr, total_ns, max_ns, min_ns; /* min_ns: its complement, so that zero is none */
	unsigned long long nr_begun, nr_replaced, nr_dropped, nr_ends_alone;
};

#endif
