/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A table that is compiled in pieces says what the whole one says: of made-up sections with overlaps, and of real files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cfi_writer.h"
#include "symbols/elf_file.h"
#include "symbols/unwind_build.h"
#include "symbols/unwind_table.h"
#include "unwind_same.h"

static void add(struct cfi_writer *w, size_t cie, uint64_t start, uint64_t end, uint8_t cfa)
{
	cfi_fde(w, cie, true, start, end - start, CFI_BYTES(DW_CFA_def_cfa_offset, cfa));
}

/* Apart, inside of each other, beginning together, backwards, and in both sections. */
static void test_overlaps(void **state)
{
	struct cfi_writer eh = { .is_eh = true }, debug = { 0 };
	size_t cie = cfi_cie(&eh, "zR"), other;
	struct unwind_table *whole, *pieces;
	struct unwind_input in;

	(void)state;
	add(&eh, cie, 0x2800, 0x2900, 64);
	add(&eh, cie, 0x2000, 0x2100, 16);
	add(&eh, cie, 0x2100, 0x2180, 24);
	add(&eh, cie, 0x2200, 0x2400, 32);
	add(&eh, cie, 0x2300, 0x2380, 40);
	add(&eh, cie, 0x2300, 0x2340, 48);
	add(&eh, cie, 0x2300, 0x2340, 56);
	other = cfi_cie(&debug, "");
	cfi_fde(&debug, other, false, 0x20f0, 0x30, CFI_BYTES(DW_CFA_def_cfa_offset, 72));
	cfi_fde(&debug, other, false, 0x2500, 0x30, CFI_BYTES(DW_CFA_def_cfa_offset, 80));
	in = cfi_input(&arch_x86_64, &eh, &debug);
	in.nr_trampolines = 1;
	in.trampolines[0] = (struct unwind_place){ 0x2700 - CFI_DELTA, 9 };
	whole = unwind_build(&in);
	pieces = unwind_lazy_build(&in);
	assert_non_null(pieces->lazy);
	assert_int_equal(unwind_table_nr_rows(pieces), 9);
	for (uint64_t vaddr = 0x1f00; vaddr < 0x2a00; vaddr++)
		if (!unwind_same_at(whole, pieces, vaddr - CFI_DELTA))
			fail_msg("they differ at %#llx", (unsigned long long)vaddr);
	unwind_table_free(whole);
	unwind_table_free(pieces);
}

/* Rules of a CIE that have expressions belong to one table. */
static void test_shared_expressions(void **state)
{
	struct cfi_writer eh = { .is_eh = true };
	struct unwind_table *t;
	struct unwind_input in;
	size_t cie = eh.nr;

	(void)state;
	cfi_begin(&eh);
	cfi_id(&eh, true, 0);
	cfi_put(&eh, CFI_BYTES(1, 0, 1, 0x78, 16));
	cfi_put(&eh, CFI_BYTES(DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 8, DW_CFA_offset | 16, 1));
	cfi_end(&eh);
	cfi_fde(&eh, cie, false, 0x2000, 0x100, CFI_BYTES(DW_CFA_nop));
	cfi_fde(&eh, cie, false, 0x3000, 0x100, CFI_BYTES(DW_CFA_nop));
	in = cfi_input(&arch_x86_64, &eh, NULL);
	t = unwind_lazy_build(&in);
	assert_null(t->lazy);
	assert_int_equal(unwind_table_cover(t, 0x2010 - CFI_DELTA), UNWIND_COVERED);
	assert_int_equal(unwind_table_cover(t, 0x3010 - CFI_DELTA), UNWIND_COVERED);
	unwind_table_free(t);
}

static int note_libc(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	if (strstr(info->dlpi_name, "libc.so"))
		snprintf(ctx, 256, "%s", info->dlpi_name);
	return 0;
}

struct tables {
	const struct unwind_table *whole, *pieces;
};

static void *compare(void *arg)
{
	const struct tables *t = arg;

	return unwind_same(t->whole, t->pieces) ? NULL : arg;
}

/* By several threads at once, as the workers of a recording ask. */
static void test_real_file(void **state)
{
	struct unwind_input in = { 0 };
	struct unwind_table *whole, *pieces;
	struct tables t;
	char path[256] = "";
	pthread_t threads[4];
	struct elf_file f;
	void *differs, *unpacked;

	(void)state;
	dl_iterate_phdr(note_libc, path);
	if (!*path)
		skip();
	assert_int_equal(elf_file_open(&f, path, NULL), 0);
	assert_true(unwind_input_find(&in, &f, NULL, &unpacked));
	whole = unwind_build(&in);
	pieces = unwind_lazy_build(&in);
	free(unpacked);
	elf_file_close(&f);
	assert_null(whole->lazy);
	assert_non_null(pieces->lazy);
	t = (struct tables){ whole, pieces };
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, compare, &t), 0);
	for (uint32_t i = 0; i < 4; i++) {
		pthread_join(threads[i], &differs);
		assert_null(differs);
	}
	unwind_table_free(whole);
	unwind_table_free(pieces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_shared_expressions),
		cmocka_unit_test(test_real_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
