/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A histogram of one event: samples summed by sort keys (comm, dso, symbol …), with or without callees (`children`), and the call trees of
 * its entries. hist_build(), hist_sort(), then a view displays it.
 */
#ifndef ASSAY_MODEL_HIST_H
#define ASSAY_MODEL_HIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/errbuf.h"
#include "base/vec.h"
#include "model/hist_columns.h"
#include "model/match.h"
#include "model/profile.h"
#include "model/sample_groups.h"
#include "model/weighted_tree.h"

#define HIST_MAX_TREE_NODES 2000000u

/* A place that a row stands for, or one end of a branch. */
struct hist_end {
	uint32_t dso_name; /* string: DSOs of one name are one row, as in perf */
	uint32_t dso;
	uint32_t frame; /* resolved frame, or FRAME_NONE */
	uint32_t place; /* says file and line */
	uint64_t addr;	/* the address where unresolved */
	char level;	/* 'k' or '.' in front of the symbol */
};

struct hist_entry {
	uint32_t comm; /* string */
	uint32_t task;
	struct hist_end at;   /* of a branch: where it went to */
	struct hist_end from; /* of a branch */
	uint64_t branch_flags;
	uint64_t offset; /* in the symbol, of the first place met; for those that are no functions */
	uint32_t cpu;
	uint32_t parallelism;		  /* threads that ran; where rows are by that */
	uint32_t fields;		  /* tuple of profile.fields */
	uint64_t period, nr;		  /* self */
	uint64_t children;		  /* with what it called */
	uint64_t sys, user;		  /* of period */
	double latency, latency_children; /* of hist.total_latency, where that is summed up */
	uint32_t max_depth;		  /* longest chain */
	uint32_t first_path, nr_paths;	  /* in hist->paths: what its call tree is grown from */
	bool hidden;			  /* by a filter, while building */
	uint32_t stamp;			  /* last group that touched it: recursion counts once */
};

enum hist_order { HIST_CALLEE, HIST_CALLER };
/* When two frames of chains are one node. */
enum hist_chain_key { HIST_CHAIN_FUNCTION, HIST_CHAIN_ADDRESS, HIST_CHAIN_SRCLINE };

struct hist_options {
	uint16_t keys[HIST_MAX_COLUMNS]; /* sort keys in use, in order */
	uint32_t nr_keys;
	uint16_t order_by[HIST_MAX_COLUMNS]; /* what rows are sorted by, in order */
	uint32_t nr_order_by;
	const struct field_slot *fields; /* columns of the event's own, from HIST_FIELDS on; borrowed */
	const struct match *match;	 /* borrowed; what files are shown and added up by. NULL: their names */
	bool children;
	bool chains;	 /* build call trees */
	bool latency;	 /* sum up latencies, which the profile has then */
	bool branches;	 /* a row's samples are taken branches, each with the weight 1; no chains then */
	bool full_paths; /* of source files */
	enum hist_order order;
	enum hist_chain_key chain_key;
	double tree_min_percent;   /* branches below this share are not part of a tree … */
	bool tree_relative;	   /* … of what was called from their parent; otherwise of the total */
	struct budget *tree_work;  /* frames that trees may be grown from, of all rows; NULL: any number */
	struct budget *row_memory; /* bytes of rows, given back by hist_fini(): a histogram takes half of what is left. NULL: any number */
};

/* What samples are grouped by beside place and stack, in struct sample_group; the last three of branches, which have no latency. */
enum hist_group_key {
	HIST_BY_TASK,
	HIST_BY_CPU,
	HIST_BY_FIELDS,
	HIST_BY_FROM,
	HIST_BY_FLAGS,
	HIST_BY_FLAGS_HIGH,
	HIST_BY_PARALLELISM = HIST_BY_FROM,
};

/* A group's chain, from one of its frames on. */
struct hist_path {
	uint32_t group, from;
};

/* File and line of a place as rows show them: strings; 0: not made yet. */
struct hist_source {
	uint32_t place, line, file;
};

