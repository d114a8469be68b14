/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What goes through the ring buffer of offcpu.bpf.c. Included by BPF and by C.
 */
#ifndef ASSAY_BPF_OFFCPU_EVENTS_H
#define ASSAY_BPF_OFFCPU_EVENTS_H

#define OFFCPU_FRAMES 127 /* of the kernel, and as many of the user by frame pointers */

enum offcpu_event_kind {
	OFFCPU_LEFT = 1, /* a task left its CPU: its stack follows */
	OFFCPU_BACK = 2, /* it is about to run again: nothing follows */
};

struct offcpu_event {
	unsigned int kind;
	unsigned int pid, tid;
	unsigned int cpu;
	unsigned long long time_ns;
	unsigned int state;	  /* of a task that left: the kernel's bits; 0: it could run on */
	unsigned int kernel_size; /* bytes of kernel callers that follow */
	unsigned int user_size;	  /* … and behind them of user callers, or with dumps of registers and stack as samples have them */
	unsigned int
		back_tid; /* of a task that left: which one runs in its place, as OFFCPU_BACK says of others; 0: none that is recorded */
	unsigned long long user_ip; /* 0: a task of the kernel */
};

/* Bits of a task's entry in the array of traced tasks. */
enum offcpu_task_flags {
	OFFCPU_TRACED = 1,
	OFFCPU_AWAITS_EXEC = 2, /* what it does before it executes a program is our own */
	OFFCPU_ALL_THREADS = 4, /* of a process: its threads are traced that nothing is known of yet */
};

#endif
