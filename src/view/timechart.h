/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The time chart: rows of CPUs and tasks over time, from a struct span_store. Which rows there are, where their cells lie, and the SVG file with the
 * spans in it, which web/timechart_*.js draws at any zoom. Without its script it is the picture of the whole time.
 */
#ifndef ASSAY_VIEW_TIMECHART_H
#define ASSAY_VIEW_TIMECHART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"
#include "base/vec.h"
#include "model/span_store.h"
#include "session/machine.h"

#define TIMECHART_DEFAULT_TASKS 200
#define TIMECHART_MAX_SPANS 1500000 /* in a picture: some 12 MB, of which a browser decodes what is in sight */
#define TIMECHART_MAX_NOTES 10

struct timechart_row {
	enum span_kind kind;
	uint32_t track; /* of the store */
	uint32_t key;	/* as in struct span_track */
	uint64_t active_ns;
	uint64_t process_begin_ns;
	uint32_t max_value; /* of C-states and frequencies: the height of a full row */
	bool is_thread;	    /* below the row of its process, or CPU */
	bool is_highlighted;
};

struct timechart_choice {
	VEC(const char *) processes; /* names, pids or tids; none: all */
	uint32_t nr_tasks;	     /* those that did most */
	bool tasks_only, power_only, io_only;
	VEC(uint32_t) cpu_order;      /* those that come first */
	const char *highlighted_name; /* NULL: none */
	uint64_t highlighted_ns;      /* tasks that were active for so long; 0: none */
};

struct timechart {
	const struct span_store *store;
	const struct timeline *timeline;
	const struct machine *machine;
	VEC(struct timechart_row) rows;
	uint32_t nr_tasks_left_out;
	uint64_t min_io_ns; /* system calls are drawn as if they took so long at least */
	int width;
	bool is_fixed; /* it keeps its width, whatever the window has */
	const char *title, *subtitle;
	const char *notes[TIMECHART_MAX_NOTES];
	uint32_t nr_notes;
};

/* timechart_rows.c: fills c->rows by the choice: CPUs, then tasks by the begin of their process. */
void timechart_choose(struct timechart *c, const struct timechart_choice *choice);
void timechart_fini(struct timechart *c);
/* The name of a track of the time line; hostile. */
const char *timechart_name(const struct timechart *c, uint32_t key);

/* timechart_layout.c: a row in a window of time, as rectangles. */

/* Px of a row, and of the empty line before a part of the chart. */
int timechart_row_height(enum span_kind kind);
#define TIMECHART_GAP 6
#define TIMECHART_SPACE 3

struct timechart_window {
	uint64_t from_ns, to_ns;
	double width; /* px */
	double bin;   /* what is narrower shares a cell with its neighbours */
};
struct timechart_cell {
	double x, width;       /* px */
	double bottom, height; /* of the row's height: 0 to 1 */
	uint8_t state;
};
struct timechart_cells {
	VEC(struct timechart_cell) v;
};
/* Adds the cells of a row, those that lie behind others first. A cell of several spans is filled from the bottom by the time of each state. */
void timechart_layout_row(struct timechart_cells *cells, const struct timechart *c, const struct timechart_row *row,
			  const struct timechart_window *w);
/* A round number of nanoseconds for as many ticks as there is room for. */
uint64_t timechart_tick_ns(uint64_t span_ns, double width);
/* "1.5 ms": as many digits as `step_ns` needs. */
#define TIMECHART_TIME_SIZE 40
void timechart_time_text(char text[TIMECHART_TIME_SIZE], uint64_t ns, uint64_t step_ns);

/* timechart_data.c: what the script of the page reads. */
void timechart_put_data(struct out *o, const struct timechart *c, int left, int top);

/* timechart_svg.c: the file. */
void timechart_svg(struct out *o, const struct timechart *c);

#endif
