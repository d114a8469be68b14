/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Strips of samples by thread and time.
 */
#include "model/time_strips.h"

#include <stdio.h>
#include <string.h>

#define FIRST_SHIFT 10

void time_strips_fini(struct time_strips *t)
{
	for (uint32_t i = 0; i < t->v.nr; i++)
		free(t->v.v[i]);
	vec_fini(&t->v);
	hindex_fini(&t->index);
}

static void double_width(struct time_strips *t)
{
	for (uint32_t i = 0; i < t->v.nr; i++) {
		uint32_t *b = t->v.v[i]->buckets;

		for (uint32_t k = 0; k < TIME_STRIP_BUCKETS / 2; k++)
			b[k] = b[2 * k] + b[2 * k + 1];
		memset(b + TIME_STRIP_BUCKETS / 2, 0, sizeof(*b) * TIME_STRIP_BUCKETS / 2);
	}
	t->shift++;
	t->bucket_ns *= 2;
}

static struct time_strip *strip_of(struct time_strips *t, int32_t pid, int32_t tid, const char *comm)
{
	struct time_strip *s;
	uint32_t i;

	if (t->last && t->last->tid == tid)
		return t->last;
	i = HINDEX_FIND_ITEM(&t->index, (uint32_t)tid, &t->v, one, (*one)->tid == tid);
	if (i != HINDEX_NONE)
		return t->last = t->v.v[i];
	if (t->v.nr >= TIME_STRIP_MAX_THREADS) {
		if (t->v.v[t->v.nr - 1]->tid == -1)
			return t->v.v[t->v.nr - 1];
		pid = tid = -1;
		comm = "other threads";
	}
	s = mem_zalloc(sizeof(*s));
	s->pid = pid;
	s->tid = tid;
	snprintf(s->comm, sizeof(s->comm), "%s", comm);
	hindex_add(&t->index, (uint32_t)tid, t->v.nr);
	vec_push(&t->v, s);
	return s;
}

/* The name that more than half of its samples have, as a thread may execute another program, wins. */
static void vote(struct time_strip *s, const char *comm)
{
	if (s->tid == -1 || !strncmp(s->comm, comm, sizeof(s->comm) - 1)) {
		s->votes++;
	} else if (s->votes) {
		s->votes--;
	} else {
		snprintf(s->comm, sizeof(s->comm), "%s", comm);
		s->votes = 1;
	}
}

void time_strips_add(struct time_strips *t, int32_t pid, int32_t tid, const char *comm, uint64_t time_ns)
{
	struct time_strip *s;
	uint64_t at;

	if (!time_ns)
		return;
	if (!t->bucket_ns) {
		t->start_ns = time_ns;
		t->shift = FIRST_SHIFT;
		t->bucket_ns = UINT64_C(1) << FIRST_SHIFT;
	}
	if (time_ns < t->start_ns) {
		t->nr_before++;
		time_ns = t->start_ns;
	}
	t->end_ns = time_ns > t->end_ns ? time_ns : t->end_ns;
	at = time_ns - t->start_ns;
	while (at >> t->shift >= TIME_STRIP_BUCKETS)
		double_width(t);
	s = strip_of(t, pid, tid, comm);
	s->nr++;
	vote(s, comm);
	if (s->buckets[at >> t->shift] < UINT32_MAX)
		s->buckets[at >> t->shift]++;
}

static int cmp_busy(const void *va, const void *vb)
{
	const struct time_strip *a = *(struct time_strip *const *)va, *b = *(struct time_strip *const *)vb;

	return COMPARE(b->nr, a->nr) ?: COMPARE(a->tid, b->tid);
}

void time_strips_finish(struct time_strips *t)
{
	vec_sort(&t->v, cmp_busy);
	hindex_fini(&t->index); /* places have changed */
}
