/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/unwind_build, unwind_table and unwind_sections: overlaps and gaps, layers, lookups against a slow one, the check of flat bytes,
 * and real files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cfi_writer.h"
#include "symbols/elf_file.h"
#include "symbols/symbolizer.h"
#include "symbols/unwind_build.h"
#include "symbols/unwind_table.h"

/* The CFA offset of the rule at a vaddr of the made-up file; 0: gap, -1: outermost. */
static int cfa_at(const struct unwind_table *t, uint64_t vaddr)
{
	uint32_t rule = unwind_table_find(t, vaddr - CFI_DELTA);

	if (rule == UNWIND_GAP)
		return 0;
	return unwind_table_rule(t, rule)->flags & RULE_OUTERMOST ? -1 : unwind_table_rule(t, rule)->cfa_value;
}

/* A function whose CFA is rsp + `cfa` all over. */
static void add(struct cfi_writer *w, size_t cie, uint64_t start, uint64_t end, uint8_t cfa)
{
	cfi_fde(w, cie, true, start, end - start, CFI_BYTES(DW_CFA_def_cfa_offset, cfa));
}

static void check_table(const struct unwind_table *t)
{
	struct unwind_table *view;
	size_t size;
	const void *bytes = unwind_table_bytes(t, &size);

	for (uint32_t i = 1; i < t->head->nr_rows; i++) {
		assert_true(t->rows[i].addr > t->rows[i - 1].addr);
		assert_int_not_equal(t->rows[i].rule, t->rows[i - 1].rule);
	}
	assert_int_equal(unwind_table_view(&view, bytes, size), 0);
	assert_int_equal(unwind_table_nr_rows(view), unwind_table_nr_rows(t));
	/* every place around every row, by the slow way */
	for (uint32_t i = 0; i < t->head->nr_rows && i < 3000; i++) {
		for (int d = -1; d <= 1; d++) {
			uint64_t addr = t->head->base + t->rows[i].addr + (uint64_t)d;
			uint32_t k = d < 0 ? i - 1 : i, want;

			if (d > 0 && i + 1 < t->head->nr_rows && t->rows[i + 1].addr == t->rows[i].addr + 1)
				k = i + 1;
			want = k < t->head->nr_rows ? t->rows[k].rule : UNWIND_GAP;
			if (addr >= t->head->base)
				assert_int_equal(unwind_table_find(view, addr), want);
		}
	}
	assert_int_equal(unwind_table_find(view, UINT64_MAX), UNWIND_GAP);
	assert_int_equal(unwind_table_find(view, t->head->base + UINT32_MAX), UNWIND_GAP);
	unwind_table_free(view);
}

static struct unwind_table *build(const struct cfi_writer *eh, const struct cfi_writer *debug)
{
	struct unwind_input in = cfi_input(&arch_x86_64, eh, debug);
	struct unwind_table *t = unwind_build(&in);

	check_table(t);
	return t;
}

static void test_empty(void **state)
{
	struct unwind_table *t = build(NULL, NULL);

	(void)state;
	assert_int_equal(unwind_table_nr_rows(t), 0);
	assert_int_equal(unwind_table_cover(t, 0), UNWIND_UNCOVERED);
	assert_int_equal(unwind_table_cover(t, UINT64_MAX), UNWIND_UNCOVERED);
	unwind_table_free(t);
}

