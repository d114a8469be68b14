/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The order of rows: event by event, and within it CPU by CPU or thread by thread; but place by
 * place, and within it event by event, where CPUs are summed up to cores, dies, sockets or nodes.
 */
#include "view/stat_rows.h"

#include <stdio.h>
#include <stdlib.h>

static void each_thread(const struct counts *c, bool skip_zero, stat_row_fn *fn, void *ctx)
{
	uint32_t *order = mem_alloc((c->places.nr ? c->places.nr : 1) * sizeof(order[0]));

	for (uint32_t e = 0; e < c->events.nr; e++) {
		uint32_t nr = counts_sort_places(c, e, skip_zero, order);

		for (uint32_t i = 0; i < nr; i++)
			fn(ctx, e, order[i]);
	}
	free(order);
}

static void call(const struct counts *c, uint32_t event, uint32_t place, stat_row_fn *fn, void *ctx)
{
	if (counts_row_get(c, event, place)->state != COUNTS_ABSENT)
		fn(ctx, event, place);
}

void stat_rows_each(const struct counts *c, bool skip_zero, stat_row_fn *fn, void *ctx)
{
	if (c->aggr == COUNTS_PER_THREAD) {
		each_thread(c, skip_zero, fn, ctx);
	} else if (stat_place_has_nr(c->aggr)) {
		for (uint32_t p = 0; p < c->places.nr; p++)
			for (uint32_t e = 0; e < c->events.nr; e++)
				call(c, e, p, fn, ctx);
	} else {
		for (uint32_t e = 0; e < c->events.nr; e++)
			for (uint32_t p = 0; p < c->places.nr; p++)
				call(c, e, p, fn, ctx);
	}
}

uint32_t stat_row_nr_cpus(const struct counts_row *row)
{
	/* A time of the whole run, in a row of a place that it does not belong to. */
	if (row->state == COUNTS_NOT_COUNTED && !row->nr_cells)
		return 0;
	return row->state == COUNTS_OK ? row->nr_cells : 1;
}

size_t stat_place_name(const struct counts *c, uint32_t place, char name[STAT_PLACE_MAX])
{
	const struct counts_place *p = &c->places.v[place];
	const struct counts_thread *t;
	int len = 0;

	name[0] = 0;
	switch (c->aggr) {
	case COUNTS_GLOBAL:
		break;
	case COUNTS_PER_SOCKET:
		len = snprintf(name, STAT_PLACE_MAX, "S%d", p->socket);
		break;
	case COUNTS_PER_DIE:
		len = snprintf(name, STAT_PLACE_MAX, "S%d-D%d", p->socket, p->die);
		break;
	case COUNTS_PER_CORE:
		len = snprintf(name, STAT_PLACE_MAX, "S%d-D%d-C%d", p->socket, p->die, p->core);
		break;
	case COUNTS_PER_NODE:
		len = snprintf(name, STAT_PLACE_MAX, "N%d", p->node);
		break;
	case COUNTS_PER_CPU:
		len = snprintf(name, STAT_PLACE_MAX, "CPU%d", p->cpu);
		break;
	case COUNTS_PER_THREAD:
		t = &c->threads.v[p->thread];
		len = snprintf(name, STAT_PLACE_MAX, "%s-%d", t->comm ? t->comm : "", t->tid);
		break;
	}
	return len < STAT_PLACE_MAX ? (size_t)len : STAT_PLACE_MAX - 1;
}

bool stat_has_cgroups(const struct counts *c)
{
	for (uint32_t e = 0; e < c->events.nr; e++)
		if (c->events.v[e].cgroup)
			return true;
	return false;
}
