/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct heat: points (time, value) counted in a matrix of time columns and value rows, with exact percentiles.
 *
 * Points are kept until the end: the range of both axes is known only then, and percentiles are values that occurred (nearest rank).
 */
#ifndef ASSAY_MODEL_HEAT_H
#define ASSAY_MODEL_HEAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

#define HEAT_MAX_POINTS (1u << 28) /* 4 GB of them */
#define HEAT_MAX_ROWS 1000
#define HEAT_MAX_COLUMNS 4000
#define HEAT_SECOND_NS UINT64_C(1000000000)
#define HEAT_VALUE_MAX (UINT64_MAX / 4) /* 146 years of ns */
#define HEAT_TIME_MAX (UINT64_MAX / 2)	/* so that the end of the last column is a number, too */

struct heat_point {
	uint64_t time_ns, value;
};

enum heat_scale {
	HEAT_SCALE_AUTO, /* logarithmic where the median would be in the lowest hundredth of a linear one */
	HEAT_LINEAR,
	HEAT_LOG, /* rows grow by a factor */
};

struct heat_options {
	uint32_t nr_rows, nr_columns; /* exactly; 0: as many as give round steps */
	enum heat_scale scale;
	bool has_min, has_max;
	uint64_t min, max; /* rows cover min … max, both inside */
	bool is_offset;	   /* values are offsets within a second; columns are whole seconds */
};

enum heat_rank { HEAT_P50, HEAT_P90, HEAT_P99, HEAT_P999, HEAT_MAX, HEAT_NR_RANKS };
extern const char *const heat_rank_names[HEAT_NR_RANKS]; /* "p50" … "max" */

struct heat {
	VEC(struct heat_point) points;
	bool is_full;	     /* there were more than HEAT_MAX_POINTS; the rest is not in it */
	uint64_t nr_refused; /* points that are too late or too long */
	/* after heat_build() */
	struct heat_options options;
	uint64_t start_ns, column_ns; /* column c covers [start + c * column, start + (c + 1) * column) */
	bool is_log;		      /* what the scale is */
	uint32_t nr_columns, nr_rows;
	VEC(uint64_t) edges;		    /* nr_rows + 1; row r covers [edge r, edge r + 1) */
	uint64_t nr_below, nr_above;	    /* outside of the rows */
	uint32_t *counts;		    /* see heat_count() */
	uint32_t nr_cells;		    /* that are not empty */
	uint32_t min_count, max_count;	    /* of those */
	uint32_t low_count;		    /* at least one in fifty of them has at most that: where colours begin */
	uint64_t min, ranks[HEAT_NR_RANKS]; /* of all values, those outside of the rows too; 0 of nothing */
	double mean;
};

/* Rows of heat_count() that are none: what lies below the first, and above the last. */
#define HEAT_BELOW(h) ((h)->nr_rows)
#define HEAT_ABOVE(h) ((h)->nr_rows + 1)

void heat_init(struct heat *h);
void heat_fini(struct heat *h);
/* False where no more fit in. What is beyond HEAT_TIME_MAX or HEAT_VALUE_MAX is counted and stays out: clipped it would look real. */
bool heat_add(struct heat *h, uint64_t time_ns, uint64_t value);
/* Counts; the points stay. Without points there are no rows and columns. */
void heat_build(struct heat *h, const struct heat_options *o);

static inline uint32_t heat_count(const struct heat *h, uint32_t column, uint32_t row)
{
	return h->counts[(uint64_t)column * (h->nr_rows + 2) + row];
}

/* The smallest of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten that is not below `v`, in whole numbers. */
uint64_t heat_round_step(uint64_t v);

#endif
