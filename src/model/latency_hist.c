/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/latency_hist.h"

void latency_hist_init(struct latency_hist *h, uint64_t unit_ns)
{
	*h = (struct latency_hist){ .unit_ns = unit_ns, .min_ns = UINT64_MAX };
}

void latency_hist_add(struct latency_hist *h, uint64_t took_ns)
{
	uint64_t units = took_ns / h->unit_ns;
	int i = units ? 64 - __builtin_clzll(units) : 0;

	h->buckets[i < LATENCY_BUCKETS ? i : LATENCY_BUCKETS - 1]++;
	h->nr++;
	h->total_ns += took_ns;
	h->max_ns = took_ns > h->max_ns ? took_ns : h->max_ns;
	h->min_ns = took_ns < h->min_ns ? took_ns : h->min_ns;
}

void latency_hist_add_figures(struct latency_hist *h, const struct latency_figures *f)
{
	for (int i = 0; i < LATENCY_BUCKETS; i++)
		h->buckets[i] += f->buckets[i];
	h->nr += f->nr;
	h->total_ns += f->total_ns;
	h->max_ns = f->max_ns > h->max_ns ? f->max_ns : h->max_ns;
	h->min_ns = f->nr && ~f->min_ns < h->min_ns ? ~f->min_ns : h->min_ns;
	h->nr_begun += f->nr_begun;
	h->nr_replaced += f->nr_replaced;
	h->nr_dropped += f->nr_dropped;
	h->nr_ends_alone += f->nr_ends_alone;
}
