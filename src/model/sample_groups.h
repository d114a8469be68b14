/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct sample_groups: samples that differ in nothing that counts, added up. Each sample is in a group by its stack (or its place, where it
 * has none) and by a few numbers of the caller's: task, event, CPU. What follows looks at groups, of which there are few, instead of samples.
 */
#ifndef ASSAY_MODEL_SAMPLE_GROUPS_H
#define ASSAY_MODEL_SAMPLE_GROUPS_H

#include "model/profile.h"

#define SAMPLE_GROUP_KEYS 5

struct sample_group {
	uint32_t stack, location; /* location: 0 where the caller counts by stack */
	uint32_t by[SAMPLE_GROUP_KEYS]; /* the caller's */
	uint32_t sample; /* the first one */
	uint64_t period, nr; /* sum of periods, and samples */
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
