/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of `assay diff`: rows of the histograms of several recordings, matched by name, with perf's computations (delta, ratio,
 * weighted difference) and the noise (model/diff.h).
 *
 * Fed by one histogram a recording; names are copied. A side is one recording or several of the same thing; side 0 is the baseline.
 */
#ifndef ASSAY_MODEL_DIFF_TABLE_H
#define ASSAY_MODEL_DIFF_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "model/diff.h"
#include "model/field_keys.h"
#include "model/filter.h"
#include "model/hist.h"

enum diff_compute { DIFF_DELTA, DIFF_DELTA_ABS, DIFF_RATIO, DIFF_WEIGHTED };

#define DIFF_MAX_KEYS (HIST_NR_KEYS + FIELD_MAX_WORDS)

struct diff_table_options {
	/* enum hist_column: of tasks and places, not of branches; from HIST_FIELDS on words of tracepoint fields, a column each */
	uint16_t keys[DIFF_MAX_KEYS];
	uint32_t nr_keys;
	struct column *fields; /* by word; borrowed. Events learn what their values are */
	enum diff_compute compute;
	int64_t weight_base, weight_now; /* of DIFF_WEIGHTED */
	uint32_t order;			 /* the side whose value rows are sorted by; 0: by the baseline */
	bool baseline_only;		 /* only rows that are in the baseline and in another side */
	bool relative;			 /* shares of what the filter keeps, not of everything */
	bool absolute;			 /* all sides as parts of what the baseline has in the mean, not each of its own */
	const struct match *match;	 /* borrowed; which files are the same. NULL: those of one name */
};

/* One sort key of a row. */
struct diff_key {
	struct column_value shown; /* strings are those of the table */
	uint64_t same; /* what the row is found by in other recordings. Addresses do not count: those of another build are others */
};

struct diff_row {
	uint32_t recording; /* the first one that has it */
	bool is_hidden;	    /* by the filter, or by baseline_only */
	/* Of the place that its keys show. */
	char level;
	uint64_t addr;
};

/* A row in one recording. */
struct diff_cell {
	uint64_t period, nr;
};

struct diff_recording {
	uint32_t side;
	uint64_t period, nr;  /* of all samples */
	uint64_t kept_period; /* of those that the filter keeps */
	double squares;	      /* sum of the squared periods of all samples: what they are worth beside samples of equal weight */
};

/* A row in one side: means of its recordings. */
struct diff_figure {
	bool is_present; /* some recording has it */
	bool is_valued;	 /* is_present; or its value tells that it is gone, where recordings were tested */
	uint64_t period;
	double percent;
	double value;		 /* as `compute` says; NAN: there is none, as the baseline lacks the row. Of side 0: its percent */
	double delta;		 /* percent − that of side 0 */
	struct diff_result test; /* against side 0. Its interval is in the unit of `value`; its percentages are of periods where that is */
};

struct diff_table {
	const struct diff_table_options *options; /* borrowed */
	uint32_t nr_sides, nr_recordings;
	struct diff_recording *recordings; /* those of a side follow each other */
	struct strtab strings;
	VEC(struct diff_row) rows;
	VEC(struct diff_key) keys; /* row * options->nr_keys + key */
	struct hindex index;
	VEC(struct diff_cell) cells;	 /* row * nr_recordings + recording */
	VEC(struct diff_figure) figures; /* row * nr_sides + side; after diff_table_finish() */
	VEC(uint32_t) shown;		 /* rows, sorted; after diff_table_finish() */
	struct diff_summary tests;	 /* of all figures */
	bool has_several;		 /* some side has several recordings */
};

/* `side_of[recording]`: from 0 up, none left out. */
void diff_table_init(struct diff_table *t, const struct diff_table_options *o, const uint32_t *side_of, uint32_t nr_recordings);
void diff_table_fini(struct diff_table *t);

/* Adds a histogram that was built by (at least) the table's keys. Its tasks are filtered already, its places are filtered here. */
void diff_table_add(struct diff_table *t, uint32_t recording, struct hist *h, const struct filter *f);
/* Computes the figures and sorts. */
void diff_table_finish(struct diff_table *t);

static inline const struct diff_figure *diff_table_figure(const struct diff_table *t, uint32_t row, uint32_t side)
{
	return &t->figures.v[(uint64_t)row * t->nr_sides + side];
}
static inline const struct diff_key *diff_table_keys(const struct diff_table *t, uint32_t row)
{
	return &t->keys.v[(uint64_t)row * t->options->nr_keys];
}
static inline const struct column *diff_table_column(const struct diff_table *t, uint32_t key)
{
	uint32_t col = t->options->keys[key];

	return col >= HIST_FIELDS ? &t->options->fields[col - HIST_FIELDS] : &columns[col];
}
/* Recordings of a side in which the event happened; the others say nothing. */
uint32_t diff_table_nr_used(const struct diff_table *t, uint32_t side);
/* What the shares of a recording are shares of. */
static inline uint64_t diff_table_whole(const struct diff_table *t, uint32_t recording)
{
	return t->options->relative ? t->recordings[recording].kept_period : t->recordings[recording].period;
}

/* Between diff_table.c and diff_figures.c. From cells to figures: means, values, tests; hides what baseline_only does not want. */
void diff_figures_compute(struct diff_table *t);
/* Lists the rows that are not hidden, in perf's order. */
void diff_figures_sort(struct diff_table *t);

#endif
