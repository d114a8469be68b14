/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/go_*: any bytes as a Go program's table, with trees of inlined calls behind it, and any bytes as an ELF file of one. Whatever is
 * made of them is a sound source unit, map or unwind table, and no larger than a multiple of the input. The trees are the code, too. The input: a byte of flags (1: the other byte
 * order), u16 bytes of trees, the trees, the table; or an ELF file.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "symbols/go_module.h"
#include "symbols/source_unit.h"
#include "symbols/symbol_readers.h"
#include "symbols/unwind_build.h"
#include "symbols/unwind_table.h"

/* A block of its exact size, so that a sanitizer sees one byte too many. */
static void *copy_of(const void *p, size_t size)
{
	void *copy = malloc(size ? size : 1);

	if (size)
		memcpy(copy, p, size);
	return copy;
}

static void check_symbols(const struct go_pclntab *t)
{
	struct go_function f;
	size_t len;

	for (uint32_t i = 0; i < t->nr_functions; i++) {
		if (go_pclntab_entry(t, i) >= go_pclntab_entry(t, i + 1))
			abort();
		if (go_pclntab_function(t, i, &f) && go_pclntab_name(t, f.name, &len) && len > GO_NAME_MAX)
			abort();
	}
}

/* As many units as an honest reader asks for. */
static void check_units(const struct go_module *m)
{
	size_t size;
	void *map = go_source_map(m, &size);

	if (!source_map_check(map, size))
		abort();
	free(map);
	for (uint32_t i = 0; i < m->table.nr_functions && i < 64; i++) {
		void *unit = go_source_read(m, i, &size);

		if (unit && !source_unit_check(unit, size))
			abort();
		free(unit);
	}
}

static size_t read_code(const void *ctx, uint64_t vaddr, void *buf, size_t size)
{
	const struct go_module *m = ctx;

	(void)vaddr;
	size = size < m->trees_size ? size : m->trees_size;
	if (size)
		memcpy(buf, m->trees, size);
	return size;
}

static void check_unwind(const struct go_module *m, const struct arch_ops *arch)
{
	struct go_unwind go = { .table = &m->table, .arch = arch, .read = read_code, .ctx = m };
	struct unwind_input in = { .arch = arch, .nr_segments = 1, .segments = { { 0, INT64_MAX, 0 } }, .go = &go };
	struct unwind_table *t = unwind_build(&in), *view;
	size_t size;
	const void *bytes = unwind_table_bytes(t, &size);

	if (unwind_table_view(&view, bytes, size) != 0 || unwind_table_nr_rows(t) > 4 * m->table.size + 1024)
		abort();
	unwind_table_free(view);
	unwind_table_free(t);
}

static void test_elf(const uint8_t *data, size_t size)
{
	struct symtab *t = symtab_new();
	uint8_t *copy = copy_of(data, size);
	struct go_module m;
	struct elf_file f;

	if (elf_file_open_memory(&f, copy, size, NULL) == 0) {
		struct unwind_table *unwind;

		go_symbols_load(t, &f);
		if (unwind_table_build(&unwind, &f, NULL, false, NULL) == 0)
			unwind_table_free(unwind);
		if (go_module_open(&m, &f, true) == 0) {
			check_symbols(&m.table);
			check_units(&m);
			go_module_close(&m);
		}
		elf_file_close(&f);
	}
	symtab_free(t);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = bytes_of(data, size, false);
	uint8_t flags = bytes_u8(&b);
	uint16_t trees = bytes_u16(&b);
	struct go_module m = { .trees_size = trees };

	if (size > 4 && memcmp(data, "\177ELF", 4) == 0) {
		test_elf(data, size);
		return 0;
	}
	if (b.failed || !bytes_has(&b, trees, 1))
		return 0;
	m.trees = copy_of(bytes_take(&b, trees), trees);
	size = bytes_left(&b);
	m.table_bytes = copy_of(b.pos, size);
	if (go_pclntab_init(&m.table, m.table_bytes, size, flags & 1) == 0) {
		m.trees_start = m.table.layout >= GO_1_18 ? 0 : 0x500000;
		check_symbols(&m.table);
		check_units(&m);
		check_unwind(&m, &arch_x86_64);
		check_unwind(&m, &arch_arm64);
	}
	go_module_close(&m);
	return 0;
}
