/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts as perf stat prints them: a table at the end or lines for each interval (stat_text.c), separated values and JSON lines
 * (stat_rows.c), and one line a place of metrics alone (stat_metric_only.c). stat_plot.c draws them.
 */
#ifndef ASSAY_VIEW_STAT_H
#define ASSAY_VIEW_STAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "base/vec.h"
#include "model/counts.h"

struct metric_columns;
struct stat_plot;

/* What all printers of counts get beside the counts. */
struct stat_style {
	const char *target;		    /* what was counted, as the heading names it: "'ls -l'", "process id '12'",
			       "'system wide'" */
	bool colour;			    /* a terminal */
	bool big_num;			    /* group digits, where the locale says how */
	bool null_run;			    /* -n: nothing but time */
	bool show_times;		    /* user and system time of the command are known */
	bool table;			    /* --table */
	bool skip_zero;			    /* --per-thread of the whole system: only those that did something */
	bool clear;			    /* --interval-clear: the screen before each interval */
	bool repeated;			    /* -r with more than one run: spreads are shown */
	bool intervals;			    /* -I: a total after them is a summary */
	const char *separator;		    /* -x: what stands between two fields */
	bool no_csv_summary;		    /* --no-csv-summary: a summary's lines do not say so */
	struct metric_columns *metric_only; /* --metric-only: its columns, empty at first; else NULL */
	struct stat_plot *plot;		    /* of stat_plot_format alone */
};

/* One format of output. All append to `o`, which the caller flushes. */
struct stat_format {
	/* The rows of an interval (after counts_compute(COUNTS_INTERVAL)) that ended `time_ns` after the start; `nr` were printed
	 * before. */
	void (*interval)(struct out *o, const struct counts *c, const struct stat_style *s, uint64_t time_ns, uint64_t nr);
	/* The result (counts_compute(COUNTS_TOTAL)). */
	void (*total)(struct out *o, const struct counts *c, const struct stat_style *s);
};
extern const struct stat_format stat_text_format;
extern const struct stat_format stat_csv_format;  /* -x: fields as perf 6.1 has them */
extern const struct stat_format stat_json_format; /* -j: perf 6.1's keys, order and blanks; but always valid JSON */

/* Rows in perf's order: by event, then CPU or thread; by place, then event, where CPUs are summed to cores, dies, sockets or nodes. */
typedef void stat_row_fn(void *ctx, uint32_t event, uint32_t place);
void stat_rows_each(const struct counts *c, bool skip_zero, stat_row_fn *fn, void *ctx);

/* The number beside "S0-D0-C0": the CPUs that were read. 1 where an event was not counted, as in perf. */
uint32_t stat_row_nr_cpus(const struct counts_row *row);

/* "S0-D0-C0", "CPU1", "N0", "sh-17" (comm not escaped); "" for COUNTS_GLOBAL. Returns the length. */
#define STAT_PLACE_MAX 96
size_t stat_place_name(const struct counts *c, uint32_t place, char name[STAT_PLACE_MAX]);
/* Is it followed by a number of CPUs? */
static inline bool stat_place_has_nr(enum counts_aggr aggr)
{
	return aggr == COUNTS_PER_SOCKET || aggr == COUNTS_PER_DIE || aggr == COUNTS_PER_CORE || aggr == COUNTS_PER_NODE;
}

/* The beginning of a line: `{"interval" : 1.5, "cpu" : "0", `, or the time or "summary" and "S0-D0-C0,2,". */
void stat_json_begin(struct out *o, const struct counts *c, const struct stat_style *s, uint32_t place, uint32_t nr_cpus);
void stat_csv_begin(struct out *o, const struct counts *c, const struct stat_style *s, uint32_t place, uint32_t nr_cpus);
/* `"KEY" : "VALUE"`, both escaped. */
void stat_json_string(struct out *o, const char *key, const char *value);
/* A metric's number by its format, as it is and without blanks and percent sign, as perf cuts it. */
#define STAT_METRIC_MAX 64
int stat_metric_text(char text[STAT_METRIC_MAX], const char *format, double value);
void stat_csv_number(struct out *o, const char *format, double value);

/* `stat --metric-only`. The columns are settled once, so that all intervals have the same. A zeroed struct is empty. */
struct metric_column {
	uint32_t event;
	char label[64];	 /* as metrics_get() has it: tells metrics of one event apart */
	char title[192]; /* what a person reads: "branch-misses of all branches" */
	uint32_t width;	 /* of text */
};
struct metric_columns {
	bool is_set;
	VEC(struct metric_column) columns;
};
void metric_columns_fini(struct metric_columns *m);

enum stat_output { STAT_OUTPUT_TEXT, STAT_OUTPUT_CSV, STAT_OUTPUT_JSON };
/* The rows as computed last, with the columns s->metric_only, after a line of titles the first time. Rates and "CPUs utilized" are
 * omitted, as in perf. */
void stat_metric_only_print(struct out *o, const struct counts *c, const struct stat_style *s, enum stat_output how);

/* `stat -I … --plot`: charts of the last intervals, drawn again and again in the same place of a terminal. Layout: plot_layout.h. */

/* For stat_style.plot. `unicode`: block characters, else ASCII art. */
struct stat_plot *stat_plot_new(uint64_t interval_ns, bool unicode);
void stat_plot_free(struct stat_plot *p);

/* Adds an interval and draws over the last picture; the size is that of the terminal behind `o`. A summary is text. */
extern const struct stat_format stat_plot_format;

#endif
