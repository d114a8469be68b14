/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/unwind_expr: each operation, the expressions that compilers and linkers really write, and those that nobody should.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "symbols/unwind_walk.h"

#define MEMORY_START 0x1000
static const uint64_t memory[4] = { 0x1122334455667788, 42, 0xfedcba9876543210, 7 };

static bool reg(void *ctx, uint64_t nr, uint64_t *value)
{
	(void)ctx;
	*value = nr * 0x100;
	return nr <= 16 || nr == 40;
}

static bool read_word(void *ctx, uint64_t addr, uint64_t *value)
{
	(void)ctx;
	if (addr < MEMORY_START || addr > MEMORY_START + sizeof(memory) - 8)
		return false;
	memcpy(value, (const char *)memory + (addr - MEMORY_START), 8);
	return true;
}

static const struct unwind_expr_env env = { .reg = reg, .read = read_word, .word_bytes = 8 };

static uint64_t eval(const uint8_t *expr, size_t size, int want)
{
	uint64_t v, initial = 0x5000;

	assert_int_equal(unwind_expr_eval(expr, size, &env, &initial, &v), want);
	return v;
}
#define BYTES(...) ((const uint8_t[]){ __VA_ARGS__ }), sizeof((const uint8_t[]){ __VA_ARGS__ })
#define VALUE(...) eval(BYTES(__VA_ARGS__), 0)
#define FAILS(err, ...) assert_int_equal(eval(BYTES(__VA_ARGS__), err), 0)

static void test_constants(void **state)
{
	(void)state;
	assert_int_equal(VALUE(DW_OP_nop), 0x5000);
	assert_int_equal(VALUE(DW_OP_lit0), 0);
	assert_int_equal(VALUE(DW_OP_lit31), 31);
	assert_int_equal(VALUE(DW_OP_const1u, 0xff), 255);
	assert_int_equal(VALUE(DW_OP_const1s, 0xff), UINT64_MAX);
	assert_int_equal(VALUE(DW_OP_const2u, 0xfe, 0xff), 0xfffe);
	assert_int_equal(VALUE(DW_OP_const2s, 0xfe, 0xff), UINT64_MAX - 1);
	assert_int_equal(VALUE(DW_OP_const4u, 0, 0, 0, 0x80), 0x80000000);
	assert_int_equal(VALUE(DW_OP_const4s, 0, 0, 0, 0x80), 0xffffffff80000000);
	assert_int_equal(VALUE(DW_OP_const8u, 1, 2, 3, 4, 5, 6, 7, 8), 0x0807060504030201);
	assert_int_equal(VALUE(DW_OP_constu, 0x80, 1), 128);
	assert_int_equal(VALUE(DW_OP_consts, 0x7f), UINT64_MAX);
	assert_int_equal(VALUE(DW_OP_plus_uconst, 0x10), 0x5010);
	assert_int_equal(VALUE(DW_OP_breg7, 8), 0x708);
	assert_int_equal(VALUE(DW_OP_breg6, 0x78), 0x5f8);
	assert_int_equal(VALUE(DW_OP_bregx, 40, 1), 0x2801);
}

static void test_stack(void **state)
{
	(void)state;
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit2, DW_OP_dup, DW_OP_plus), 4);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit2, DW_OP_drop), 1);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit2, DW_OP_over), 1);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_pick, 2), 1);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit2, DW_OP_swap), 1);
	/* 1 2 3, 3 on top → 3 1 2 */
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot), 2);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop), 1);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop, DW_OP_drop), 3);
	assert_int_equal(VALUE(DW_OP_const2u, 0x08, 0x10, DW_OP_deref), 42);
	assert_int_equal(VALUE(DW_OP_const2u, 0x00, 0x10, DW_OP_deref_size, 2), 0x7788);
	/* the last bytes of memory: no whole word begins there */
	assert_int_equal(VALUE(DW_OP_const2u, 0x1c, 0x10, DW_OP_deref_size, 4), 0);
	assert_int_equal(VALUE(DW_OP_const2u, 0x14, 0x10, DW_OP_deref_size, 4), 0xfedcba98);
}

