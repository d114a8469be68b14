/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sums of system calls.
 */
#include "model/syscall_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void syscall_sums_init(struct syscall_sums *s, enum syscall_abi abi, bool is_total)
{
	*s = (struct syscall_sums){ .abi = abi, .is_total = is_total };
}

void syscall_sums_fini(struct syscall_sums *s)
{
	for (uint32_t i = 0; i < s->sums.nr; i++)
		vec_fini(&s->sums.v[i].errors);
	for (uint32_t i = 0; i < s->tasks.nr; i++)
		free(s->tasks.v[i].name);
	vec_fini(&s->sums);
	vec_fini(&s->tasks);
	hindex_fini(&s->index);
	hindex_fini(&s->task_index);
}

static uint32_t task_of(struct syscall_sums *s, int32_t pid, int32_t tid, uint64_t key, const char *comm)
{
	uint64_t h = hash_u64(key);
	uint32_t i = HINDEX_FIND(&s->task_index, h, id, s->tasks.v[id].key == key);

	if (i == HINDEX_NONE) {
		i = s->tasks.nr;
		hindex_add(&s->task_index, h, i);
		vec_push(&s->tasks, ((struct syscall_sum_task){ .pid = pid, .tid = tid, .key = key }));
	}
	if (*comm) /* the last one: a program that is executed has another */
		strncpy(s->tasks.v[i].comm, comm, sizeof(s->tasks.v[i].comm) - 1);
	return i;
}

static struct syscall_sum *sum_of(struct syscall_sums *s, uint32_t task, uint32_t nr)
{
	uint64_t h = hash_u64((uint64_t)task << 32 | nr);
	uint32_t i = HINDEX_FIND(&s->index, h, id, s->sums.v[id].task == task && s->sums.v[id].nr == nr);

	if (i == HINDEX_NONE) {
		i = s->sums.nr;
		hindex_add(&s->index, h, i);
		vec_push(&s->sums, ((struct syscall_sum){ .task = task, .nr = nr, .min_ns = UINT64_MAX }));
	}
	return &s->sums.v[i];
}

static uint32_t one_of(struct syscall_sums *s, int32_t pid, int32_t tid, uint64_t cgroup, const char *comm)
{
	if (s->is_total)
		return task_of(s, 0, 0, 0, "");
	return s->is_by_cgroup ? task_of(s, 0, 0, cgroup, "") : task_of(s, pid, tid, (uint32_t)tid, comm);
}

static struct syscall_sum *sum_for(struct syscall_sums *s, uint32_t task, uint32_t nr, uint64_t nr_calls)
{
	s->tasks.v[task].nr_calls += nr_calls;
	s->nr_calls += nr_calls;
	return sum_of(s, task, nr);
}

static void add_time(struct syscall_sum *to, uint64_t min_ns, uint64_t max_ns)
{
	to->min_ns = min_ns < to->min_ns ? min_ns : to->min_ns;
	to->max_ns = max_ns > to->max_ns ? max_ns : to->max_ns;
}

void syscall_sums_add_figures(struct syscall_sums *s, const struct syscall_figures *f)
{
	struct syscall_sum *to = sum_for(s, one_of(s, (int32_t)f->pid, (int32_t)f->tid, f->cgroup, f->comm), f->nr, f->nr_calls);

	to->nr_calls += f->nr_calls;
	to->nr_errors += f->nr_errors;
	to->total_ns += f->total_ns;
	add_time(to, f->min_ns, f->max_ns);
	to->squares += (double)f->square + ldexp((double)f->square_high, 64) + ldexp((double)f->square_long, 32);
	for (int i = 0; i < SYSCALL_SUM_LOG2; i++)
		to->log2[i] += f->log2[i];
}

static void count_error(struct syscall_sum *to, int error)
{
	to->nr_errors++;
	for (uint32_t i = 0; i < to->errors.nr; i++)
		if (to->errors.v[i].error == error) {
			to->errors.v[i].nr++;
			return;
		}
	vec_push(&to->errors, ((struct syscall_sum_error){ error, 1 }));
}

void syscall_sums_add_call(struct syscall_sums *s, int32_t pid, int32_t tid, const char *comm, uint32_t nr, uint64_t took_ns, int error)
{
	struct syscall_sum *to = sum_for(s, one_of(s, pid, tid, 0, comm), nr, 1);
	int log2 = took_ns ? 63 - __builtin_clzll(took_ns) : 0;

	to->nr_calls++;
	if (error)
		count_error(to, error);
	to->total_ns += took_ns;
	add_time(to, took_ns, took_ns);
	to->squares += (double)took_ns * (double)took_ns;
	to->log2[log2 < SYSCALL_SUM_LOG2 ? log2 : SYSCALL_SUM_LOG2 - 1]++;
}

static int compare_sums(const void *va, const void *vb, void *ctx)
{
	const struct syscall_sum *a = va, *b = vb;
	const struct syscall_sums *s = ctx;
	const struct syscall_sum_task *x = &s->tasks.v[a->task], *y = &s->tasks.v[b->task];

	if (x->nr_calls != y->nr_calls)
		return x->nr_calls > y->nr_calls ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	return a->nr < b->nr ? -1 : 1;
}

void syscall_sums_sort(struct syscall_sums *s)
{
	if (s->sums.nr > 1)
		qsort_r(s->sums.v, s->sums.nr, sizeof(*s->sums.v), compare_sums, s);
}

double syscall_sum_error_pct(const struct syscall_sum *s)
{
	double n = (double)s->nr_calls, mean = syscall_sum_mean(s), variance;

	if (s->nr_calls < 2 || mean <= 0)
		return 0;
	variance = (s->squares - n * mean * mean) / (n - 1);
	return variance > 0 ? 100 * sqrt(variance / n) / mean : 0;
}
