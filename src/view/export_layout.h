/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Times for samples that have none, for formats that are drawn along time: those of a task and event lie end to end, each as long as it
 * weighs, and the heaviest functions come first. Private to the writers of such formats; it knows no format.
 */
#ifndef ASSAY_VIEW_EXPORT_LAYOUT_H
#define ASSAY_VIEW_EXPORT_LAYOUT_H

#include "view/export_tree.h"

/* Where samples have times, nothing. Otherwise x->samples comes in another order and x->time_ns is what was made up; samples of one
 * task, event and node follow one another then. To be called before series are made. `ns_per_count`: how long an event is that is
 * no clock; less of it where all would be too long. */
void export_lay_out(struct export *x, struct export_tree *t, uint64_t ns_per_count);

/* How long a sample was made. */
uint64_t export_laid_ns(const struct export *x, uint32_t sample);

static inline bool export_is_laid_out(const struct export *x)
{
	return x->ns_per_count;
}

#endif