static void test_arithmetic(void **state)
{
	(void)state;
#define TWO(a, b, op) VALUE(DW_OP_const1s, (uint8_t)(a), DW_OP_const1s, (uint8_t)(b), op)
	assert_int_equal(TWO(6, 3, DW_OP_and), 2);
	assert_int_equal(TWO(6, 3, DW_OP_or), 7);
	assert_int_equal(TWO(6, 3, DW_OP_xor), 5);
	assert_int_equal(TWO(6, 3, DW_OP_plus), 9);
	assert_int_equal(TWO(6, 9, DW_OP_minus), (uint64_t)-3);
	assert_int_equal(TWO(6, -9, DW_OP_mul), (uint64_t)-54);
	assert_int_equal(TWO(-7, 2, DW_OP_div), (uint64_t)-3);
	assert_int_equal(TWO(-7, -1, DW_OP_div), 7);
	assert_int_equal(TWO(7, 4, DW_OP_mod), 3);
	assert_int_equal(TWO(1, 3, DW_OP_shl), 8);
	assert_int_equal(TWO(1, 64, DW_OP_shl), 0);
	assert_int_equal(TWO(-1, 63, DW_OP_shr), 1);
	assert_int_equal(TWO(-8, 1, DW_OP_shra), (uint64_t)-4);
	assert_int_equal(TWO(-8, 100, DW_OP_shra), UINT64_MAX);
	assert_int_equal(TWO(-1, 1, DW_OP_lt), 1);
	assert_int_equal(TWO(1, 1, DW_OP_le), 1);
	assert_int_equal(TWO(-1, 1, DW_OP_gt), 0);
	assert_int_equal(TWO(1, -1, DW_OP_ge), 1);
	assert_int_equal(TWO(1, 1, DW_OP_eq), 1);
	assert_int_equal(TWO(1, 1, DW_OP_ne), 0);
	assert_int_equal(VALUE(DW_OP_const1s, 0xfb, DW_OP_abs), 5);
	assert_int_equal(VALUE(DW_OP_lit5, DW_OP_neg), (uint64_t)-5);
	assert_int_equal(VALUE(DW_OP_lit0, DW_OP_not), UINT64_MAX);
	assert_int_equal(VALUE(DW_OP_lit1, DW_OP_bra, 1, 0, DW_OP_lit9, DW_OP_lit3), 3);
	assert_int_equal(VALUE(DW_OP_lit0, DW_OP_bra, 1, 0, DW_OP_lit9), 9);
	assert_int_equal(VALUE(DW_OP_skip, 1, 0, DW_OP_lit9), 0x5000);
}

/* The linker's expression for PLT stubs: rsp + 8, and 8 more behind the push, 11 bytes into each stub of 16. */
static void test_plt(void **state)
{
	const uint8_t plt[] = { DW_OP_breg7, 8,	       DW_OP_breg16, 0,		DW_OP_lit15, DW_OP_and,
				DW_OP_lit11, DW_OP_ge, DW_OP_lit3,   DW_OP_shl, DW_OP_plus };
	uint64_t v;

	(void)state;
	/* register 16 is 0x1000: at the beginning of a stub */
	assert_int_equal(unwind_expr_eval(plt, sizeof(plt), &env, NULL, &v), 0);
	assert_int_equal(v, 0x708);
}

static void test_damage(void **state)
{
	uint8_t deep[100];
	uint64_t v;

	(void)state;
	assert_int_equal(unwind_expr_eval(NULL, 0, &env, NULL, &v), -EBADMSG);
	FAILS(-EBADMSG, DW_OP_plus);
	FAILS(-EBADMSG, DW_OP_drop, DW_OP_drop);
	FAILS(-EBADMSG, DW_OP_const4u, 1, 2);
	FAILS(-EBADMSG, DW_OP_constu, 0x80);
	FAILS(-EBADMSG, DW_OP_pick, 1);
	FAILS(-EBADMSG, DW_OP_lit1, DW_OP_lit0, DW_OP_div);
	FAILS(-EBADMSG, DW_OP_lit1, DW_OP_lit0, DW_OP_mod);
	FAILS(-EBADMSG, DW_OP_skip, 0x00, 0x80);
	FAILS(-EBADMSG, DW_OP_skip, 0x01, 0x00);
	FAILS(-EBADMSG, DW_OP_skip, 0xfd, 0xff); /* for ever */
	FAILS(-EBADMSG, DW_OP_reg3);
	FAILS(-EBADMSG, DW_OP_piece, 8);
	FAILS(-EBADMSG, DW_OP_call_frame_cfa);
	FAILS(-EBADMSG, DW_OP_lit8, DW_OP_deref_size, 9);
	FAILS(-ENODATA, DW_OP_bregx, 41, 0);
	FAILS(-EFAULT, DW_OP_lit8, DW_OP_deref);
	memset(deep, DW_OP_lit1, sizeof(deep));
	assert_int_equal(eval(deep, sizeof(deep), -EBADMSG), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constants), cmocka_unit_test(test_stack),	 cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_plt),	  cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
