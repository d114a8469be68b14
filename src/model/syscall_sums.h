/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sums of system calls by task and number: of calls one by one, or of figures that were kept in the kernel. Summed up further by task, in
 * total or by number.
 */
#ifndef ASSAY_MODEL_SYSCALL_SUMS_H
#define ASSAY_MODEL_SYSCALL_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/syscall_sample.h"
#include "abi/syscalls.h"
#include "base/hash.h"
#include "base/vec.h"

#define SYSCALL_SUM_LOG2 32

struct syscall_sum_error {
	int error;
	uint64_t nr;
};

struct syscall_sum {
	uint32_t task; /* in syscall_sums.tasks */
	uint32_t nr;
	uint64_t nr_calls, nr_errors;
	uint64_t total_ns, min_ns, max_ns;
	double squares; /* of the times, ns² */
	uint64_t log2[SYSCALL_SUM_LOG2];
	VEC(struct syscall_sum_error) errors; /* by call, not by figures */
};

struct syscall_sum_task {
	int32_t pid, tid;
	uint64_t key; /* the tid, or the id of a cgroup */
	char comm[16];
	char *name; /* of a cgroup; NULL: not known, it is gone */
	uint64_t nr_calls;
};

struct syscall_sums {
	enum syscall_abi abi;
	VEC(struct syscall_sum) sums;
	struct hindex index;
	VEC(struct syscall_sum_task) tasks;
	struct hindex task_index; /* by key */
	uint64_t nr_calls;
	bool is_total;	   /* of all tasks together */
	bool is_by_cgroup; /* `tasks` are cgroups; of figures alone */
};

void syscall_sums_init(struct syscall_sums *s, enum syscall_abi abi, bool is_total);
void syscall_sums_fini(struct syscall_sums *s);
void syscall_sums_add_figures(struct syscall_sums *s, const struct syscall_figures *f);
/* `error`: a positive errno, or 0. */
void syscall_sums_add_call(struct syscall_sums *s, int32_t pid, int32_t tid, const char *comm, uint32_t nr, uint64_t took_ns, int error);
/* Tasks by their number of calls, and the sums of each by time, the most first. */
void syscall_sums_sort(struct syscall_sums *s);

static inline double syscall_sum_mean(const struct syscall_sum *s)
{
	return s->nr_calls ? (double)s->total_ns / (double)s->nr_calls : 0;
}
/* The standard error of the mean in per cent of it, as perf has it. */
double syscall_sum_error_pct(const struct syscall_sum *s);

#endif
