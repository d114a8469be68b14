/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stacks of struct wall, added up over the threads that are shown: a row for each class and stack, the most time first.
 */
#ifndef ASSAY_MODEL_WALL_STACKS_H
#define ASSAY_MODEL_WALL_STACKS_H

#include "model/wall.h"

struct wall_stack {
	enum wall_class class;
	uint32_t stack;
	uint64_t nr, total_ns, max_ns; /* nr and max_ns are of waits; of time on a CPU nr is of samples */
	uint32_t thread;	       /* the one that has most of it */
	uint64_t thread_ns;
	uint32_t nr_threads;
};

struct wall_stacks {
	VEC(struct wall_stack) v; /* by class, then by time */
	struct hindex index;
};

/* Of a finished wall. */
void wall_stacks_make(struct wall_stacks *s, const struct wall *w);
void wall_stacks_fini(struct wall_stacks *s);

#endif
