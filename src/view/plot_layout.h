/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where everything goes in the small live charts of `stat -I … --plot`: how many of the series fit,
 * how high and wide a chart is, which part of a character a value fills. Pure arithmetic, no
 *output: stat_plot.c draws it.
 *
 *	1.3 s, every 100 ms: 'make'
 *	cpu-clock     ▂▅▇█▆▄    max    201
 *	msec         ▃██████▅▂  now   36.1
 *	            └ 1.1 s ago  now ┘
 */
#ifndef ASSAY_VIEW_PLOT_LAYOUT_H
#define ASSAY_VIEW_PLOT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define PLOT_LEVELS 8	  /* a character is filled by eighths */
#define PLOT_MAX_HEIGHT 5 /* of one chart, in lines: more shows no more */

struct plot_series {
	const char *name, *unit; /* unit: "" for none */
	const double *values;	 /* oldest first; NaN: not counted */
	uint32_t nr;
};

struct plot_layout {
	uint32_t width, height; /* of the terminal */
	uint32_t nr_shown;	/* series that fit */
	uint32_t nr_hidden;	/* those that do not: one line says so */
	uint32_t chart_height;	/* lines of one chart */
	uint32_t gap;		/* empty lines between two charts */
	uint32_t label_width;	/* columns of names and units */
	uint32_t chart_left;	/* column where charts begin */
	uint32_t chart_width;	/* values that are shown */
	uint32_t numbers_left;	/* column of "max" and "now"; 0: there is no room for them */
	bool has_axis;		/* the line under the last chart */
	uint32_t nr_lines;	/* of everything */
};

/* For `nr` series on a terminal of that size (0: unknown, taken as 80 × 24). */
void plot_layout_init(struct plot_layout *l, const struct plot_series *series, uint32_t nr, uint32_t width, uint32_t height);

/* The newest values of a series, right-aligned. Returns the first shown, and its column. */
uint32_t plot_layout_first(const struct plot_layout *l, uint32_t nr_values, uint32_t *column);

/* The highest value shown (0 where none is above), and the mean of the counted ones. */
double plot_layout_max(const struct plot_layout *l, const struct plot_series *s);
double plot_layout_mean(const struct plot_layout *l, const struct plot_series *s);

/* How full the character of a value is in a line of its chart (line 0 is the lowest), 0 to 8; at least 1 above zero. */
uint32_t plot_level(double value, double max, uint32_t line, uint32_t chart_height);

/* At most 6 columns: "0", "0.042", "999", "1.23K", "45.6M". NaN: "-". */
#define PLOT_NUMBER_MAX 16
void plot_number(double value, char text[PLOT_NUMBER_MAX]);
/* "900 ms", "12.5 s", "3 min 20 s". */
void plot_time(uint64_t time_ns, char text[32]);

#endif
