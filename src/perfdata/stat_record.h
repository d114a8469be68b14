/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The records of `stat record`: maps of threads and CPUs, the configuration, counts, and the rounds that end a reading.
 */
#ifndef ASSAY_PERFDATA_STAT_RECORD_H
#define ASSAY_PERFDATA_STAT_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/record.h"
#include "base/out.h"

/* The file's numbers for aggregation modes. */
enum stat_aggr {
	STAT_AGGR_NONE = 0, /* -A */
	STAT_AGGR_GLOBAL = 1,
	STAT_AGGR_SOCKET = 2,
	STAT_AGGR_DIE = 3,
	STAT_AGGR_CORE = 4,
	STAT_AGGR_THREAD = 5,
	STAT_AGGR_UNSET = 6,
	STAT_AGGR_NODE = 7,
};

struct stat_config {
	enum stat_aggr aggr;
	uint64_t interval_ms; /* 0: none */
	bool scale;	      /* multiplexed counts are to be scaled */
};
struct stat_count {
	uint64_t id;	 /* of the event */
	int32_t cpu;	 /* its number; -1: any */
	uint32_t thread; /* index into the thread map */
	uint64_t value, enabled, running;
};
struct stat_round {
	bool is_final;	  /* else the end of an interval */
	uint64_t time_ns; /* since the start */
};
#define STAT_COMM_SIZE 16
struct stat_thread {
	int64_t tid; /* -1: all */
	char comm[STAT_COMM_SIZE];
};
enum stat_update_kind {
	STAT_UPDATE_UNIT = 0,
	STAT_UPDATE_SCALE = 1,
	STAT_UPDATE_NAME = 2,
	STAT_UPDATE_CPUS = 3,
};
struct stat_update {
	uint64_t id;
	enum stat_update_kind kind;
	const char *text; /* unit, name; borrowed from the record */
	double scale;
};

/* Append whole records to `o`. */
void stat_config_encode(struct out *o, const struct stat_config *c);
void stat_count_encode(struct out *o, const struct stat_count *c);
void stat_round_encode(struct out *o, const struct stat_round *r);
/* Records are at most 64 KiB: -EMSGSIZE where the map does not fit, nothing is appended. */
#define STAT_THREADS_MAX ((65528u - 16) / sizeof(struct stat_thread))
#define STAT_CPUS_MAX ((65528u - 12) / 2)
int stat_threads_encode(struct out *o, const struct stat_thread *threads, uint32_t nr);
int stat_cpus_encode(struct out *o, const int32_t *cpus, uint32_t nr);
void stat_cpu_range_encode(struct out *o, uint32_t first, uint32_t last);
/* Not for STAT_UPDATE_CPUS. */
void stat_update_encode(struct out *o, const struct stat_update *u);

/* Take records of native order apart; -EBADMSG. The types are the caller's to check. */
int stat_config_decode(const struct record_header *h, struct stat_config *c);
int stat_count_decode(const struct record_header *h, struct stat_count *c);
int stat_round_decode(const struct record_header *h, struct stat_round *r);
int stat_update_decode(const struct record_header *h, struct stat_update *u);
/* How many there are (negative: -EBADMSG), and one of them. */
int64_t stat_threads_count(const struct record_header *h);
void stat_thread_get(const struct record_header *h, uint32_t index, struct stat_thread *t);
/* Calls `fn` for each CPU of the map (-1: any). */
int stat_cpus_decode(const struct record_header *h, void (*fn)(void *ctx, int32_t cpu), void *ctx);

#endif
