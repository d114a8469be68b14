/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The named metrics as a person reads about them: each name once, and formulas that name their
 * events.
 */
#ifndef ASSAY_MODEL_METRIC_LIST_H
#define ASSAY_MODEL_METRIC_LIST_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"
#include "model/metric_defs.h"

/* By name. Strings are the table's own. */
struct metric_list {
	VEC(const struct metric_def *) defs;
};

/* Of several definitions of one name the first is taken that can be counted here; metrics that need
 * special events and cannot be counted are left out. `has_events` answers for metric_def's `needs`.
 */
typedef bool metric_has_events_fn(void *ctx, const char *needs);
void metric_list_init(struct metric_list *l, metric_has_events_fn *has_events, void *ctx);
void metric_list_fini(struct metric_list *l);

/* "a / b" becomes "instructions / cycles". */
const char *metric_expression(const struct metric_def *d, struct arena *arena);

#endif
