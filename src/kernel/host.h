/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Facts about this machine, as the features of perf.data want them. Read once per recording, mostly
 * from sysfs; independent of everything else, so that a recorder may read them in a thread while
 * the workload runs.
 */
#ifndef ASSAY_KERNEL_HOST_H
#define ASSAY_KERNEL_HOST_H

#include <stdint.h>

#include "base/arena.h"

struct host_cpu {			    /* per available CPU */
	int32_t core_id, socket_id, die_id; /* -1: unknown */
};
struct host_numa_node {
	uint32_t node;
	uint64_t mem_total_kb, mem_free_kb;
	const char *cpus;
};
struct host_cache {
	uint32_t level, line_size, sets, ways;
	const char *type, *size, *cpus;
};
struct host_pmu {
	uint32_t type;
	const char *name;
};
struct host_mem_node {
	uint64_t node;
	uint64_t nr_bits; /* of the bitmap of memory blocks */
	uint64_t *bitmap;
};

/* Strings are NULL, counts 0 and arrays empty where the machine does not say. Strings and arrays
 * belong to `arena`. */
struct host {
	struct arena arena;
	const char *hostname, *osrelease, *arch, *cpudesc, *cpuid;
	uint32_t nrcpus_online, nrcpus_avail;
	uint64_t total_mem_kb;

	const char **core_siblings; /* distinct cpu lists */
	uint32_t nr_core_siblings;
	const char **die_siblings;
	uint32_t nr_die_siblings;
	const char **thread_siblings;
	uint32_t nr_thread_siblings;
	struct host_cpu *cpus; /* nrcpus_avail of them */

	struct host_numa_node *numa_nodes;
	uint32_t nr_numa_nodes;
	struct host_cache *caches;
	uint32_t nr_caches;
	struct host_pmu *pmus;
	uint32_t nr_pmus;
	uint64_t mem_block_size;
	struct host_mem_node *mem_nodes;
	uint32_t nr_mem_nodes;
};

/* Everything. Cannot fail: what cannot be read stays empty. */
void host_init(struct host *h);
void host_fini(struct host *h);

/* Resolution of a clock (clock_getres), 0 where unknown: for the CLOCKID feature. */
uint64_t host_clock_res_ns(int32_t clockid);
/* "CLOCK_MONOTONIC_RAW" or "mono_raw", "1", …: for -k. -EINVAL where unknown. */
int host_clock_find(const char *name, int32_t *clockid);

#endif
