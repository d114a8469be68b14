/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Addresses that the source told: a symbol table is made of them, and every location looked up in it. One that finds another name, offset
 * or line than its own loses its address.
 */
#include <stdlib.h>

#include "import/layout_parts.h"

#define MAX_SPAN (UINT64_C(1) << 40) /* of a module's addresses */
#define MAX_OFF (UINT64_C(1) << 30)  /* of an address in its symbol */
#define MAX_RUN (UINT64_C(1) << 31)  /* of a symbol without offsets */

/* ---- symbols ---- */

static int by_addr(const void *va, const void *vb, void *ctx)
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
	return by_addr(va, vb, ctx);
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

		for (; i < known->v.nr && v[known->v.v[i]].symbol == first->symbol && v[known->v.v[i]].addr - v[known->v.v[i]].off == start; i++)
			last = &v[known->v.v[i]];
		layout_add_symbol(l, start, last->addr + 1, first->symbol);
	}
}

/* Without offsets: from the first to the last address of one name that nothing else lies between. */
static void propose_runs(struct layout *l, struct layout_list *list)
{
	const struct import_location *v = l->b->locations.v;

	layout_sort(l, list, by_addr);
	for (uint32_t i = 0; i < list->v.nr;) {
		const struct import_location *first = &v[list->v.v[i]], *last = first;
		uint64_t start = import_line_addr(first);

		for (; i < list->v.nr && v[list->v.v[i]].symbol == first->symbol && v[list->v.v[i]].addr - first->addr < MAX_RUN; i++) {
			last = &v[list->v.v[i]];
			start = import_line_addr(last) < start ? import_line_addr(last) : start;
		}
		if (first->symbol)
			layout_add_symbol(l, start, last->addr + 1, first->symbol);
	}
}

/* ---- lines ---- */

bool layout_same_places(const struct import_builder *b, const struct import_location *x, const struct import_location *y)
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
	uint64_t addr = import_line_addr(loc), h = hash_u64(addr);
	struct hindex_iter it = hindex_find(&l->claim_index, h);

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;) {
		const struct import_location *other = &l->b->locations.v[l->claims.v[id]];

		if (import_line_addr(other) == addr)
			return layout_same_places(l->b, loc, other);
	}
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
	/* Another symbol may have taken the byte in front: then the lines are not looked up there (import_line_addr()). */
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
