/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The callers of functions, and a flame graph, out of the tree of a live profile.
 */
#ifndef ASSAY_MODEL_LIVE_CALLERS_H
#define ASSAY_MODEL_LIVE_CALLERS_H

#include "model/flame.h"
#include "model/live_profile.h"

#define LIVE_MAX_CALLERS 4096u /* of one function */

/* Children of one caller are linked, the heaviest first. */
struct live_caller {
	uint32_t name;
	uint32_t first_child, next_sibling; /* 0 ends */
	uint32_t nr_children;
	double total;
};

/* The callers of functions of an event, one function after the other. */
struct live_callers {
	const struct live_event *e; /* borrowed */
	uint32_t *first, *next;	    /* nodes by name: by string, by node; 0 ends. NULL: not made yet */
	uint32_t nr_strings;
	VEC(struct live_caller) v;
};

void live_callers_init(struct live_callers *c, const struct live_profile *l, uint32_t event);
void live_callers_fini(struct live_callers *c);
/* Whether something calls the function. */
bool live_callers_has(struct live_callers *c, uint32_t name);
/* Adds the callers of a function, which is the first that is added itself: its place in `v`. Links are places, too. */
uint32_t live_callers_add(struct live_callers *c, uint32_t name);

/* The tree of an event as a flame graph, which changes hands. */
struct flame *live_profile_flame(const struct live_profile *l, uint32_t event);

#endif
