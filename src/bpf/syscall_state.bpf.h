/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the programs of syscalls.bpf.c share: the choices of the loader, the counts for the reader, and the maps.
 */
#ifndef ASSAY_BPF_SYSCALL_STATE_BPF_H
#define ASSAY_BPF_SYSCALL_STATE_BPF_H

#include "bpf/kernel_types.h"
#include "bpf/syscall_events.h"

/* Set before it is loaded. */
const volatile unsigned long long event_id = 0;
const volatile unsigned int common_type = 0;
const volatile unsigned int max_data = 32; /* bytes of buffers */
const volatile unsigned int wake_bytes = 1 << 20;
const volatile unsigned int own_tgid = 0; /* never traced with all tasks */
const volatile unsigned char traces_all = 0;
const volatile unsigned char traces_processes = 0; /* with all their threads: has_all_threads */
const volatile unsigned char has_cpus = 0;
const volatile unsigned long long cpus[16] = { 0 }; /* by bit, where has_cpus */
const volatile unsigned char has_cgroup = 0;	    /* only its tasks */
const volatile unsigned char by_cgroup = 0;	    /* figures say in which one the task is */
const volatile unsigned char follows_forks = 1;
const volatile unsigned char keeps_figures = 0; /* no records */
const volatile unsigned char has_histogram = 0;
const volatile unsigned char counts_cpu = 0; /* figures of the time on a CPU, not of all */
const volatile unsigned long long min_duration_ns = 0;
const volatile unsigned char only_failed = 0, only_succeeded = 0;
const volatile unsigned char has_kept = 0;			      /* some calls pass whatever these are */
const volatile unsigned char has_set = 0;			      /* not all calls are traced */
const volatile unsigned char traces_others = 1, traces_others_32 = 1; /* calls whose numbers are in no table */
const volatile unsigned char has_entries = 0;			      /* a record also when a call begins */

unsigned char sees_exits = 0; /* of all tasks: set when all programs are attached */

/* Counted for the reader. */
unsigned long long nr_dropped = 0;   /* records that the ring buffer had no room for */
unsigned long long nr_untraced = 0;  /* tasks that there was no slot for */
unsigned long long nr_uncounted = 0; /* calls that there were no figures for */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, unsigned int);
} slot_of_tid SEC(".maps");

/* Which slot had a call last that was made on this kernel stack: the task of a call then need not be looked for, which takes a call of a helper.
 * Stacks share elements: a slot is that of the task if its regs are. */
#define STACKS 4096
#define STACK_SHIFT 14 /* stacks have 16 KB or more */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, STACKS);
	__type(key, unsigned int);
	__type(value, unsigned int);
} slot_of_stack SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, unsigned int);
} cgroups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct syscall_slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 1);
	__type(value, unsigned int);
} free_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2 * SYSCALL_PLANS);
	__type(key, unsigned int);
	__type(value, struct syscall_plan);
} plans SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct syscall_figures);
} figures SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 1);
	__type(value, unsigned int);
} free_figures SEC(".maps");

struct piece {
	const void *address;
	unsigned long long wanted;
	unsigned int arg, flags;
	unsigned int is_string, is_nested;
};

struct scratch {
	unsigned int nr_records; /* since the ring buffer was last looked at */
	/* Kept here, not in registers: the verifier then sees the same state in each turn of a loop. */
	unsigned int off; /* of the next piece of memory */
	unsigned int nr_strings, strings_failed, late;
	unsigned int is_32; /* pointers and sizes of the call at hand have 32 bits */
	struct piece piece; /* that is being read */
	unsigned long long bytes_left;
	struct syscall_file file; /* that is being described */
	unsigned long regs;	  /* with stacks: of the call at hand; 0: there is no stack to show */
	/* What goes out, with the memory behind it. */
	union {
		struct syscall_sample sample; /* with a stack */
		struct {
			unsigned char unused[sizeof(struct syscall_sample) - sizeof(struct syscall_event) - 8 * SYSCALL_ARGS];
			struct syscall_event event;
			unsigned long long args[SYSCALL_ARGS];
		};
	};
	unsigned char memory[SYSCALL_MEMORY_MAX + SYSCALL_READ_MAX + 16];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, unsigned int);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* Tasks of a PID namespace that execute a program, by their address: under which number they called. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, unsigned long long);
	__type(value, unsigned int);
} executing SEC(".maps");

#endif