static void test_gaps_and_overlaps(void **state)
{
	struct cfi_writer w = { .is_eh = true };
	size_t cie = cfi_cie(&w, "zR");
	struct unwind_table *t;

	(void)state;
	/* not in order; 0x2000–0x2400 has one inside, and that one another; two begin together; two are equal */
	add(&w, cie, 0x3000, 0x3100, 16);
	add(&w, cie, 0x3100, 0x3200, 16);
	add(&w, cie, 0x2000, 0x2400, 24);
	add(&w, cie, 0x2100, 0x2300, 32);
	add(&w, cie, 0x2180, 0x2200, 40);
	add(&w, cie, 0x4000, 0x4100, 48);
	add(&w, cie, 0x4000, 0x4080, 56);
	add(&w, cie, 0x5000, 0x5100, 64);
	add(&w, cie, 0x5000, 0x5100, 72);
	/* half over the next, and behind the end of the segment */
	add(&w, cie, 0x6000, 0x6100, 80);
	add(&w, cie, 0x6080, 0x6180, 88);
	add(&w, cie, 0x10f00, 0x20000, 96);
	/* outside: garbage-collected functions are at 0 */
	add(&w, cie, 0, 0x100, 104);
	add(&w, cie, 0x11000, 0x11100, 112);
	cfi_fde(&w, cie, true, 0x7000, 0x10, CFI_BYTES(DW_CFA_undefined, 16));
	t = build(&w, NULL);
	assert_int_equal(unwind_table_nr_damaged(t), 0);
	assert_int_equal(cfa_at(t, 0x1fff), 0);
	assert_int_equal(cfa_at(t, 0x2000), 24);
	assert_int_equal(cfa_at(t, 0x20ff), 24);
	assert_int_equal(cfa_at(t, 0x2100), 32);
	assert_int_equal(cfa_at(t, 0x2180), 40);
	assert_int_equal(cfa_at(t, 0x21ff), 40);
	assert_int_equal(cfa_at(t, 0x2200), 32);
	assert_int_equal(cfa_at(t, 0x22ff), 32);
	assert_int_equal(cfa_at(t, 0x2300), 24);
	assert_int_equal(cfa_at(t, 0x23ff), 24);
	assert_int_equal(cfa_at(t, 0x2400), 0);
	assert_int_equal(cfa_at(t, 0x3000), 16);
	assert_int_equal(cfa_at(t, 0x31ff), 16);
	assert_int_equal(cfa_at(t, 0x3200), 0);
	assert_int_equal(cfa_at(t, 0x407f), 56);
	assert_int_equal(cfa_at(t, 0x4080), 48);
	assert_int_equal(cfa_at(t, 0x5000), 64);
	assert_int_equal(cfa_at(t, 0x607f), 80);
	assert_int_equal(cfa_at(t, 0x6080), 88);
	assert_int_equal(cfa_at(t, 0x617f), 88);
	assert_int_equal(cfa_at(t, 0x6180), 0);
	assert_int_equal(cfa_at(t, 0x10fff), 96);
	assert_int_equal(cfa_at(t, 0x11000), 0);
	assert_int_equal(cfa_at(t, 0x11080), 0);
	assert_int_equal(cfa_at(t, 0x7008), -1);
	assert_int_equal(unwind_table_cover(t, 0x2000 - CFI_DELTA), UNWIND_COVERED);
	assert_int_equal(unwind_table_cover(t, 0x7000 - CFI_DELTA), UNWIND_OUTERMOST);
	assert_int_equal(unwind_table_cover(t, 0x7010 - CFI_DELTA), UNWIND_UNCOVERED);
	unwind_table_free(t);
}

static void test_layers(void **state)
{
	struct cfi_writer eh = { .is_eh = true }, debug = { .is_eh = false };
	size_t cie = cfi_cie(&eh, "zR"), dcie = cfi_cie(&debug, "");
	struct unwind_table *t;

	(void)state;
	add(&eh, cie, 0x2100, 0x2200, 16);
	cfi_fde(&debug, dcie, false, 0x2000, 0x300, CFI_BYTES(DW_CFA_def_cfa_offset, 24));
	cfi_fde(&debug, dcie, false, 0x4000, 0x300, CFI_BYTES(DW_CFA_def_cfa_offset, 32));
	t = build(&eh, &debug);
	assert_int_equal(cfa_at(t, 0x2000), 24);
	assert_int_equal(cfa_at(t, 0x20ff), 24);
	assert_int_equal(cfa_at(t, 0x2100), 16);
	assert_int_equal(cfa_at(t, 0x21ff), 16);
	assert_int_equal(cfa_at(t, 0x2200), 24);
	assert_int_equal(cfa_at(t, 0x2300), 0);
	assert_int_equal(cfa_at(t, 0x4000), 32);
	unwind_table_free(t);
	t = build(NULL, &debug);
	assert_int_equal(cfa_at(t, 0x2100), 24);
	unwind_table_free(t);
}

