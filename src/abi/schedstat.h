/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The counters of /proc/schedstat: a line for each CPU, and one for each of its scheduling domains. Versions 15 to 17 are known; they differ
 * in the fields of domains and their order.
 */
#ifndef ASSAY_ABI_SCHEDSTAT_H
#define ASSAY_ABI_SCHEDSTAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

#define SCHEDSTAT_FIRST_VERSION 15
#define SCHEDSTAT_LAST_VERSION 17
#define SCHEDSTAT_NR_CPU 9
#define SCHEDSTAT_MAX_VALUES 45
#define SCHEDSTAT_MAX_CPUS 16384u

/* Of a domain: so many fields in each of three categories, then the others. */
static inline uint32_t schedstat_per_category(uint32_t version)
{
	return version >= 17 ? 11 : 8;
}
#define SCHEDSTAT_NR_OTHERS 12

static inline uint32_t schedstat_nr_values(uint32_t version, bool is_domain)
{
	return is_domain ? 3 * schedstat_per_category(version) + SCHEDSTAT_NR_OTHERS : SCHEDSTAT_NR_CPU;
}

struct schedstat_row {
	uint64_t timestamp; /* in jiffies */
	uint32_t cpu;
	bool is_domain;
	uint16_t domain;
	uint64_t values[SCHEDSTAT_MAX_VALUES];
};

struct schedstat_domain {
	uint32_t cpu;
	uint16_t domain;
	char name[32]; /* "": version 16 and older have none */
	char mask[256];
	char cpus[256]; /* as a list; "": it does not fit */
};

/* One reading, or the two of a recording. A zeroed struct is empty. */
struct schedstat {
	uint32_t version;
	VEC(struct schedstat_row) rows;
	VEC(struct schedstat_domain) domains;
};

static inline void schedstat_fini(struct schedstat *s)
{
	vec_fini(&s->rows);
	vec_fini(&s->domains);
}

#endif
