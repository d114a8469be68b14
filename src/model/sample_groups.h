/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which samples of a symbolised profile pass, and sums of samples with equal keys.
 */
#ifndef ASSAY_MODEL_SAMPLE_GROUPS_H
#define ASSAY_MODEL_SAMPLE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/filter.h"
#include "model/profile.h"

/* struct sample_filter: tasks and locations are tested once each, so that a sample costs a look at two bytes. struct through: which
 * locations are in some functions, and which stacks go through them. */

struct through {
	uint8_t *locations, *stacks; /* 1: yes */
};

/* `names` are whole names, or patterns with * and ?. Inlined functions count. */
struct through *through_new(struct profile *p, const struct filter_names *names);
void through_free(struct through *t);

/* A sample without a stack is where it is. */
bool through_has(const struct through *t, const struct profile_samples *s, uint32_t sample);

struct sample_filter {
	struct profile *p;		/* borrowed */
	const struct filter *filter;	/* borrowed; NULL: all pass */
	int32_t event;			/* index in the recording; -1: all */
	uint8_t *of_task, *of_location; /* 0: not asked, 1: no, 2: yes */
	struct through *through;	/* only stacks through these functions; NULL: all */
	struct through *called;		/* by functions of filter.symbols; NULL: there are none */
	uint64_t nr_called;		/* samples that are not in a function of filter.symbols, but called by one */
};

/* `through` may be NULL. */
void sample_filter_init(struct sample_filter *f, struct profile *p, const struct filter *filter, int32_t event,
			const struct filter_names *through);
void sample_filter_fini(struct sample_filter *f);
bool sample_filter_keeps(struct sample_filter *f, uint32_t sample);

/* struct sample_groups: samples grouped by stack (or place) and a few numbers of the caller's: task, event, CPU. */

#define SAMPLE_GROUP_KEYS 6

struct sample_group {
	uint32_t stack, location;	/* location: 0 where the caller counts by stack */
	uint32_t by[SAMPLE_GROUP_KEYS]; /* the caller's */
	uint32_t sample;		/* the first one */
	uint64_t period, nr;		/* sum of periods, and samples */
};

struct sample_groups {
	VEC(struct sample_group) v; /* as they were first met */
	struct hindex index;
	VEC(uint32_t) last; /* by stack: the group that was last found for it, + 1 */
};

/* A zeroed struct is empty. */
void sample_groups_fini(struct sample_groups *g);
/* Frees what is there to find groups. */
void sample_groups_seal(struct sample_groups *g);

/* Adds a sample to the group of its stack or place and `by`, which has SAMPLE_GROUP_KEYS numbers. */
struct sample_group *sample_groups_add(struct sample_groups *g, const struct profile_samples *s, uint32_t sample, const uint32_t *by);
/* The same to a group whose key is whole. */
struct sample_group *sample_groups_add_to(struct sample_groups *g, const struct sample_group *key, uint64_t period);

#endif
