/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/unwind_functions: overlaps and gaps, addresses as linked, the check of flat bytes, and a real file beside its symbol table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "cfi_writer.h"
#include "symbols/elf_file.h"
#include "symbols/symbol_readers.h"
#include "symbols/unwind_functions.h"

static void add(struct cfi_writer *w, size_t cie, uint64_t start, uint64_t end)
{
	cfi_fde(w, cie, true, start, end - start, CFI_BYTES(DW_CFA_def_cfa_offset, 16));
}

/* Where the function at a vaddr of the made-up file begins, as linked; 0: none. */
static uint64_t start_at(const struct unwind_functions *u, uint64_t vaddr)
{
	struct unwind_function f;

	if (!unwind_functions_find(u, vaddr - CFI_DELTA, &f))
		return 0;
	assert_true(f.start <= vaddr - CFI_DELTA && vaddr - CFI_DELTA < f.end);
	assert_int_equal(f.start + CFI_DELTA, f.vaddr);
	return f.vaddr;
}

static struct unwind_functions *build(void)
{
	struct cfi_writer eh = { .is_eh = true }, debug = { 0 };
	size_t cie = cfi_cie(&eh, "zR"), other = cfi_cie(&debug, "");
	struct unwind_input in;

	/* not in order, with a hole, one inside another, two that are equal, one beyond the segment and one outside it */
	add(&eh, cie, 0x3100, 0x3200);
	add(&eh, cie, 0x3000, 0x3100);
	add(&eh, cie, 0x4000, 0x4400);
	add(&eh, cie, 0x4100, 0x4200);
	add(&eh, cie, 0x5000, 0x5100);
	add(&eh, cie, 0x5000, 0x5100);
	add(&eh, cie, 0x10f00, 0x20000);
	add(&eh, cie, 0, 0x100);
	cfi_fde(&debug, other, false, 0x6000, 0x80, CFI_BYTES(DW_CFA_def_cfa_offset, 16));
	in = cfi_input(&arch_x86_64, &eh, &debug);
	return unwind_functions_build(&in);
}

static void test_find(void **state)
{
	struct unwind_functions *u = build();

	(void)state;
	assert_int_equal(start_at(u, 0x2fff), 0);
	assert_int_equal(start_at(u, 0x3000), 0x3000);
	assert_int_equal(start_at(u, 0x30ff), 0x3000);
	assert_int_equal(start_at(u, 0x3100), 0x3100);
	assert_int_equal(start_at(u, 0x3200), 0);
	assert_int_equal(start_at(u, 0x40ff), 0x4000);
	assert_int_equal(start_at(u, 0x41ff), 0x4100);
	assert_int_equal(start_at(u, 0x50ff), 0x5000);
	assert_int_equal(start_at(u, 0x607f), 0x6000);
	assert_int_equal(start_at(u, 0x6080), 0);
	assert_int_equal(start_at(u, 0x10fff), 0x10f00);
	assert_int_equal(start_at(u, 0x11000), 0);
	assert_int_equal(unwind_functions_nr(u), 7);
	unwind_functions_free(u);
}

static void test_flat(void **state)
{
	struct unwind_functions *u = build(), *view;
	struct unwind_function f, g;
	size_t size;
	const void *bytes = unwind_functions_bytes(u, &size);
	uint8_t *copy = malloc(size);

	(void)state;
	assert_int_equal(unwind_functions_view(&view, bytes, size), 0);
	for (uint64_t off = 0; off < 0x11000; off += 0x40) {
		bool found = unwind_functions_find(u, off, &f);

		assert_int_equal(unwind_functions_find(view, off, &g), found);
		if (found)
			assert_memory_equal(&f, &g, sizeof(f));
	}
	unwind_functions_free(view);
	/* Cut, or with any byte another: refused, or still good for lookups. */
	for (size_t i = 0; i < size; i++) {
		assert_int_equal(unwind_functions_view(&view, bytes, i), -EBADMSG);
		memcpy(copy, bytes, size);
		copy[i] ^= 0x81;
		if (unwind_functions_view(&view, copy, size))
			continue;
		unwind_functions_find(view, 0x2400, &f);
		unwind_functions_find(view, UINT64_MAX, &f);
		unwind_functions_free(view);
	}
	free(copy);
	unwind_functions_free(u);
}

static void test_empty(void **state)
{
	struct unwind_functions *u = unwind_functions_read(NULL, NULL);
	struct unwind_function f;

	(void)state;
	assert_int_equal(unwind_functions_nr(u), 0);
	assert_false(unwind_functions_find(u, 0, &f));
	unwind_functions_free(u);
}

/* This program: its functions begin where its symbol table says. */
static void test_own_file(void **state)
{
	struct symtab *t = symtab_new();
	struct unwind_functions *u;
	struct elf_file f;
	uint32_t nr = 0, nr_same = 0;

	(void)state;
	assert_int_equal(elf_file_open(&f, "/proc/self/exe", NULL), 0);
	elf_symbols_load(t, &f, &f, ELF_FILE_OFFSETS);
	u = unwind_functions_read(&f, NULL);
	for (uint32_t i = 0; i < t->symbols.nr; i++) {
		const struct symbol *s = &t->symbols.v[i];
		struct unwind_function fn;

		if (s->kind != SYMBOL_FUNCTION || s->end <= s->start + 1 || !unwind_functions_find(u, s->end - 1, &fn))
			continue;
		nr++;
		nr_same += fn.start == s->start;
	}
	assert_true(nr > 20);
	assert_true(nr_same * 100 >= nr * 95);
	unwind_functions_free(u);
	elf_file_close(&f);
	symtab_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_flat),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_own_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
