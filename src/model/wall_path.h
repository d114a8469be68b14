/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The critical path of an interval: what happened one after the other so that a thread got to where it was at the end. It is followed
 * backwards: while the thread ran or waited for a CPU, that is the path; where it was blocked, the path goes on in the thread that woke it,
 * at that moment. Where an interrupt ended the wait (a timer, a disk), or who did is not known, the wait itself is part of the path.
 */
#ifndef ASSAY_MODEL_WALL_PATH_H
#define ASSAY_MODEL_WALL_PATH_H

#include "model/wall.h"

struct wall_step {
	uint32_t thread;
	enum wall_class class; /* WALL_RUNNING: user and kernel are not distinguished here */
	uint64_t begin_ns, end_ns;
	uint32_t sum; /* whose stack it waited with; WALL_NONE: it ran */
};

struct wall_path {
	uint64_t from_ns, to_ns;
	uint32_t thread;	     /* that it ends in */
	VEC(struct wall_step) steps; /* in the order of time; each begins where the one before ends */
	bool is_cut;		     /* there were too many */
};

/* Of a finished wall. False: no thread that is shown did anything in the interval. */
bool wall_path_find(struct wall_path *p, const struct wall *w, uint64_t from_ns, uint64_t to_ns);
/* Of the longest wait of a thread that is not idle, other than sleeps. False: there is none. */
bool wall_path_longest(struct wall_path *p, const struct wall *w);
void wall_path_fini(struct wall_path *p);

#endif
