/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/go_module.h: a made-up table (go_table.h) in all layouts, widths and byte orders; damaged ones are refused, or
 * say less. Tables of real programs are compared with Go's own tools by tests/oracle/go_stripped.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "go_table.h"
#include "symbols/go_module.h"
#include "symbols/source_unit.h"

static const enum go_layout layouts[] = { GO_1_2, GO_1_16, GO_1_18, GO_1_20 };

#define for_all_tables(g)                                                                                                                  \
	for (int l_ = 0; l_ < 4; l_++)                                                                                                     \
		for (int p_ = 4; p_ <= 8; p_ += 4)                                                                                         \
			for (int s_ = 0; s_ < 2; s_++)                                                                                     \
				if (go_table_make(g, layouts[l_], (uint8_t)p_, s_), true)

static void assert_name(const struct go_pclntab *t, uint32_t name, const char *want)
{
	size_t len;
	const char *s = go_pclntab_name(t, name, &len);

	assert_non_null(s);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(s, want, len);
}

static void test_functions(void **state)
{
	(void)state;
	struct go_table g;

	for_all_tables(&g)
	{
		struct go_function f;
		struct go_pclntab t;

		assert_int_equal(go_pclntab_init(&t, g.bytes, g.size, g.swap), 0);
		assert_int_equal(t.nr_functions, 2);
		assert_true(go_pclntab_function(&t, 0, &f));
		assert_int_equal(f.start, 0x401000);
		assert_int_equal(f.end, 0x401040);
		assert_name(&t, f.name, "main.outer");
		assert_int_equal(f.has_inlines, g.layout > GO_1_2);
		assert_true(go_pclntab_function(&t, 1, &f));
		assert_int_equal(f.end, 0x401060);
		assert_name(&t, f.name, "main.(*T).Plain");
		assert_false(f.has_inlines);
		assert_int_equal(go_pclntab_entry(&t, 1), 0x401040);
		assert_int_equal(go_pclntab_entry(&t, 2), 0x401060);
		assert_true(go_pclntab_is_name(&t, f.name));
		assert_false(go_pclntab_is_name(&t, f.name + 1));
	}
}

struct place {
	const char *function, *file;
	uint32_t line;
};

static void assert_places(const void *unit, uint64_t addr, const struct place *want, uint32_t nr)
{
	struct source_place places[SOURCE_MAX_DEPTH];

	assert_int_equal(source_unit_find(unit, addr, places, SOURCE_MAX_DEPTH), nr);
	for (uint32_t i = 0; i < nr; i++) {
		assert_string_equal(source_unit_string(unit, places[i].function), want[i].function);
		assert_string_equal(source_unit_string(unit, places[i].file), want[i].file);
		assert_int_equal(places[i].line, want[i].line);
		assert_int_equal(places[i].is_inlined, i + 1 < nr);
	}
}

static void test_lines_and_inlines(void **state)
{
	(void)state;
	static const struct place start[] = { { "main.outer", "/src/out.go", 10 } }, plain[] = { { "main.(*T).Plain", "/src/in.go", 40 } };
	static const struct place middle[] = { { "main.middle", "/src/mid.go", 20 }, { "main.outer", "/src/out.go", 12 } };
	static const struct place inner[] = { { "main.inner", "/src/in.go", 30 },
					      { "main.middle", "/src/out.go", 21 },
					      { "main.outer", "/src/out.go", 12 } };
	struct go_table g;

	for_all_tables(&g)
	{
		bool inlines = g.layout > GO_1_2;
		size_t size, map_size;
		struct go_module m;
		void *unit, *map;
		uint64_t which;

		assert_int_equal(go_table_module(&g, &m), 0);
		map = go_source_map(&m, &map_size);
		assert_true(source_map_check(map, map_size));
		assert_true(source_map_find(map, 0x401058, &which));
		unit = go_source_read(&m, which, &size);
		assert_true(source_unit_check(unit, size));
		assert_places(unit, 0x401000, start, 1);
		assert_places(unit, 0x401044, plain, 1);
		if (inlines) {
			assert_places(unit, 0x401014, middle, 2);
			assert_places(unit, 0x40101c, inner, 3);
		} else {
			assert_places(unit, 0x40101c, &(struct place){ "main.outer", "/src/in.go", 30 }, 1);
		}
		assert_null(go_source_read(&m, 2, &size));
		free(unit);
		free(map);
		go_module_close(&m);
	}
}

/* Trees that say nonsense cost their calls and nothing else. */
static void test_damaged_trees(void **state)
{
	(void)state;
	static const struct place inner[] = { { "main.outer", "/src/in.go", 30 } };
	struct go_table g;

	for_all_tables(&g)
	{
		size_t size, parent = 16 + (g.layout == GO_1_20 ? 8 : 16);
		struct go_module m;
		void *unit;

		if (g.layout == GO_1_2)
			continue;
		for (int how = 0; how < 3; how++) {
			assert_int_equal(go_table_module(&g, &m), 0);
			if (how == 0) /* middle is called from where middle is: a circle */
				go_put(m.trees + parent, 0x10, 4, g.swap);
			if (how == 1) /* from outside the function */
				go_put(m.trees + parent, 0x40, 4, g.swap);
			if (how == 2) /* the tree is not there */
				m.trees_size = 16;
			unit = go_source_read(&m, 0, &size);
			assert_true(source_unit_check(unit, size));
			assert_places(unit, 0x40101c, inner, 1);
			free(unit);
			go_module_close(&m);
		}
	}
}

