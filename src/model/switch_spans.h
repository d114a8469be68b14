/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * When tasks ran, and when they were preempted, by SWITCH records (record --switch-events), which do not say why a task left its CPU otherwise. What
 * the scheduler's tracepoints tell is model/task_spans.h's.
 */
#ifndef ASSAY_MODEL_SWITCH_SPANS_H
#define ASSAY_MODEL_SWITCH_SPANS_H

#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "model/span_store.h"
#include "session/recording.h"

struct switch_span {
	uint64_t begin_ns, end_ns;
	int32_t tid;
	uint8_t state; /* SPAN_RUNNING, SPAN_PREEMPTED */
};

struct switch_task {
	int32_t tid;
	uint8_t state; /* SPAN_UNKNOWN: not known, or off its CPU */
	uint64_t since_ns;
};

struct switch_spans {
	VEC(struct switch_span) v;
	VEC(struct switch_task) tasks;
	struct hindex index;
	uint32_t limit;
	uint64_t nr_left_out; /* behind the limit */
};

void switch_spans_init(struct switch_spans *s, uint32_t limit);
void switch_spans_fini(struct switch_spans *s);
/* Any record, in the order of time. */
void switch_spans_see(struct switch_spans *s, const struct session_record *sr);
/* All were seen: sorts them by task, then by time. */
void switch_spans_finish(struct switch_spans *s);

#endif
