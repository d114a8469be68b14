/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct sample_filter: which samples of a symbolised profile pass. Tasks and locations are asked once each, so that a sample costs a look
 * at two bytes.
 *
 * struct through: which locations are in, and which stacks go through, one of some functions. Answered for all of them at once.
 */
#ifndef ASSAY_MODEL_SAMPLE_FILTER_H
#define ASSAY_MODEL_SAMPLE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "model/filter.h"
#include "model/profile.h"

struct through {
	uint8_t *locations, *stacks; /* 1: yes */
};

/* `names` are whole names, or patterns with * and ?. Inlined functions count. */
struct through *through_new(struct profile *p, const struct filter_names *names);
void through_free(struct through *t);

/* A sample without a stack is where it is. */
bool through_has(const struct through *t, const struct profile_samples *s, uint32_t sample);

struct sample_filter {
	struct profile *p; /* borrowed */
	const struct filter *filter; /* borrowed; NULL: all pass */
	int32_t event; /* index in the recording; -1: all */
	uint8_t *of_task, *of_location; /* 0: not asked, 1: no, 2: yes */
	struct through *through; /* only stacks through these functions; NULL: all */
	struct through *called; /* by functions of filter.symbols; NULL: there are none */
	uint64_t nr_called; /* samples that are not in a function of filter.symbols, but called by one */
};

/* `through` may be NULL. */
void sample_filter_init(struct sample_filter *f, struct profile *p, const struct filter *filter, int32_t event,
			const struct filter_names *through);
void sample_filter_fini(struct sample_filter *f);
bool sample_filter_keeps(struct sample_filter *f, uint32_t sample);

#endif
