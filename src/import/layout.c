/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Module by module: propose the addresses that were told, make a symbol table of them, look every location up in it, and move those that
 * do not find themselves behind the others, where there is room. Sorting is all that costs more than a pass.
 *
 * Lines of a return address are those of the byte before it, as everywhere: so two bytes of made-up addresses belong to a location.
 */
#include "import/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "import/line_parts.h"
#include "symbols/symtab.h"
#include "symbols/symtab_flat.h"

#define PAGE 4096u
#define RANGE_SHIFT 56
#define MAX_SPAN (UINT64_C(1) << 40) /* of a module's addresses */
#define MAX_OFF (UINT64_C(1) << 30)  /* of an address in its symbol */
#define MAX_RUN (UINT64_C(1) << 31)  /* of a symbol without offsets */
#define SLOT 4u			     /* bytes for a location of which not even an offset is known */

struct layout {
	struct import_builder *b;
	struct import_ranges ranges;
	uint64_t next_user, next_kernel;
	/* of the module at hand */
	struct symtab *symtab;
	VEC(uint32_t) here;    /* its locations */
	VEC(uint32_t) claims;  /* of bytes that have lines */
	struct hindex claim_index;
	struct hindex mapped_index; /* modules by what they are mapped as */
};

static struct import_location *location(const struct layout *l, uint32_t i)
{
	return &l->b->locations.v[l->here.v[i]];
}

/* ---- ranges ---- */

static struct import_ranges choose_ranges(const struct import_builder *b)
{
	bool used[256] = { [0] = true, [255] = true };
	uint32_t user = 1, kernel = 254;

	for (uint32_t i = 0; i < b->locations.nr; i++) {
		const struct import_location *l = &b->locations.v[i];

		if (l->ip != IMPORT_UNKNOWN)
			used[l->ip >> RANGE_SHIFT] = true;
		if (l->is_kernel && l->addr != IMPORT_UNKNOWN)
			used[l->addr >> RANGE_SHIFT] = true;
	}
	while (user < 127 && used[user])
		user++;
	while (kernel > 128 && used[kernel])
		kernel--;
	return (struct import_ranges){ (uint64_t)user << RANGE_SHIFT, (uint64_t)kernel << RANGE_SHIFT };
}

/* ---- symbols of addresses that were told ---- */

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

static void add_symbol(struct layout *l, uint64_t start, uint64_t end, uint32_t symbol)
{
	symtab_add_borrowed(l->symtab, start, end, import_str(l->b, symbol), SYMBOL_GLOBAL, SYMBOL_FUNCTION);
}

struct list {
	VEC(uint32_t) v;
};

static void sort_list(const struct layout *l, struct list *list, int (*compare)(const void *, const void *, void *))
{
	if (list->v.nr > 1)
		qsort_r(list->v.v, list->v.nr, sizeof(*list->v.v), compare, l->b->locations.v);
}

/* Symbols whose beginning follows from an offset. */
static void propose_known(struct layout *l, struct list *known)
{
	const struct import_location *v = l->b->locations.v;

	sort_list(l, known, by_symbol);
	for (uint32_t i = 0; i < known->v.nr;) {
		const struct import_location *first = &v[known->v.v[i]], *last = first;
		uint64_t start = first->addr - first->off;

		for (; i < known->v.nr && v[known->v.v[i]].symbol == first->symbol && v[known->v.v[i]].addr - v[known->v.v[i]].off == start; i++)
			last = &v[known->v.v[i]];
		add_symbol(l, start, last->addr + 1, first->symbol);
	}
}

/* Without offsets: from the first to the last address of one name that nothing else lies between. */
static void propose_runs(struct layout *l, struct list *list)
{
	const struct import_location *v = l->b->locations.v;

	sort_list(l, list, by_addr);
	for (uint32_t i = 0; i < list->v.nr;) {
		const struct import_location *first = &v[list->v.v[i]], *last = first;
		uint64_t start = import_line_addr(first);

		for (; i < list->v.nr && v[list->v.v[i]].symbol == first->symbol && v[list->v.v[i]].addr - first->addr < MAX_RUN; i++) {
			last = &v[list->v.v[i]];
			start = import_line_addr(last) < start ? import_line_addr(last) : start;
		}
		if (first->symbol)
			add_symbol(l, start, last->addr + 1, first->symbol);
	}
}

