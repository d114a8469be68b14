/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct perfdata_info: where, when and how a perf.data was recorded: the events and the decoded feature sections. The reader fills it,
 * the writer writes it, `--header` prints it. All strings and arrays are in its arena.
 */
#ifndef ASSAY_PERFDATA_INFO_H
#define ASSAY_PERFDATA_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"

/* Feature bits of the file header, by perf's numbers. */
enum perfdata_feature {
	FEAT_TRACING_DATA = 1,
	FEAT_BUILD_ID = 2,
	FEAT_HOSTNAME = 3,
	FEAT_OSRELEASE = 4,
	FEAT_VERSION = 5,
	FEAT_ARCH = 6,
	FEAT_NRCPUS = 7,
	FEAT_CPUDESC = 8,
	FEAT_CPUID = 9,
	FEAT_TOTAL_MEM = 10,
	FEAT_CMDLINE = 11,
	FEAT_EVENT_DESC = 12,
	FEAT_CPU_TOPOLOGY = 13,
	FEAT_NUMA_TOPOLOGY = 14,
	FEAT_BRANCH_STACK = 15,
	FEAT_PMU_MAPPINGS = 16,
	FEAT_GROUP_DESC = 17,
	FEAT_AUXTRACE = 18,
	FEAT_STAT = 19,
	FEAT_CACHE = 20,
	FEAT_SAMPLE_TIME = 21,
	FEAT_MEM_TOPOLOGY = 22,
	FEAT_CLOCKID = 23,
	FEAT_DIR_FORMAT = 24,
	FEAT_BPF_PROG_INFO = 25,
	FEAT_BPF_BTF = 26,
	FEAT_COMPRESSED = 27,
	FEAT_CPU_PMU_CAPS = 28,
	FEAT_CLOCK_DATA = 29,
	FEAT_HYBRID_TOPOLOGY = 30,
	FEAT_PMU_CAPS = 31,
	FEAT_LAST = 32,
};

struct perfdata_event {
	struct attr attr;
	struct sample_layout layout;
	const char *name; /* never NULL once the reader or recorder is through with it */
	const char *unit; /* EVENT_UPDATE; may be NULL */
	uint64_t *ids;
	uint32_t nr_ids;
};

struct perfdata_event_id {
	uint64_t id;
	uint32_t event;
};

struct perfdata_build_id {
	uint16_t misc; /* MISC_KERNEL or MISC_USER */
	int32_t pid;   /* -1 */
	uint8_t id[BUILD_ID_MAX];
	uint8_t size; /* 20 where the file does not say */
	const char *filename;
};

struct perfdata_cpu {			    /* CPU_TOPOLOGY, per available CPU */
	int32_t core_id, socket_id, die_id; /* -1: unknown */
};
struct perfdata_numa_node {
	uint32_t node;
	uint64_t mem_total_kb, mem_free_kb;
	const char *cpus;
};
struct perfdata_cache {
	uint32_t level, line_size, sets, ways;
	const char *type, *size, *cpus;
};
struct perfdata_pmu {
	uint32_t type;
	const char *name;
};
struct perfdata_mem_node {
	uint64_t node;
	uint64_t nr_bits; /* of the bitmap of memory blocks */
	uint64_t *bitmap;
};
struct perfdata_group {
	const char *name;
	uint32_t leader_idx, nr_members;
};
struct perfdata_raw_feature { /* a feature we do not decode: kept so that nothing is lost */
	uint32_t feature;
	uint64_t size;
	const void *data;
};

struct perfdata_info {
	struct arena arena;
	bool foreign_order; /* the file is of the other byte order */
	bool pipe_mode;
	bool dir_mode; /* records of several files follow one another: rounds say nothing about their order */
	uint64_t header_version, data_off, data_size, feat_off; /* for --header; 0 in pipe mode */
	int64_t captured_time;					/* mtime of the file, seconds; 0 unknown */
	int64_t captured_ns;					/* the same to the nanosecond */
	uint64_t features;					/* bit N: feature N is there */

	VEC(struct perfdata_event) events;
	VEC(struct perfdata_event_id) event_ids; /* of them, for perfdata_info_find_event() */
	struct hindex event_id_index;

	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t nrcpus_online, nrcpus_avail;
	uint64_t total_mem_kb;
	const char **cmdline;
	uint32_t nr_cmdline;
	VEC(const char *) core_siblings; /* CPU_TOPOLOGY, as cpu lists */
	VEC(const char *) thread_siblings;
	VEC(const char *) die_siblings;
	VEC(struct perfdata_cpu) cpus;
	VEC(struct perfdata_numa_node) numa_nodes;
	VEC(struct perfdata_pmu) pmus;
	VEC(struct perfdata_group) groups;
	VEC(struct perfdata_cache) caches;
	uint64_t first_sample_ns, last_sample_ns; /* SAMPLE_TIME */
	uint64_t mem_block_size;
	VEC(struct perfdata_mem_node) mem_nodes;
	uint64_t clockid_res_ns; /* CLOCKID */
	uint32_t clockid;	 /* CLOCK_DATA */
	uint64_t clock_tod_ns, clock_ref_ns;
	uint32_t comp_version, comp_type, comp_level, comp_ratio, comp_mmap_len;
	VEC(struct perfdata_build_id) build_ids;
	const void *tracing_data; /* the blob as in the file; decoded where tracepoints are */
	uint64_t tracing_data_size;
	VEC(struct perfdata_raw_feature) raw_features;
};

void perfdata_info_init(struct perfdata_info *info);
void perfdata_info_fini(struct perfdata_info *info);

/* Makes an id known to perfdata_info_find_event(); where it is another event's, it stays that. */
void perfdata_info_add_id(struct perfdata_info *info, uint64_t id, uint32_t event);
/* The event that a sample id belongs to: index into info->events, or -ENOENT. With one event, and for id 0, it is the first. */
int perfdata_info_find_event(const struct perfdata_info *info, uint64_t id);
/* The event of a record (native order): index into info->events, or -1. */
int perfdata_info_event_of_record(const struct perfdata_info *info, const struct record_header *h);
static inline int perfdata_info_event_of(const struct perfdata_info *info, const struct record_header *h)
{
	return info->events.nr == 1 ? 0 : perfdata_info_event_of_record(info, h);
}

#endif
