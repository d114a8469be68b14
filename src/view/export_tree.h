/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stacks of an export as one tree of its own frames: by name, function, line or address, as a format tells frames apart. Inlined
 * functions are frames like others. Nodes are made for the stacks that are asked for, each once, so memory is linear in what is distinct.
 */
#ifndef ASSAY_VIEW_EXPORT_TREE_H
#define ASSAY_VIEW_EXPORT_TREE_H

#include "view/export.h"

/* When two frames are one. */
enum export_key {
	EXPORT_BY_NAME,
	EXPORT_BY_MARK,	    /* name, and what export_mark() says */
	EXPORT_BY_KIND,	    /* name, and whether it is user, kernel or JIT */
	EXPORT_BY_FUNCTION, /* name, module and source file */
	EXPORT_BY_LINE,	    /* these, and the line with the file that it is in */
	EXPORT_BY_ADDRESS,  /* address in its module, and how deeply inlined there */
};

struct export_frame {
	uint64_t a, b;	/* its key */
	uint32_t c;
	uint32_t place; /* the first one met */
};

struct export_tree {
	const struct export *x;
	enum export_key key;
	VEC(struct export_frame) frames;
	struct stack_tree tree;
	struct hindex frame_index;
	uint32_t *frame_of_place, *node_of_stack, *node_of_location;
	VEC(uint32_t) scratch;
};

void export_tree_init(struct export_tree *t, const struct export *x, enum export_key key);
void export_tree_fini(struct export_tree *t);
/* All nodes are there: lets go of what finds them, which is most of the memory. */
void export_tree_seal(struct export_tree *t);

/* The node of a sample's stack; where it has none, of the sampled place. */
uint32_t export_tree_node(struct export_tree *t, uint32_t sample);
uint32_t export_tree_frame(struct export_tree *t, uint32_t place);

/* Frames of a node, outermost first, into t->scratch; valid until the next call. */
void export_tree_path(struct export_tree *t, uint32_t node);

/* The nodes' numbers in a walk through the tree: parents before children, siblings by key, the least first. The caller frees. */
uint32_t *export_tree_rank(const struct export_tree *t, const uint64_t *key_of_node);

/* How deeply inlined a place is: 0 of the function that was really called. */
uint32_t export_inline_depth(const struct export *x, uint32_t place);
/* 'k', 'i', 'j', or 0 */
char export_mark(const struct export *x, uint32_t place);

#endif
