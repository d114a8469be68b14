/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A location's functions and lines are those of one byte, of two where it may be a return address or not. Whoever chose addresses has seen
 * to it that no two locations contradict one another there.
 */
#include "import/line_parts.h"

#include <stdlib.h>
#include <string.h>

#include "import/layout.h"
#include "symbols/source_builder.h"

#define MAX_UNIT (UINT64_C(1) << 31) /* of addresses in a source unit */

static uint32_t put_string(const struct import_builder *b, struct source_builder *sb, uint32_t id)
{
	return source_builder_string(sb, import_str(b, id), strtab_len(&b->strings, id));
}

static void add_lines(const struct import_builder *b, struct source_builder *sb, const struct import_location *loc)
{
	uint32_t parent = SOURCE_NONE;
	const struct import_place *places = &b->places.v[loc->first_place];
	uint64_t at = import_line_addr(loc);
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

static int by_addr(const void *va, const void *vb, void *ctx)
{
	const struct import_location *v = ctx, *a = &v[*(const uint32_t *)va], *b = &v[*(const uint32_t *)vb];

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return *(const uint32_t *)va < *(const uint32_t *)vb ? -1 : 1;
}

void import_line_parts(const struct import_builder *b, struct import_dso *d, const uint32_t *locations, uint32_t nr)
{
	const struct import_location *v = b->locations.v;
	struct source_builder sb = { 0 };
	VEC(uint32_t) ids = { 0 };
	uint64_t base = 0, last = IMPORT_UNKNOWN;

	for (uint32_t i = 0; i < nr; i++)
		if (v[locations[i]].nr_places)
			vec_push(&ids, locations[i]);
	if (ids.nr)
		qsort_r(ids.v, ids.nr, sizeof(*ids.v), by_addr, b->locations.v);
	for (uint32_t i = 0; i < ids.nr; i++) {
		const struct import_location *l = &v[ids.v[i]];
		uint64_t at = import_line_addr(l);

		if (at == last)
			continue; /* the same lines: who else claimed the byte was moved */
		/* Addresses in a unit are small numbers. */
		if (sb.spans.nr && at - base > MAX_UNIT)
			finish_unit(d, &sb);
		if (!sb.spans.nr)
			base = at;
		add_lines(b, &sb, l);
		last = at;
	}
	if (sb.spans.nr)
		finish_unit(d, &sb);
	source_builder_fini(&sb);
	vec_fini(&ids);
}
