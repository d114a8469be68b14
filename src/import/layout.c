/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Module by module: propose the addresses that were told, make a symbol table of them, look every location up in it, and move those that
 * do not find themselves behind the others, where there is room. Sorting is all that costs more than a pass.
 */
#include "import/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/source_unit.h"
#include "symbols/symtab.h"

#define RANGE_SHIFT 56
#define MAX_UNIT (UINT64_C(1) << 31) /* of addresses in a source unit */
/* What stands in a module's MMAP records: a name that perf takes for memory without a file, so that it looks for none. */
#define MAPPED_AS "[stack]"

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

/* ---- lines ---- */

static uint32_t put_string(const struct import_builder *b, struct source_builder *sb, uint32_t id)
{
	return source_builder_string(sb, import_str(b, id), strtab_len(&b->strings, id));
}

static void add_lines(const struct import_builder *b, struct source_builder *sb, const struct import_location *loc)
{
	uint32_t parent = SOURCE_NONE;
	const struct import_place *places = &b->places.v[loc->first_place];
	uint64_t at = layout_line_addr(loc);
	struct source_builder_row row = {
		.addr = at,
		.file = put_string(b, sb, places[0].file),
		.line = places[0].line,
	};

	for (uint32_t i = loc->nr_places; i-- > 0;) {
		struct source_unit_scope scope = { .parent = parent };

		scope.function = put_string(b, sb, places[i].function);
		if (i + 1 < loc->nr_places) {
			scope.call_file = put_string(b, sb, places[i + 1].file);
			scope.call_line = places[i + 1].line;
		}
		parent = source_builder_add_scope(sb, &scope);
	}
	source_builder_add_span(sb, at, loc->addr > at ? loc->addr : at + 1, parent);
	if (loc->is_any)
		source_builder_add_span(sb, loc->addr, loc->addr + 1, parent);
	if (row.file || row.line) {
		source_builder_add_row(sb, &row);
		source_builder_end_rows(sb, loc->is_any ? loc->addr + 1 : at + 1);
	}
}

static void finish_unit(struct import_dso *d, struct source_builder *sb)
{
	struct embedded_part part = { 0 };

	part.data = source_builder_finish(sb, &part.size_bytes);
	source_builder_fini(sb);
	memset(sb, 0, sizeof(*sb));
	if (!part.data)
		return;
	d->sources = mem_realloc(d->sources, d->nr_sources + 1, sizeof(*d->sources));
	d->sources[d->nr_sources++] = part;
}

/* Inlined functions and lines of the module's locations, which have their addresses, as source units. They belong to one byte, to two
 * where a location may be a return address or not; layout_addresses.c has moved locations that would contradict others there. */
static void make_units(const struct layout *l, struct import_dso *d)
{
	struct source_builder sb = { 0 };
	struct layout_list list = { 0 };
	uint64_t base = 0, last = IMPORT_UNKNOWN;

	for (uint32_t i = 0; i < l->here.nr; i++)
		if (layout_location(l, i)->nr_places)
			vec_push(&list.v, l->here.v[i]);
	layout_sort(l, &list, layout_by_addr);
	for (uint32_t i = 0; i < list.v.nr; i++) {
		const struct import_location *loc = &l->b->locations.v[list.v.v[i]];
		uint64_t at = layout_line_addr(loc);

		if (at == last)
			continue; /* the same lines */
		/* Addresses in a unit are small numbers. */
		if (sb.spans.nr && at - base > MAX_UNIT)
			finish_unit(d, &sb);
		if (!sb.spans.nr)
			base = at;
		add_lines(l->b, &sb, loc);
		last = at;
	}
	if (sb.spans.nr)
		finish_unit(d, &sb);
	source_builder_fini(&sb);
	vec_fini(&list.v);
}

/* ---- modules ---- */

/* Where a module lies in memory of which only the file's addresses are known. */
static int place_module(struct layout *l, struct import_dso *d, struct errbuf *eb)
{
	uint64_t first = IMPORT_UNKNOWN, last = 0;

	for (uint32_t i = 0; i < l->here.nr; i++) {
		const struct import_location *loc = layout_location(l, i);

		if (loc->is_kernel || loc->ip != IMPORT_UNKNOWN)
			continue;
		first = loc->addr < first ? loc->addr : first;
		last = loc->addr > last ? loc->addr : last;
	}
	if (first == IMPORT_UNKNOWN)
		return 0;
	d->map_pgoff = first & ~(uint64_t)(LAYOUT_PAGE - 1);
	d->map_len = ((last - d->map_pgoff) | (LAYOUT_PAGE - 1)) + 1;
	d->map_start = l->next_user;
	l->next_user += d->map_len + LAYOUT_PAGE;
	if (l->next_user - l->ranges.user > UINT64_C(1) << RANGE_SHIFT)
		return errbuf_set(eb, -E2BIG, "there are too many modules in this profile");
	for (uint32_t i = 0; i < l->here.nr; i++) {
		struct import_location *loc = layout_location(l, i);

		if (!loc->is_kernel && loc->ip == IMPORT_UNKNOWN)
			loc->ip = d->map_start + loc->addr - d->map_pgoff;
	}
	return 0;
}

static bool is_mapped_name(const struct layout *l, uint32_t name)
{
	return HINDEX_FIND(&l->mapped_index, hash_u64(name), dso, l->b->dsos.v[dso].mapped_as == name) != HINDEX_NONE;
}

/* Modules of one path (several builds of a file) are told apart by a number. */
static void name_mapping(struct layout *l, uint32_t dso)
{
	struct import_dso *d = &l->b->dsos.v[dso];
	const char *path = import_str(l->b, d->path), *prefix = import_is_kernel_kind(d->kind) ? "" : MAPPED_AS;
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
		const struct import_location *loc = layout_location(l, i);

		d->is_by_name |= loc->symbol && loc->off == IMPORT_UNKNOWN;
	}
	layout_keep_told(l);
	d->made_from = layout_make_up(l);
	if (import_is_kernel_kind(d->kind))
		d->made_from = IMPORT_UNKNOWN; /* made-up ones of the kernel have a range of their own */
	for (uint32_t i = 0; i < l->here.nr; i++)
		if (layout_location(l, i)->is_kernel)
			layout_location(l, i)->ip = layout_location(l, i)->addr;
	d->is_mangled = d->kind == EMBEDDED_USER;
	d->symbols.data = symtab_flatten(l->symtab, &d->symbols.size_bytes);
	make_units(l, d);
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
		uint32_t id;

		if (!l->is_kernel || l->addr == IMPORT_UNKNOWN)
			continue;
		id = HINDEX_FIND(&index, hash_u64(l->addr), k, b->locations.v[k].addr == l->addr);
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

	b->values.made_kernel = l.ranges.kernel;
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
