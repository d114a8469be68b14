/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Ids of the model → ids of a file that holds only what is used, in the order of their first use.
 */
#ifndef ASSAY_VIEW_RENUMBERING_H
#define ASSAY_VIEW_RENUMBERING_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct renumbering {
	uint32_t *of; /* UINT32_MAX: not used */
	VEC(uint32_t) used;
};

static inline void renumbering_init(struct renumbering *r, uint32_t nr)
{
	memset(r, 0, sizeof(*r));
	r->of = mem_alloc(nr * sizeof(*r->of));
	memset(r->of, 0xff, nr * sizeof(*r->of));
}

static inline void renumbering_fini(struct renumbering *r)
{
	free(r->of);
	vec_fini(&r->used);
}

static inline uint32_t renumbering_add(struct renumbering *r, uint32_t id)
{
	if (r->of[id] == UINT32_MAX) {
		r->of[id] = r->used.nr;
		vec_push(&r->used, id);
	}
	return r->of[id];
}

#endif