/* What gets a row. Tasks that are left out count in the total; places are filtered after the sums, so that rows keep their figures. NULL
 * keeps all. */
struct hist_filter {
	bool (*keep_task)(void *ctx, const struct profile *p, uint32_t task);
	bool (*keep_parallelism)(void *ctx, uint32_t parallelism);			      /* of samples, where the profile tells it */
	bool (*keep_place)(void *ctx, const struct profile *p, uint32_t dso, uint32_t frame); /* frame FRAME_NONE: unresolved */
	void *ctx;
};

struct hist {
	const struct hist_options *options; /* borrowed */
	struct profile *profile;	    /* borrowed */
	uint32_t event;
	struct sample_groups groups;	/* what the passes go over instead of single samples */
	VEC(double) latencies;		/* by group; none unless options->latency */
	VEC(struct hist_entry) entries; /* sorted by hist_sort() */
	struct hindex index;
	VEC(uint32_t) frames;	   /* of all groups' chains, in display order: nodes */
	VEC(uint32_t) first_frame; /* by group; one more at the end */
	VEC(uint32_t) rows;	   /* while it is built: entries of all groups' places */
	VEC(struct hist_path) paths;
	VEC(uint32_t) node_places;	 /* what a node of a chain stands for, unless chains are by function */
	VEC(struct hist_source) sources; /* of places that were asked for: a file may have as many histograms as events */
	struct hindex source_index;
	struct weighted_tree tree; /* of the entry last asked for: periods and samples; its frames are nodes of chains */
	uint64_t total_period, nr_samples;
	double total_latency;
	uint64_t row_bytes, max_row_bytes; /* taken from row_memory */
	uint32_t *sym_names;		   /* dso id → string of its short name */
	uint64_t nr_without_row;	   /* samples in no row, or that a caller's row lacks: row_memory was at its end */
	uint32_t nr_without_tree;	   /* rows whose tree was not grown: tree_work was at its end */
	uint32_t nr_cut_trees;
};

void hist_init(struct hist *h, struct profile *p, const struct hist_options *opts, uint32_t event);
void hist_fini(struct hist *h);
/* Sums up the samples of the event. */
void hist_build(struct hist *h, const struct hist_filter *filter);
void hist_sort(struct hist *h);
/* Grows the call tree of an entry in h->tree, in place of the last one. False where there is nothing to show. */
bool hist_grow_tree(struct hist *h, const struct hist_entry *e);

/* What a node of a chain is: its function; and its place, PLACE_NONE where it stands for a function everywhere. */
static inline uint32_t hist_node_place(const struct hist *h, uint32_t node)
{
	return h->options->chain_key == HIST_CHAIN_FUNCTION ? PLACE_NONE : h->node_places.v[node];
}
static inline uint32_t hist_node_frame(const struct hist *h, uint32_t node)
{
	uint32_t place = hist_node_place(h, node);

	return place == PLACE_NONE ? node : h->profile->frames.v[h->profile->places.v[place].frame].row;
}

/* "FILE:LINE" of a place, and its file (0: not known), as string ids. */
uint32_t hist_srcline(struct hist *h, uint32_t place);
uint32_t hist_srcfile(struct hist *h, uint32_t place);

/* Between hist.c and hist_rows.c: the row of a place in a chain (`level`: of the CPU's mode there), the row of the sampled place itself (the
 * function that was really called, the line of the address), and finding the row with the same keys, which is added if there is none
 * (HIST_NO_ENTRY: there is no memory for it). */
#define HIST_NO_ENTRY UINT32_MAX
struct hist_entry hist_entry_at(struct hist *h, const struct sample_group *g, uint32_t place, char level);
struct hist_entry hist_entry_of(struct hist *h, const struct sample_group *g, char level);
uint32_t hist_find_entry(struct hist *h, const struct hist_entry *key);
/* The letter that says where the CPU was. */
char hist_level_of(unsigned cpumode);

#endif
