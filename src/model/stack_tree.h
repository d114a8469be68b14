/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * struct stack_tree: distinct stacks of numbered frames, each a node with its caller as parent. A node takes four bytes: a new stack is
 * appended as one run in which each node is the child of the one before it. Only the first node of a run has a parent and an index entry.
 *
 * A parent has a smaller number than its children.
 */
#ifndef ASSAY_MODEL_STACK_TREE_H
#define ASSAY_MODEL_STACK_TREE_H

#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"

#define STACK_TREE_ROOT 0u /* the node of no frames */
#define STACK_TREE_NONE UINT32_MAX
#define STACK_TREE_MAX_FRAME 0x7fffffffu
#define STACK_TREE_RUN 0x80000000u /* bit of stack_tree.frames: this node begins a run */

struct stack_tree_run {
	uint32_t node, parent;
};

struct stack_tree {
	VEC(uint32_t) frames;		 /* by node, with the bit; [0] is the root, which begins a run */
	VEC(struct stack_tree_run) runs; /* by node */
	VEC(uint32_t) runs_before;	 /* by block of nodes: runs that begin in front of it */
	struct hindex index;		 /* runs, by parent and frame */
};

void stack_tree_init(struct stack_tree *t);
void stack_tree_fini(struct stack_tree *t);
/* Empties it, and keeps its memory. */
void stack_tree_clear(struct stack_tree *t);
/* Frees the index: nothing can be added or found any more. */
void stack_tree_seal(struct stack_tree *t);

/* The node of a stack, the innermost frame first. Frames are at most STACK_TREE_MAX_FRAME. */
uint32_t stack_tree_add(struct stack_tree *t, const uint32_t *frames, uint32_t nr);
/* Bytes in use. */
uint64_t stack_tree_size_bytes(const struct stack_tree *t);

/* The run that a node is in, as an index of `runs`. */
uint32_t stack_tree_run_of(const struct stack_tree *t, uint32_t node);

static inline uint32_t stack_tree_frame(const struct stack_tree *t, uint32_t node)
{
	return t->frames.v[node] & ~STACK_TREE_RUN;
}
static inline uint32_t stack_tree_parent(const struct stack_tree *t, uint32_t node)
{
	return t->frames.v[node] & STACK_TREE_RUN ? t->runs.v[stack_tree_run_of(t, node)].parent : node - 1;
}

#endif
