/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Memory of the kernel as text, in the layout of `perf kmem`, and as JSON.
 */
#ifndef ASSAY_VIEW_KMEM_TEXT_H
#define ASSAY_VIEW_KMEM_TEXT_H

#include "base/errbuf.h"
#include "base/out.h"
#include "model/pair_sums.h"

/* The tables, in the order in which they are shown: two of each kind, by caller and by object. */
enum kmem_table { KMEM_SLAB_CALLERS, KMEM_SLAB_OBJECTS, KMEM_PAGE_CALLERS, KMEM_PAGES, KMEM_NR_TABLES };

static inline bool kmem_table_has_pages(enum kmem_table t)
{
	return t == KMEM_PAGE_CALLERS || t == KMEM_PAGES;
}

#define KMEM_MAX_KEYS 8

struct kmem_text {
	enum kmem_table table;
	enum pair_sort keys[KMEM_MAX_KEYS];
	uint32_t nr_keys;
	uint64_t max_rows; /* 0: all */
	bool raw_ip;	   /* addresses, no names */
	bool only_live;	   /* of pages: what was not freed */
};

/* What is summed up for a table. */
const struct pair_sum_def *kmem_table_def(enum kmem_table t);
/* "frag,hit": what sorts t->table. -EINVAL with a sentence. */
int kmem_text_set_keys(struct kmem_text *t, const char *list, const char *option, struct errbuf *eb);

void kmem_text_print(const struct kmem_text *t, struct out *o, struct pair_sums *s);
/* One document: `nr` tables, unless `has_tables` is false, and the sums. */
void kmem_json_print(struct out *o, const struct kmem_text *tables, struct pair_sums *sums, uint32_t nr, bool has_tables);

/* ---- kmem_summary.c ---- */

#define KMEM_NR_ORDERS 11
#define KMEM_NR_MOBILITIES 6

struct kmem_sums {
	struct pair_amounts all;
	uint64_t nr_freed;					      /* of these */
	uint64_t by_kind[KMEM_NR_ORDERS + 1][KMEM_NR_MOBILITIES + 1]; /* the last: others */
};

/* Of any table of slabs or pages: both have the same. */
struct kmem_sums kmem_sums_of(const struct pair_sums *s);
void kmem_text_summary(struct out *o, const struct pair_sums *s);

const char *kmem_mobility_name(uint32_t mobility);
/* Of allocations that asked for a node, those that were made on a CPU of another one. */
uint64_t kmem_nr_far(const struct pair_sums *s);

#endif
