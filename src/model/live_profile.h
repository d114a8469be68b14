/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a live view shows: rows of sort keys, and the tree of callers, whose weights fade with each refresh. Nothing in it refers to a session or
 * a profile: rows are texts. The samples between two refreshes are a profile of their own, which is added here (live_profile_take) and freed,
 * so that memory is bounded by what is shown, however long it runs.
 *
 *	live_profile_age()          the weights of what was before fade
 *	live_profile_take()         for each event: its histogram of the new samples; with stacks live_profile_take_stacks()
 *	live_profile_settle()       what is too small is dropped, rows are sorted
 */
#ifndef ASSAY_MODEL_LIVE_PROFILE_H
#define ASSAY_MODEL_LIVE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "model/hist.h"

#define LIVE_MAX_KEYS 8
#define LIVE_MAX_ROWS 8192u   /* of an event */
#define LIVE_MAX_NODES 32768u /* of a tree */
#define LIVE_FADE (7.0 / 8.0) /* of a weight at a refresh: perf's */
#define LIVE_LEAST_SAMPLES 0.02
#define LIVE_NO_NODE UINT32_MAX

struct live_row {
	uint32_t cells[LIVE_MAX_KEYS]; /* text of each sort key, escaped for terminals: strings */
	uint32_t json;		       /* "{" and the members of a JSON object that the keys are */
	uint32_t name;		       /* of the function, as nodes of the tree have it; 0: none */
	double self, children;	       /* periods */
	double nr_samples;
	char level; /* of the symbol: 'k', '.' … */
};

/* A function called by that of its parent; node 0 is the root. A parent has a lower number than its children. */
struct live_node {
	uint32_t name; /* string, escaped */
	uint32_t parent;
	double total, self;
	char level;
};

struct live_event {
	char *name;
	VEC(struct live_row) rows; /* the heaviest first, after live_profile_settle() */
	struct hindex index;
	VEC(struct live_node) nodes; /* only with stacks */
	struct hindex node_index;
	double total, nr_samples;
};

struct live_profile {
	struct strtab strings;
	uint16_t keys[LIVE_MAX_KEYS]; /* enum hist_column */
	uint32_t nr_keys;
	bool by_children; /* rows are sorted by what they called, too */
	VEC(struct live_event) events;
	uint64_t nr_dropped;   /* rows and nodes that were too many, ever */
	uint32_t nr_refreshes; /* since the last live_profile_clear() */
};

void live_profile_init(struct live_profile *l, const uint16_t *keys, uint32_t nr_keys, bool by_children);
void live_profile_fini(struct live_profile *l);
/* Adds an event; its number is that of those before. */
void live_profile_add_event(struct live_profile *l, const char *name);

/* A refresh begins. */
void live_profile_age(struct live_profile *l);
/* Forgets all samples. */
void live_profile_clear(struct live_profile *l);
/* A row's samples since the last refresh; `key` has the cells, the JSON and the name by live_profile_string(). */
void live_profile_add_row(struct live_profile *l, uint32_t event, const struct live_row *key);
uint32_t live_profile_string(struct live_profile *l, const char *text, size_t len);
/* Of all samples of an event, shown as rows or not. */
void live_profile_add_total(struct live_profile *l, uint32_t event, double period, double nr_samples);
/* The rows of a histogram, by the same keys; it need not be sorted. */
void live_profile_take(struct live_profile *l, uint32_t event, struct hist *h);
/* The callers of its samples. */
void live_profile_take_stacks(struct live_profile *l, uint32_t event, struct hist *h);
/* The child of a node under that name, made if there is none. */
uint32_t live_profile_node(struct live_profile *l, uint32_t event, uint32_t parent, uint32_t name, char level);
void live_profile_settle(struct live_profile *l);

static inline const char *live_profile_text(const struct live_profile *l, uint32_t string)
{
	return strtab_get(&l->strings, string);
}

static inline double live_row_weight(const struct live_profile *l, const struct live_row *r)
{
	return l->by_children ? r->children : r->self;
}

#endif
