/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Bits of a task's entry in the array of traced tasks (task_filter.bpf.h). Included by BPF and by C.
 */
#ifndef ASSAY_BPF_TASK_FLAGS_H
#define ASSAY_BPF_TASK_FLAGS_H

enum task_flags {
	TASK_TRACED = 1,
	TASK_AWAITS_EXEC = 2, /* what it does before it executes a program is our own */
	TASK_ALL_THREADS = 4, /* of a process: its threads are traced that nothing is known of yet */
};

#endif
