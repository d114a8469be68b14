/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct idle_stacks: how long each CPU was idle, by where the task that ran before had left it. Stacks are texts, because what is kept of
 * them has to outlive the tables of stacks, which are emptied now and then. Memory grows with distinct stacks, and is taken from a budget.
 */
#ifndef ASSAY_MODEL_IDLE_STACKS_H
#define ASSAY_MODEL_IDLE_STACKS_H

#include <stdint.h>

#include "base/budget.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"

#define IDLE_STACKS_NONE UINT32_MAX

struct idle_stack {
	uint32_t cpu, text;
	uint64_t nr, idle_ns;
};

struct idle_stacks {
	struct budget *memory; /* borrowed; may be NULL */
	struct strtab texts;
	VEC(struct idle_stack) v;
	struct hindex index;   /* of v, by CPU and text */
	VEC(uint32_t) before;  /* by CPU: the text at which it became idle, or IDLE_STACKS_NONE */
	uint64_t nr_forgotten; /* that the budget had no room for */
};

void idle_stacks_init(struct idle_stacks *s, struct budget *memory);
void idle_stacks_fini(struct idle_stacks *s);
/* A task left the CPU there. The number of the CPU is below TIMELINE_MAX_CPUS. */
void idle_stacks_leave(struct idle_stacks *s, uint32_t cpu, const char *text, uint32_t len);
/* The CPU was idle since. */
void idle_stacks_add(struct idle_stacks *s, uint32_t cpu, uint64_t idle_ns);
/* By CPU, the longest time first. */
void idle_stacks_sort(struct idle_stacks *s);

#endif
