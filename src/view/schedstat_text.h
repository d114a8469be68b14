/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counters of /proc/schedstat in perf's layout: of one recording, or of two beside each other.
 */
#ifndef ASSAY_VIEW_SCHEDSTAT_TEXT_H
#define ASSAY_VIEW_SCHEDSTAT_TEXT_H

#include "base/out.h"
#include "model/schedstat_sums.h"

struct schedstat_text {
	struct out *o;
	bool explains; /* sentences instead of the kernel's names */
	const struct schedstat *names;
	const uint32_t *cpus; /* only these; none: all */
	uint32_t nr_cpus;
};

void schedstat_text_report(const struct schedstat_text *t, const struct schedstat_sums *s);
/* Both have the same version and domains. */
void schedstat_text_diff(const struct schedstat_text *t, const struct schedstat_sums *a, const struct schedstat_sums *b);

#endif
