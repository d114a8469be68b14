/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/cfi*: entries, augmentations, encodings and every instruction, from sections written here. Rows come out as text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "cfi_writer.h"

struct rows {
	char text[8192];
	size_t nr;
	bool refuse;
};

__attribute__((format(printf, 2, 3))) static void add(struct rows *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	r->nr += (size_t)vsnprintf(r->text + r->nr, sizeof(r->text) - r->nr, fmt, ap);
	va_end(ap);
	assert_true(r->nr < sizeof(r->text));
}

static bool on_begin(void *ctx, uint64_t start, uint64_t end)
{
	struct rows *r = ctx;

	add(r, "[%llx-%llx]", (unsigned long long)start, (unsigned long long)end);
	return !r->refuse;
}

static void on_row(void *ctx, uint64_t vaddr, const struct cfi_state *s, uint8_t ra, bool is_signal)
{
	static const char *const hows[NR_HOWS] = { "c", "v", "r", "e", "E", "u", "s" };
	struct rows *r = ctx;

	add(r, " %llx:", (unsigned long long)vaddr);
	if (!s) {
		add(r, "lost");
		return;
	}
	if (s->cfa == CFI_CFA_REG)
		add(r, "%u%+d", s->cfa_reg, s->cfa_value);
	else
		add(r, "%s", s->cfa == CFI_CFA_EXPR ? "exp" : "none");
	for (uint32_t i = 0; i < ARCH_MAX_REGS; i++)
		if (s->set >> i & 1 && (i != ra || s->regs[i].how != HOW_OFFSET || s->regs[i].value != -8))
			add(r, ",%u=%s%+d", i, hows[s->regs[i].how], s->regs[i].value);
	if (is_signal)
		add(r, ",signal");
}

static int32_t on_expr(void *ctx, const uint8_t *bytes, size_t size)
{
	(void)ctx;
	return size ? bytes[0] : -1;
}

static uint32_t parse(const struct arch_ops *arch, const struct cfi_writer *w, struct rows *r)
{
	struct cfi_section s = cfi_section_of(w);
	struct cfi_sink sink = { .ctx = r, .begin = on_begin, .row = on_row, .intern_expr = on_expr };
	/* a block of its exact size, so that a sanitizer sees one byte too many */
	void *copy = malloc(s.size ? s.size : 1);
	uint32_t nr;

	memcpy(copy, s.bytes, s.size);
	s.bytes = copy;
	r->nr = 0;
	r->text[0] = 0;
	nr = cfi_parse(&s, arch, &sink);
	free(copy);
	return nr;
}

#define EXPECT(w, damaged, text_)                                                                                                          \
	do {                                                                                                                               \
		struct rows rows_ = { .nr = 0 };                                                                                           \
		assert_int_equal(parse(&arch_x86_64, (w), &rows_), (damaged));                                                             \
		assert_string_equal(rows_.text, (text_));                                                                                  \
	} while (0)

/* One function 0x2000–0x2100 with these instructions. */
#define PROGRAM(damaged, text_, ...)                                                                                                       \
	do {                                                                                                                               \
		struct cfi_writer w_ = { .is_eh = true };                                                                                  \
		size_t cie_ = cfi_cie(&w_, "zR");                                                                                          \
		cfi_fde(&w_, cie_, true, 0x2000, 0x100, CFI_BYTES(__VA_ARGS__));                                                           \
		EXPECT(&w_, damaged, "[2000-2100]" text_);                                                                                 \
	} while (0)

