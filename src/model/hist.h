/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A histogram of one event: samples summed up by sort keys (comm, dso, symbol …), with or without what was called from there
 * (`children`), sorted; and the call trees of its entries.
 *
 * Build / sort / display are three steps: hist_build() here, hist_sort() here, display in the view.
 */
#ifndef ASSAY_MODEL_HIST_H
#define ASSAY_MODEL_HIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/vec.h"
#include "model/calltree.h"
#include "model/profile.h"

/* Columns: sort keys first, then figures. */
enum hist_column {
	HIST_COMM,
	HIST_PID,
	HIST_TID,
	HIST_DSO,
	HIST_SYM,
	HIST_CPU,
	HIST_NR_KEYS,
	HIST_CHILDREN = HIST_NR_KEYS,
	HIST_SELF, /* "Overhead" without children */
	HIST_SYS,
	HIST_USER,
	HIST_SAMPLES,
	HIST_PERIOD,
	HIST_NR_COLUMNS,
};

struct hist_entry {
	uint32_t comm; /* string */
	uint32_t task;
	uint32_t dso_name; /* string: DSOs of one name are one row, as perf has it */
	uint32_t dso;
	uint32_t frame;	   /* resolved frame, or FRAME_NONE */
	uint64_t addr;	   /* the address where unresolved */
	uint32_t cpu;
	char level; /* 'k' or '.' in front of the symbol */
	uint64_t period, nr; /* self */
	uint64_t children;   /* with what it called */
	uint64_t sys, user;  /* of period */
	uint32_t max_depth;  /* longest chain */
	uint32_t tree;	     /* root in hist->tree, or CALLTREE_NONE */
	uint32_t stamp;	     /* last group that touched it: recursion counts once */
};

enum hist_order { HIST_CALLEE, HIST_CALLER };
enum hist_chain_key { HIST_CHAIN_FUNCTION, HIST_CHAIN_ADDRESS };

struct hist_options {
	uint8_t keys[HIST_NR_KEYS]; /* sort keys in use, in order */
	uint32_t nr_keys;
	uint8_t order_by[HIST_NR_COLUMNS]; /* what rows are sorted by, in order */
	uint32_t nr_order_by;
	bool children;
	bool chains; /* build call trees */
	enum hist_order order;
	/* Trees are not built for entries below this share of the total; 0 builds all. */
	double tree_min_percent;
};

/* Samples of one place, one task, one stack: what the passes below go over instead of single samples. */
struct hist_group {
	uint32_t task, location, stack, cpu;
	uint64_t period, nr;
};

struct hist {
	const struct hist_options *options; /* borrowed */
	struct profile *profile;	    /* borrowed */
	uint32_t event;
	VEC(struct hist_group) groups;
	VEC(struct hist_entry) entries; /* sorted by hist_sort() */
	struct hindex index;
	struct calltree tree;
	uint64_t total_period, nr_samples;
	uint32_t *sym_names; /* dso id → string of its short name */
};

void hist_init(struct hist *h, struct profile *p, const struct hist_options *opts, uint32_t event);
void hist_fini(struct hist *h);
/* Sums up the samples of the event. `keep` (may be NULL) says which of them get rows, by task and sampled place; the others count in the
 * total only. */
void hist_build(struct hist *h, bool (*keep)(void *ctx, const struct profile *p, uint32_t task, uint32_t location), void *ctx);
void hist_sort(struct hist *h);

#endif
