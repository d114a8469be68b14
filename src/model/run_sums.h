/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct run_sums: the runs of tasks on CPUs, one by one (in a window of time, of the tasks that were chosen), summed up per track of a time
 * line: how many, how long, how far apart, and what was waited for between them. Fed by struct run, which is made of a switch.
 */
#ifndef ASSAY_MODEL_RUN_SUMS_H
#define ASSAY_MODEL_RUN_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/timeline.h"

/* What the task that leaves a CPU did. */
struct run {
	uint32_t track;
	uint64_t end_ns, run_ns, wait_ns, delay_ns, migration_ns;
	bool is_run_known, is_wait_known, is_delay_known;
	enum timeline_state left; /* in which it waited before */
};

/* The run that a switch ends, as much of it as lies in the window. False: nothing does. */
bool run_init(struct run *r, const struct timeline *t, const struct sched_event *e, const struct timeline_step *step, uint64_t from_ns,
	      uint64_t to_ns);

struct run_sum { /* by track */
	uint64_t nr, nr_unknown;
	uint64_t total_ns, min_ns, max_ns;
	double mean, squares; /* of run times: Welford's */
	uint64_t sleep_ns, disk_ns, preempted_ns, delay_ns;
	uint64_t nr_migrations;
};

struct run_sums {
	VEC(struct run_sum) v; /* may be shorter than the tracks */
	uint64_t first_ns, last_ns;
	uint64_t nr_switches;
};

void run_sums_fini(struct run_sums *s);
/* Adds a run to those of `track`. */
void run_sums_add(struct run_sums *s, uint32_t track, const struct run *r);
void run_sums_add_migration(struct run_sums *s, uint32_t track);
/* The standard deviation of the mean, in percent of it. */
double run_sum_spread(const struct run_sum *s);

#endif
