/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stacks of an export as paths of its own frames: by name, function, line or address, as a format tells frames apart. Inlined functions are
 * frames like others. Formats that number stacks have a tree of these paths besides.
 *
 * The tree keeps no frames of its own: a stack that is new adds one run of nodes, which are read from the profile's stack whenever they are
 * asked for. Memory is a few words a stack, whatever its depth.
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

#define EXPORT_ROOT 0u /* the node of no frames */

struct export_path { /* a vec */
	uint32_t *v;
	uint32_t nr, cap;
};

/* Nodes that follow one another, each the child of the one before. */
struct export_run {
	uint32_t node;	 /* the first one */
	uint32_t parent; /* of that */
	uint32_t frame;	 /* of that */
	uint32_t sample; /* whose path it is the end of … */
	uint32_t depth;	 /* … from there on, counted from the outermost frame */
	uint32_t tail;	 /* in export_tree.tails: frames behind the first, once they were asked for; EXPORT_NONE: not yet */
};

#define EXPORT_NONE UINT32_MAX

struct export_tree {
	const struct export *x;
	enum export_key key;
	VEC(struct export_frame) frames;
	struct hindex frame_index;
	uint32_t *frame_of_place;
	struct export_path path; /* of the sample last asked for, innermost first */
	/* of numbered stacks */
	VEC(struct export_run) runs; /* by node; [0] is the root's */
	uint32_t nr_nodes;
	struct hindex run_index; /* by parent and frame */
	uint32_t *node_of_stack, *node_of_location;
	VEC(uint32_t) tails;
	struct export_path scratch;
};

void export_tree_init(struct export_tree *t, const struct export *x, enum export_key key);
void export_tree_fini(struct export_tree *t);

/* The frames of a sample's stack, or of the sampled place where it has none, into t->path; valid until the next call. */
void export_tree_path(struct export_tree *t, uint32_t sample);

/* The node of that path. Numbers are given as they are asked for; a parent's is smaller than its children's. */
uint32_t export_tree_node(struct export_tree *t, uint32_t sample);
uint32_t export_tree_parent(const struct export_tree *t, uint32_t node);
/* Calls `put` for each node but the root, in order. */
typedef void export_node_fn(void *ctx, uint32_t node, uint32_t parent, uint32_t frame);
void export_tree_each(struct export_tree *t, export_node_fn *put, void *ctx);

/* The places of nodes in a walk through the tree: parents before children, siblings by key, the least first. `nodes` is sorted. The caller
 * frees. */
typedef uint64_t export_key_fn(const void *ctx, uint32_t node, uint32_t frame);
uint32_t *export_tree_rank(struct export_tree *t, const uint32_t *nodes, uint32_t nr, export_key_fn *key, const void *ctx);

/* The run that a node is in, and the node behind its last one. */
uint32_t export_tree_run(const struct export_tree *t, uint32_t node);
uint32_t export_tree_run_end(const struct export_tree *t, uint32_t run);

/* ---- samples without times (export_layout.c), for formats that are drawn along time ---- */

/* Samples of a task and event lie end to end, each as long as it weighs, and the heaviest functions come first.
 *
 * Where samples have times, nothing. Otherwise x->samples comes in another order and x->time_ns is what was made up; samples of one
 * task, event and node follow one another then. To be called before series are made. `ns_per_count`: how long an event is that is
 * no clock; less of it where all would be too long. */
void export_lay_out(struct export *x, struct export_tree *t, uint64_t ns_per_count);

/* How long a sample was made. */
uint64_t export_laid_ns(const struct export *x, uint32_t sample);

static inline bool export_is_laid_out(const struct export *x)
{
	return x->ns_per_count;
}

/* How deeply inlined a place is: 0 of the function that was really called. */
uint32_t export_inline_depth(const struct export *x, uint32_t place);
/* 'k', 'i', 'j', or 0 */
char export_mark(const struct export *x, uint32_t place);

#endif
