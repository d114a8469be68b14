/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stacks of threads as text, in eu-stack's layout and with its switches; additions are comments behind "# ". Repeated snapshots: a tree of
 * functions with counts, or folded lines for a flame graph.
 */
#ifndef ASSAY_VIEW_STACK_H
#define ASSAY_VIEW_STACK_H

#include "base/out.h"
#include "model/snapshot.h"

struct stack_text {
	struct out *o;
	const struct snapshot *snapshot;
	const struct dso_table *dsos;
	const struct snapshot_modules *modules; /* for `build_ids` and stack_text_modules() */
	int32_t pid;
	bool is_core;
	bool no_heading;   /* no line for the process */
	bool comments;	   /* names and states of threads, why a stack is not complete */
	bool activations;  /* -a */
	bool build_ids;	   /* -b */
	bool module_names; /* -m */
	bool source_lines; /* -s: "    file:line:column" below the frame */
	bool source_at;	   /* " at file:line" behind the function */
	bool quiet;	   /* -q: no functions */
	/* of repeated snapshots, and what they cost */
	uint32_t nr_rounds; /* 0: seen once */
	double interval_ms;
	uint64_t nr_stops, pause_ns, longest_pause_ns;
};

/* -l */
void stack_text_modules(const struct stack_text *t);
/* Every thread's stack. */
void stack_text_threads(const struct stack_text *t);

void stack_text_tree(const struct stack_text *t, const struct snapshot_tree *tree);
/* "comm;outer;inner COUNT" */
void stack_text_folded(const struct stack_text *t, const struct snapshot_tree *tree);

/* One JSON object; man/assay-stack.1.scd names its keys. */
void stack_json(const struct stack_text *t);

#endif
