/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the program of system calls (syscalls.bpf.c) and its loader (syscalls.c) share: the tables of its maps, and what goes through its
 * ring buffer. Included by BPF and by C.
 */
#ifndef ASSAY_BPF_SYSCALL_EVENTS_H
#define ASSAY_BPF_SYSCALL_EVENTS_H

#include "abi/syscall_sample.h"

#define SYSCALL_PLANS 1024    /* numbers of system calls; those of 32-bit calls follow, as many again */
#define SYSCALL_FREE_MAX 1024 /* numbers that one run of the program adds to the free ones */
#define SYSCALL_READS 9
#define SYSCALL_READ_MAX 4096 /* bytes of one read */
#define SYSCALL_MEMORY_MAX 20480
#define SYSCALL_STRINGS_MAX 32 /* of argv */
#define SYSCALL_STRINGS_COUNTED 512
#define SYSCALL_STRING_MAX 512
#define SYSCALL_BUFFERS_MAX 8  /* of an iovec */
#define SYSCALL_MESSAGES_MAX 2 /* of sendmmsg() */
#define SYSCALL_SOCKADDR_MAX 128

/* What the memory of an argument points to in turn: an iovec to buffers, messages to their parts. */
enum { NESTED_BUFFERS = 1, NESTED_MESSAGE, NESTED_MESSAGES };

/* Descriptors that a call makes or changes: its result, its first argument, the two that an argument points to. */
enum { DESCRIBES_RESULT = 1, DESCRIBES_FIRST = 2, DESCRIBES_PAIR = 4 };

/* As struct syscall_read (abi/syscalls.h). */
struct syscall_plan_read {
	unsigned char arg, how, len_arg, at_exit, is_data;
	unsigned short size;
};

struct syscall_plan {
	unsigned char has_few_args; /* at most SYSCALL_FEW_ARGS */
	unsigned char is_traced, nr_reads, has_entry_reads, has_exit_reads;
	unsigned char is_last; /* it never returns */
	unsigned char is_exec;
	unsigned char is_kept;	    /* it passes whatever its result and duration are */
	unsigned char is_sigreturn; /* its first argument is made that of the mask in its frame, and that is read */
	unsigned char nested, nested_at_exit, nested_arg, nested_len_arg; /* of the one argument that has it; `nested` 0: none */
	unsigned char describes, pair_arg;				  /* where descriptors are to be described */
	unsigned char strings[2];					  /* arguments that are arrays of strings, + 1; 0: none */
	struct syscall_plan_read reads[SYSCALL_READS];
};

/* What happened, in the ring buffer: the traced task itself writes it, so it is small. capture/syscall_feed.c makes a sample
 * (abi/syscall_sample.h) of it. */
#define SYSCALL_FEW_ARGS 3

struct syscall_event {
	unsigned long long start_ns, end_ns;
	long long ret;
	unsigned int pid, tid, entry_tid;
	unsigned int nr;
	unsigned short cpu, flags;  /* enum syscall_sample_flags */
	unsigned short memory_size; /* bytes behind the arguments */
	unsigned short nr_args;	    /* that follow: SYSCALL_FEW_ARGS or SYSCALL_ARGS of eight bytes each */
};

enum syscall_in_call {
	SYSCALL_NOT_IN_CALL,
	SYSCALL_IN_CALL,	/* since start_ns */
	SYSCALL_IN_CALL_BEFORE, /* since before tracing began, at start_ns; number and arguments are those that /proc said a moment earlier */
};

/* A task that is traced. Numbers of slots and of figures begin with 1; 0 is none. */
#define SYSCALL_CACHE 16
#define SYSCALL_TASK_FIGURES 512 /* figures of one task: more than there are numbers */

struct syscall_slot {
	unsigned long long start_ns;
	unsigned long long off_ns, off_since_ns; /* of the call: waiting for a CPU or for anything else; since when, 0: it is running */
	unsigned long long args[SYSCALL_ARGS];
	unsigned long regs;   /* where the kernel has the registers of its calls; 0: not known */
	unsigned long task;   /* the kernel's address of it, where regs are known */
	unsigned int nr;      /* with SYSCALL_NR_32 */
	unsigned int in_call; /* enum syscall_in_call */
	unsigned int number;  /* its own */
	unsigned int tid, pid;
	unsigned int entry_tid;		     /* under which the call began */
	unsigned int late;		     /* reads, by bit, that failed when the call was made */
	unsigned int awaits_exec;	     /* what it does before it executes a program is our own */
	unsigned int has_all_threads;	     /* of a process: its threads are traced that nothing is known of yet */
	unsigned int first_figures;	     /* of a list */
	unsigned int figures[SYSCALL_CACHE]; /* of the last calls, by their number */
};

#endif
