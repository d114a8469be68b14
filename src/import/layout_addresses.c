/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Addresses that the source told: a symbol table is made of them, and every location looked up in it. One that finds another name, offset
 * or line than its own loses its address.
 */
#include <stdlib.h>

#include "import/layout.h"

#define MAX_SPAN (UINT64_C(1) << 40) /* of a module's addresses */
#define MAX_OFF (UINT64_C(1) << 30)  /* of an address in its symbol */
#define MAX_RUN (UINT64_C(1) << 31)  /* of a symbol without offsets */

/* ---- symbols ---- */

int layout_by_addr(const void *va, const void *vb, void *ctx)
{
	const struct import_location *v = ctx, *a = &v[*(const uint32_t *)va], *b = &v[*(const uint32_t *)vb];

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return *(const uint32_t *)va < *(const uint32_t *)vb ? -1 : 1;
}

static int by_symbol(const void *va, const void *vb, void *ctx)
{
	const struct import_location *v = ctx, *a = &v[*(const uint32_t *)va], *b = &v[*(const uint32_t *)vb];
	uint64_t sa = a->addr - a->off, sb = b->addr - b->off;

	if (a->symbol != b->symbol)
		return a->symbol < b->symbol ? -1 : 1;
	if (sa != sb)
		return sa < sb ? -1 : 1;
	return layout_by_addr(va, vb, ctx);
}

void layout_sort(const struct layout *l, struct layout_list *list, layout_compare_fn *compare)
{
	if (list->v.nr > 1)
		qsort_r(list->v.v, list->v.nr, sizeof(*list->v.v), compare, l->b->locations.v);
}

/* Symbols whose beginning follows from an offset. */
static void propose_known(struct layout *l, struct layout_list *known)
{
	const struct import_location *v = l->b->locations.v;

	layout_sort(l, known, by_symbol);
	for (uint32_t i = 0; i < known->v.nr;) {
		const struct import_location *first = &v[known->v.v[i]], *last = first;
		uint64_t start = first->addr - first->off;

		for (; i < known->v.nr && v[known->v.v[i]].symbol == first->symbol && v[known->v.v[i]].addr - v[known->v.v[i]].off == start;
		     i++)
			last = &v[known->v.v[i]];
		layout_add_symbol(l, start, last->addr + 1, first->symbol);
	}
}

/* Without offsets: from the first to the last address of one name that nothing else lies between. */
static void propose_runs(struct layout *l, struct layout_list *list)
{
	const struct import_location *v = l->b->locations.v;

	layout_sort(l, list, layout_by_addr);
	for (uint32_t i = 0; i < list->v.nr;) {
		const struct import_location *first = &v[list->v.v[i]], *last = first;
		uint64_t start = layout_line_addr(first);

		for (; i < list->v.nr && v[list->v.v[i]].symbol == first->symbol && v[list->v.v[i]].addr - first->addr < MAX_RUN; i++) {
			last = &v[list->v.v[i]];
			start = layout_line_addr(last) < start ? layout_line_addr(last) : start;
		}
		if (first->symbol)
			layout_add_symbol(l, start, last->addr + 1, first->symbol);
	}
}

/* ---- lines ---- */

/* Whether two locations have the same functions and lines. */
static bool same_places(const struct import_builder *b, const struct import_location *x, const struct import_location *y)
{
	if (x->nr_places != y->nr_places || x->symbol != y->symbol)
		return false;
	for (uint32_t i = 0; i < x->nr_places; i++) {
		const struct import_place *p = &b->places.v[x->first_place + i], *q = &b->places.v[y->first_place + i];

		if (p->function != q->function || p->file != q->file || p->line != q->line)
			return false;
	}
	return true;
}

/* Whether the byte that the lines of a location go with is free, or has the same ones. A location without lines claims it, too: others'
 * would be shown for it. */
static bool claim_lines(struct layout *l, uint32_t i)
{
	const struct import_location *loc = layout_location(l, i);
	uint64_t addr = layout_line_addr(loc), h = hash_u64(addr);
	uint32_t claim = HINDEX_FIND(&l->claim_index, h, id, layout_line_addr(&l->b->locations.v[l->claims.v[id]]) == addr);

	if (claim != HINDEX_NONE)
		return same_places(l->b, loc, &l->b->locations.v[l->claims.v[claim]]);
	hindex_add(&l->claim_index, h, l->claims.nr);
	vec_push(&l->claims, l->here.v[i]);
	return true;
}

/* ---- which stay ---- */

static bool finds_itself(const struct layout *l, struct import_location *loc)
{
	const struct symbol *sym = symtab_find(l->symtab, loc->addr);

	if (!loc->symbol || !sym)
		return !loc->symbol && !sym;
	if (sym->name != import_str(l->b, loc->symbol))
		return false;
	/* Another symbol may have taken the byte in front: then the lines are not looked up there (layout_line_addr()). */
	if (loc->off == IMPORT_UNKNOWN && loc->addr == sym->start)
		loc->off = 0;
	return loc->off == IMPORT_UNKNOWN || loc->addr - sym->start == loc->off;
}

/* Addresses that lie too far from the others to be of one file. */
static void drop_far(struct layout *l)
{
	uint64_t first = IMPORT_UNKNOWN;

	for (uint32_t i = 0; i < l->here.nr; i++)
		if (!layout_location(l, i)->is_kernel && layout_location(l, i)->addr < first)
			first = layout_location(l, i)->addr;
	for (uint32_t i = 0; i < l->here.nr; i++) {
		struct import_location *loc = layout_location(l, i);

		if (loc->addr != IMPORT_UNKNOWN && !loc->is_kernel && loc->addr - first > MAX_SPAN)
			loc->addr = IMPORT_UNKNOWN;
		if (loc->off != IMPORT_UNKNOWN && (loc->off > MAX_OFF || (loc->addr != IMPORT_UNKNOWN && loc->off > loc->addr)))
			loc->off = IMPORT_UNKNOWN;
	}
}

void layout_keep_told(struct layout *l)
{
	struct layout_list known = { 0 }, runs = { 0 };

	drop_far(l);
	for (uint32_t i = 0; i < l->here.nr; i++) {
		const struct import_location *loc = layout_location(l, i);

		if (loc->addr == IMPORT_UNKNOWN || loc->addr > UINT64_MAX - LAYOUT_PAGE)
			continue;
		if (loc->symbol && loc->off != IMPORT_UNKNOWN)
			vec_push(&known.v, l->here.v[i]);
		else
			vec_push(&runs.v, l->here.v[i]);
	}
	propose_known(l, &known);
	propose_runs(l, &runs);
	symtab_finish(l->symtab, false);
	for (uint32_t i = 0; i < l->here.nr; i++) {
		struct import_location *loc = layout_location(l, i);

		if (loc->addr != IMPORT_UNKNOWN && (loc->addr > UINT64_MAX - LAYOUT_PAGE || !finds_itself(l, loc) || !claim_lines(l, i)))
			loc->addr = IMPORT_UNKNOWN;
	}
	vec_fini(&known.v);
	vec_fini(&runs.v);
}

/* ---- made up ---- */

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
			if (before && loc->off == before->off && (!same_places(l->b, loc, before) || loc->is_caller != before->is_caller)) {
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
