/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of `report` that have a syntax of their own (--sort, -F, -g), and what follows from them: which keys make a row, which
 * columns are shown, by what rows are sorted.
 */
#ifndef ASSAY_CMD_REPORT_OPTIONS_H
#define ASSAY_CMD_REPORT_OPTIONS_H

#include <stdbool.h>

#include "base/options.h"
#include "model/field_keys.h"
#include "model/filter.h"
#include "model/hist.h"
#include "view/report.h"

/* Columns of the table, and words of fields: HIST_FIELDS + their number. */
struct report_columns {
	uint16_t v[HIST_NR_COLUMNS + FIELD_MAX_WORDS];
	uint32_t nr;
};

/* Of the rows of an event: what makes one, what they are sorted by, what is shown of them. */
struct report_rows {
	struct report_columns keys, order, shown;
};

struct report_options {
	struct report_columns sort, fields; /* as typed; empty: defaults */
	bool fields_added, sort_added;	    /* -F +…, -s +…: beside the defaults */
	bool children_set, children;
	bool show_samples, show_period, show_modes;
	bool latency;	    /* rows by their share of elapsed time */
	bool has_switches;  /* the recording has context switches; columns of latency may be shown … */
	bool shows_latency; /* … and are without being asked for, because threads ran side by side */
	bool inverted;
	bool order_set;
	bool branches_set, branches;
	bool chains_known; /* the recording has some */
	bool chains_asked; /* -g or -G, other than for none */
	struct field_keys field_keys;
	/* What the keys are where none are given, found by report_options_choose_keys(): the text of tracepoints, the names of system calls; the
	 * numbers of their words, -1: not so. */
	int text_word, call_word;
	/* results, filled by report_options_finish(); columns by report_options_of_event() */
	struct report_rows rows, call_rows;
	struct hist_options hist;
	struct report_text_options text;
};

void report_options_init(struct report_options *o);
void report_options_fini(struct report_options *o);
option_call_fn report_option_default_call_graph, report_option_sort, report_option_fields, report_option_call_graph,
	report_option_percent_limit, report_option_separator, report_option_widths;
/* For what perf has and this version has not: says so. */
option_call_fn report_option_absent;

/* Rows or chains show lines of source files. */
bool report_options_want_lines(const struct report_options *o);
/* Columns, or --latency, that need context switches: the name of the first; NULL: there is none. */
const char *report_options_needs_switches(const struct report_options *o);
/* Rows are by the number of threads that ran. */
bool report_options_want_parallelism(const struct report_options *o);
/* Keys of branches need some. */
int report_options_check_keys(const struct report_options *o, struct errbuf *eb);

/* Which keys are the default of this recording, before it is read: of tracepoints alone, their text, as in perf; of system calls that `trace`
 * recorded without stacks, command and call. Of a pipe, whose events come later, report_options_finish() decides. */
void report_options_choose_keys(struct report_options *o, const struct recording *r);

/* Chains are shown from the outermost caller on; known before the recording is read. */
bool report_options_caller_first(const struct report_options *o);

/* To be called when the recording has been read. */
void report_options_finish(struct report_options *o, const struct recording *r, const struct filter *f);

/* Refuses fields that no event of the recording has; to be called when its events are known. */
int report_options_check_fields(struct report_options *o, struct errbuf *eb);
/* Sets keys, order and columns of o->hist and o->text to those that this event has. */
void report_options_of_event(struct report_options *o, uint32_t event);

#endif
