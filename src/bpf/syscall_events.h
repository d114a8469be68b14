/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the program of system calls (syscalls.bpf.c) and its loader (syscalls.c) share: the tables of its maps. The
 * records that it writes are in abi/syscall_sample.h. Included by BPF and by C.
 */
#ifndef ASSAY_BPF_SYSCALL_EVENTS_H
#define ASSAY_BPF_SYSCALL_EVENTS_H

#include "abi/syscall_sample.h"

#define SYSCALL_PLANS 1024 /* numbers of system calls */
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

/* As struct syscall_read (abi/syscalls.h). */
struct syscall_plan_read {
	unsigned char arg, how, len_arg, at_exit, is_data;
	unsigned short size;
};

struct syscall_plan {
	unsigned char is_traced, nr_reads, has_entry_reads, has_exit_reads;
	unsigned char is_last; /* it never returns */
	unsigned char is_exec;
	unsigned char is_sigreturn; /* its first argument is made that of the mask in its frame, and that is read */
	unsigned char nested, nested_at_exit, nested_arg, nested_len_arg; /* of the one argument that has it; `nested` 0: none */
	unsigned char strings[2];					  /* arguments that are arrays of strings, + 1; 0: none */
	struct syscall_plan_read reads[SYSCALL_READS];
};

/* A task that is traced. Numbers of slots and of figures begin with 1; 0 is none. */
#define SYSCALL_CACHE 16
#define SYSCALL_TASK_FIGURES 1024 /* figures of one task: as many as there are numbers */

struct syscall_slot {
	unsigned long long start_ns;
	unsigned long long args[SYSCALL_ARGS];
	unsigned int nr;
	unsigned int in_call; /* 1: since start_ns */
	unsigned int tid, pid;
	unsigned int entry_tid;		     /* under which the call began */
	unsigned int late;		     /* reads, by bit, that failed when the call was made */
	unsigned int awaits_exec;	     /* what it does before it executes a program is our own */
	unsigned int first_figures;	     /* of a list */
	unsigned int figures[SYSCALL_CACHE]; /* of the last calls, by their number */
};

#endif
