/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The loader of syscalls.bpf.c: system calls of tasks, as records in a ring buffer (samples, as syscall_events.h lays them out) or as
 * figures.
 */
#ifndef ASSAY_BPF_SYSCALLS_H
#define ASSAY_BPF_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/syscall_set.h"
#include "base/errbuf.h"
#include "bpf/loader.h"
#include "bpf/syscall_events.h"

#define BPF_SYSCALLS_CPUS 1024

struct bpf_syscalls_options {
	const struct syscall_set *set; /* NULL: all */
	uint64_t event_id;	       /* of samples with stacks; what has none is a struct syscall_event */
	uint16_t common_type;	       /* of their raw bytes: the id of their format */
	bool all_tasks;
	const uint64_t *cpus; /* bits of those that are traced, BPF_SYSCALLS_CPUS of them; NULL: all */
	bool has_processes;   /* tasks will be added as BPF_TASK_PROCESS */
	const char *cgroup;   /* only tasks of this one and those below it; NULL: all */
	bool by_cgroup;	      /* figures have the id of their task's cgroup */
	bool no_children;
	bool keeps_figures; /* no records of calls */
	bool has_histogram;
	bool counts_cpu; /* figures are of the time on a CPU */
	bool has_signals;
	bool has_entries; /* records also of the beginnings of calls */
	bool has_files;	  /* what descriptors stand for, where calls make or change them, and of those that are open at the start */
	bool only_failed, only_succeeded;
	uint64_t min_duration_ns;
	const struct syscall_set *kept; /* calls that pass whatever their result and duration are; NULL: none */
	uint32_t max_data;		/* bytes of buffers and of strings of an array */
	uint32_t stack_frames;		/* callers by frame pointers, SYSCALL_STACK_FRAMES at most; 0: none */
	uint32_t stack_bytes;		/* of stacks, for the reader to walk, SYSCALL_STACK_MAX at most; 0: none. Not both. */
	uint32_t ring_bytes;		/* a power of two */
};

struct bpf_syscalls;

/* Loads it, detached. */
int bpf_syscalls_open(struct bpf_syscalls **b, const struct bpf_syscalls_options *o, struct errbuf *eb);
void bpf_syscalls_close(struct bpf_syscalls *b);
/* Traces that task. A call that it sleeps in is one that began before tracing (SYSCALL_SAMPLE_BEFORE), and *slot describes it: a copy, all zeroes
 * where there is none. */
int bpf_syscalls_add_task(struct bpf_syscalls *b, pid_t tid, enum bpf_task_kind kind, struct syscall_slot *slot, struct errbuf *eb);
/* Descriptors that are open may be more than the ring buffer holds: `make_room` consumes it meanwhile; false: no more are wanted. */
int bpf_syscalls_attach(struct bpf_syscalls *b, bool (*make_room)(void *ctx), void *ctx, struct errbuf *eb);
/* Nothing more is recorded afterwards. */
void bpf_syscalls_detach(struct bpf_syscalls *b);

/* Becomes readable when a sixteenth of the ring buffer is filled, until it is consumed; look at it from time to time, too. */
int bpf_syscalls_fd(const struct bpf_syscalls *b);
/* Hands each record out; what it points to is valid during the call. A non-zero return ends the turn after that record. Returns how many
 * there were. */
int bpf_syscalls_consume(struct bpf_syscalls *b, int (*record)(void *ctx, void *data, size_t size), void *ctx);

/* Figures of tasks that live, by ascending i; those of tasks that ended came through bpf_syscalls_consume(). NULL: the last. */
const struct syscall_figures *bpf_syscalls_figures(struct bpf_syscalls *b, uint32_t *i);
/* Calls that tasks are in, once it is detached; returns how many, malloc'd. */
uint32_t bpf_syscalls_pending(struct bpf_syscalls *b, struct syscall_slot **slots);

struct bpf_syscalls_losses {
	uint64_t nr_dropped;   /* records that there was no room for */
	uint64_t nr_untraced;  /* tasks */
	uint64_t nr_uncounted; /* calls */
};
struct bpf_syscalls_losses bpf_syscalls_losses(const struct bpf_syscalls *b);

#endif
