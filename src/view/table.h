/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows and columns of text in perf's layout: headings behind '#', dots below them, cells aligned or separated.
 */
#ifndef ASSAY_VIEW_TABLE_H
#define ASSAY_VIEW_TABLE_H

#include <stdbool.h>

#include "base/out.h"
#include "base/vec.h"

struct table_column {
	char heading[40];
	int width;
	bool is_figure; /* aligned to the right */
	bool is_open;	/* no blanks behind it where it is the last one */
	bool has_text;	/* that may have the separator in it: a dot stands for it then, as in perf */
};

struct table {
	struct out *o;
	char separator; /* 0: aligned */
	VEC(struct table_column) columns;
	struct out cell; /* the one at hand */
};

void table_init(struct table *t, struct out *o, char separator);
void table_fini(struct table *t);

/* Adds a column that is at least as wide as its heading. */
struct table_column *table_add(struct table *t, const char *heading, int width);

void table_headings(struct table *t);
/* What stands before cell `i`; the caller appends its text to t->cell; then it is put on the line. */
void table_begin_cell(struct table *t, uint32_t i);
void table_end_cell(struct table *t, uint32_t i);

#endif
