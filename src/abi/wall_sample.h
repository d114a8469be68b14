/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What tasks do on their CPUs, as it is recorded for `assay wall`: samples of a tracepoint of our own, "assay:task_state". The sample's task
 * is the one that leaves its CPU or comes back or, of a wake, the one that ran, or that took a CPU. Where a task leaves, the chain is its stack.
 */
#ifndef ASSAY_ABI_WALL_SAMPLE_H
#define ASSAY_ABI_WALL_SAMPLE_H

#include <stdint.h>

#define WALL_SAMPLE_ID 0xfff1 /* of the tracepoint: above all that kernels give out */
#define WALL_SAMPLE_NAME "assay:task_state"
#define WALL_SAMPLE_NO_CALL UINT32_MAX

enum wall_sample_kind {
	WALL_SAMPLE_LEFT = 1,
	WALL_SAMPLE_BACK = 2,
	WALL_SAMPLE_WOKEN = 3,
	WALL_SAMPLE_BORN = 4,
	WALL_SAMPLE_TAKEN = 5, /* behind the WALL_SAMPLE_LEFT of a task that could run on: next_tid has its CPU now, recorded or not */
	/* Not of the BPF program: */
	WALL_SAMPLE_WAITING = 6, /* found blocked a moment after recording began; if there is no sample of it before, it was all the time */
	WALL_SAMPLE_LIMIT = 7,	 /* of no task: recording of threads that ran already begins, or ends */
};

enum wall_sample_flags {
	WALL_SAMPLE_IN_IO = 1,	  /* the kernel says that it waits for a device */
	WALL_SAMPLE_IN_IRQ = 2,	  /* what ran has nothing to do with the wake */
	WALL_SAMPLE_IN_FAULT = 4, /* it is in the kernel because of an exception */
};

/* The raw bytes. */
struct wall_sample {
	uint16_t common_type;
	uint8_t common_flags, common_preempt_count;
	int32_t common_pid;
	uint32_t kind;
	int32_t tid;	    /* of whom it speaks */
	uint32_t state;	    /* WALL_SAMPLE_LEFT, WALL_SAMPLE_WAITING: the kernel's bits; 0: it could run on */
	uint32_t call;	    /* the number of the system call that it is in, or WALL_SAMPLE_NO_CALL */
	uint32_t file_mode; /* of the file that is the call's first argument; 0: it is none */
	uint32_t flags;
	int32_t next_tid; /* WALL_SAMPLE_LEFT: which recorded task runs in its place; 0: none. WALL_SAMPLE_TAKEN: which task does */
};

#endif
