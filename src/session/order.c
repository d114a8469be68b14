/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The queue is one array of a few sorted runs (each ring is in time order): sorting is a stable merge of neighbouring runs, and free for
 * one run.
 */
#include "session/order.h"

#include <string.h>

/* Delivered entries are moved out of the way where all are, or this many and the larger part. */
#define COMPACT_MIN 4096

void order_drop(struct order *o)
{
	for (uint32_t i = o->next; i < o->queue.nr; i++)
		record_release(o->queue.v[i].block);
	o->queue.nr = o->next = o->ready_end = o->runs.nr = 0;
	o->held_bytes = o->last_ns = 0;
}

void order_fini(struct order *o)
{
	order_drop(o);
	vec_fini(&o->queue);
	vec_fini(&o->scratch);
	vec_fini(&o->runs);
	vec_fini(&o->ready_runs);
}

/* An entry is older than the one before it: a run begins there. The first run begins with what is next when they are merged. */
void order_begin_run(struct order *o, uint32_t at)
{
	if (!o->runs.nr)
		vec_push(&o->runs, 0);
	vec_push(&o->runs, at);
}

/* Two sorted runs, as far as they are not merged yet, and where what comes first of them goes. */
struct merging {
	const struct order_entry *a, *end_a, *b, *end_b;
	struct order_entry *dst;
};

static inline bool has_both(const struct merging *m)
{
	return m->a != m->end_a && m->b != m->end_b;
}

/* Without a branch by time: which ring has the next record is as good as random. */
static inline void merge_next(struct merging *m)
{
	uintptr_t from_b = m->b->time_ns < m->a->time_ns;

	*m->dst++ = *(const struct order_entry *)((uintptr_t)m->a ^ (((uintptr_t)m->a ^ (uintptr_t)m->b) & -from_b));
	m->b += from_b;
	m->a += 1 - from_b;
}

static void merge_rest(struct merging *m)
{
	size_t left_a, left_b;

	while (has_both(m))
		merge_next(m);
	left_a = (size_t)(m->end_a - m->a);
	left_b = (size_t)(m->end_b - m->b);
	memcpy(m->dst, m->a, left_a * sizeof(*m->dst));
	memcpy(m->dst + left_a, m->b, left_b * sizeof(*m->dst));
}

