/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A heat map as picture and numbers: units of time, layout, output. Titles and names are hostile and are escaped here.
 */
#ifndef ASSAY_VIEW_HEAT_SVG_H
#define ASSAY_VIEW_HEAT_SVG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/out.h"
#include "base/vec.h"
#include "model/heat.h"

/* Nanoseconds as people write them: units, and as many digits as mean something. */

enum heat_unit { HEAT_UNIT_NS, HEAT_UNIT_US, HEAT_UNIT_MS, HEAT_UNIT_S, HEAT_UNIT_AUTO };

#define HEAT_LABEL_SIZE 40

/* "ns", "µs", "ms", "s", in UTF-8. */
const char *heat_unit_symbol(enum heat_unit u);
/* False where it is none of the four. */
bool heat_unit_find(const char *name, enum heat_unit *u);
int heat_unit_exponent(enum heat_unit u); /* of ten: 9 for seconds */
/* The largest in which a value is at least 1. */
enum heat_unit heat_unit_fit(uint64_t value_ns);

/* The number alone, with as many decimals as values `step_ns` apart need to differ ("1.25"), and commas between thousands. */
void heat_unit_number(char text[HEAT_LABEL_SIZE], uint64_t value_ns, enum heat_unit u, uint64_t step_ns);
/* The same with its unit ("1.25 µs"). */
void heat_unit_text(char text[HEAT_LABEL_SIZE], uint64_t value_ns, enum heat_unit u, uint64_t step_ns);
/* Every digit and no commas ("0.001250000" of seconds), as other programs read it. */
void heat_unit_exact(char text[HEAT_LABEL_SIZE], uint64_t value_ns, enum heat_unit u);

/* Layout: cells, ticks, lines of percentiles and their labels, steps of the colour scale. A pure function of the matrix, in whole pixels
 * so that cells touch without seams. */

#define HEAT_NR_LEVELS 16

/* How counts become levels. */
enum heat_colours {
	HEAT_COLOURS_LOG, /* by their logarithm */
	HEAT_COLOURS_LINEAR,
	HEAT_COLOURS_SPREAD, /* by their order among the counts that occur: all levels are used, however near together or far apart these are */
};

#define HEAT_STEP_WIDTH 46 /* of the colour scale */
#define HEAT_AXIS_NAME 34  /* the room that the name of the upright axis takes */
#define HEAT_LABEL_GAP 9   /* between its labels and the plot */
#define HEAT_LINE_GAP 16   /* between the plot and labels of lines */

struct heat_cell {
	uint32_t column, row; /* row: also HEAT_BELOW and HEAT_ABOVE */
	uint32_t count;
	int32_t y;     /* its upper edge */
	uint8_t level; /* 0: the fewest … HEAT_NR_LEVELS - 1: the most */
};

struct heat_tick {
	int32_t at; /* x or y */
	char label[HEAT_LABEL_SIZE];
};

struct heat_line { /* of a percentile */
	enum heat_rank rank;
	int32_t y, label_y;
	char label[HEAT_LABEL_SIZE + 16]; /* "p99 1.2 ms" */
};

struct heat_step { /* of the colour scale: counts that share a level */
	uint8_t level;
	uint32_t from, to;
};

struct heat_layout {
	const struct heat *heat;
	enum heat_unit unit; /* of all values; never HEAT_UNIT_AUTO */
	enum heat_unit time_unit;
	int32_t left, top, width, height; /* of the plot, its rows above and below included */
	int32_t right;			  /* what the labels of lines need beside it */
	int32_t rows_top;		  /* of the highest row proper */
	int32_t cell_width, cell_height;
	enum heat_colours colours;
	uint32_t level_from[HEAT_NR_LEVELS]; /* HEAT_COLOURS_SPREAD: the first count of each level; of one that has none, the next one's */
	VEC(struct heat_cell) cells;	     /* that are not empty, column by column, from below */
	VEC(struct heat_tick) x_ticks, y_ticks;
	char above[HEAT_LABEL_SIZE + 8], below[HEAT_LABEL_SIZE + 8]; /* "> 10 ms"; "": there is no such row */
	struct heat_line lines[HEAT_NR_RANKS];
	uint32_t nr_lines;
	struct heat_step steps[HEAT_NR_LEVELS];
	uint32_t nr_steps;
	uint32_t label_every; /* so many steps have one label: more would run together */
};

struct heat_layout_options {
	enum heat_unit unit; /* HEAT_UNIT_AUTO: what fits */
	enum heat_colours colours;
	int32_t left, top; /* where the plot begins; further to the right where its labels are long */
	int32_t right;	   /* at least */
	bool has_percentiles;
};

/* The one unit that all values of a heat map are shown in: `wanted`, or (HEAT_UNIT_AUTO) the one that fits its scale. */
enum heat_unit heat_layout_unit(const struct heat *h, enum heat_unit wanted);

void heat_layout_build(struct heat_layout *l, const struct heat *h, const struct heat_layout_options *o);
void heat_layout_fini(struct heat_layout *l);

int32_t heat_layout_row_y(const struct heat_layout *l, uint32_t row);
/* Where a value lies; in the middle of the row above or below where it is outside. */
int32_t heat_layout_value_y(const struct heat_layout *l, uint64_t value);
/* Log and linear: the poorest cells, one in fifty, share the first level, the rest is spread over all colours. */
uint8_t heat_layout_level(const struct heat_layout *l, uint32_t count);

/* The picture: one SVG file with a small script (web/heat.js) for details under the pointer and by keyboard. */

#define HEAT_MAX_NOTES 8

/* What a picture or a table says beside its numbers. */
struct heat_words {
	const char *title, *subtitle;
	const char *x_axis, *y_axis;	   /* "time", "latency"; units are added */
	const char *things;		   /* what is counted: "pairs", "samples", "lines" */
	const char *notes[HEAT_MAX_NOTES]; /* lines below the picture */
	uint32_t nr_notes;
};

struct heat_svg_options {
	enum heat_unit unit;
	enum heat_colours colours;
};

void heat_svg(struct out *o, const struct heat *h, const struct heat_words *w, const struct heat_svg_options *opts);

/* The numbers: percentiles as a table, the matrix as CSV and JSON (schemas: assay-heatmap(1)). */

/* The title, what was counted and the percentiles with every digit, then the notes. */
void heat_text(struct out *o, const struct heat *h, const struct heat_words *w, enum heat_unit unit);
/* A line for each cell that is not empty. */
void heat_csv(struct out *o, const struct heat *h);
/* Members for the object that is open. */
void heat_json(struct json *j, const struct heat *h, const struct heat_words *w);

#endif
