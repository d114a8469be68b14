/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The loader of probes.bpf.c: probes in programs and libraries that exist as long as this process does, with their arguments as records in a
 * ring buffer (probe_hits.h), or counted. tracefs has no entry of them.
 */
#ifndef ASSAY_BPF_PROBES_H
#define ASSAY_BPF_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/errbuf.h"
#include "bpf/loader.h"
#include "bpf/probe_hits.h"

#define BPF_PROBES_CPUS 1024

struct bpf_probe {
	const char *path;
	uint64_t file_off;
	uint64_t ref_ctr; /* file offset of an SDT semaphore; 0: none */
	struct probe_program program;
};

struct bpf_probes_options {
	const struct bpf_probe *probes;
	uint32_t nr_probes;
	bool all_tasks;
	const uint64_t *cpus; /* bits, BPF_PROBES_CPUS of them; NULL: all */
	bool has_processes;   /* tasks will be added as BPF_TASK_PROCESS */
	bool no_children;
	bool only_counts;
	bool has_chains; /* user callers, by frame pointers */
	uint32_t ring_bytes;
};

struct bpf_probes;

/* Loads it, detached. */
int bpf_probes_open(struct bpf_probes **b, const struct bpf_probes_options *o, struct errbuf *eb);
void bpf_probes_close(struct bpf_probes *b);
int bpf_probes_add_task(struct bpf_probes *b, pid_t tid, enum bpf_task_kind kind, struct errbuf *eb);
int bpf_probes_attach(struct bpf_probes *b, struct errbuf *eb);
void bpf_probes_detach(struct bpf_probes *b);
/* Records are made, and passes counted, only while it is enabled. */
void bpf_probes_enable(struct bpf_probes *b, bool on);
int bpf_probes_fd(const struct bpf_probes *b);
/* As event_ring_consume(). */
int bpf_probes_consume(struct bpf_probes *b, int (*record)(void *ctx, void *data, size_t size), void *ctx);
/* Records that there was no room for. */
uint64_t bpf_probes_dropped(const struct bpf_probes *b);
/* How often a probe was passed. */
uint64_t bpf_probes_count(const struct bpf_probes *b, uint32_t probe);

#endif
