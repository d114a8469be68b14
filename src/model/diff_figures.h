/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The arithmetic and the order of a diff table. Internal to model/diff_table.h.
 */
#ifndef ASSAY_MODEL_DIFF_FIGURES_H
#define ASSAY_MODEL_DIFF_FIGURES_H

#include "model/diff_table.h"

/* From cells to figures: means, values, tests; hides what baseline_only does not want. */
void diff_figures_compute(struct diff_table *t);
/* Lists the rows that are not hidden, in perf's order. */
void diff_figures_sort(struct diff_table *t);

#endif
