/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How many threads of the profiled programs run at a moment, from the context switches that were recorded beside the samples. A sample's
 * share of elapsed time ("latency") is its period divided by that number.
 *
 * A task is known to run from its switch to a CPU on, or, where none was seen before, from the first record on that it wrote itself: an exec,
 * a fork, a sample. What ran before the recording began is therefore counted as soon as it shows, and what is lost cannot shift the number for
 * good.
 */
#ifndef ASSAY_MODEL_PARALLELISM_H
#define ASSAY_MODEL_PARALLELISM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "session/recording.h"

enum running_state { RUNNING_UNKNOWN, RUNNING_YES, RUNNING_NO };

struct running_task {
	int32_t tid;
	uint8_t state; /* enum running_state */
};

/* A zeroed struct is a fresh one. */
struct parallelism {
	VEC(struct running_task) tasks;
	struct hindex index; /* by tid */
	uint32_t nr_running;
	uint32_t max;	     /* of all samples that asked */
	bool is_of_all_cpus; /* switches of whole CPUs were seen: which threads are those of a program is not known */
	bool has_lost;	     /* records, which may have been switches */
};

void parallelism_fini(struct parallelism *p);
/* To be called with every record that is no sample, in order of time. */
void parallelism_see(struct parallelism *p, const struct session_record *sr);
/* At a sample of this task: at least 1, because it runs. */
uint32_t parallelism_at_sample(struct parallelism *p, const struct task *task);

/* Whether a recording has context switches beside its samples. Of a pipe, this is known in the end. */
bool parallelism_is_recorded(const struct perfdata_info *info);

#endif