static void test_trampolines(void **state)
{
	struct cfi_writer eh = { .is_eh = true };
	size_t cie = cfi_cie(&eh, "zR");
	struct unwind_input in;
	struct unwind_table *t;
	const struct unwind_rule *r;

	(void)state;
	add(&eh, cie, 0x2000, 0x2100, 16);
	in = cfi_input(&arch_x86_64, &eh, NULL);
	in.nr_trampolines = 2;
	in.trampolines[0] = (struct unwind_place){ 0x2080 - CFI_DELTA, 9 };
	in.trampolines[1] = (struct unwind_place){ 0x3000 - CFI_DELTA, 9 };
	t = unwind_build(&in);
	check_table(t);
	/* x86_64: call frame information goes first */
	assert_int_equal(cfa_at(t, 0x2080), 16);
	assert_int_equal(unwind_table_cover(t, 0x2ffe - CFI_DELTA), UNWIND_UNCOVERED);
	r = unwind_table_rule(t, unwind_table_find(t, 0x2fff - CFI_DELTA));
	assert_int_equal(r->flags, RULE_SIGNAL | RULE_CFA_EXPR);
	assert_int_equal(r->ra, 16);
	assert_int_equal(r->nr_regs, 16);
	/* and where its system call returns to */
	assert_int_equal(unwind_table_cover(t, 0x3009 - CFI_DELTA), UNWIND_COVERED);
	assert_int_equal(unwind_table_cover(t, 0x300a - CFI_DELTA), UNWIND_UNCOVERED);
	unwind_table_free(t);
	/* arm64: the instructions do */
	in.arch = &arch_arm64;
	t = unwind_build(&in);
	check_table(t);
	r = unwind_table_rule(t, unwind_table_find(t, 0x2080 - CFI_DELTA));
	assert_int_equal(r->flags, RULE_SIGNAL | RULE_CFA_EXPR);
	assert_int_equal(r->ra, 32);
	unwind_table_free(t);
}

/* Where programs and threads begin is outermost, but for what call frame information covers. */
static void test_starts(void **state)
{
	struct cfi_writer eh = { .is_eh = true };
	size_t cie = cfi_cie(&eh, "zR");
	struct unwind_input in;
	struct unwind_table *t;

	(void)state;
	add(&eh, cie, 0x2020, 0x2100, 16);
	in = cfi_input(&arch_x86_64, &eh, NULL);
	in.nr_starts = 3;
	in.starts[0] = (struct unwind_place){ 0x2000 - CFI_DELTA, 0x40 };
	in.starts[1] = (struct unwind_place){ 0x3000 - CFI_DELTA, 0x10 };
	in.starts[2] = (struct unwind_place){ 0x3008 - CFI_DELTA, 0x10 };
	t = unwind_build(&in);
	check_table(t);
	assert_int_equal(cfa_at(t, 0x1fff), 0);
	assert_int_equal(cfa_at(t, 0x2000), -1);
	assert_int_equal(cfa_at(t, 0x201f), -1);
	assert_int_equal(cfa_at(t, 0x2020), 16);
	assert_int_equal(cfa_at(t, 0x2100), 0);
	assert_int_equal(cfa_at(t, 0x3000), -1);
	assert_int_equal(cfa_at(t, 0x3017), -1);
	assert_int_equal(cfa_at(t, 0x3018), 0);
	unwind_table_free(t);
}

/* Code that calls what it was given and exits with the result; not code that exits with another, or calls a known function. */
static void test_search_starts(void **state)
{
	/* call *%rbx; mov %eax, %edi; call exit | call *(%rbx); mov %rax, %rdi; call exit | call +0; mov %eax, %edi; call exit |
	 * call *%rbx; xor %edi, %edi; call exit */
	static const uint8_t text[] = { 0x90, 0xff, 0xd3, 0x89, 0xc7, 0xe8, 0xf6, 0x0f, 0,    0,	  /* next at 10: 0x1000 */
					0xff, 0x13, 0x48, 0x89, 0xc7, 0xe8, 0xec, 0x0f, 0,    0,	  /* at 20 */
					0xe8, 0,    0,	  0,	0,    0x89, 0xc7, 0xe8, 0xe0, 0x0f, 0, 0, /* at 32 */
					0xff, 0xd3, 0x31, 0xff, 0xe8, 0xd7, 0x0f, 0,	0 };		  /* at 41 */
	static const uint32_t arm[] = { 0xd503201f, 0xd63f0020, 0x940003fe, 0xd63f0020, 0x52800000, 0x940003fb };
	struct unwind_exits exits = { .file_off = { 0x9000 + 0x1000 }, .nr = 1 };
	struct unwind_input in = { .arch = &arch_x86_64 };

	(void)state;
	for (int twice = 0; twice < 2; twice++)
		unwind_entries_search(&in, &exits, text, sizeof(text), 0x9000);
	assert_int_equal(in.nr_starts, 2);
	assert_int_equal(in.starts[0].file_off, 0x9001);
	assert_int_equal(in.starts[0].size_bytes, 5); /* the call, its return address, and what lies between */
	assert_int_equal(in.starts[1].file_off, 0x900a);
	assert_int_equal(in.starts[1].size_bytes, 6);
	for (size_t cut = 0; cut <= sizeof(text); cut++)
		unwind_entries_search(&in, &exits, text, cut, 0x9000);
	in = (struct unwind_input){ .arch = &arch_arm64 };
	unwind_entries_search(&in, &exits, (const uint8_t *)arm, sizeof(arm), 0x9000);
	assert_int_equal(in.nr_starts, 1);
	assert_int_equal(in.starts[0].file_off, 0x9004);
	assert_int_equal(in.starts[0].size_bytes, 5);
}

