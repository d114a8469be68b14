/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Numbers of tasks: those of the machine or, where assay itself runs in a PID namespace, those of that namespace. There, a task that is not in
 * it has the number 0 and is not traced.
 */
#ifndef ASSAY_BPF_TASK_IDS_BPF_H
#define ASSAY_BPF_TASK_IDS_BPF_H

#include "bpf/kernel_types.h"

#define PID_NS_LEVELS 33

const volatile unsigned int own_pid_ns = 0; /* inode of the namespace whose numbers tasks have; 0: the machine's */

unsigned int own_level = 0; /* of own_pid_ns, once it is known */

static __noinline unsigned int number_in_ns(struct pid *pid)
{
	unsigned int level = BPF_CORE_READ(pid, level), known = own_level;
	unsigned long first = (unsigned long)__builtin_preserve_access_index(&pid->numbers[0]);

	for (unsigned int i = 1; i < PID_NS_LEVELS; i++) {
		const struct upid *numbers = (const void *)(first + i * bpf_core_type_size(struct upid));

		if (i > level || (known && i > known))
			break;
		if (i < known || BPF_CORE_READ(numbers, ns, ns.inum) != own_pid_ns)
			continue;
		own_level = i;
		return BPF_CORE_READ(numbers, nr);
	}
	return 0;
}

/* `task`: as a program is given it; in a namespace any. */
static __always_inline unsigned int tid_of(struct task_struct *task)
{
	return own_pid_ns ? number_in_ns(BPF_CORE_READ(task, thread_pid)) : (unsigned int)task->pid;
}

/* Of a task that was found through a pointer. */
static __always_inline unsigned int tid_of_any(struct task_struct *task)
{
	return own_pid_ns ? number_in_ns(BPF_CORE_READ(task, thread_pid)) : (unsigned int)BPF_CORE_READ(task, pid);
}

static __always_inline unsigned int tgid_of(struct task_struct *task)
{
	return own_pid_ns ? number_in_ns(BPF_CORE_READ(task, group_leader, thread_pid)) : (unsigned int)task->tgid;
}

/* Of the task that runs: tgid << 32 | tid. */
static __always_inline unsigned long long current_ids(void)
{
	struct task_struct *task;

	if (!own_pid_ns)
		return bpf_get_current_pid_tgid();
	task = (void *)bpf_get_current_task();
	return (unsigned long long)tgid_of(task) << 32 | tid_of(task);
}

#endif