/* How many of the first `nr` entries of both runs together are of `a`. */
static uint32_t share_of_a(const struct order_entry *a, uint32_t nr_a, const struct order_entry *b, uint32_t nr_b, uint32_t nr)
{
	uint32_t low = nr > nr_b ? nr - nr_b : 0, high = nr < nr_a ? nr : nr_a;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (a[mid].time_ns <= b[nr - 1 - mid].time_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Which entry is next depends on the one before it: the two halves of the result are made side by side, so that one computes while the other
 * waits for its comparison. */
static void merge(struct order_entry *dst, const struct order_entry *a, uint32_t nr_a, const struct order_entry *b, uint32_t nr_b)
{
	uint32_t half = (nr_a + nr_b) / 2, in_a = share_of_a(a, nr_a, b, nr_b, half), in_b = half - in_a;
	struct merging first = { a, a + in_a, b, b + in_b, dst }, second = { a + in_a, a + nr_a, b + in_b, b + nr_b, dst + half };

	while (has_both(&first) && has_both(&second)) {
		merge_next(&first);
		merge_next(&second);
	}
	merge_rest(&first);
	merge_rest(&second);
}

/* The scratch array, which has `nr` entries, is the queue from now on. */
static void swap_arrays(struct order *o, uint32_t nr)
{
	struct order_entry *v = o->queue.v;
	uint32_t cap = o->queue.cap;

	o->queue.v = o->scratch.v;
	o->queue.cap = o->scratch.cap;
	o->queue.nr = nr;
	o->next = 0;
	o->scratch.v = v;
	o->scratch.cap = cap;
}

/* Merges runs 2k and 2k+1 into the scratch array, from its begin on, and swaps the arrays; halves the number of runs. */
static void merge_pass(struct order *o)
{
	uint32_t kept = 0, total = o->queue.nr, done = o->next;

	vec_reserve(&o->scratch, total - done);
	for (uint32_t r = 0; r < o->runs.nr; r += 2) {
		uint32_t start = o->runs.v[r];
		uint32_t mid = r + 1 < o->runs.nr ? o->runs.v[r + 1] : total;
		uint32_t end = r + 2 < o->runs.nr ? o->runs.v[r + 2] : total;

		merge(o->scratch.v + (start - done), o->queue.v + start, mid - start, o->queue.v + mid, end - mid);
		o->runs.v[kept++] = start - done;
	}
	o->runs.nr = kept;
	swap_arrays(o, total - done);
}

/* Entries that were delivered are moved out of the way. */
static void compact(struct order *o)
{
	if (!o->next || (o->next != o->queue.nr && (o->next < COMPACT_MIN || o->next < o->queue.nr / 2)))
		return;
	o->queue.nr -= o->next;
	memmove(o->queue.v, o->queue.v + o->next, o->queue.nr * sizeof(*o->queue.v));
	o->next = 0;
}

static void sort(struct order *o)
{
	if (o->runs.nr)
		o->runs.v[0] = o->next;
	while (o->runs.nr > 1)
		merge_pass(o);
	o->runs.nr = 0;
	compact(o);
	o->last_ns = o->queue.nr ? o->queue.v[o->queue.nr - 1].time_ns : 0;
}

void order_release_half(struct order *o)
{
	sort(o);
	o->ready_end = o->next + (o->queue.nr - o->next) / 2;
}

/* Where run `r` ends. */
static uint32_t run_end(const struct order *o, uint32_t r)
{
	return r + 1 < o->runs.nr ? o->runs.v[r + 1] : o->queue.nr;
}

/* How many entries of run `r` are as old as the horizon. */
static uint32_t nr_ready_in(const struct order *o, uint32_t r)
{
	const struct order_entry *v = o->queue.v + o->runs.v[r];

	return vec_search(run_end(o, r) - o->runs.v[r], i, v[i].time_ns > o->horizon_ns);
}

/* Two neighbouring runs of `v` in place, from the end: often the second is short, and only the last ones of the first are newer than its begin. */
static void merge_in_place(struct order_entry *v, uint32_t nr_a, uint32_t nr, struct order_entry *room)
{
	struct order_entry *a = v + nr_a, *to = v + nr;
	uint32_t left = nr - nr_a;

	memcpy(room, a, left * sizeof(*v));
	while (left && a != v)
		*--to = a[-1].time_ns > room[left - 1].time_ns ? *--a : room[--left];
	if (left)
		memcpy(to - left, room, left * sizeof(*v));
}

/* Makes one of the runs of what is ready, which ends at `end`. */
static void merge_ready(struct order *o, uint32_t end)
{
	while (o->ready_runs.nr > 1) {
		uint32_t *at = o->ready_runs.v, nr = o->ready_runs.nr, kept = 0;

		for (uint32_t r = 0; r < nr; r += 2) {
			uint32_t start = at[r], past = r + 2 < nr ? at[r + 2] : end;

			if (r + 1 < nr)
				merge_in_place(o->queue.v + start, at[r + 1] - start, past - start, o->scratch.v);
			at[kept++] = start;
		}
		o->ready_runs.nr = kept;
	}
}

/* Puts what is ready into the scratch array, each two runs merged. Returns how many entries. */
static uint32_t take_ready(struct order *o)
{
	uint32_t to = 0;

	o->ready_runs.nr = 0;
	for (uint32_t r = 0; r < o->runs.nr; r += 2) {
		uint32_t nr_a = nr_ready_in(o, r), nr_b = r + 1 < o->runs.nr ? nr_ready_in(o, r + 1) : 0;
		const struct order_entry *a = o->queue.v + o->runs.v[r], *b = nr_b ? o->queue.v + o->runs.v[r + 1] : a;

		if (!nr_a && !nr_b)
			continue;
		vec_push(&o->ready_runs, to);
		merge(o->scratch.v + to, a, nr_a, b, nr_b);
		to += nr_a + nr_b;
	}
	return to;
}

/* Puts what is held behind it, run by run. */
static void take_held(struct order *o, uint32_t to)
{
	uint32_t kept = 0;

	for (uint32_t r = 0; r < o->runs.nr; r++) {
		uint32_t from = o->runs.v[r] + nr_ready_in(o, r), nr = run_end(o, r) - from;

		if (!nr)
			continue;
		memcpy(o->scratch.v + to, o->queue.v + from, nr * sizeof(*o->queue.v));
		o->runs.v[kept++] = to;
		to += nr;
	}
	/* The first one continues what is ready. */
	o->runs.nr = kept > 1 ? kept : 0;
	if (kept > 1)
		o->runs.v[0] = 0;
}

/* Entries are merged when they are ready, not in each round that they wait. */
static void part(struct order *o)
{
	uint32_t total = o->queue.nr - o->next;

	o->runs.v[0] = o->next;
	vec_reserve(&o->scratch, total);
	o->ready_end = take_ready(o);
	take_held(o, o->ready_end);
	swap_arrays(o, total);
	merge_ready(o, o->ready_end);
	o->last_ns = total ? o->queue.v[total - 1].time_ns : 0;
}

void order_round(struct order *o)
{
	if (o->runs.nr) {
		part(o);
	} else {
		sort(o);
		o->ready_end = o->next + vec_search(o->queue.nr - o->next, i, o->queue.v[o->next + i].time_ns > o->horizon_ns);
	}
	o->horizon_ns = o->newest_ns;
}

void order_finish(struct order *o)
{
	sort(o);
	o->ready_end = o->queue.nr;
}
