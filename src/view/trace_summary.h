/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sums of system calls as perf trace -s prints them.
 */
#ifndef ASSAY_VIEW_TRACE_SUMMARY_H
#define ASSAY_VIEW_TRACE_SUMMARY_H

#include "base/out.h"
#include "model/syscall_sums.h"

struct trace_summary_options {
	bool has_histograms;
	bool has_errors; /* by their names */
};

/* The sums are sorted. */
void trace_summary_text(struct out *o, const struct syscall_sums *s, const struct trace_summary_options *opts);

#endif
