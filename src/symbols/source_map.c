/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The map from addresses to units. Units do not overlap in healthy files; in others the map still answers the same each time. Knows
 * nothing of DWARF or of the index.
 */
#include "symbols/source_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define MAP_MAGIC 0x314d5341U /* "ASM1" */

struct head {
	uint32_t magic;
	uint32_t nr;
};

static int compare_items(const void *a, const void *b)
{
	const struct source_map_item *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->unit > y->unit ? -1 : x->unit < y->unit;
}

struct packing {
	VEC(struct source_map_item) items;
};

/* Adds a piece; goes on with the last one where they touch. */
static void put(struct packing *p, uint64_t start, uint64_t end, uint64_t unit)
{
	struct source_map_item *last = p->items.nr ? &p->items.v[p->items.nr - 1] : NULL;

	if (start >= end)
		return;
	if (last && last->unit == unit && last->end == start)
		last->end = end;
	else
		vec_push(&p->items, ((struct source_map_item){ start, end, unit }));
}

/* A sweep with a stack of those that reach over the address it has come to. */
static void settle(const struct source_map_item *items, uint32_t nr, struct packing *p)
{
	VEC(uint32_t) open = { 0 };
	uint64_t at = 0;

	for (uint32_t i = 0; i <= nr; i++) {
		uint64_t until = i < nr ? items[i].start : UINT64_MAX;

		while (open.nr && at < until) {
			const struct source_map_item *top = &items[open.v[open.nr - 1]];
			uint64_t end = top->end < until ? top->end : until;

			if (end > at) {
				put(p, at, end, top->unit);
				at = end;
			}
			if (top->end <= at)
				open.nr--;
			else if (at >= until)
				break;
		}
		at = until;
		if (i < nr)
			vec_push(&open, i);
	}
	vec_fini(&open);
}

void *source_map_pack(struct source_map_item *items, uint32_t nr, size_t *size)
{
	struct packing p = { 0 };
	struct head *h;

	if (nr)
		qsort(items, nr, sizeof(*items), compare_items);
	settle(items, nr, &p);
	*size = sizeof(*h) + p.items.nr * sizeof(*p.items.v);
	h = mem_alloc(*size);
	*h = (struct head){ MAP_MAGIC, p.items.nr };
	if (p.items.nr)
		memcpy(h + 1, p.items.v, p.items.nr * sizeof(*p.items.v));
	vec_fini(&p.items);
	return h;
}

bool source_map_check(const void *map, size_t size)
{
	const struct head *h = map;
	const struct source_map_item *items = (const struct source_map_item *)(h + 1);

	if (size < sizeof(*h) || (uintptr_t)map % 8 || h->magic != MAP_MAGIC || (size - sizeof(*h)) % sizeof(*items) ||
	    h->nr != (size - sizeof(*h)) / sizeof(*items))
		return false;
	for (uint32_t i = 0; i < h->nr; i++)
		if (items[i].start >= items[i].end || (i && items[i].start < items[i - 1].end))
			return false;
	return true;
}

uint32_t source_map_nr(const void *map)
{
	return ((const struct head *)map)->nr;
}

bool source_map_find(const void *map, uint64_t addr, uint64_t *unit)
{
	const struct head *h = map;
	const struct source_map_item *items = (const struct source_map_item *)(h + 1);
	uint32_t low = 0, high = h->nr;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (items[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || addr >= items[low - 1].end)
		return false;
	*unit = items[low - 1].unit;
	return true;
}
