/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rows in the order of time. A row that stands for several samples has the sum of periods, the count, and the time of one of them, each with the same
 * chance: sums of all are exact, and those of a part of the time are right on average, however long the cells have to be.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "view/viewer.h"

#define MOST_TRIES 24u
#define LEAST_CELL_NS UINT64_C(1000000)

static int compare_rows(const void *va, const void *vb)
{
	const struct viewer_row *a = va, *b = vb;

	return COMPARE(a->time_ns, b->time_ns);
}

static bool is_sorted(const struct viewer_rows *r)
{
	for (uint32_t i = 1; i < r->v.nr; i++)
		if (r->v.v[i].time_ns < r->v.v[i - 1].time_ns)
			return false;
	return true;
}

static bool is_same(const struct viewer_row *a, const struct viewer_row *b)
{
	return a->node == b->node && a->task == b->task && a->cpu == b->cpu && a->event == b->event && a->state == b->state &&
	       a->line == b->line;
}

static uint64_t hash_of(const struct viewer_row *row)
{
	return hash_pair(hash_pair((uint64_t)row->node << 32 | row->task,
				   (uint64_t)row->cpu << 32 | (uint32_t)row->event << 8 | row->state),
			 row->line);
}

/* The same rows of the same recording each time. */
static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 20;
}

static void merge_row(struct viewer_row *to, const struct viewer_row *row, uint64_t *random)
{
	to->period += row->period;
	to->count += row->count;
	if (next_random(random) % (to->count ? to->count : 1) < row->count)
		to->time_ns = row->time_ns;
}

/* Merges equal rows of each cell, in place. Times stay in their cells. */
static void merge(struct viewer_rows *r, uint64_t first_ns, uint64_t cell_ns)
{
	struct hindex index = { 0 };
	uint64_t random = cell_ns;
	uint64_t cell = UINT64_MAX;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < r->v.nr; i++) {
		struct viewer_row row = r->v.v[i];
		uint64_t in = (row.time_ns - first_ns) / cell_ns;
		uint32_t found;

		if (in != cell) {
			hindex_fini(&index);
			memset(&index, 0, sizeof(index));
			cell = in;
		}
		found = HINDEX_FIND_ITEM(&index, hash_of(&row), &r->v, other, is_same(other, &row));
		if (found != UINT32_MAX) {
			merge_row(&r->v.v[found], &row, &random);
			continue;
		}
		hindex_add(&index, hash_of(&row), nr);
		r->v.v[nr++] = row;
	}
	hindex_fini(&index);
	r->v.nr = nr;
}

void viewer_rows_init(struct viewer_rows *r, struct export_tree *t, const struct viewer_code *c, uint32_t most)
{
	const struct export *x = t->x;
	const struct profile_samples *s = &x->p->samples;

	*r = (struct viewer_rows){ 0 };
	vec_reserve(&r->v, x->samples.nr);
	for (uint32_t i = 0; i < x->samples.nr; i++) {
		uint32_t sample = x->samples.v[i];

		vec_push(&r->v, ((struct viewer_row){ .time_ns = x->time_ns[sample],
						      .period = s->period[sample],
						      .count = profile_samples_count(s, sample),
						      .task = s->task[sample],
						      .cpu = s->cpu[sample],
						      .node = export_tree_node(t, sample),
						      .line = c->of_location[s->location[sample]],
						      .event = s->event[sample],
						      .state = s->state[sample] }));
	}
	viewer_rows_fit(r, most);
}

void viewer_rows_fit(struct viewer_rows *r, uint32_t most)
{
	uint64_t cell_ns = LEAST_CELL_NS, first_ns, last_ns;

	if (!is_sorted(r))
		vec_sort(&r->v, compare_rows);
	first_ns = r->v.nr ? r->v.v[0].time_ns : 0;
	last_ns = r->v.nr ? r->v.v[r->v.nr - 1].time_ns : 0;
	for (uint32_t i = 0; i < MOST_TRIES && r->v.nr > most && cell_ns / 2 <= last_ns - first_ns; i++, cell_ns *= 2) {
		merge(r, first_ns, cell_ns);
		r->merged_ns = cell_ns;
	}
	if (r->merged_ns)
		vec_sort(&r->v, compare_rows);
}

void viewer_rows_fini(struct viewer_rows *r)
{
	vec_fini(&r->v);
}
