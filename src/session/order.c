/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The queue is one array of a few sorted runs (each ring is in time order), which are merged when they come out: a heap has the runs with
 * something ready, and no entry is moved to be sorted.
 */
#include "session/session.h"

#include <string.h>

/* Delivered entries are moved out of the way once they are this many and the larger part. */
#define COMPACT_MIN 4096
/* How far ahead records are fetched into the cache: they were read a round ago. */
#define PREFETCHED 6

/* A record that waits, with its entry in two arrays. */
static uint64_t held_size(const struct order_entry *e)
{
	return e->record.header->size + 2 * sizeof(*e);
}

void order_drop(struct order *o)
{
	for (uint32_t r = 0; r < o->runs.nr; r++)
		for (uint32_t i = o->runs.v[r].next; i < o->runs.v[r].end; i++)
			record_release(o->queue.v[i].record.block);
	o->queue.nr = o->runs.nr = o->heads.nr = o->nr_delivered = 0;
	o->held_bytes = 0;
}

void order_fini(struct order *o)
{
	order_drop(o);
	vec_fini(&o->queue);
	vec_fini(&o->runs);
	vec_fini(&o->heads);
}

/* ---- the heap: the oldest entry first, of equal times the one of the earlier run ---- */

static bool is_before(const struct order_head *a, const struct order_head *b)
{
	return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->run < b->run);
}

static void sift_down(struct order *o, uint32_t at)
{
	struct order_head *v = o->heads.v, moved = v[at];

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= o->heads.nr)
			break;
		if (child + 1 < o->heads.nr && is_before(&v[child + 1], &v[child]))
			child++;
		if (!is_before(&v[child], &moved))
			break;
		v[at] = v[child];
		at = child;
	}
	v[at] = moved;
}

static void make_heap(struct order *o)
{
	o->heads.nr = 0;
	for (uint32_t i = 0; i < o->runs.nr; i++)
		if (o->runs.v[i].next < o->runs.v[i].ready)
			vec_push(&o->heads, ((struct order_head){ o->queue.v[o->runs.v[i].next].time_ns, i }));
	for (uint32_t i = o->heads.nr / 2; i-- > 0;)
		sift_down(o, i);
}

/* ---- what is ready ---- */

static void compact(struct order *o)
{
	uint32_t nr = 0, nr_runs = 0;

	if (o->nr_delivered != o->queue.nr && (o->nr_delivered < COMPACT_MIN || o->nr_delivered < o->queue.nr / 2))
		return;
	for (uint32_t r = 0; r < o->runs.nr; r++) {
		struct order_run run = o->runs.v[r];
		uint32_t size = run.end - run.next;

		if (!size)
			continue;
		memmove(o->queue.v + nr, o->queue.v + run.next, size * sizeof(*o->queue.v));
		o->runs.v[nr_runs++] = (struct order_run){ nr, nr + (run.ready - run.next), nr + size };
		nr += size;
	}
	o->queue.nr = nr;
	o->runs.nr = nr_runs;
	o->nr_delivered = 0;
}

/* What is not newer may come out. */
static void release_until(struct order *o, uint64_t time_ns)
{
	compact(o);
	for (uint32_t r = 0; r < o->runs.nr; r++) {
		struct order_run *run = &o->runs.v[r];

		run->ready += vec_search(run->end - run->ready, i, o->queue.v[run->ready + i].time_ns > time_ns);
	}
	make_heap(o);
}

static void release_older_half(struct order *o)
{
	VEC(uint64_t) times = { 0 };

	for (uint32_t r = 0; r < o->runs.nr; r++)
		for (uint32_t i = o->runs.v[r].next; i < o->runs.v[r].end; i++)
			vec_push(&times, o->queue.v[i].time_ns);
	vec_sort(&times, compare_u64);
	release_until(o, times.v[times.nr / 2]);
	vec_fini(&times);
}

void order_add(struct order *o, uint64_t time_ns, const struct source_record *rec, int32_t event)
{
	if (!o->runs.nr || o->runs.v[o->runs.nr - 1].end != o->queue.nr || time_ns < o->queue.v[o->queue.nr - 1].time_ns)
		vec_push(&o->runs, ((struct order_run){ o->queue.nr, o->queue.nr, o->queue.nr }));
	o->runs.v[o->runs.nr - 1].end++;
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
	release_until(o, o->horizon_ns);
	o->horizon_ns = o->newest_ns;
}

void order_finish(struct order *o)
{
	release_until(o, UINT64_MAX);
}

static void prefetch(const struct record_header *h)
{
	__builtin_prefetch(h);
	__builtin_prefetch((const void *)((uintptr_t)h + 64));
}

struct order_entry *order_next(struct order *o)
{
	struct order_head *head = o->heads.v;
	struct order_entry *e;
	struct order_run *run;

	if (!o->heads.nr)
		return NULL;
	run = &o->runs.v[head->run];
	e = &o->queue.v[run->next++];
	if (run->ready - run->next > PREFETCHED)
		prefetch(e[PREFETCHED].record.header);
	if (run->next < run->ready)
		head->time_ns = e[1].time_ns;
	else
		*head = o->heads.v[--o->heads.nr];
	sift_down(o, 0);
	o->nr_delivered++;
	if (o->max_held_bytes)
		o->held_bytes -= held_size(e);
	o->delivered_ns = e->time_ns;
	return e;
}
