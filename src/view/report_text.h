/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A histogram as text: perf's `report --stdio` layout. A column is a table entry (name, width, cell); rows, dots and separated
 * output (`-t ,`) all walk that table.
 */
#ifndef ASSAY_VIEW_REPORT_TEXT_H
#define ASSAY_VIEW_REPORT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "model/hist.h"

enum chain_style { CHAIN_GRAPH, CHAIN_FRACTAL, CHAIN_FLAT, CHAIN_FOLDED, CHAIN_NO };
enum chain_value { CHAIN_PERCENT, CHAIN_PERIOD, CHAIN_COUNT };

struct report_text_options {
	uint8_t columns[HIST_NR_COLUMNS]; /* what is printed, in order */
	uint32_t nr_columns;
	char separator; /* 0: aligned */
	uint16_t widths[HIST_NR_COLUMNS]; /* asked for, by position; 0: as wide as need be */
	double percent_limit;
	enum chain_style chain_style;
	enum chain_value chain_value;
	double chain_min_percent;
	uint32_t chain_print_limit; /* 0: none */
	bool rows_only; /* -q: no lines with '#' */
	bool beside_children; /* the share is called "Self" */
	bool skip_first_frame; /* the first sort key is the symbol: its row says it already */
};

/* "# Samples: …" and what follows, rows and their call chains, for one event. `time_slices`: --time as typed, or NULL. */
void report_text(struct out *o, const struct report_text_options *opts, struct hist *h, const char *event_name,
		 const char *time_slices);

/* The call chain below a row; grows the row's tree in the histogram for that. */
void calltree_text(struct out *o, const struct report_text_options *opts, struct hist *h, const struct hist_entry *e);

/* The name of a node in a chain, or its address where it has none. */
void report_node_name(struct out *o, struct hist *h, uint32_t node);

#endif
