/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/source_unit, source_map: any bytes as a unit or a map out of the index: those that pass the check can be looked up. And any
 * bytes as a list of functions and lines, out of which the builder makes a unit that passes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "symbols/source_unit.h"

static void look_up(const void *unit, uint64_t addr)
{
	struct source_place places[SOURCE_MAX_DEPTH];
	uint32_t nr = source_unit_find(unit, addr, places, SOURCE_MAX_DEPTH);

	for (uint32_t i = 0; i < nr; i++)
		if (strlen(source_unit_string(unit, places[i].function)) > 1U << 30 ||
		    strlen(source_unit_string(unit, places[i].file)) > 1U << 30)
			abort();
}

static void look_at(const void *unit)
{
	const struct source_unit_head *h = unit;
	uint64_t start, end;

	for (uint32_t i = 0; source_unit_range(unit, i, &start, &end); i++) {
		look_up(unit, start);
		look_up(unit, end - 1);
	}
	for (uint64_t addr = h->base; addr - h->base < 300; addr++)
		look_up(unit, addr);
	look_up(unit, 0);
	look_up(unit, UINT64_MAX);
}

static void build(const uint8_t *data, size_t size)
{
	struct source_builder b = { 0 };
	struct bytes in = bytes_of(data, size, false);
	uint64_t base = bytes_u64(&in);
	void *unit;
	size_t unit_size;

	while (!in.failed && bytes_left(&in) >= 4) {
		uint8_t op = bytes_u8(&in), x = bytes_u8(&in), y = bytes_u8(&in), z = bytes_u8(&in);
		struct source_unit_scope s = { .parent = z < b.scopes.nr ? z : SOURCE_NONE };
		struct source_builder_row row = { .addr = base + x, .line = y };

		switch (op % 6) {
		case 0:
			s.function = source_builder_string(&b, (const char *)data, x < size ? x : size);
			source_builder_add_scope(&b, &s);
			break;
		case 1:
			if (z < b.scopes.nr)
				source_builder_add_span(&b, base + x, base + x + y, z);
			break;
		case 2:
			source_builder_add_range(&b, base + x, base + x + y);
			break;
		case 3:
			if (b.rows.nr == b.first_row || row.addr >= b.rows.v[b.rows.nr - 1].addr)
				source_builder_add_row(&b, &row);
			break;
		case 4:
			source_builder_end_rows(&b, base + x + y);
			break;
		default:
			base += (uint64_t)x << (y % 64);
		}
	}
	unit = source_builder_finish(&b, &unit_size);
	if (unit && !source_unit_check(unit, unit_size))
		abort();
	if (unit)
		look_at(unit);
	free(unit);
	source_builder_fini(&b);
}

static void map(const uint8_t *data, size_t size)
{
	uint32_t nr = (uint32_t)(size / 4);
	struct source_map_item *items = malloc(nr * sizeof(*items) + 1);
	uint64_t unit;
	size_t map_size;
	void *m;

	for (uint32_t i = 0; i < nr; i++)
		items[i] = (struct source_map_item){ data[i * 4], data[i * 4] + data[i * 4 + 1] % 64 + 1U, data[i * 4 + 2] };
	m = source_map_pack(items, nr, &map_size);
	if (!source_map_check(m, map_size))
		abort();
	/* An address that any of them covers has a unit, and one that covers it. */
	for (uint64_t addr = 0; addr < 330; addr++) {
		bool found = source_map_find(m, addr, &unit), is_right = false, is_covered = false;

		for (uint32_t i = 0; i < nr; i++) {
			bool covers = addr >= items[i].start && addr < items[i].end;

			is_covered |= covers;
			is_right |= found && covers && items[i].unit == unit;
		}
		if (is_covered != found || found != is_right)
			abort();
	}
	free(m);
	free(items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	void *copy = malloc(size + 1);
	uint64_t unit;

	memcpy(copy, data, size);
	if (source_unit_check(copy, size))
		look_at(copy);
	if (source_map_check(copy, size))
		for (uint64_t addr = 0; addr < 300; addr++)
			source_map_find(copy, addr, &unit);
	free(copy);
	build(data, size);
	map(data, size < 1024 ? size : 1024);
	return 0;
}