static void test_location(void **state)
{
	(void)state;
	PROGRAM(0, " 2000:7+8", DW_CFA_nop);
	PROGRAM(0, " 2000:7+8 2001:7+16", DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16);
	PROGRAM(0, " 2000:7+8 2080:7+16", DW_CFA_advance_loc1, 0x80, DW_CFA_def_cfa_offset, 16);
	PROGRAM(0, " 2000:7+8 2080:7+16", DW_CFA_advance_loc2, 0x80, 0, DW_CFA_def_cfa_offset, 16);
	PROGRAM(0, " 2000:7+8 2080:7+16", DW_CFA_advance_loc4, 0x80, 0, 0, 0, DW_CFA_def_cfa_offset, 16);
	PROGRAM(0, " 2000:7+8 2080:7+16", 0x1d, 0x80, 0, 0, 0, 0, 0, 0, 0, DW_CFA_def_cfa_offset, 16);
	/* behind the end of the function */
	PROGRAM(0, " 2000:7+8", DW_CFA_advance_loc2, 0, 1, DW_CFA_def_cfa_offset, 16);
	/* an address does not go back: 0 bytes forward is no row, and 2^64 - 1 is not one backward */
	PROGRAM(0, " 2000:7+16", DW_CFA_advance_loc | 0, DW_CFA_def_cfa_offset, 16);
	PROGRAM(1, " 2000:lost", 0x1d, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
}

static void test_set_loc(void **state)
{
	struct cfi_writer w = { .is_eh = false };
	size_t cie = cfi_cie(&w, "");

	(void)state;
	cfi_fde(&w, cie, false, 0x2000, 0x100, CFI_BYTES(DW_CFA_set_loc, 0x10, 0x20, 0, 0, 0, 0, 0, 0, DW_CFA_def_cfa_offset, 16));
	cfi_fde(&w, cie, false, 0x3000, 0x100, CFI_BYTES(DW_CFA_set_loc, 0xff, 0x2f, 0, 0, 0, 0, 0, 0, DW_CFA_def_cfa_offset, 16));
	EXPECT(&w, 1, "[2000-2100] 2000:7+8 2010:7+16[3000-3100] 3000:lost");
}

static void test_cfa(void **state)
{
	(void)state;
	PROGRAM(0, " 2000:6+16", DW_CFA_def_cfa, 6, 16);
	PROGRAM(0, " 2000:6+16", DW_CFA_def_cfa_sf, 6, 0x7e);
	PROGRAM(0, " 2000:6+8", DW_CFA_def_cfa_register, 6);
	PROGRAM(0, " 2000:7-8", DW_CFA_def_cfa_offset_sf, 1);
	PROGRAM(0, " 2000:exp", DW_CFA_def_cfa_expression, 2, 5, 5);
	PROGRAM(0, " 2000:none", DW_CFA_def_cfa, 60, 16); /* a register that is not followed */
	/* half of a CFA where there is an expression */
	PROGRAM(1, " 2000:lost", DW_CFA_def_cfa_expression, 2, 5, 5, DW_CFA_def_cfa_offset, 8);
	PROGRAM(1, " 2000:lost", DW_CFA_def_cfa_expression, 2, 5, 5, DW_CFA_def_cfa_register, 8);
	PROGRAM(0, " 2000:7+8 2001:exp 2002:6+16", DW_CFA_advance_loc | 1, DW_CFA_def_cfa_expression, 1, 5, DW_CFA_advance_loc | 1,
		DW_CFA_def_cfa, 6, 16);
}

static void test_registers(void **state)
{
	(void)state;
	PROGRAM(0, " 2000:7+8,6=c-16", DW_CFA_offset | 6, 2);
	PROGRAM(0, " 2000:7+8,6=c-16", DW_CFA_offset_extended, 6, 2);
	PROGRAM(0, " 2000:7+8,6=c+8", DW_CFA_offset_extended_sf, 6, 0x7f);
	PROGRAM(0, " 2000:7+8,6=c+16", DW_CFA_GNU_negative_offset_extended, 6, 2);
	PROGRAM(0, " 2000:7+8,6=v-16", DW_CFA_val_offset, 6, 2);
	PROGRAM(0, " 2000:7+8,6=v+8", DW_CFA_val_offset_sf, 6, 0x7f);
	PROGRAM(0, " 2000:7+8,16=r+5", DW_CFA_register, 16, 5);
	PROGRAM(0, " 2000:7+8,16=u+0", DW_CFA_register, 16, 50);
	PROGRAM(0, " 2000:7+8,16=u+0", DW_CFA_undefined, 16);
	PROGRAM(0, " 2000:7+8,3=s+0", DW_CFA_same_value, 3);
	PROGRAM(0, " 2000:7+8,3=e+9", DW_CFA_expression, 3, 1, 9);
	PROGRAM(0, " 2000:7+8,3=E+9", DW_CFA_val_expression, 3, 1, 9);
	PROGRAM(0, " 2000:7+8", DW_CFA_offset | 17, 2); /* xmm0: not followed */
	PROGRAM(0, " 2000:7+8", DW_CFA_GNU_args_size, 0x80, 1);
	/* back to the CIE's rule, which is none or an offset */
	PROGRAM(0, " 2000:7+8,6=c-16 2001:7+8", DW_CFA_offset | 6, 2, DW_CFA_advance_loc | 1, DW_CFA_restore | 6);
	PROGRAM(0, " 2000:7+8,16=u+0 2001:7+8", DW_CFA_undefined, 16, DW_CFA_advance_loc | 1, DW_CFA_restore_extended, 16);
}

static void test_remember(void **state)
{
	uint8_t code[64];

	(void)state;
	PROGRAM(0, " 2000:7+8 2001:7+16,6=c-16 2002:7+8", DW_CFA_remember_state, DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16,
		DW_CFA_offset | 6, 2, DW_CFA_advance_loc | 1, DW_CFA_restore_state);
	PROGRAM(0, " 2000:7+8 2001:6+8 2002:7+8", DW_CFA_remember_state, DW_CFA_remember_state, DW_CFA_advance_loc | 1,
		DW_CFA_def_cfa_register, 6, DW_CFA_advance_loc | 1, DW_CFA_restore_state, DW_CFA_restore_state);
	PROGRAM(1, " 2000:lost", DW_CFA_restore_state);
	for (size_t depth = 32; depth <= 33; depth++) {
		struct cfi_writer w = { .is_eh = true };
		size_t cie = cfi_cie(&w, "zR");

		memset(code, DW_CFA_remember_state, depth);
		cfi_fde(&w, cie, true, 0x2000, 0x100, code, depth);
		EXPECT(&w, depth == 33, depth == 33 ? "[2000-2100] 2000:lost" : "[2000-2100] 2000:7+8");
	}
}

static void test_damaged_program(void **state)
{
	(void)state;
	PROGRAM(1, " 2000:7+8 2001:lost", DW_CFA_advance_loc | 1, 0x3b);
	PROGRAM(1, " 2000:7+8 2001:lost", DW_CFA_advance_loc | 1, DW_CFA_def_cfa, 7);
	PROGRAM(1, " 2000:lost", DW_CFA_def_cfa_expression, 9, 1);
	PROGRAM(1, " 2000:lost", DW_CFA_def_cfa_expression, 0x80, 0x80, 0x80, 0x80, 0x80, 1);
	PROGRAM(1, " 2000:lost", DW_CFA_expression, 3, 0); /* the sink has no room */
	PROGRAM(1, " 2000:lost", DW_CFA_def_cfa_offset, 0xff, 0xff, 0xff, 0xff, 0x7f);
	PROGRAM(1, " 2000:lost", DW_CFA_offset | 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);
	PROGRAM(1, " 2000:lost", 0x2d); /* arm64's */
}

static void test_arm64(void **state)
{
	struct cfi_writer w = { .is_eh = true };
	struct rows r = { .nr = 0 };

	(void)state;
	cfi_begin(&w);
	cfi_id(&w, true, 0);
	cfi_put(&w, CFI_BYTES(1, 'z', 'R', 'B', 0, 4, 0x78, 30, 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_CFA_def_cfa, 31, 0));
	cfi_end(&w);
	cfi_fde(&w, 0, true, 0x2000, 0x100,
		CFI_BYTES(DW_CFA_advance_loc | 1, 0x2d, DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 29, 4,
			  DW_CFA_offset | 30, 3, DW_CFA_offset_extended, 72, 2));
	assert_int_equal(parse(&arch_arm64, &w, &r), 0);
	assert_string_equal(r.text, "[2000-2100] 2000:31+0 2004:31+0 2008:31+32,29=c-32,30=c-24");
}

static void test_augmentations(void **state)
{
	static const char *const letters[] = { "zR", "zRS", "zPLR", "zLR", "zRB", "zRSq" };

	(void)state;
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		struct cfi_writer w = { .is_eh = true };
		size_t cie = cfi_cie(&w, letters[i]);

		cfi_fde(&w, cie, true, 0x2000, 0x100, CFI_BYTES(DW_CFA_nop));
		EXPECT(&w, 0, strchr(letters[i], 'S') ? "[2000-2100] 2000:7+8,signal" : "[2000-2100] 2000:7+8");
	}
	/* letters whose data nobody knows the size of */
	struct cfi_writer w = { .is_eh = true };
	size_t cie = cfi_cie(&w, "Q");

	cfi_fde(&w, cie, false, 0x2000, 0x100, CFI_BYTES(DW_CFA_nop));
	EXPECT(&w, 1, "");
}

