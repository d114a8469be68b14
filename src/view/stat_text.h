/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts as text, as perf stat prints them: a table at the end, or lines for each interval.
 */
#ifndef ASSAY_VIEW_STAT_TEXT_H
#define ASSAY_VIEW_STAT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "model/counts.h"

struct metric_columns;
struct stat_plot;

/* What all printers of counts (text, CSV, JSON) are told beside the counts. */
struct stat_style {
	const char *target; /* what was counted, as the heading names it: "'ls -l'", "process id '12'",
			       "'system wide'" */
	bool colour;	    /* a terminal */
	bool big_num;	    /* group digits, where the locale says how */
	bool null_run;	    /* -n: nothing but time */
	bool show_times;    /* user and system time of the command are known */
	bool table;	    /* --table */
	bool skip_zero;	    /* --per-thread of the whole system: only those that did something */
	bool clear;	    /* --interval-clear: the screen before each interval */
	bool repeated;	    /* -r with more than one run: spreads are shown */
	bool intervals;	    /* -I: a total after them is a summary */
	const char *separator; /* -x: what stands between two fields */
	bool no_csv_summary;   /* --no-csv-summary: a summary's lines do not say so */
	struct metric_columns *metric_only; /* --metric-only: its columns (stat_metric_only.h), empty
					       at first; else NULL */
	struct stat_plot *plot; /* of stat_plot_format alone */
};

/* One format of output. All append to `o`, which the caller flushes. */
struct stat_format {
	/* The rows of an interval (counts_compute(COUNTS_INTERVAL) was called), which ended
	 * `time_ns` after the start; `nr` intervals were printed before. */
	void (*interval)(struct out *o, const struct counts *c, const struct stat_style *s,
			 uint64_t time_ns, uint64_t nr);
	/* The result (counts_compute(COUNTS_TOTAL)). */
	void (*total)(struct out *o, const struct counts *c, const struct stat_style *s);
};
extern const struct stat_format stat_text_format;

#endif
