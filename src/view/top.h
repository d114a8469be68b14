/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What `top` shows as text: a block of lines a refresh, or a line of JSON; view/ui_top.h is its screen.
 */
#ifndef ASSAY_VIEW_TOP_H
#define ASSAY_VIEW_TOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "model/live_profile.h"

/* Samples of one refresh. */
struct top_counts {
	uint64_t nr_samples;
	uint64_t nr_kernel;  /* of these; the rest is user code, or a hypervisor's */
	uint64_t nr_hidden;  /* of these, by -K and -U */
	uint64_t nr_skipped; /* of these, counted but not looked at, because of what that costs */
};

/* What happened in the last refresh, and ever. */
struct top_stats {
	const char *target; /* "all CPUs" */
	char rate[48];	    /* "4000 Hz", "every 100000" */
	double seconds;	    /* of this refresh */
	double elapsed;	    /* since the start */
	struct top_counts counts;
	uint64_t nr_lost, nr_throttled; /* ever */
	double own_percent;		/* CPU time of this process since the refresh before, of one CPU */
	double own_percent_ever;
	uint64_t memory_bytes; /* resident */
	double real_delay;     /* seconds between refreshes as they are: longer where they cost too much */
};

/* What keys change. */
struct top_state {
	uint32_t event;
	bool hides_kernel, hides_user;
	bool zeroes; /* each refresh by itself */
	bool is_frozen;
	double delay; /* seconds between refreshes, as asked for */
};

struct top_style {
	bool colour;
	bool shows_samples, shows_period;
	double percent_limit;
	double count_limit;		/* rows with fewer samples are not shown */
	uint32_t max_rows;		/* of a block; 0: all that fit */
	bool ascii;			/* no UTF-8 of our own */
	uint16_t widths[LIVE_MAX_KEYS]; /* of keys; 0: as wide as need be */
};

/* What was sampled: "assay top: 7981 samples/s  kernel 12.3%  lost 0  [4000 Hz cycles]  all CPUs". */
void top_head(struct out *o, const struct live_profile *l, const struct top_stats *s, const struct top_state *st);
/* What it cost, and what is left out of sight. */
void top_cost(struct out *o, const struct top_stats *s, const struct top_state *st);
/* The heading of the first column. */
const char *top_weight_heading(const struct live_profile *l);
/* Rows that are shown at all, by the limits of the style: the first so many. */
uint32_t top_nr_rows(const struct live_profile *l, const struct live_event *e, const struct top_style *style);

/* The lines of one refresh for a stream of text: as wide as need be where `line_width` is 0. */
void top_block(struct out *o, const struct live_profile *l, const struct top_stats *s, const struct top_state *st,
	       const struct top_style *style, int line_width);
/* A line with an object: schema in assay-top(1). */
void top_json(struct out *o, const struct live_profile *l, const struct top_stats *s, const struct top_state *st,
	      const struct top_style *style);

#endif
