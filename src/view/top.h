/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What `top` shows: a screen or a block of text, a pure function of the model, the state of the view and the size; and a line of JSON.
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
	double delay;	       /* seconds between refreshes, as asked for */
	double real_delay;     /* and as they are: longer where they cost too much */
};

enum top_mode { TOP_ROWS, TOP_FLAME, TOP_CALLERS, TOP_HELP };

struct top_state {
	enum top_mode mode;
	uint32_t event;
	uint32_t selected;	/* row; for callers */
	uint32_t first;		/* row at the top of the screen */
	char selected_key[256]; /* its cells: it may be at another place after the next refresh */
	bool has_selection;
	bool hides_kernel, hides_user;
	bool zeroes; /* each refresh by itself */
	bool is_frozen;
	char prompt[64]; /* a question at the bottom; "": none */
};

struct top_style {
	bool colour;
	bool shows_samples, shows_period;
	double percent_limit;
	double count_limit;		/* rows with fewer samples are not shown */
	uint32_t max_rows;		/* of a block; 0: all that fit */
	uint16_t widths[LIVE_MAX_KEYS]; /* of keys; 0: as wide as need be */
};

/* All of a screen: `rows` lines, none longer than `line_width`, cut or empty ones included. No line break behind the last. */
void top_screen(struct out *o, const struct live_profile *l, const struct top_stats *s, const struct top_state *st,
		const struct top_style *style, int rows, int line_width);
/* The lines of one refresh for a stream of text: as wide as need be where `line_width` is 0. */
void top_block(struct out *o, const struct live_profile *l, const struct top_stats *s, const struct top_state *st,
	       const struct top_style *style, int line_width);
/* A line with an object: schema in assay-top(1). */
void top_json(struct out *o, const struct live_profile *l, const struct top_stats *s, const struct top_state *st,
	      const struct top_style *style);

/* How many rows a screen of that size has room for. */
uint32_t top_rows_shown(const struct top_state *st, int rows);
/* Finds the selected row again, moves it by `step`, and keeps it in sight. */
void top_select(struct top_state *st, const struct live_profile *l, int64_t step, int rows);

/* top_tree.c: the flame view, the widest part of each call below its caller; and the callers of the selected row. Lines go from *row to
 * `rows`. */
void top_flame(struct out *o, const struct live_profile *l, const struct top_state *st, const struct top_style *style, int rows,
	       int line_width);
void top_callers(struct out *o, const struct live_profile *l, const struct top_state *st, const struct top_style *style, int rows,
		 int line_width);

/* A line of text cut to `line_width` letters (0: not), with a line break before it unless it is the first. */
void top_line(struct out *o, const char *text, size_t len, int line_width);

#endif
