/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Hostile files of the symbol index: the file as it is, and once more with its sums put right, so that what is behind them is
 * reached: symbol tables, unwind tables and source units are used as their readers do.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symbols/source_unit.h"
#include "symbols/symbol_index.h"
#include "symbols/symbol_index_file.h"
#include "symbols/symtab.h"
#include "symbols/unwind_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_symbols(const void *bytes, size_t size)
{
	struct symtab *t = symtab_new();

	if (symtab_view(t, bytes, size, 0) == 0) {
		for (uint64_t addr = 0; addr < 1 << 16; addr += 97) {
			const struct symbol *s = symtab_find(t, addr);

			if (s && (addr < s->start || (addr >= s->end && addr != s->start) || strlen(s->name) > 1 << 17))
				abort();
		}
		symtab_find(t, UINT64_MAX);
		symtab_fill(t);
		for (uint32_t i = 0; i < t->symbols.nr; i++) {
			if (strlen(t->symbols.v[i].name) > 1 << 17)
				abort();
			symtab_find(t, t->symbols.v[i].start);
		}
	} else if (t->symbols.nr) {
		abort();
	}
	symtab_free(t);
}

static void use_unwind(const void *bytes, size_t size)
{
	struct unwind_table *t;

	if (unwind_table_view(&t, bytes, size))
		return;
	for (uint64_t addr = 0; addr < 1 << 16; addr += 97)
		unwind_table_cover(t, addr);
	unwind_table_cover(t, UINT64_MAX);
	unwind_table_free(t);
}

static void use_unit(const void *bytes, size_t size)
{
	struct source_place places[SOURCE_MAX_DEPTH];
	uint64_t start, end;

	if (!source_unit_check(bytes, size))
		return;
	for (uint32_t i = 0; i < 100 && source_unit_range(bytes, i, &start, &end); i++) {
		uint32_t nr = source_unit_find(bytes, start, places, SOURCE_MAX_DEPTH);

		for (uint32_t j = 0; j < nr; j++)
			if (strlen(source_unit_string(bytes, places[j].function)) > size ||
			    strlen(source_unit_string(bytes, places[j].file)) > size)
				abort();
	}
}

static void use_origins(const void *bytes, size_t size)
{
	const struct file_identity unknown = { 0 }, recorded = { .known = IDENTITY_STAT, .stat = { .inode = 77, .size_bytes = 1000 } };
	const struct index_origin *same;
	uint64_t stamps[INDEX_MAX_ORIGINS];
	struct index_origins all;

	if (!index_origins_read(&all, bytes, size))
		return;
	if (index_origins_believed(&all, &unknown, stamps) > all.nr || index_origins_believed(&all, &recorded, stamps) > all.nr)
		abort();
	for (uint32_t i = 0; i < all.nr; i++) {
		same = index_origins_find(&all, &all.v[i]);
		if (!same || !index_origins_has_stamp(&all, same->stamp))
			abort();
		index_origins_find_equal(&all, &all.v[i]);
	}
	if (all.nr) {
		index_origins_add(&all, &all.v[0]);
		if (!all.nr || all.nr > INDEX_MAX_ORIGINS)
			abort();
	}
}

static void use_file(const void *bytes, size_t size)
{
	struct index_file f;

	if (index_file_view(&f, bytes, size, NULL, NULL))
		return;
	for (uint32_t i = 0; i < f.nr_rows; i++) {
		const void *part = index_file_part(&f, &f.rows[i]);

		if (index_file_find(&f, f.rows[i].part, f.rows[i].key, f.rows[i].stamp) != &f.rows[i])
			abort();
		if (!part)
			continue;
		if (f.rows[i].part == INDEX_SYMBOLS)
			use_symbols(part, f.rows[i].size_bytes);
		else if (f.rows[i].part == INDEX_UNWIND)
			use_unwind(part, f.rows[i].size_bytes);
		else if (f.rows[i].part == INDEX_SOURCE_UNIT)
			use_unit(part, f.rows[i].size_bytes);
		else if (f.rows[i].part == INDEX_ORIGINS)
			use_origins(part, f.rows[i].size_bytes);
	}
	index_file_close(&f);
}

/* Makes all sums right that can be. */
static void put_right(uint8_t *bytes, size_t size)
{
	struct index_head *h = (struct index_head *)bytes;
	struct index_row *rows = (struct index_row *)(h + 1);
	size_t left = size - sizeof(*h);

	memcpy(h->magic, INDEX_MAGIC, sizeof(h->magic));
	h->version = INDEX_VERSION;
	h->byte_order = INDEX_BYTE_ORDER;
	h->size_bytes = size;
	if (h->nr_rows > left / sizeof(*rows))
		h->nr_rows = (uint32_t)(left / sizeof(*rows));
	left -= h->nr_rows * sizeof(*rows);
	if (h->name_size > left)
		h->name_size = 0;
	for (uint32_t i = 0; i < h->nr_rows; i++)
		if (rows[i].off <= size && rows[i].size_bytes <= size - rows[i].off)
			rows[i].sum = index_file_sum(bytes + rows[i].off, rows[i].size_bytes);
	h->sum = index_head_sum(h, rows, h->nr_rows * sizeof(*rows) + h->name_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* malloc'd, for its alignment and so that a sanitizer sees one byte too many */
	uint8_t *copy = mem_alloc(size ? size : 1);

	if (size)
		memcpy(copy, data, size);
	use_file(copy, size);
	if (size >= sizeof(struct index_head)) {
		put_right(copy, size);
		use_file(copy, size);
	}
	free(copy);
	return 0;
}
