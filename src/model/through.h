/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct through: which locations of a symbolised profile are in, and which of its stacks go through, one of some functions. Answered for
 * all of them at once, so that a sample costs a look at a byte. Knows nothing of what is done with them.
 */
#ifndef ASSAY_MODEL_THROUGH_H
#define ASSAY_MODEL_THROUGH_H

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

#endif
