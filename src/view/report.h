/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Histograms as text in the layout of perf's `report --stdio`, and as JSON with their call trees (schema: assay-report(1); keys are only
 * added).
 */
#ifndef ASSAY_VIEW_REPORT_H
#define ASSAY_VIEW_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "model/hist.h"
#include "model/quality.h"
#include "session/recording.h"

enum chain_style { CHAIN_GRAPH, CHAIN_FRACTAL, CHAIN_FLAT, CHAIN_FOLDED, CHAIN_NO };
enum chain_value { CHAIN_PERCENT, CHAIN_PERIOD, CHAIN_COUNT };

struct report_text_options {
	uint16_t columns[HIST_MAX_COLUMNS]; /* what is printed, in order */
	uint32_t nr_columns;
	char separator;			   /* 0: aligned */
	uint16_t widths[HIST_MAX_COLUMNS]; /* asked for, by position; 0: as wide as need be */
	double percent_limit;
	enum chain_style chain_style;
	enum chain_value chain_value;
	double chain_min_percent;
	uint32_t chain_print_limit; /* 0: none */
	bool rows_only;		    /* -q: no lines with '#' */
	bool beside_children;	    /* the share is called "Self" */
	bool skip_first_frame;	    /* the first sort key is the symbol: its row says it already */
	bool ascii;		    /* no UTF-8 of our own: the locale has none */
	int line_width;		    /* of the terminal: names are shortened in the middle so that lines fit; 0: as wide as need be */
	bool colour;		    /* of shares */
	bool answers_plainly;	    /* report_answer(): without '#' in front, because no rows follow */
};

/* "# Samples: …" and what follows, rows and their call chains, for one event. `time_slices`: --time as typed, or NULL. */
void report_text(struct out *o, const struct report_text_options *opts, struct hist *h, const char *event_name, const char *time_slices);

/* report_answer.c: the hottest functions and the hottest path, of a histogram that was built by these options and sorted. */
void report_answer_options(struct hist_options *o);
void report_answer(struct out *o, const struct report_text_options *opts, struct hist *h);

/* The call chain below a row; grows the row's tree in the histogram for that. */
void calltree_text(struct out *o, const struct report_text_options *opts, struct hist *h, const struct hist_entry *e);

/* The name of a node of a chain, or its address where it has none. */
void calltree_node_name(struct out *o, struct hist *h, uint32_t node);

/* `hists`: built and sorted, one per event. Rows below `percent_limit` are counted, not listed. */
void report_json(struct out *o, const struct recording *r, struct hist *const *hists, uint32_t nr_hists, double percent_limit,
		 const struct quality *q);

/* The number of records of each type (--stats), when all were read. `nr_samples_by_event`: one per event of the recording. */
void stats_text(struct out *o, const struct recording *r, const uint64_t *nr_samples_by_event);

/* Tasks as a tree of parents and children (--tasks), optionally with maps (--mmaps), at the end of the recording; of a reused tid, the
 * later task. */
void tasks_text(struct out *o, const struct machine *machine, bool mmaps);

#endif
