/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Off-CPU time as samples: an event of the type bpf-output that is named as perf names it. The period is the time in ns, the chain is where
 * the task left its CPU. Ours have the state that it left in as their address (SAMPLE_ADDR), the kernel's bits; those of perf do not tell.
 */
#ifndef ASSAY_ABI_OFFCPU_H
#define ASSAY_ABI_OFFCPU_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "abi/attr.h"

#define OFFCPU_EVENT_NAME "offcpu-time"

static inline bool offcpu_is_event(const struct attr *a, const char *name)
{
	return a->type == ATTR_TYPE_SOFTWARE && a->config == CONFIG_BPF_OUTPUT && name && !strcmp(name, OFFCPU_EVENT_NAME);
}

enum offcpu_state {
	OFFCPU_ON,		/* no such sample: it was running */
	OFFCPU_RUNNABLE,	/* preempted, or gave way */
	OFFCPU_INTERRUPTIBLE,	/* S */
	OFFCPU_UNINTERRUPTIBLE, /* D */
	OFFCPU_STOPPED,		/* T, t */
	OFFCPU_UNKNOWN,		/* off its CPU; how is not recorded */
	OFFCPU_NR_STATES,
};

static inline enum offcpu_state offcpu_state_of(uint64_t bits)
{
	return !bits	       ? OFFCPU_RUNNABLE
	       : bits & 1      ? OFFCPU_INTERRUPTIBLE
	       : bits & 0x1002 ? OFFCPU_UNINTERRUPTIBLE /* also of locks of real-time kernels */
	       : bits & 0xc    ? OFFCPU_STOPPED
			       : OFFCPU_UNKNOWN;
}

#endif
