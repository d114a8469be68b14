/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Looking up flat source units, and the check that lets lookups go without any. Knows nothing of DWARF or of the index.
 */
#include "symbols/source_unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* The arrays of a unit. */
struct view {
	const struct source_unit_head *head;
	const struct source_unit_range *ranges;
	const struct source_unit_span *spans;
	const struct source_unit_scope *scopes;
	const struct source_unit_row *rows;
	const char *strings;
};

static struct view view_of(const void *unit)
{
	const struct source_unit_head *h = unit;
	struct view v = { .head = h, .ranges = (const struct source_unit_range *)(h + 1) };

	v.spans = (const struct source_unit_span *)(v.ranges + h->nr_ranges);
	v.rows = (const struct source_unit_row *)(v.spans + h->nr_spans);
	v.scopes = (const struct source_unit_scope *)(v.rows + h->nr_rows);
	v.strings = (const char *)(v.scopes + h->nr_scopes);
	return v;
}

/* The arrays fill the bytes exactly. None of the products overflows: 32-bit counts of at most 20 bytes. */
static bool check_sizes(const void *unit, size_t size)
{
	const struct source_unit_head *h = unit;

	return size >= sizeof(*h) && (uintptr_t)unit % 8 == 0 && h->magic == SOURCE_UNIT_MAGIC && h->strings_bytes &&
	       size == sizeof(*h) + (uint64_t)h->nr_ranges * sizeof(struct source_unit_range) +
			       (uint64_t)h->nr_spans * sizeof(struct source_unit_span) +
			       (uint64_t)h->nr_rows * sizeof(struct source_unit_row) +
			       (uint64_t)h->nr_scopes * sizeof(struct source_unit_scope) + h->strings_bytes;
}

static bool check_scopes(const struct view *v)
{
	uint32_t max = v->head->strings_bytes;

	for (uint32_t i = 0; i < v->head->nr_scopes; i++) {
		const struct source_unit_scope *s = &v->scopes[i];

		if ((s->parent != SOURCE_NONE && s->parent >= i) || s->function >= max || s->call_file >= max)
			return false;
	}
	return true;
}

bool source_unit_check(const void *unit, size_t size)
{
	struct view v;

	if (!check_sizes(unit, size))
		return false;
	v = view_of(unit);
	for (uint32_t i = 0; i < v.head->nr_ranges; i++)
		if (v.ranges[i].start >= v.ranges[i].end || (i && v.ranges[i].start < v.ranges[i - 1].end))
			return false;
	for (uint32_t i = 0; i < v.head->nr_spans; i++)
		if ((i && v.spans[i].start <= v.spans[i - 1].start) ||
		    (v.spans[i].scope != SOURCE_NONE && v.spans[i].scope >= v.head->nr_scopes))
			return false;
	for (uint32_t i = 0; i < v.head->nr_rows; i++)
		if ((i && v.rows[i].start <= v.rows[i - 1].start) || v.rows[i].file >= v.head->strings_bytes)
			return false;
	return check_scopes(&v) && !v.strings[0] && !v.strings[v.head->strings_bytes - 1];
}

static const struct source_unit_row *find_row(const struct view *v, uint32_t addr)
{
	uint32_t above = vec_search(v->head->nr_rows, i, v->rows[i].start > addr);

	return above && !v->rows[above - 1].is_end ? &v->rows[above - 1] : NULL;
}

static uint32_t find_scope(const struct view *v, uint32_t addr)
{
	uint32_t above = vec_search(v->head->nr_spans, i, v->spans[i].start > addr);

	return above ? v->spans[above - 1].scope : SOURCE_NONE;
}

uint32_t source_unit_find(const void *unit, uint64_t addr, struct source_place *places, uint32_t max)
{
	struct view v = view_of(unit);
	const struct source_unit_row *row;
	struct source_place at = { 0 };
	uint32_t scope, nr = 0;

	if (addr < v.head->base || addr - v.head->base > UINT32_MAX)
		return 0;
	row = find_row(&v, (uint32_t)(addr - v.head->base));
	scope = find_scope(&v, (uint32_t)(addr - v.head->base));
	if (row) {
		at.file = row->file;
		at.line = row->line;
		at.column = row->column;
	}
	if (scope == SOURCE_NONE) {
		if (row && max)
			places[nr++] = at;
		return nr;
	}
	for (; scope != SOURCE_NONE && nr < max; scope = v.scopes[scope].parent) {
		const struct source_unit_scope *s = &v.scopes[scope];

		at.function = s->function;
		at.is_inlined = s->parent != SOURCE_NONE;
		places[nr++] = at;
		at = (struct source_place){ .file = s->call_file, .line = s->call_line, .column = s->call_column };
	}
	return nr;
}

const char *source_unit_string(const void *unit, uint32_t off)
{
	return view_of(unit).strings + off;
}

bool source_unit_range(const void *unit, uint32_t i, uint64_t *start, uint64_t *end)
{
	struct view v = view_of(unit);

	if (i >= v.head->nr_ranges)
		return false;
	*start = v.ranges[i].start;
	*end = v.ranges[i].end;
	return true;
}

/* Source maps. Units do not overlap in healthy files; in others the result is still deterministic. */

#define MAP_MAGIC 0x314d5341U /* "ASM1" */

struct head {
	uint32_t magic;
	uint32_t nr;
};

static int compare_items(const void *a, const void *b)
{
	const struct source_map_item *x = a, *y = b;

	return COMPARE(x->start, y->start) ?: COMPARE(y->end, x->end) ?: COMPARE(y->unit, x->unit);
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

bool source_map_find(const void *map, uint64_t addr, uint64_t *unit)
{
	const struct head *h = map;
	const struct source_map_item *items = (const struct source_map_item *)(h + 1);
	uint32_t above = vec_search(h->nr, i, items[i].start > addr);

	if (!above || addr >= items[above - 1].end)
		return false;
	*unit = items[above - 1].unit;
	return true;
}