static void read_all(const struct go_table *g, size_t size)
{
	uint8_t *copy = memcpy(malloc(size ? size : 1), g->bytes, size);
	struct go_module m = { .trees = (uint8_t *)g->trees,
			       .trees_size = g->trees_size,
			       .trees_start = g->layout >= GO_1_18 ? 0 : GO_TREES };
	size_t unit_size;

	if (go_pclntab_init(&m.table, copy, size, g->swap) == 0) {
		for (uint32_t i = 0; i < m.table.nr_functions; i++) {
			void *unit = go_source_read(&m, i, &unit_size);

			assert_true(!unit || source_unit_check(unit, unit_size));
			free(unit);
		}
	}
	free(copy);
}

static void test_damaged_tables(void **state)
{
	(void)state;
	struct go_table g, bad;
	struct go_pclntab t;

	for_all_tables(&g)
	{
		/* Cut anywhere, any byte another: nothing is read outside (which the sanitizers see). */
		for (size_t size = 0; size <= g.size; size++)
			read_all(&g, size);
		for (size_t i = 0; i < g.size; i++) {
			bad = g;
			bad.bytes[i] ^= 0xff;
			read_all(&bad, bad.size);
		}
		assert_int_equal(go_pclntab_init(&t, g.bytes, 7, g.swap), -EBADMSG);
		assert_int_equal(go_pclntab_init(&t, g.bytes, g.size, !g.swap), -EBADMSG);
		/* more functions than there is room for */
		bad = g;
		go_put(bad.bytes + 8, UINT32_MAX, g.ptr_size, g.swap);
		assert_int_equal(go_pclntab_init(&t, bad.bytes, bad.size, g.swap), -EBADMSG);
	}
}

/* A list of functions that does not go up is none; an entry that is of another address has no name. */
static void test_wrong_entries(void **state)
{
	(void)state;
	struct go_function f;
	struct go_pclntab t;
	struct go_table g;

	for_all_tables(&g)
	{
		size_t width = g.layout >= GO_1_18 ? 4 : g.ptr_size;

		assert_int_equal(go_pclntab_init(&t, g.bytes, g.size, g.swap), 0);
		go_put(g.bytes + t.entries + 2 * width, g.layout >= GO_1_18 ? 0x44 : 0x401044, width, g.swap);
		assert_true(go_pclntab_function(&t, 0, &f));
		assert_false(go_pclntab_function(&t, 1, &f));
		go_put(g.bytes + t.entries + 2 * width, g.layout >= GO_1_18 ? 0 : 0x401000, width, g.swap);
		assert_int_equal(go_pclntab_init(&t, g.bytes, g.size, g.swap), -EBADMSG);
	}
}

/* Without section headers, with and without the code's address in the table, the trees where no version has put them yet. */
static void test_program(void **state)
{
	(void)state;
	static uint8_t elf[GO_ELF_BYTES];
	const uint64_t trees = GO_TREES;
	struct go_module m;
	struct go_table g;
	struct elf_file f;

	for (int i = 0; i < 8; i++) {
		size_t likely = GO_ELF_MODULE + 0x40 + 8 * (i & 1 ? 40 : 38);

		go_table_make(&g, i & 1 ? GO_1_20 : GO_1_18, 8, false);
		go_elf_make(elf, &g, i & 2);
		if (i & 4) {
			memset(elf + likely, 0, 8);
			memcpy(elf + likely + 40, &trees, 8);
		}
		assert_int_equal(elf_file_open_memory(&f, elf, sizeof(elf), NULL), 0);
		assert_true(go_module_is_go(&f));
		assert_int_equal(go_module_open(&m, &f, true), 0);
		assert_int_equal(m.table.text, GO_TEXT);
		assert_non_null(m.trees);
		assert_int_equal(m.trees_start, 16);
		go_module_close(&m);
		elf_file_close(&f);
	}
	/* Nowhere to be found: names and lines are left. Code at no segment: nothing is. */
	memset(elf + GO_ELF_MODULE, 0, 0x1000);
	assert_int_equal(elf_file_open_memory(&f, elf, sizeof(elf), NULL), 0);
	assert_int_equal(go_module_open(&m, &f, true), 0);
	assert_null(m.trees);
	go_module_close(&m);
	elf_file_close(&f);
	/* Ends in two segments: what lies between may be more than the file has. */
	go_put_segment(elf, 0, PT_LOAD, PF_R | PF_X, 0x1000, GO_TEXT, 0x40);
	go_put_segment(elf, 2, PT_LOAD, PF_R | PF_X, 0x1000, GO_TEXT + 0x40, 0x40);
	assert_int_equal(elf_file_open_memory(&f, elf, sizeof(elf), NULL), 0);
	assert_int_equal(go_module_open(&m, &f, true), -ENODATA);
	elf_file_close(&f);
	go_put_segment(elf, 0, PT_LOAD, PF_R | PF_X, 0x1000, 0x700000, 0x100);
	assert_int_equal(elf_file_open_memory(&f, elf, sizeof(elf), NULL), 0);
	assert_int_equal(go_module_open(&m, &f, true), -ENODATA);
	elf_file_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),      cmocka_unit_test(test_lines_and_inlines), cmocka_unit_test(test_damaged_trees),
		cmocka_unit_test(test_damaged_tables), cmocka_unit_test(test_wrong_entries),	 cmocka_unit_test(test_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
