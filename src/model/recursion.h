/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Recursion in a stack, drawn once. A call of a function that is on the stack already goes back to its frame there, and what it calls stands on
 * that one: main, walk, step, walk, step, leaf becomes main, walk, step, leaf.
 *
 * It goes back only over functions that are on the stack below, too: no function of a stack disappears, and each caller that is left
 * really called what stands on it. So the share of samples in which a function is on the stack is what it was. web/flame_collapse.js does
 * the same to a tree.
 */
#ifndef ASSAY_MODEL_RECURSION_H
#define ASSAY_MODEL_RECURSION_H

#include <stdint.h>

#include "model/flame.h"

struct recursion {
	struct flame *f;	 /* borrowed */
	VEC(uint32_t) key_of;	 /* by frame: the same for a function that was inlined here and called there; FLAME_NONE: no one function */
	VEC(uint32_t) last;	 /* by key: where it was last, in the stack at hand */
	VEC(uint32_t) stamp_of;	 /* by key: the stack that it was last seen in */
	uint32_t stamp;
	VEC(uint32_t) before;	 /* by position: where the same key was before; FLAME_NONE: nowhere */
};

void recursion_init(struct recursion *r, struct flame *f);
void recursion_fini(struct recursion *r);

/* `spots` of the flame, from the root on; in place. Returns how many are left. */
uint32_t recursion_collapse(struct recursion *r, uint32_t *spots, uint32_t nr);

#endif