static void test_encodings(void **state)
{
	static const struct {
		uint8_t encoding;
		uint8_t size;
		int64_t base;
	} cases[] = {
		{ DW_EH_PE_absptr, 8, 0 },
		{ DW_EH_PE_udata2, 2, 0 },
		{ DW_EH_PE_udata4, 4, 0 },
		{ DW_EH_PE_udata8, 8, 0 },
		{ DW_EH_PE_sdata2, 2, 0 },
		{ DW_EH_PE_sdata4, 4, 0 },
		{ DW_EH_PE_sdata8, 8, 0 },
		{ DW_EH_PE_textrel | DW_EH_PE_udata4, 4, 0x1000 },
		{ DW_EH_PE_datarel | DW_EH_PE_sdata4, 4, 0x1800 },
		{ DW_EH_PE_pcrel | DW_EH_PE_absptr, 8, -1 },
		{ DW_EH_PE_pcrel | DW_EH_PE_sdata2, 2, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cfi_writer w = { .is_eh = true };
		struct cfi_sink sink = { .begin = on_begin, .row = on_row, .intern_expr = on_expr };
		struct rows r = { .nr = 0 };
		struct cfi_section s;
		int64_t start;
		uint64_t size = 0x100;

		cfi_begin(&w);
		cfi_id(&w, true, 0);
		cfi_put(&w, CFI_BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, cases[i].encoding, DW_CFA_def_cfa, 7, 8));
		cfi_end(&w);
		cfi_begin(&w);
		cfi_id(&w, false, 0);
		start = 0x2000 - (cases[i].base < 0 ? 0x400 + (int64_t)w.nr : cases[i].base);
		cfi_put(&w, &start, cases[i].size);
		cfi_put(&w, &size, cases[i].size);
		cfi_put(&w, CFI_BYTES(2, 9, 9, DW_CFA_nop)); /* two bytes of a language's */
		cfi_end(&w);
		s = cfi_section_of(&w);
		s.vaddr = 0x400;
		s.text_vaddr = 0x1000;
		s.data_vaddr = 0x1800;
		sink.ctx = &r;
		assert_int_equal(cfi_parse(&s, &arch_x86_64, &sink), 0);
		assert_string_equal(r.text, "[2000-2100] 2000:7+8");
	}
}