/* A file without call frame information: its entry point, code that exits with what it called. Nothing else. */
static void test_entries(void **state)
{
	static const struct {
		uint64_t file_off;
		enum unwind_cover cover;
	} cases[] = {
		{ 0x77, UNWIND_UNCOVERED },  { 0x78, UNWIND_OUTERMOST },  { 0x7e, UNWIND_OUTERMOST },  { 0x7f, UNWIND_OUTERMOST },
		{ 0x80, UNWIND_UNCOVERED },  { 0xb7, UNWIND_UNCOVERED },  { 0xff, UNWIND_UNCOVERED },  { 0x101, UNWIND_OUTERMOST },
		{ 0x102, UNWIND_OUTERMOST }, { 0x109, UNWIND_UNCOVERED }, { 0x14f, UNWIND_UNCOVERED },
	};
	struct unwind_table *t;
	struct elf_file f;

	(void)state;
	assert_int_equal(elf_file_open(&f, "tests/fuzz/corpus/cfi/elf-entries", NULL), 0);
	assert_int_equal(unwind_table_build(&t, &f, NULL, false, NULL), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (unwind_table_cover(t, cases[i].file_off) != cases[i].cover)
			fail_msg("0x%x", (unsigned int)cases[i].file_off);
	check_table(t);
	unwind_table_free(t);
	elf_file_close(&f);
}

/* Turned bits and cuts: refused, or safe to look up. (That stepping is safe too is the fuzz target's.) */
static void test_view_damage(void **state)
{
	struct cfi_writer w = { .is_eh = true };
	size_t cie = cfi_cie(&w, "zR"), size;
	struct unwind_table *t, *view;
	const void *bytes;
	uint8_t *copy;
	uint32_t refused = 0, nr = 0;

	(void)state;
	cfi_fde(&w, cie, true, 0x2000, 0x100, CFI_BYTES(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 8));
	cfi_fde(&w, cie, true, 0x3000, 0x100, CFI_BYTES(DW_CFA_offset | 6, 2, DW_CFA_register, 3, 5));
	t = build(&w, NULL);
	bytes = unwind_table_bytes(t, &size);
	copy = malloc(size);
	for (size_t i = 0; i < t->head->size_bytes; i++) {
		for (int bit = 0; bit < 8; bit++, nr++) {
			memcpy(copy, bytes, size);
			copy[i] ^= (uint8_t)(1 << bit);
			if (unwind_table_view(&view, copy, size) != 0) {
				refused++;
				continue;
			}
			for (uint64_t a = 0x2000; a < 0x3200; a += 7)
				unwind_table_cover(view, a - CFI_DELTA);
			unwind_table_free(view);
		}
	}
	assert_true(refused > nr / 4);
	memcpy(copy, bytes, size);
	for (size_t cut = 0; cut < size; cut++)
		assert_int_equal(unwind_table_view(&view, copy, cut), -EBADMSG);
	free(copy);
	unwind_table_free(t);
}

/* One rule for many rows, 8 bytes a row. */
static void test_interned(void **state)
{
	struct cfi_writer w = { .is_eh = true };
	size_t cie = cfi_cie(&w, "zR"), size;
	struct unwind_table *t;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		cfi_fde(&w, cie, true, 0x2000 + i * 0x40, 0x20, CFI_BYTES(DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 16));
	t = build(&w, NULL);
	assert_int_equal(unwind_table_nr_rows(t), 300);
	assert_int_equal(t->head->nr_rule_units, 1 + 2 * 2);
	unwind_table_bytes(t, &size);
	assert_true(size < sizeof(*t->head) + 300 * 8 + 5 * 8 + 4 * (300 / 8 + 2) + 1);
	unwind_table_free(t);
}

/* An outer function with many rows and many inside it: time must not be their product. */
static void test_linear(void **state)
{
	enum { NR = 20000, CODE = 400000 };
	struct unwind_input in = { .arch = &arch_x86_64, .nr_segments = 1 };
	struct timespec a, b;
	struct unwind_table *t;
	uint8_t *v = malloc(CODE + NR * 40 + 100), *p = v;
	uint32_t id, size, rel, cie_size;
	struct cfi_writer w = { .is_eh = true };

	(void)state;
	cfi_cie(&w, "zR");
	cie_size = (uint32_t)w.nr;
	memcpy(p, w.v, w.nr);
	p += w.nr;
	/* the outer one: advance 1, change the CFA, … */
	size = 4 + 4 + 4 + 1 + CODE;
	memcpy(p, &size, 4);
	id = cie_size + 4;
	memcpy(p + 4, &id, 4);
	rel = 0x1000 - (cie_size + 8);
	memcpy(p + 8, &rel, 4);
	memcpy(p + 12, &(uint32_t){ 0x1000000 }, 4);
	p[16] = 0;
	for (uint32_t i = 0; i < CODE; i += 4) {
		p[17 + i] = DW_CFA_advance_loc | 1;
		p[17 + i + 1] = DW_CFA_def_cfa_offset;
		p[17 + i + 2] = 0x80 | (i >> 2 & 0x7f);
		p[17 + i + 3] = i >> 9 & 0x7f;
	}
	p += 4 + size;
	for (uint32_t i = 0; i < NR; i++) {
		uint32_t at = (uint32_t)(p - v);

		size = 4 + 4 + 4 + 1;
		memcpy(p, &size, 4);
		id = at + 4;
		memcpy(p + 4, &id, 4);
		rel = 0x1001 + i * 4 - (at + 8);
		memcpy(p + 8, &rel, 4);
		/* each ends with the outer one: all stay open */
		memcpy(p + 12, &(uint32_t){ 0x1000000 - i * 4 - 1 }, 4);
		p[16] = 0;
		p += 17;
	}
	in.segments[0] = (struct unwind_segment){ 0x1000, 0x2000000, 0x1000 };
	in.eh = (struct cfi_section){ .bytes = v, .size = (size_t)(p - v), .address_size = 8, .is_eh = true };
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	t = unwind_build(&in);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	assert_int_equal(unwind_table_nr_damaged(t), 0);
	assert_true(unwind_table_nr_rows(t) >= 2);
	/* some ms; a product would be minutes */
	assert_true((double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9 < 5);
	unwind_table_free(t);
	free(v);
}

static void load(const char *path, struct unwind_table **t)
{
	struct symbolizer_options opts = { 0 };
	struct module_ref ref = { .kind = path[0] == '[' ? MODULE_VDSO : MODULE_ELF, .path = path };
	struct errbuf eb = { 0 };

	assert_int_equal(symbolizer_load_unwind(&opts, &ref, true, t, &eb), 0);
	assert_string_equal(eb.text, "");
	assert_true(unwind_table_nr_rows(*t) > 0);
	assert_int_equal(unwind_table_nr_damaged(*t), 0);
	check_table(*t);
}

static int note_libc(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	if (strstr(info->dlpi_name, "libc.so"))
		snprintf(ctx, 256, "%s", info->dlpi_name);
	return 0;
}

static void test_real_files(void **state)
{
	char libc[256] = "";
	struct unwind_table *t;

	(void)state;
	load("/proc/self/exe", &t);
	unwind_table_free(t);
	dl_iterate_phdr(note_libc, libc);
	if (*libc) {
		load(libc, &t);
		assert_true(unwind_table_nr_rows(t) > 5000);
		unwind_table_free(t);
	}
	load("[vdso]", &t);
	unwind_table_free(t);
}

static void test_nothing_there(void **state)
{
	struct symbolizer_options opts = { 0 };
	struct module_ref ref = { .kind = MODULE_ELF, .path = "/nowhere/at/all" };
	struct errbuf eb = { 0 };
	struct unwind_table *t;

	(void)state;
	assert_int_equal(symbolizer_load_unwind(&opts, &ref, false, &t, &eb), 0);
	assert_int_equal(unwind_table_nr_rows(t), 0);
	assert_non_null(strstr(eb.text, "/nowhere/at/all"));
	unwind_table_free(t);
	ref = (struct module_ref){ .kind = MODULE_JIT, .path = "/tmp/perf-1.map" };
	eb.text[0] = 0;
	assert_int_equal(symbolizer_load_unwind(&opts, &ref, false, &t, &eb), 0);
	assert_int_equal(unwind_table_nr_rows(t), 0);
	unwind_table_free(t);
	unwind_table_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),	   cmocka_unit_test(test_gaps_and_overlaps),
		cmocka_unit_test(test_layers),	   cmocka_unit_test(test_trampolines),
		cmocka_unit_test(test_starts),	   cmocka_unit_test(test_search_starts),
		cmocka_unit_test(test_entries),	   cmocka_unit_test(test_view_damage),
		cmocka_unit_test(test_interned),   cmocka_unit_test(test_linear),
		cmocka_unit_test(test_real_files), cmocka_unit_test(test_nothing_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
