/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which tasks a program looks at: all, or those that were named and what they start. Included by programs, once each; the loader sets the
 * constants and the size of the map.
 */
#ifndef ASSAY_BPF_TASK_FILTER_BPF_H
#define ASSAY_BPF_TASK_FILTER_BPF_H

#include "bpf/task_flags.h"
#include "bpf/task_ids.bpf.h"

const volatile unsigned int own_tgid = 0; /* never traced with all tasks */
const volatile unsigned char traces_all = 0;
const volatile unsigned char traces_processes = 0;
const volatile unsigned char follows_forks = 1;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, unsigned int);
} tasks SEC(".maps"); /* enum task_flags by number of the task */

static __always_inline bool is_traced(unsigned int tid, unsigned int tgid)
{
	unsigned int *flags;

	if (!tid)
		return false; /* idle, or in another PID namespace */
	if (traces_all)
		return tgid != own_tgid;
	flags = bpf_map_lookup_elem(&tasks, &tid);
	if (flags && *flags)
		return *flags & TASK_TRACED && !(*flags & TASK_AWAITS_EXEC);
	if (!traces_processes)
		return false;
	flags = bpf_map_lookup_elem(&tasks, &tgid);
	return flags && *flags & TASK_ALL_THREADS;
}

/* That of a process stays as long as it may have threads that are known by it. */
static __always_inline void forget(unsigned int tid)
{
	unsigned int *entry = bpf_map_lookup_elem(&tasks, &tid);

	if (entry && *entry && !(*entry & TASK_ALL_THREADS))
		*entry = 0;
}

/* A thread that executes a program takes the number of its process. Returns the entry of that. */
static __always_inline unsigned int *take_over(unsigned int tid, unsigned int former)
{
	unsigned int *entry = bpf_map_lookup_elem(&tasks, &tid), *old;

	if (!own_pid_ns && tid != former) {
		old = bpf_map_lookup_elem(&tasks, &former);
		if (old && *old && entry && !*entry)
			*entry = TASK_TRACED;
	}
	return entry;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	unsigned int tid = tid_of(child), flags = TASK_TRACED;

	if (follows_forks && tid && is_traced(tid_of(parent), tgid_of(parent)))
		bpf_map_update_elem(&tasks, &tid, &flags, BPF_ANY);
	return 0;
}

#endif
