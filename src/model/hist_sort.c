/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The order of rows: by the columns asked for, figures from large to small, names from a to z; what is equal in all of them by address.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "model/hist.h"

static int cmp_u64_down(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

/* Of equal rows of one task the outer function comes first: it has the longer chain below it. perf compares depths within a task only
 * and goes on to the next column otherwise, which is no order (a < b < c < a happens); tasks are told apart first here. */
static int cmp_children(const struct hist *h, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct profile *p = h->profile;
	const struct profile_task *ta = &p->tasks.v[a->task], *tb = &p->tasks.v[b->task];
	int c = cmp_u64_down(a->children, b->children);

	if (c || !h->options->chains)
		return c;
	c = strcmp(profile_str(p, a->comm), profile_str(p, b->comm));
	if (c || ta->tid != tb->tid)
		return c ? c : ta->tid < tb->tid ? -1 : 1;
	c = a->max_depth < b->max_depth ? 1 : a->max_depth > b->max_depth ? -1 : 0;
	return h->options->order == HIST_CALLER ? c : -c;
}

static int cmp_sym(const struct hist *h, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct profile *p = h->profile;

	if (a->frame == FRAME_NONE || b->frame == FRAME_NONE)
		return (a->frame == FRAME_NONE) - (b->frame == FRAME_NONE);
	return strcmp(profile_str(p, p->frames.v[a->frame].function), profile_str(p, p->frames.v[b->frame].function));
}

static int cmp_column(const struct hist *h, enum hist_column col, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct profile *p = h->profile;

	switch (col) {
	case HIST_COMM:
		return strcmp(profile_str(p, a->comm), profile_str(p, b->comm));
	case HIST_PID:
	case HIST_TID:
		return cmp_u64_down((uint64_t)p->tasks.v[b->task].tid, (uint64_t)p->tasks.v[a->task].tid);
	case HIST_DSO:
		if ((a->dso == DSO_NONE) != (b->dso == DSO_NONE))
			return a->dso == DSO_NONE ? 1 : -1;
		return strcmp(profile_str(p, a->dso_name), profile_str(p, b->dso_name));
	case HIST_SYM:
		return cmp_sym(h, a, b);
	case HIST_CPU:
		return cmp_u64_down(b->cpu, a->cpu);
	case HIST_CHILDREN:
		return cmp_children(h, a, b);
	case HIST_SELF:
	case HIST_PERIOD:
		return cmp_u64_down(a->period, b->period);
	case HIST_SYS:
		return cmp_u64_down(a->sys, b->sys);
	case HIST_USER:
		return cmp_u64_down(a->user, b->user);
	case HIST_SAMPLES:
		return cmp_u64_down(a->nr, b->nr);
	default:
		return 0;
	}
}

/* What is equal in every column asked for: by task, DSO and address, so that the order never depends on chance. */
static int cmp_rest(const struct hist *h, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct profile *p = h->profile;
	uint64_t at = a->frame == FRAME_NONE ? a->addr : p->frames.v[a->frame].start;
	uint64_t bt = b->frame == FRAME_NONE ? b->addr : p->frames.v[b->frame].start;

	if (at != bt)
		return cmp_u64_down(bt, at);
	if (a->dso != b->dso)
		return a->dso < b->dso ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

static int cmp_entries(const void *va, const void *vb, void *ctx)
{
	const struct hist *h = ctx;

	for (uint32_t i = 0; i < h->options->nr_order_by; i++) {
		int c = cmp_column(h, h->options->order_by[i], va, vb);

		if (c)
			return c;
	}
	return cmp_rest(h, va, vb);
}

void hist_sort(struct hist *h)
{
	if (h->entries.nr)
		qsort_r(h->entries.v, h->entries.nr, sizeof(*h->entries.v), cmp_entries, h);
}
