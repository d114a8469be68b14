/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Addresses that nobody told, or that two claim: made up behind all others, function by function, with the offsets that are known.
 *
 * Lines of a return address are those of the byte before it, as everywhere: so two bytes of made-up addresses belong to a location.
 */
#include "import/layout_parts.h"

#define SLOT 4u /* bytes for a location of which not even an offset is known */

/* What of the beginning of a function is the same wherever its file is loaded. */
static uint32_t page_part(const struct import_location *l)
{
	return l->ip != IMPORT_UNKNOWN && l->off != IMPORT_UNKNOWN ? (uint32_t)((l->ip - l->off) % LAYOUT_PAGE) : 0;
}

static int by_group(const void *va, const void *vb, void *ctx)
{
	const struct import_location *v = ctx, *a = &v[*(const uint32_t *)va], *b = &v[*(const uint32_t *)vb];

	if (a->is_kernel != b->is_kernel)
		return a->is_kernel ? 1 : -1;
	if (a->symbol != b->symbol)
		return a->symbol < b->symbol ? -1 : 1;
	if (page_part(a) != page_part(b))
		return page_part(a) < page_part(b) ? -1 : 1;
	if (a->off != b->off) /* those without one come last */
		return a->off < b->off ? -1 : 1;
	return *(const uint32_t *)va < *(const uint32_t *)vb ? -1 : 1;
}

/* Places one function and its locations at *next. */
static void place_group(struct layout *l, const uint32_t *ids, uint32_t nr, uint64_t *next)
{
	struct import_location *v = l->b->locations.v, *first = &v[ids[0]];
	uint64_t start = *next + page_part(first), at = start;

	if (first->off == IMPORT_UNKNOWN)
		start += first->is_caller ? 1 : 2;

	for (uint32_t i = 0; i < nr; i++) {
		struct import_location *loc = &v[ids[i]];

		if (loc->off != IMPORT_UNKNOWN && loc->symbol) {
			const struct import_location *before = i ? &v[ids[i - 1]] : NULL;

			/* Of the same offset, but of other lines than the one before: a function of its own. */
			if (before && loc->off == before->off &&
			    (!layout_same_places(l->b, loc, before) || loc->is_caller != before->is_caller)) {
				layout_add_symbol(l, start, at, first->symbol);
				start = at = ((at + LAYOUT_PAGE) & ~(uint64_t)(LAYOUT_PAGE - 1)) + page_part(loc);
			}
			loc->addr = start + loc->off;
			at = loc->addr + SLOT;
		} else {
			loc->addr = at + 2;
			at += SLOT;
		}
	}
	if (first->symbol)
		layout_add_symbol(l, start, at, first->symbol);
	*next = (at + 2 * SLOT) & ~(uint64_t)(SLOT - 1);
	if (page_part(first))
		*next = (*next + LAYOUT_PAGE - 1) & ~(uint64_t)(LAYOUT_PAGE - 1);
}

static bool same_group(const struct import_location *a, const struct import_location *b)
{
	return a->symbol && a->symbol == b->symbol && a->is_kernel == b->is_kernel && page_part(a) == page_part(b);
}

static uint64_t behind_all(const struct layout *l)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < l->here.nr; i++) {
		const struct import_location *loc = layout_location(l, i);

		if (loc->addr != IMPORT_UNKNOWN && !loc->is_kernel && loc->addr > last)
			last = loc->addr;
	}
	return (last + 2 * LAYOUT_PAGE) & ~(uint64_t)(LAYOUT_PAGE - 1);
}

uint64_t layout_make_up(struct layout *l)
{
	const struct import_location *v = l->b->locations.v;
	uint64_t from = behind_all(l), next = from;
	struct layout_list list = { 0 };

	for (uint32_t i = 0; i < l->here.nr; i++)
		if (layout_location(l, i)->addr == IMPORT_UNKNOWN)
			vec_push(&list.v, l->here.v[i]);
	layout_sort(l, &list, by_group);
	for (uint32_t i = 0, nr; i < list.v.nr; i += nr) {
		const struct import_location *first = &v[list.v.v[i]];

		for (nr = 1; i + nr < list.v.nr && same_group(first, &v[list.v.v[i + nr]]); nr++)
			;
		place_group(l, list.v.v + i, nr, first->is_kernel ? &l->next_kernel : &next);
	}
	if (list.v.nr)
		symtab_finish(l->symtab, false);
	/* What has no name is shown by its address: by the one in memory, where that is all that was told. */
	for (uint32_t i = 0; i < list.v.nr; i++) {
		struct import_location *loc = &l->b->locations.v[list.v.v[i]];

		if (!loc->symbol && !loc->nr_places && loc->ip != IMPORT_UNKNOWN && !symtab_find(l->symtab, loc->ip))
			loc->addr = loc->ip;
	}
	vec_fini(&list.v);
	return from;
}
