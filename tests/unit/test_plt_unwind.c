/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/unwind_build.h: stubs as linkers write them, with the rows that GNU's linkers give theirs (x86: the return address below one word,
 * two behind the push), and what is no stub.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbols/unwind_build.h"
#include "symbols/unwind_rule.h"

#define VADDR 0x2000u
#define OFFSET 0x1000u

static struct unwind_table *build(const struct arch_ops *arch, const void *code, size_t size)
{
	struct unwind_input in = { .arch = arch, .nr_segments = 1, .segments = { { VADDR, 0x1000, OFFSET } }, .nr_plts = 1 };
	struct unwind_table *t;

	in.plts[0] = (struct plt_section){ code, size, VADDR };
	t = unwind_build(&in);
	assert_non_null(t);
	return t;
}

/* Within [from, to) the CFA is that far above the stack pointer, and the return address is below it, or in the link register. */
static void assert_rows(const struct unwind_table *t, const struct arch_ops *arch, uint32_t from, uint32_t to, int32_t cfa)
{
	for (uint32_t at = from; at < to; at++) {
		uint32_t rule = unwind_table_find(t, OFFSET + at);
		const struct unwind_rule *r = unwind_table_rule(t, rule);

		assert_int_not_equal(rule, UNWIND_GAP);
		assert_int_equal(r->cfa_reg, arch->sp);
		assert_int_equal(r->cfa_value, cfa);
		assert_int_equal(r->ra, arch->ra);
		assert_int_equal(r->nr_regs, cfa ? 1 : 0);
		if (cfa) {
			assert_int_equal(r->regs[0].how, HOW_OFFSET);
			assert_int_equal(r->regs[0].value, -(int32_t)arch->word_bytes);
		}
	}
}

static void assert_gap(const struct unwind_table *t, uint32_t from, uint32_t to)
{
	for (uint32_t at = from; at < to; at++)
		assert_int_equal(unwind_table_find(t, OFFSET + at), UNWIND_GAP);
}

static const uint8_t lazy[] = {
	0xff, 0x35, 0xe2, 0x2f, 0, 0, 0xff, 0x25, 0xe4, 0x2f, 0, 0,    0x0f, 0x1f, 0x40, 0x00, /* push GOT+8; jmp *GOT+16 */
	0xff, 0x25, 0xe2, 0x2f, 0, 0, 0x68, 0,	  0,	0,    0, 0xe9, 0xe0, 0xff, 0xff, 0xff, /* jmp *SLOT; push $0; jmp head */
	0xff, 0x25, 0xda, 0x2f, 0, 0, 0x68, 1,	  0,	0,    0, 0xe9, 0xd0, 0xff, 0xff, 0xff,
};

static void test_lazy(void **state)
{
	const struct arch_ops *archs[] = { &arch_x86_64, &arch_i386 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct unwind_table *t = build(archs[i], lazy, sizeof(lazy));
		int32_t word = archs[i]->word_bytes;

		assert_rows(t, archs[i], 0, 6, 2 * word);
		assert_rows(t, archs[i], 6, 16, 3 * word);
		for (uint32_t stub = 16; stub < 48; stub += 16) {
			assert_rows(t, archs[i], stub, stub + 11, word);
			assert_rows(t, archs[i], stub + 11, stub + 16, 2 * word);
		}
		assert_gap(t, 48, 64);
		unwind_table_free(t);
	}
}

/* Code for -fcf-protection: .plt has the lazy halves, .plt.sec the jumps; .plt.got, the stubs of mold, and those with bnd prefixes. */
static void test_variants(void **state)
{
	static const uint8_t code[] = {
		0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0, 0,    0,    0,	   0xf2, 0xe9, 0xe1, 0xff, 0xff, 0xff, 0x90, 0xf3, 0x0f, 0x1e, 0xfa,
		0xf2, 0xff, 0x25, 0xad, 0x2f, 0, 0,    0x0f, 0x1f, 0x44, 0,    0,    0xff, 0x25, 0x8a, 0x2f, 0,	   0,	 0x66, 0x90,
		0xff, 0x25, 0x82, 0x2f, 0,    0, 0x66, 0x90, 0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0xbb, 0,    0,    0,	   0,	 0xff, 0x25,
		0x8a, 0x2f, 0,	  0,	0x68, 0, 0,    0,    0,	   0xf2, 0xe9, 0xe1, 0xff, 0xff, 0xff, 0x0f, 0x1f, 0x44, 0,    0,
	};
	struct unwind_table *t = build(&arch_x86_64, code, sizeof(code));

	(void)state;
	assert_rows(t, &arch_x86_64, 0, 9, 8);
	assert_rows(t, &arch_x86_64, 9, 16, 16);
	assert_rows(t, &arch_x86_64, 16, 64, 8);
	assert_rows(t, &arch_x86_64, 64, 69, 8);
	assert_rows(t, &arch_x86_64, 69, 80, 16);
	unwind_table_free(t);
}

static void test_arm64(void **state)
{
	static const uint32_t code[] = {
		0xa9bf7bf0, 0x90000090, 0xf947fe11, 0x913fe210, 0xd61f0220, 0xd503201f, 0xd503201f, 0xd503201f, 0xb0000090,
		0xf9400211, 0x91000210, 0xd61f0220, 0xd503245f, 0xb0000090, 0xf9400611, 0x91002210, 0xd503219f, 0xd61f0220,
	};
	struct unwind_table *t = build(&arch_arm64, code, sizeof(code));

	(void)state;
	assert_rows(t, &arch_arm64, 0, 4, 0);
	assert_rows(t, &arch_arm64, 4, 20, 16);
	assert_gap(t, 20, 32);
	assert_rows(t, &arch_arm64, 32, 72, 0);
	unwind_table_free(t);
}

/* Retpolines call: the return address is anywhere. Stubs that are cut by the end of the section are of no use either. */
static void test_not_understood(void **state)
{
	static const uint8_t retpoline[] = { 0x4c, 0x8b, 0x1d, 0x11, 0x22, 0, 0, 0xe8, 0x14, 0, 0, 0, 0xf3, 0x90, 0x0f, 0xae };
	static const uint32_t arm64[] = { 0xd503245f, 0x90000090, 0xf947fe11, 0x913fe210 };
	struct unwind_table *t = build(&arch_x86_64, retpoline, sizeof(retpoline));

	(void)state;
	assert_gap(t, 0, 16);
	unwind_table_free(t);
	for (size_t size = 0; size < 6; size++) {
		t = build(&arch_x86_64, lazy + 16, size);
		assert_gap(t, 0, 16);
		unwind_table_free(t);
	}
	for (size_t size = 0; size <= sizeof(arm64); size++) {
		t = build(&arch_arm64, arm64, size);
		assert_gap(t, 0, 16);
		unwind_table_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lazy),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_not_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
