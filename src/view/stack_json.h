/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stacks of threads as one JSON object; man/assay-stack.1.scd names its keys.
 */
#ifndef ASSAY_VIEW_STACK_JSON_H
#define ASSAY_VIEW_STACK_JSON_H

#include "base/out.h"
#include "model/snapshot.h"

struct stack_json {
	const struct snapshot *snapshot;
	const struct dso_table *dsos;
	int32_t pid;
	bool is_core;
	uint32_t nr_rounds; /* 0: seen once */
	double interval_ms;
	uint64_t nr_stops, pause_ns, longest_pause_ns;
};

void stack_json(struct out *o, const struct stack_json *j);

#endif