/* .debug_frame, with 32-bit and 64-bit lengths and the three versions. */
static void test_debug_frame(void **state)
{
	(void)state;
	for (int is_64 = 0; is_64 < 2; is_64++) {
		for (int is_eh = 0; is_eh < 2; is_eh++) {
			struct cfi_writer w = { .is_eh = is_eh, .is_64 = is_64 };
			size_t cie;

			cfi_fde(&w, 7777, false, 0x9000, 0x10, CFI_BYTES(DW_CFA_nop)); /* names no CIE */
			cie = cfi_cie(&w, "");
			cfi_fde(&w, cie, false, 0x2000, 0x100, CFI_BYTES(DW_CFA_nop));
			EXPECT(&w, 1, "[2000-2100] 2000:7+8");
		}
	}
	for (uint8_t version = 3; version <= 4; version++) {
		struct cfi_writer w = { .is_eh = false };

		cfi_begin(&w);
		cfi_id(&w, true, 0);
		cfi_put(&w, CFI_BYTES(version, 0));
		if (version == 4)
			cfi_put(&w, CFI_BYTES(8, 0));
		cfi_put(&w, CFI_BYTES(1, 0x78, 0x90, 0, DW_CFA_def_cfa, 7, 8)); /* column 16 in two bytes */
		cfi_end(&w);
		cfi_fde(&w, 0, false, 0x2000, 0x100, CFI_BYTES(DW_CFA_nop));
		EXPECT(&w, 0, "[2000-2100] 2000:7+8");
	}
}

static void test_damaged_chain(void **state)
{
	struct cfi_writer w = { .is_eh = true }, cut;
	struct rows r = { .nr = 0 };
	size_t cie;

	(void)state;
	EXPECT(&w, 0, "");
	cie = cfi_cie(&w, "zR");
	cfi_fde(&w, cie, true, 0x2000, 0x100, CFI_BYTES(DW_CFA_nop));
	cfi_u32(&w, 0); /* the end of one object's list; another follows */
	cfi_fde(&w, cie, true, 0x3000, 0x100, CFI_BYTES(DW_CFA_nop));
	EXPECT(&w, 0, "[2000-2100] 2000:7+8[3000-3100] 3000:7+8");
	/* cut anywhere, any byte turned: no more than fewer rows */
	for (size_t size = 0; size < w.nr; size++) {
		cut = w;
		cut.nr = size;
		parse(&arch_x86_64, &cut, &r);
	}
	for (size_t i = 0; i < w.nr; i++) {
		for (int bit = 0; bit < 8; bit++) {
			cut = w;
			cut.v[i] ^= (uint8_t)(1 << bit);
			parse(&arch_x86_64, &cut, &r);
		}
	}
	/* ends that wrap around, a function of nothing */
	cut = (struct cfi_writer){ .is_eh = true };
	cie = cfi_cie(&cut, "");
	cfi_fde(&cut, cie, false, UINT64_MAX - 5, 0x100, CFI_BYTES(DW_CFA_nop));
	cfi_fde(&cut, cie, false, 0x2000, 0, CFI_BYTES(DW_CFA_nop));
	EXPECT(&cut, 1, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_location),    cmocka_unit_test(test_set_loc),	  cmocka_unit_test(test_cfa),
		cmocka_unit_test(test_registers),   cmocka_unit_test(test_remember),	  cmocka_unit_test(test_damaged_program),
		cmocka_unit_test(test_arm64),	    cmocka_unit_test(test_augmentations), cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_debug_frame), cmocka_unit_test(test_damaged_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