/* ---- lines ---- */

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
	const struct import_location *loc = location(l, i);
	uint64_t addr = import_line_addr(loc), h = hash_u64(addr);
	struct hindex_iter it = hindex_find(&l->claim_index, h);

	for (uint32_t id; (id = hindex_next(&it)) != HINDEX_NONE;) {
		const struct import_location *other = &l->b->locations.v[l->claims.v[id]];

		if (import_line_addr(other) == addr)
			return same_places(l->b, loc, other);
	}
	hindex_add(&l->claim_index, h, l->claims.nr);
	vec_push(&l->claims, l->here.v[i]);
	return true;
}

/* ---- moving ---- */

static bool finds_itself(const struct layout *l, const struct import_location *loc)
{
	const struct symbol *sym = symtab_find(l->symtab, loc->addr);

	if (!loc->symbol || !sym)
		return !loc->symbol && !sym;
	return sym->name == import_str(l->b, loc->symbol) && (loc->off == IMPORT_UNKNOWN || loc->addr - sym->start == loc->off);
}

/* Addresses that lie too far from the others to be of one file. */
static void drop_far(struct layout *l)
{
	uint64_t first = IMPORT_UNKNOWN;

	for (uint32_t i = 0; i < l->here.nr; i++)
		if (!location(l, i)->is_kernel && location(l, i)->addr < first)
			first = location(l, i)->addr;
	for (uint32_t i = 0; i < l->here.nr; i++) {
		struct import_location *loc = location(l, i);

		if (loc->addr != IMPORT_UNKNOWN && !loc->is_kernel && loc->addr - first > MAX_SPAN)
			loc->addr = IMPORT_UNKNOWN;
		if (loc->off != IMPORT_UNKNOWN && (loc->off > MAX_OFF || (loc->addr != IMPORT_UNKNOWN && loc->off > loc->addr)))
			loc->off = IMPORT_UNKNOWN;
	}
}

static void keep_told(struct layout *l)
{
	struct list known = { 0 }, runs = { 0 };

	for (uint32_t i = 0; i < l->here.nr; i++) {
		const struct import_location *loc = location(l, i);

		if (loc->addr == IMPORT_UNKNOWN || loc->addr > UINT64_MAX - PAGE)
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
		struct import_location *loc = location(l, i);

		if (loc->addr != IMPORT_UNKNOWN && (loc->addr > UINT64_MAX - PAGE || !finds_itself(l, loc) || !claim_lines(l, i)))
			loc->addr = IMPORT_UNKNOWN;
	}
	vec_fini(&known.v);
	vec_fini(&runs.v);
}

