/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counts per event id, from one sample to the next.
 */
#include "session/session.h"

void group_read_fini(struct group_read *g)
{
	vec_fini(&g->last);
	hindex_fini(&g->index);
}

void group_read_begin(struct group_read *g, const struct sample_layout *l, const struct sample *s, bool per_task)
{
	g->tid = per_task ? s->tid : 0;
	g->layout = *l;
	g->read = s->read;
	g->next = 0;
	/* A single count without an id of its own belongs to the sample's event. */
	if (!(l->read_format & READ_ID))
		g->read.nr = 0;
}

static uint64_t moved_by(struct group_read *g, uint64_t id, uint64_t value)
{
	uint64_t hash = hash_pair(id, g->tid);
	uint32_t at = HINDEX_INTERN(&g->index, hash, &g->last, last, last->id == id && last->tid == g->tid,
				    ((struct group_read_last){ id, 0, g->tid }));
	uint64_t before = g->last.v[at].value;

	g->last.v[at].value = value;
	/* A count of a task that falls is that of another task with the same tid. */
	return g->tid && value < before ? value : value - before;
}

bool group_read_next(struct group_read *g, uint64_t *id, uint64_t *period)
{
	while (g->next < g->read.nr) {
		struct sample_read_value v = sample_read_get(&g->layout, &g->read, g->next++);

		*id = v.id;
		*period = moved_by(g, v.id, v.value);
		if (*period)
			return true;
	}
	return false;
}
