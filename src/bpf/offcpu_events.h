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
	/* Only where waits are to be explained: struct offcpu_wake. */
	OFFCPU_WOKEN = 3,
	OFFCPU_BORN = 4,  /* the same of a new task */
	OFFCPU_TAKEN = 5, /* a task that could run on had to leave its CPU: struct offcpu_taker */
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
	/* Where waits are to be explained; 0 otherwise. */
	unsigned int call;	/* the number of the system call that it is in, or OFFCPU_NO_CALL */
	unsigned int file_mode; /* of the file that is the call's first argument; 0: it is none */
	unsigned int flags;	/* enum offcpu_event_flags */
	unsigned int reserved;
};

#define OFFCPU_NO_CALL 0xffffffffu

enum offcpu_event_flags {
	OFFCPU_IN_IO = 1,    /* the kernel says that it waits for a device */
	OFFCPU_IN_IRQ = 2,   /* it was woken by an interrupt: the waker has nothing to do with it */
	OFFCPU_IN_FAULT = 4, /* it is in the kernel because of an exception */
};

/* Follows the OFFCPU_LEFT of a task that could run on: which task has got its CPU; and again when another one does. */
struct offcpu_taker {
	unsigned int kind;
	unsigned int pid, tid; /* of whom left */
	unsigned int cpu;
	unsigned long long time_ns;
	unsigned int taker_pid, taker_tid; /* 0: it has no number in our PID namespace */
	char taker_comm[16];
};

struct offcpu_wake {
	unsigned int kind;
	unsigned int pid, tid; /* of whom is woken */
	unsigned int cpu;
	unsigned long long time_ns;
	unsigned int waker_pid, waker_tid; /* what ran; 0: nothing */
	unsigned int flags;
	unsigned int reserved;
};

#endif
