/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The loader of offcpu.bpf.c: when tasks leave their CPU, with their stacks, and when they come back, as records in a ring buffer
 * (offcpu_events.h).
 */
#ifndef ASSAY_BPF_OFFCPU_H
#define ASSAY_BPF_OFFCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/errbuf.h"
#include "bpf/loader.h"
#include "bpf/offcpu_events.h"

#define BPF_OFFCPU_CPUS 1024

struct bpf_offcpu_options {
	bool all_tasks;
	const uint64_t *cpus; /* bits of those on which waits begin, BPF_OFFCPU_CPUS of them; NULL: all */
	bool has_processes;   /* tasks will be added as BPF_TASK_PROCESS */
	const char *cgroup;   /* only tasks of this one and those below it; NULL: all */
	bool no_children;
	bool has_kernel_frames;
	bool explains_waits;  /* what tasks wait for, who wakes them, and where tasks begin and end, too */
	uint32_t user_frames; /* by frame pointers; 0: none */
	uint32_t stack_bytes; /* of stacks, for the reader to walk; 0: none */
	uint32_t ring_bytes;  /* a power of two */
};

struct bpf_offcpu;

/* Loads it, detached. */
int bpf_offcpu_open(struct bpf_offcpu **b, const struct bpf_offcpu_options *o, struct errbuf *eb);
void bpf_offcpu_close(struct bpf_offcpu *b);
int bpf_offcpu_add_task(struct bpf_offcpu *b, pid_t tid, enum bpf_task_kind kind, struct errbuf *eb);
int bpf_offcpu_attach(struct bpf_offcpu *b, struct errbuf *eb);
void bpf_offcpu_detach(struct bpf_offcpu *b);
/* Records are made only while it is enabled. */
void bpf_offcpu_enable(struct bpf_offcpu *b, bool on);
/* The fd of the program that keeps samples of these tasks alone; only with explains_waits. */
int bpf_offcpu_sample_program(const struct bpf_offcpu *b);
/* Becomes readable when a sixteenth of the ring buffer is filled; look at it from time to time, too. */
int bpf_offcpu_fd(const struct bpf_offcpu *b);
/* How many bytes of records there can be at a time. */
size_t bpf_offcpu_ring_bytes(const struct bpf_offcpu *b);
/* As event_ring_consume(). */
int bpf_offcpu_consume(struct bpf_offcpu *b, int (*record)(void *ctx, void *data, size_t size), void *ctx);
/* Records that there was no room for. */
uint64_t bpf_offcpu_dropped(const struct bpf_offcpu *b);

#endif
