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

static int cmp_sym(const struct hist *h, const struct hist_end *a, const struct hist_end *b)
{
	const struct profile *p = h->profile;

	if (a->frame == FRAME_NONE || b->frame == FRAME_NONE)
		return (a->frame == FRAME_NONE) - (b->frame == FRAME_NONE);
	return strcmp(profile_str(p, p->frames.v[a->frame].function), profile_str(p, p->frames.v[b->frame].function));
}

static uint64_t address_of(const struct hist *h, const struct hist_end *end)
{
	return end->frame == FRAME_NONE ? end->addr : h->profile->frames.v[end->frame].start;
}

/* Ends of branches are sorted by address, as perf has it. */
static int cmp_address(const struct hist *h, const struct hist_end *a, const struct hist_end *b)
{
	return cmp_u64_down(address_of(h, b), address_of(h, a));
}

static int cmp_dso(const struct hist *h, const struct hist_end *a, const struct hist_end *b)
{
	if ((a->dso == DSO_NONE) != (b->dso == DSO_NONE))
		return a->dso == DSO_NONE ? 1 : -1;
	return strcmp(profile_str(h->profile, a->dso_name), profile_str(h->profile, b->dso_name));
}

static int cmp_branch(const struct hist *h, enum hist_column col, const struct hist_entry *a, const struct hist_entry *b)
{
	switch (col) {
	case HIST_DSO_FROM:
		return cmp_dso(h, &a->from, &b->from);
	case HIST_DSO_TO:
		return cmp_dso(h, &a->at, &b->at);
	case HIST_SYM_FROM:
		return cmp_address(h, &a->from, &b->from);
	case HIST_SYM_TO:
		return cmp_address(h, &a->at, &b->at);
	case HIST_SRCLINE_FROM:
		return strcmp(profile_str(h->profile, a->from.srcline), profile_str(h->profile, b->from.srcline));
	case HIST_SRCLINE_TO:
		return strcmp(profile_str(h->profile, a->at.srcline), profile_str(h->profile, b->at.srcline));
	case HIST_MISPREDICT:
		return hist_branch_mispredicted(a) - hist_branch_mispredicted(b);
	case HIST_ABORT:
		return hist_branch_aborted(a) - hist_branch_aborted(b);
	case HIST_IN_TX:
		return hist_branch_in_tx(a) - hist_branch_in_tx(b);
	case HIST_CYCLES:
		return cmp_u64_down(hist_branch_cycles(a), hist_branch_cycles(b));
	default:
		return 0;
	}
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
		return cmp_dso(h, &a->at, &b->at);
	case HIST_SYM:
		return cmp_sym(h, &a->at, &b->at);
	case HIST_SRCLINE:
		return strcmp(profile_str(p, a->at.srcline), profile_str(p, b->at.srcline));
	case HIST_SRCFILE:
		return strcmp(profile_str(p, a->srcfile), profile_str(p, b->srcfile));
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
		return cmp_branch(h, col, a, b);
	}
}

/* What is equal in every column asked for: by task, DSO and address, so that the order never depends on chance. */
static int cmp_rest(const struct hist *h, const struct hist_entry *a, const struct hist_entry *b)
{
	int c = cmp_address(h, &a->at, &b->at);

	if (c)
		return c;
	if (a->at.dso != b->at.dso)
		return a->at.dso < b->at.dso ? -1 : 1;
	/* Functions that were inlined into the same one share its address. */
	c = cmp_sym(h, &a->at, &b->at);
	if (c || (c = cmp_address(h, &a->from, &b->from)))
		return c;
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
