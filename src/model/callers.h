/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Who calls a function, and what it calls: periods of a histogram's samples by the frames beside it in call chains.
 */
#ifndef ASSAY_MODEL_CALLERS_H
#define ASSAY_MODEL_CALLERS_H

#include "model/hist.h"

struct caller {
	uint32_t node; /* of chains: hist_node_frame() */
	uint64_t period;
};

struct callers {
	VEC(struct caller) callers, callees; /* the largest first */
	uint64_t total, self;		     /* of the function: with what it called, and alone */
	uint64_t outermost;		     /* samples of chains that begin in it */
};

/* `frame`: of the profile. A function that is in a chain several times counts once, each neighbour once as well. */
void callers_init(struct callers *c, const struct hist *h, uint32_t frame);
void callers_fini(struct callers *c);

#endif
