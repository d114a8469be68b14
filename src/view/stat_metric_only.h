/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `stat --metric-only`: one line a place, one column a metric, as text, separated values or JSON.
 * Rates and "CPUs utilized" are left out, as perf does.
 */
#ifndef ASSAY_VIEW_STAT_METRIC_ONLY_H
#define ASSAY_VIEW_STAT_METRIC_ONLY_H

#include "base/vec.h"
#include "view/stat_rows.h"

struct metric_column {
	uint32_t event;
	char label[64];	 /* as metrics_get() has it: tells metrics of one event apart */
	char title[192]; /* what a person reads: "branch-misses of all branches" */
	uint32_t width;	 /* of text */
};

/* The columns, settled once so that all intervals have the same. A zeroed struct is empty. */
struct metric_columns {
	bool is_set;
	VEC(struct metric_column) columns;
};
/* From the counts as computed first: a metric whose events were not counted has its column, too. */
void metric_columns_init(struct metric_columns *m, const struct counts *c);
void metric_columns_fini(struct metric_columns *m);

enum stat_output { STAT_OUTPUT_TEXT, STAT_OUTPUT_CSV, STAT_OUTPUT_JSON };

/* The rows as computed last, with the columns s->metric_only. The first time, they are settled and
 * a line of titles goes first (JSON has none: its keys are the titles). */
void stat_metric_only_print(struct out *o, const struct counts *c, const struct stat_style *s,
			    enum stat_output how);

#endif
