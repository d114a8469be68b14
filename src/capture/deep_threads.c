/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A table by id. Its index knows no removal: what is forgotten stays in it until it is the greater
 * part of the table, which is then made anew.
 */
#include "capture/deep_threads.h"

#include <string.h>

#define MAX_EVENTS 1024 /* of a recording: beyond that, nothing is left out */

static uint64_t hash_of(uint32_t id, bool is_process)
{
	return hash_pair(id, is_process);
}

void deep_threads_fini(struct deep_threads *d)
{
	for (uint32_t i = 0; i < d->items.nr; i++)
		free(d->items.v[i].credit);
	vec_fini(&d->items);
	hindex_fini(&d->index);
}

struct deep_thread *deep_threads_find(const struct deep_threads *d, uint32_t id, bool is_process)
{
	struct hindex_iter it = hindex_find(&d->index, hash_of(id, is_process));

	for (uint32_t i; id && (i = hindex_next(&it)) != HINDEX_NONE;)
		if (d->items.v[i].id == id && d->items.v[i].is_process == is_process)
			return &d->items.v[i];
	return NULL;
}

struct deep_thread *deep_threads_add(struct deep_threads *d, uint32_t id, bool is_process)
{
	struct deep_thread *t = vec_add(&d->items);

	*t = (struct deep_thread){ .id = id, .is_process = is_process };
	hindex_add(&d->index, hash_of(id, is_process), d->items.nr - 1);
	return t;
}

void deep_threads_forget(struct deep_threads *d, struct deep_thread *t)
{
	uint32_t kept = 0;

	free(t->credit);
	*t = (struct deep_thread){ 0 };
	if (++d->nr_forgotten <= d->items.nr / 2 + 64)
		return;
	hindex_fini(&d->index);
	for (uint32_t i = 0; i < d->items.nr; i++) {
		const struct deep_thread old = d->items.v[i];

		if (!old.id)
			continue;
		hindex_add(&d->index, hash_of(old.id, old.is_process), kept);
		d->items.v[kept++] = old;
	}
	d->items.nr = kept;
	d->nr_forgotten = 0;
}

static void make_credit(struct deep_thread *t, uint32_t event)
{
	if (event < t->nr_events)
		return;
	t->credit = mem_realloc(t->credit, event + 1, 1);
	memset(t->credit + t->nr_events, 0, event + 1 - t->nr_events);
	t->nr_events = event + 1;
}

bool deep_thread_replaces(struct deep_thread *t, uint32_t event, bool is_large, uint8_t max_credit)
{
	if (event >= MAX_EVENTS)
		return false;
	make_credit(t, event);
	if (is_large) {
		t->credit[event] += t->credit[event] < max_credit;
		return false;
	}
	if (!t->credit[event])
		return false;
	t->credit[event]--;
	return true;
}
