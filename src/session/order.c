/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The queue is one array of a few sorted runs (each ring is in time order): sorting is a stable merge of neighbouring runs, and free for
 * one run.
 */
#include "session/session.h"

#include <string.h>

/* Delivered entries are moved out of the way once they are this many and the larger part. */
#define COMPACT_MIN 4096

/* A record that waits, with its entry in two arrays. */
static uint64_t held_size(const struct order_entry *e)
{
	return e->record.header->size + 2 * sizeof(*e);
}

void order_drop(struct order *o)
{
	for (uint32_t i = o->next; i < o->queue.nr; i++)
		record_release(o->queue.v[i].record.block);
	o->queue.nr = o->next = o->ready_end = 0;
	o->held_bytes = 0;
}

void order_fini(struct order *o)
{
	order_drop(o);
	vec_fini(&o->queue);
	vec_fini(&o->scratch);
	vec_fini(&o->runs);
}

static void find_runs(struct order *o)
{
	const struct order_entry *q = o->queue.v;

	o->runs.nr = 0;
	vec_push(&o->runs, o->next);
	for (uint32_t i = o->next + 1; i < o->queue.nr; i++)
		if (q[i].time_ns < q[i - 1].time_ns)
			vec_push(&o->runs, i);
}

static void merge(struct order_entry *dst, const struct order_entry *a, uint32_t nr_a, const struct order_entry *b, uint32_t nr_b)
{
	while (nr_a && nr_b) {
		if (b->time_ns < a->time_ns) {
			*dst++ = *b++;
			nr_b--;
		} else {
			*dst++ = *a++;
			nr_a--;
		}
	}
	memcpy(dst, a, nr_a * sizeof(*a));
	memcpy(dst + nr_a, b, nr_b * sizeof(*b));
}

/* Merges runs 2k and 2k+1 into the scratch array and swaps the arrays; halves the number of runs. */
static void merge_pass(struct order *o)
{
	uint32_t kept = 0, total = o->queue.nr;

	vec_reserve(&o->scratch, total);
	memcpy(o->scratch.v, o->queue.v, o->next * sizeof(*o->queue.v));
	for (uint32_t r = 0; r < o->runs.nr; r += 2) {
		uint32_t start = o->runs.v[r];
		uint32_t mid = r + 1 < o->runs.nr ? o->runs.v[r + 1] : total;
		uint32_t end = r + 2 < o->runs.nr ? o->runs.v[r + 2] : total;

		merge(o->scratch.v + start, o->queue.v + start, mid - start, o->queue.v + mid, end - mid);
		o->runs.v[kept++] = start;
	}
	o->runs.nr = kept;
	o->scratch.nr = total;

	struct order_entry *v = o->queue.v;
	uint32_t cap = o->queue.cap;

	o->queue.v = o->scratch.v;
	o->queue.cap = o->scratch.cap;
	o->scratch.v = v;
	o->scratch.cap = cap;
}

static void sort(struct order *o)
{
	if (o->sorted || o->next == o->queue.nr)
		return;
	find_runs(o);
	while (o->runs.nr > 1)
		merge_pass(o);
	o->sorted = true;
}

static void compact(struct order *o)
{
	if (o->next < COMPACT_MIN || o->next < o->queue.nr / 2)
		return;
	o->queue.nr -= o->next;
	memmove(o->queue.v, o->queue.v + o->next, o->queue.nr * sizeof(*o->queue.v));
	o->next = 0;
}

static void release_older_half(struct order *o)
{
	compact(o);
	sort(o);
	o->ready_end = o->next + (o->queue.nr - o->next) / 2;
}

void order_add(struct order *o, uint64_t time_ns, const struct source_record *rec, int32_t event)
{
	if (o->queue.nr > o->next && time_ns < o->queue.v[o->queue.nr - 1].time_ns)
		o->sorted = false;
	if (time_ns > o->newest_ns)
		o->newest_ns = time_ns;
	if (time_ns < o->delivered_ns)
		o->nr_late++;
	record_hold(rec->block);
	*vec_add(&o->queue) = (struct order_entry){ time_ns, *rec, event };
	if (!o->max_held_bytes)
		return;
	o->held_bytes += held_size(&o->queue.v[o->queue.nr - 1]);
	if (o->held_bytes > o->max_held_bytes)
		release_older_half(o);
}

void order_round(struct order *o)
{
	compact(o);
	sort(o);
	o->ready_end = o->next + vec_search(o->queue.nr - o->next, i, o->queue.v[o->next + i].time_ns > o->horizon_ns);
	o->horizon_ns = o->newest_ns;
}

void order_finish(struct order *o)
{
	sort(o);
	o->ready_end = o->queue.nr;
}

struct order_entry *order_next(struct order *o)
{
	if (o->next >= o->ready_end)
		return NULL;

	struct order_entry *e = &o->queue.v[o->next++];

	if (o->max_held_bytes)
		o->held_bytes -= held_size(e);
	o->delivered_ns = e->time_ns;
	return e;
}