/* What of the beginning of a function is the same wherever its file is loaded. */
static uint32_t page_part(const struct import_location *l)
{
	return l->ip != IMPORT_UNKNOWN && l->off != IMPORT_UNKNOWN ? (uint32_t)((l->ip - l->off) % PAGE) : 0;
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
			/* Of the same offset, but of other lines than the one before: a function of its own. */
			if (i && loc->off == v[ids[i - 1]].off && (!same_places(l->b, loc, &v[ids[i - 1]]) || loc->is_caller != v[ids[i - 1]].is_caller)) {
				add_symbol(l, start, at, first->symbol);
				start = at = ((at + PAGE) & ~(uint64_t)(PAGE - 1)) + page_part(loc);
			}
			loc->addr = start + loc->off;
			at = loc->addr + SLOT;
		} else {
			loc->addr = at + 2;
			at += SLOT;
		}
	}
	if (first->symbol)
		add_symbol(l, start, at, first->symbol);
	*next = (at + 2 * SLOT) & ~(uint64_t)(SLOT - 1);
	if (page_part(first))
		*next = (*next + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static bool same_group(const struct import_location *a, const struct import_location *b)
{
	return a->symbol && a->symbol == b->symbol && a->is_kernel == b->is_kernel && page_part(a) == page_part(b);
}

static uint64_t behind_all(const struct layout *l)
{
	uint64_t last = 0;

	for (uint32_t i = 0; i < l->here.nr; i++) {
		const struct import_location *loc = location(l, i);

		if (loc->addr != IMPORT_UNKNOWN && !loc->is_kernel && loc->addr > last)
			last = loc->addr;
	}
	return (last + 2 * PAGE) & ~(uint64_t)(PAGE - 1);
}

static void make_up(struct layout *l)
{
	const struct import_location *v = l->b->locations.v;
	uint64_t next = behind_all(l);
	struct list list = { 0 };

	for (uint32_t i = 0; i < l->here.nr; i++)
		if (location(l, i)->addr == IMPORT_UNKNOWN)
			vec_push(&list.v, l->here.v[i]);
	sort_list(l, &list, by_group);
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
}

/* ---- modules ---- */

/* Where a module lies in memory of which only the file's addresses are known. */
static int place_module(struct layout *l, struct import_dso *d, struct errbuf *eb)
{
	uint64_t first = IMPORT_UNKNOWN, last = 0;

	for (uint32_t i = 0; i < l->here.nr; i++) {
		const struct import_location *loc = location(l, i);

		if (loc->is_kernel || loc->ip != IMPORT_UNKNOWN)
			continue;
		first = loc->addr < first ? loc->addr : first;
		last = loc->addr > last ? loc->addr : last;
	}
	if (first == IMPORT_UNKNOWN)
		return 0;
	d->map_pgoff = first & ~(uint64_t)(PAGE - 1);
	d->map_len = ((last - d->map_pgoff) | (PAGE - 1)) + 1;
	d->map_start = l->next_user;
	l->next_user += d->map_len + PAGE;
	if (l->next_user - l->ranges.user > UINT64_C(1) << RANGE_SHIFT)
		return errbuf_set(eb, -E2BIG, "there are too many modules in this profile");
	for (uint32_t i = 0; i < l->here.nr; i++) {
		struct import_location *loc = location(l, i);

		if (!loc->is_kernel && loc->ip == IMPORT_UNKNOWN)
			loc->ip = d->map_start + loc->addr - d->map_pgoff;
	}
	return 0;
}

static bool is_mapped_name(const struct layout *l, uint32_t name)
{
	struct hindex_iter it = hindex_find(&l->mapped_index, hash_u64(name));
	uint32_t dso;

	while ((dso = hindex_next(&it)) != HINDEX_NONE)
		if (l->b->dsos.v[dso].mapped_as == name)
			return true;
	return false;
}

/* Modules of one path (several builds of a file) are told apart by a number. */
static void name_mapping(struct layout *l, uint32_t dso)
{
	struct import_dso *d = &l->b->dsos.v[dso];
	const char *path = import_str(l->b, d->path), *prefix = import_is_kernel_kind(d->kind) ? "" : IMPORT_MAPPED_AS;
	const char *slash = *path == '/' || !*prefix ? "" : "/";
	char *name = mem_printf("%s%s%s", prefix, slash, path);
	uint32_t id = import_string(l->b, name, strlen(name));

	for (uint32_t i = dso; is_mapped_name(l, id); i += l->b->dsos.nr) {
		free(name);
		name = mem_printf("%s%s%s#%u", prefix, slash, path, i);
		id = import_string(l->b, name, strlen(name));
	}
	d->mapped_as = id;
	hindex_add(&l->mapped_index, hash_u64(id), dso);
	free(name);
}

static int layout_dso(struct layout *l, uint32_t dso, struct errbuf *eb)
{
	struct import_dso *d = &l->b->dsos.v[dso];
	int err;

	l->symtab = symtab_new();
	l->claims.nr = 0;
	for (uint32_t i = 0; i < l->here.nr; i++) {
		const struct import_location *loc = location(l, i);

		d->is_by_name |= loc->symbol && loc->off == IMPORT_UNKNOWN;
	}
	drop_far(l);
	keep_told(l);
	make_up(l);
	for (uint32_t i = 0; i < l->here.nr; i++)
		if (location(l, i)->is_kernel)
			location(l, i)->ip = location(l, i)->addr;
	d->is_mangled = d->kind == EMBEDDED_USER;
	d->symbols.data = symtab_flatten(l->symtab, &d->symbols.size_bytes);
	import_line_parts(l->b, d, l->here.v, l->here.nr);
	symtab_free(l->symtab);
	hindex_fini(&l->claim_index);
	name_mapping(l, dso);
	err = place_module(l, d, eb);
	if (!err && !d->symbols.data)
		err = errbuf_set(eb, -E2BIG, "the names in %s are too many to be kept", import_str(l->b, d->path));
	return err;
}

/* Two modules of the kernel that claim the same address: its addresses are those of memory. */
static void settle_kernel(struct import_builder *b)
{
	struct hindex index = { 0 };

	for (uint32_t i = 0; i < b->locations.nr; i++) {
		struct import_location *l = &b->locations.v[i];
		struct hindex_iter it;
		uint32_t id;

		if (!l->is_kernel || l->addr == IMPORT_UNKNOWN)
			continue;
		it = hindex_find(&index, hash_u64(l->addr));
		while ((id = hindex_next(&it)) != HINDEX_NONE && b->locations.v[id].addr != l->addr)
			;
		if (id == HINDEX_NONE)
			hindex_add(&index, hash_u64(l->addr), i);
		else if (b->locations.v[id].dso != l->dso)
			l->addr = IMPORT_UNKNOWN;
	}
	hindex_fini(&index);
}

/* Locations of each module, side by side: by_dso[first[d]] … */
static uint32_t *group_by_dso(const struct import_builder *b, uint32_t **first)
{
	uint32_t *ids = mem_alloc((b->locations.nr + 1ul) * sizeof(*ids)), *at;

	*first = mem_zalloc((b->dsos.nr + 2ul) * sizeof(**first));
	for (uint32_t i = 0; i < b->locations.nr; i++)
		(*first)[b->locations.v[i].dso + 1]++;
	for (uint32_t d = 0; d < b->dsos.nr; d++)
		(*first)[d + 1] += (*first)[d];
	at = mem_alloc((b->dsos.nr + 1ul) * sizeof(*at));
	memcpy(at, *first, b->dsos.nr * sizeof(*at));
	for (uint32_t i = 0; i < b->locations.nr; i++)
		ids[at[b->locations.v[i].dso]++] = i;
	free(at);
	return ids;
}

int import_layout(struct import_builder *b, struct errbuf *eb)
{
	struct layout l = { .b = b, .ranges = choose_ranges(b) };
	uint32_t *first, *ids = group_by_dso(b, &first);
	int err = 0;

	l.next_user = l.ranges.user;
	l.next_kernel = l.ranges.kernel;
	settle_kernel(b);
	for (uint32_t d = 1; d < b->dsos.nr && !err; d++) {
		l.here.nr = 0;
		for (uint32_t i = first[d]; i < first[d + 1]; i++)
			vec_push(&l.here, ids[i]);
		if (l.here.nr)
			err = layout_dso(&l, d, eb);
	}
	/* What is in no module is where it is. */
	for (uint32_t i = first[0]; i < first[1]; i++)
		if (b->locations.v[ids[i]].ip == IMPORT_UNKNOWN)
			b->locations.v[ids[i]].ip = 0;
	free(first);
	free(ids);
	hindex_fini(&l.mapped_index);
	vec_fini(&l.here);
	vec_fini(&l.claims);
	return err;
}
