/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The columns of a diff table as text: which there are, how wide they are, and what stands in each cell. How they are put on lines is
 * view/diff_text.c's.
 */
#ifndef ASSAY_VIEW_DIFF_COLUMNS_H
#define ASSAY_VIEW_DIFF_COLUMNS_H

#include "view/diff_text.h"

enum diff_column_kind {
	COLUMN_BASELINE,
	COLUMN_BASE_PERIOD,
	COLUMN_VALUE,
	COLUMN_INTERVAL,
	COLUMN_P,
	COLUMN_VERDICT,
	COLUMN_FORMULA,
	COLUMN_PERIOD,
	COLUMN_KEY,
};

struct diff_column {
	enum diff_column_kind what;
	uint32_t side;
	enum hist_column key;
	int width;
	char heading[40];
};

struct diff_columns {
	const struct diff_text_options *opts; /* borrowed */
	const struct diff_table *t;	      /* borrowed */
	VEC(struct diff_column) list;	      /* from left to right */
	struct out cell;		      /* a cell at hand */
};

void diff_columns_init(struct diff_columns *w, const struct diff_text_options *opts, const struct diff_table *t);
void diff_columns_fini(struct diff_columns *w);

/* Appends what stands in a row's cell, without what aligns it. */
void diff_columns_cell(const struct diff_columns *w, const struct diff_column *col, uint32_t row, struct out *c);

#endif
