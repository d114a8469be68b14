/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "symbols/unwind.h"

static void test_x86_64(void **state)
{
	uint64_t raw[27];
	struct unwind_regs r;

	(void)state;
	for (int i = 0; i < 27; i++)
		raw[i] = 100 + (uint64_t)i;
	assert_int_equal(arch_x86_64.nr_thread_regs * 8, sizeof(raw));
	assert_true(unwind_regs_decode(&arch_x86_64, raw, sizeof(raw), &r));
	assert_int_equal(r.pc, 116);
	assert_int_equal(r.v[arch_x86_64.sp], 119);
	assert_int_equal(r.v[arch_x86_64.fp], 104);
	assert_int_equal(r.v[3], 105);	/* bx */
	assert_int_equal(r.v[0], 110);	/* ax */
	assert_int_equal(r.v[15], 100); /* r15 */
	assert_int_equal(r.valid, 0xffff);
	assert_false(unwind_regs_decode(&arch_x86_64, raw, sizeof(raw) - 1, &r));
}

static void test_arm64(void **state)
{
	uint64_t raw[34];
	struct unwind_regs r;

	(void)state;
	for (int i = 0; i < 34; i++)
		raw[i] = 100 + (uint64_t)i;
	assert_int_equal(arch_arm64.nr_thread_regs * 8, sizeof(raw));
	assert_true(unwind_regs_decode(&arch_arm64, raw, sizeof(raw), &r));
	assert_int_equal(r.pc, 132);
	assert_int_equal(r.v[arch_arm64.sp], 131);
	assert_int_equal(r.v[arch_arm64.fp], 129);
	assert_int_equal(r.v[arch_arm64.lr], 130);
	assert_int_equal(r.valid, 0xffffffff);
}

static void test_unknown(void **state)
{
	struct unwind_regs r;

	(void)state;
	assert_int_equal(arch_i386.nr_thread_regs, 0);
	assert_false(unwind_regs_decode(&arch_i386, "", 0, &r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86_64),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
