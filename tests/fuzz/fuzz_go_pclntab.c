/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/go_*: any bytes as a Go program's table, with trees of inlined calls behind it, and any bytes as an ELF file of one. Whatever is
 * made of them is a sound source unit or map, and no larger than a multiple of the input. The input: a byte of flags (1: the other byte
 * order), u16 bytes of trees, the trees, the table; or an ELF file.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "symbols/unwind_build.h"
#include "symbols/go_source.h"
#include "symbols/go_symbols.h"
#include "symbols/source_map.h"
#include "symbols/source_unit.h"

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
	uint32_t found;
	size_t len;

	for (uint32_t i = 0; i < t->nr_functions; i++) {
		if (!go_pclntab_find(t, go_pclntab_entry(t, i), &found))
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

static bool on_begin(void *ctx, uint64_t start, uint64_t end)
{
	uint64_t *last = ctx;

	if (start >= end)
		abort();
	*last = start;
	return start & 1 || end - start < 4096;
}

static void on_row(void *ctx, uint64_t vaddr, const struct cfi_state *state, uint8_t ra, bool is_signal)
{
	uint64_t *last = ctx;

	(void)state;
	if (vaddr < *last || is_signal || ra >= ARCH_MAX_REGS)
		abort();
	*last = vaddr;
}

static void check_frames(const struct go_pclntab *t)
{
	const struct arch_ops *archs[] = { &arch_x86_64, &arch_arm64 };
	uint64_t last;
	struct cfi_sink sink = { .ctx = &last, .begin = on_begin, .row = on_row };

	for (int i = 0; i < 2; i++) {
		unwind_go_frames(t, archs[i], &sink);
		unwind_go_ends(t, archs[i], &sink);
	}
}

static void test_elf(const uint8_t *data, size_t size)
{
	struct symtab *t = symtab_new();
	uint8_t *copy = copy_of(data, size);
	struct go_module m;
	struct elf_file f;

	if (elf_file_open_memory(&f, copy, size, NULL) == 0) {
		go_symbols_load(t, &f);
		if (go_module_open(&m, &f, true) == 0) {
			check_symbols(&m.table);
			check_frames(&m.table);
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
		check_frames(&m.table);
		check_units(&m);
	}
	go_module_close(&m);
	return 0;
}
