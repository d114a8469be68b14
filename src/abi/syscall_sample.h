/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * System calls as they are recorded: samples of a tracepoint of our own, "assay:sys_call", written by a BPF program when a call ends; and
 * the sums that it keeps where no records are wanted. Also compiled for BPF: no other headers here.
 */
#ifndef ASSAY_ABI_SYSCALL_SAMPLE_H
#define ASSAY_ABI_SYSCALL_SAMPLE_H

#define SYSCALL_SAMPLE_ID 0xfff0 /* of the tracepoint: above all that kernels give out */
#define SYSCALL_ARGS 6
#define SYSCALL_SIGINFO_BYTES 48

/* What a record says; bits of syscall_sample.flags. */
enum syscall_sample_flags {
	SYSCALL_SAMPLE_ENTRY = 1,  /* memory that was read when the call was made; its result comes later */
	SYSCALL_SAMPLE_SIGNAL = 2, /* a signal was delivered: args[0] is its number, and its siginfo is the memory */
	SYSCALL_SAMPLE_EXIT = 4,   /* the task has ended: args[0] is its status */
	SYSCALL_SAMPLE_OPEN = 8,   /* the call has no result: the task ended in it, or does so by it */
};

/* A PERF_RECORD_SAMPLE with IDENTIFIER, TID, TIME, CPU, PERIOD and RAW; the raw bytes begin at `common_type`. */
struct syscall_sample {
	unsigned int type;
	unsigned short misc, size;
	unsigned long long id;
	unsigned int pid, tid;
	unsigned long long time_ns; /* of the end of the call */
	unsigned int cpu, reserved;
	unsigned long long period; /* how long it took, ns */
	unsigned int raw_size;
	unsigned short common_type;
	unsigned char common_flags, common_preempt_count;
	int common_pid;
	unsigned int nr;
	unsigned long long args[SYSCALL_ARGS];
	long long ret;
	unsigned long long start_ns;
	unsigned int flags;
	unsigned int memory; /* as __data_loc: offset in the raw bytes, size << 16 */
};

/* Of each piece of memory, in front of its bytes, which are padded to eight. */
enum syscall_piece_flags { SYSCALL_PIECE_CUT = 1, SYSCALL_PIECE_AT_EXIT = 2, SYSCALL_PIECE_LATE = 4, SYSCALL_PIECE_FAILED = 8 };

struct syscall_piece {
	unsigned char arg, flags;
	unsigned short size;
	unsigned int nr_strings;    /* of an array of strings, whose bytes follow one after the other: how many it has, here or not */
	unsigned long long address; /* of a buffer that other memory of the argument points to; 0: the argument itself does */
};

/* Figures of one number of one task. */
struct syscall_figures {
	unsigned int nr;
	unsigned int next; /* of the same task */
	unsigned int tid, pid;
	char comm[16]; /* of a task that has ended */
	unsigned long long nr_calls, nr_errors;
	unsigned long long total_ns, min_ns, max_ns;
	/* Sum of the squares: square + 2^64 * square_high + 2^32 * square_long, ns² */
	unsigned long long square, square_high, square_long;
	unsigned int log2[32]; /* calls by the binary logarithm of their ns */
};

#endif
