/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The loader of latency.bpf.c: durations of calls of a function, or of pairs of tracepoints, counted in the kernel.
 */
#ifndef ASSAY_BPF_LATENCY_H
#define ASSAY_BPF_LATENCY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/latency_figures.h"
#include "base/errbuf.h"
#include "bpf/latency_parts.h"
#include "bpf/loader.h"

#define BPF_LATENCY_CPUS 1024

struct bpf_latency_event {
	const char *system, *name;
	struct latency_key_part parts[LATENCY_KEY_PARTS];
};

struct bpf_latency_options {
	const char *function; /* or, NULL, these */
	struct bpf_latency_event events[2];
	uint64_t unit_ns;
	bool all_tasks;
	bool follows_forks;
	const uint64_t *cpus; /* bits of those on which it begins, BPF_LATENCY_CPUS of them; NULL: all */
};

struct bpf_latency;

/* Loads and attaches it, switched off. */
int bpf_latency_open(struct bpf_latency **b, const struct bpf_latency_options *o, struct errbuf *eb);
void bpf_latency_close(struct bpf_latency *b);
int bpf_latency_add_task(struct bpf_latency *b, pid_t tid, enum bpf_task_kind kind, struct errbuf *eb);
void bpf_latency_enable(struct bpf_latency *b, bool on);
/* The way it measures: "fentry and fexit". */
const char *bpf_latency_way(const struct bpf_latency *b);
/* Hands out what each CPU counted. */
int bpf_latency_read(struct bpf_latency *b, void (*each)(void *ctx, const struct latency_figures *f), void *ctx, struct errbuf *eb);

#endif
