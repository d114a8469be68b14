/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of `report` that have a syntax of their own (--sort, -F, -g), and what follows from them: which keys make a row, which
 * columns are shown, by what rows are sorted.
 */
#ifndef ASSAY_CMD_REPORT_OPTIONS_H
#define ASSAY_CMD_REPORT_OPTIONS_H

#include <stdbool.h>

#include "base/options.h"
#include "model/filter.h"
#include "model/hist.h"
#include "view/report.h"

struct report_columns {
	uint8_t v[2 * HIST_NR_COLUMNS];
	uint32_t nr;
};

struct report_options {
	struct report_columns sort, fields; /* as typed; empty: defaults */
	bool fields_added, sort_added;	    /* -F +…, -s +…: beside the defaults */
	bool children_set, children;
	bool show_samples, show_period, show_modes;
	bool inverted;
	bool order_set;
	bool branches_set, branches;
	bool chains_known; /* the recording has some */
	bool chains_asked; /* -g or -G, other than for none */
	/* results, filled by report_options_finish() */
	struct hist_options hist;
	struct report_text_options text;
};

void report_options_init(struct report_options *o);
option_call_fn report_option_sort, report_option_fields, report_option_call_graph, report_option_percent_limit, report_option_separator,
	report_option_widths, report_option_tui;
/* For what perf has and this version has not: says so. */
option_call_fn report_option_absent;

/* Rows or chains show lines of source files. */
bool report_options_want_lines(const struct report_options *o);
/* Keys of branches need some. */
int report_options_check_keys(const struct report_options *o, struct errbuf *eb);

/* Chains are shown from the outermost caller on; known before the recording is read. */
bool report_options_caller_first(const struct report_options *o);

/* To be called when it is known whether the recording has call chains. */
void report_options_finish(struct report_options *o, bool has_chains, const struct filter *f);

#endif
