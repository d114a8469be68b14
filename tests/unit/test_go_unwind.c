/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/go_unwind.h: rows of a made-up Go table (go_table.h), where stacks change by a given code, and walks by them. Tables of real
 * programs are compared with their .debug_frame by tests/oracle/unwind_go_vs_readelf.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "go_table.h"
#include "symbols/unwind.h"
#include "symbols/unwind_build.h"
#include "symbols/unwind_rule.h"

static const enum go_layout layouts[] = { GO_1_2, GO_1_16, GO_1_18, GO_1_20 };

#define OFFSET 0x1000u /* of GO_TEXT in the file */
#define FLAG_TOP 1
#define FLAG_WRITES_SP 2

enum { X86_RBX = 3, X86_RBP = 6, X86_RSP = 7, X86_R12 = 12, X86_RA = 16, ARM_X20 = 20, ARM_LR = 30, ARM_SP = 31 };

struct program {
	struct go_table table;
	uint8_t code[0x60];
};

static size_t read_code(const void *ctx, uint64_t vaddr, void *buf, size_t size)
{
	const struct program *p = ctx;
	size_t at = (size_t)(vaddr - GO_TEXT), left = sizeof(p->code) - at;

	assert_true(vaddr >= GO_TEXT && at < sizeof(p->code));
	memcpy(buf, p->code + at, size < left ? size : left);
	return size < left ? size : left;
}

static struct unwind_table *build(const struct arch_ops *arch, const struct program *p)
{
	struct unwind_input in = { .arch = arch, .nr_segments = 1, .segments = { { GO_TEXT, 0x100, OFFSET } } };
	struct go_unwind go = { .arch = arch, .read = read_code, .ctx = p };
	struct unwind_table *t;
	struct go_pclntab pclntab;

	assert_int_equal(go_pclntab_init(&pclntab, p->table.bytes, p->table.size, p->table.swap), 0);
	go.table = &pclntab;
	in.go = &go;
	t = unwind_build(&in);
	assert_non_null(t);
	return t;
}

static const struct unwind_rule *rule_at(const struct unwind_table *t, uint32_t at)
{
	uint32_t rule = unwind_table_find(t, OFFSET + at);

	return rule == UNWIND_GAP ? NULL : unwind_table_rule(t, rule);
}

static void assert_rule(const struct unwind_table *t, uint32_t at, uint8_t cfa_reg, int32_t cfa, uint8_t ra, int32_t saved)
{
	const struct unwind_rule *r = rule_at(t, at);

	assert_non_null(r);
	assert_int_equal(r->flags & RULE_OUTERMOST, 0);
	assert_int_equal(r->cfa_reg, cfa_reg);
	assert_int_equal(r->cfa_value, cfa);
	assert_int_equal(r->ra, ra);
	assert_int_equal(r->nr_regs, saved ? 1 : 0);
	if (saved) {
		assert_int_equal(r->regs[0].reg, ra);
		assert_int_equal(r->regs[0].how, HOW_OFFSET);
		assert_int_equal(r->regs[0].value, saved);
	}
}

static void assert_outermost(const struct unwind_table *t, uint32_t from, uint32_t to)
{
	for (uint32_t at = from; at < to; at++)
		assert_int_equal(unwind_table_cover(t, OFFSET + at), UNWIND_OUTERMOST);
	assert_int_not_equal(unwind_table_cover(t, OFFSET + from - 1), UNWIND_OUTERMOST);
	assert_int_not_equal(unwind_table_cover(t, OFFSET + to), UNWIND_OUTERMOST);
}

static void test_rows(void **state)
{
	struct program p = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct unwind_table *t;

		go_table_make(&p.table, layouts[i], 8, false);
		t = build(&arch_x86_64, &p);
		assert_rule(t, 0, X86_RSP, 8, X86_RA, -8);
		assert_rule(t, 3, X86_RSP, 8, X86_RA, -8);
		assert_rule(t, 4, X86_RSP, 40, X86_RA, -8);
		assert_rule(t, 0x3b, X86_RSP, 40, X86_RA, -8);
		assert_rule(t, 0x3c, X86_RSP, 8, X86_RA, -8);
		assert_rule(t, 0x5f, X86_RSP, 8, X86_RA, -8);
		assert_null(rule_at(t, 0x60));
		unwind_table_free(t);
		/* The link register is at the bottom of a frame. */
		t = build(&arch_arm64, &p);
		assert_rule(t, 0, ARM_SP, 0, ARM_LR, 0);
		assert_rule(t, 4, ARM_SP, 32, ARM_LR, -32);
		unwind_table_free(t);
		/* A table of a 32-bit program says nothing of one of 64 bits. */
		go_table_make(&p.table, layouts[i], 4, false);
		t = build(&arch_x86_64, &p);
		assert_null(rule_at(t, 4));
		unwind_table_free(t);
	}
}

/* What is no size of a frame is a gap; so is what the values do not reach. */
static void test_damaged_values(void **state)
{
	struct program p = { 0 };
	struct unwind_table *t;
	uint8_t *values;

	(void)state;
	go_table_make(&p.table, GO_1_18, 8, false);
	values = memmem(p.table.bytes, p.table.size, go_sp_outer, sizeof(go_sp_outer));
	assert_non_null(values);
	values[2] = 66; /* 33 bytes */
	t = build(&arch_x86_64, &p);
	assert_rule(t, 0, X86_RSP, 8, X86_RA, -8);
	assert_null(rule_at(t, 4));
	unwind_table_free(t);
	values[2] = 0;
	t = build(&arch_x86_64, &p);
	assert_rule(t, 3, X86_RSP, 8, X86_RA, -8);
	assert_null(rule_at(t, 4));
	assert_null(rule_at(t, 0x3f));
	assert_rule(t, 0x40, X86_RSP, 8, X86_RA, -8);
	unwind_table_free(t);
}

static void test_end(void **state)
{
	struct program p = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct unwind_table *t;

		go_table_make(&p.table, layouts[i], 8, false);
		go_put(p.table.bytes + p.table.name_at[1], p.table.other_name, 4, false);
		t = build(&arch_x86_64, &p);
		assert_outermost(t, 0x40, 0x60);
		unwind_table_free(t);
	}
	/* The top of Go's traces has a caller all the same where it is a signal's handler, or called by C code. */
	go_table_make(&p.table, GO_1_20, 8, false);
	p.table.bytes[p.table.flags_at[0]] = FLAG_TOP;
	struct unwind_table *t = build(&arch_x86_64, &p);

	assert_rule(t, 4, X86_RSP, 40, X86_RA, -8);
	unwind_table_free(t);
}

static void make_switch(struct program *p)
{
	memset(p, 0, sizeof(*p));
	go_table_make(&p->table, GO_1_18, 8, false);
	p->table.bytes[p->table.flags_at[0]] = FLAG_WRITES_SP;
}

static void put_code(struct program *p, size_t at, uint32_t nr, const uint8_t *bytes)
{
	memcpy(p->code + at, bytes, nr);
}

#define CODE(p, at, ...) put_code(p, at, sizeof((uint8_t[]){ __VA_ARGS__ }), (uint8_t[]){ __VA_ARGS__ })

static void put_word(struct program *p, size_t at, uint32_t word)
{
	memcpy(p->code + at, &word, 4);
}

static void test_switch(void **state)
{
	struct unwind_table *t;
	struct program p;

	(void)state;
	/* there and back */
	make_switch(&p);
	CODE(&p, 0x10, 0x48, 0x89, 0xdc);	/* mov %rbx, %rsp */
	CODE(&p, 0x20, 0x48, 0x8b, 0x60, 0x38); /* mov 0x38(%rax), %rsp */
	t = build(&arch_x86_64, &p);
	assert_outermost(t, 0x13, 0x24);
	assert_rule(t, 0x12, X86_RSP, 40, X86_RA, -8);
	assert_rule(t, 0x24, X86_RSP, 40, X86_RA, -8);
	unwind_table_free(t);
	/* for good */
	make_switch(&p);
	CODE(&p, 0x10, 0x48, 0x8b, 0x60, 0x38);
	CODE(&p, 0x48, 0x48, 0x89, 0xdc); /* of another function, which does not say so */
	t = build(&arch_x86_64, &p);
	assert_outermost(t, 0x14, 0x40);
	unwind_table_free(t);
	/* moves from the stack pointer, and additions, are no changes */
	make_switch(&p);
	CODE(&p, 0x10, 0x48, 0x89, 0xe2); /* mov %rsp, %rdx */
	CODE(&p, 0x14, 0x48, 0x83, 0xec, 0x18);
	CODE(&p, 0x18, 0x48, 0x8d, 0x64, 0x24, 0x08); /* lea 8(%rsp), %rsp */
	t = build(&arch_x86_64, &p);
	assert_rule(t, 0x30, X86_RSP, 40, X86_RA, -8);
	unwind_table_free(t);
	/* arm64 */
	make_switch(&p);
	put_word(&p, 0x10, 0x9100007f); /* mov sp, x3 */
	put_word(&p, 0x14, 0xd10043ff); /* sub sp, sp, #16 */
	put_word(&p, 0x20, 0x9100001f); /* mov sp, x0 */
	t = build(&arch_arm64, &p);
	assert_outermost(t, 0x14, 0x24);
	unwind_table_free(t);
}

/* Of an architecture whose instructions are not read the whole function is the end. */
static void test_unread_code(void **state)
{
	struct program p = { 0 };
	struct unwind_table *t;

	(void)state;
	assert_null(arch_i386.sp_use);
	go_table_make(&p.table, GO_1_20, 4, false);
	p.table.bytes[p.table.flags_at[1]] = FLAG_WRITES_SP;
	t = build(&arch_i386, &p);
	assert_rule(t, 4, arch_i386.sp, 36, arch_i386.ra, -4);
	assert_outermost(t, 0x40, 0x60);
	unwind_table_free(t);
}

static void make_kept(struct program *p)
{
	make_switch(p);
	CODE(p, 0x08, 0x49, 0x89, 0xe4);       /* mov %rsp, %r12 */
	CODE(p, 0x10, 0x48, 0x8b, 0x62, 0x38); /* mov 0x38(%rdx), %rsp */
	CODE(p, 0x18, 0x48, 0x83, 0xe4, 0xf0); /* and $-16, %rsp */
	CODE(p, 0x30, 0x4c, 0x89, 0xe4);       /* mov %r12, %rsp */
}

static void test_kept(void **state)
{
	struct unwind_table *t;
	struct program p;

	(void)state;
	make_kept(&p);
	t = build(&arch_x86_64, &p);
	assert_rule(t, 0x0a, X86_RSP, 40, X86_RA, -8);
	assert_rule(t, 0x0b, X86_R12, 40, X86_RA, -8);
	assert_rule(t, 0x3f, X86_R12, 40, X86_RA, -8);
	assert_true(rule_at(t, 0x0b)->flags & RULE_SWITCH);
	assert_rule(t, 0x40, X86_RSP, 8, X86_RA, -8);
	unwind_table_free(t);
	/* a frame pointer is given back */
	make_switch(&p);
	CODE(&p, 0x08, 0x48, 0x89, 0xe5); /* mov %rsp, %rbp */
	CODE(&p, 0x10, 0x48, 0x83, 0xe4, 0xf0);
	CODE(&p, 0x30, 0x48, 0x89, 0xec); /* mov %rbp, %rsp */
	t = build(&arch_x86_64, &p);
	assert_rule(t, 0x0b, X86_RBP, 40, X86_RA, -8);
	assert_rule(t, 0x32, X86_RBP, 40, X86_RA, -8);
	assert_rule(t, 0x33, X86_RSP, 40, X86_RA, -8);
	unwind_table_free(t);
	/* arm64 */
	make_switch(&p);
	put_word(&p, 0x08, 0x910003f4); /* mov x20, sp */
	put_word(&p, 0x10, 0x9100003f); /* mov sp, x1 */
	put_word(&p, 0x30, 0x9100029f); /* mov sp, x20 */
	t = build(&arch_arm64, &p);
	assert_rule(t, 0x0c, ARM_X20, 32, ARM_LR, -32);
	unwind_table_free(t);
}

#define MAP 0x10000000u /* where the file is mapped, by its offset */
#define STACK 0x7fff0000u
#define OTHER 0x7000f000u

struct memory {
	const struct unwind_table *table;
	uint64_t stack[32], other[16];
	bool has_other;
};

static bool read_memory(void *ctx, uint64_t addr, uint64_t *value)
{
	struct memory *m = ctx;

	if (!m->has_other || addr < OTHER || addr - OTHER >= sizeof(m->other))
		return false;
	*value = m->other[(addr - OTHER) / 8];
	return true;
}

static bool find_map(void *ctx, uint64_t ip, struct unwind_module *module)
{
	struct memory *m = ctx;

	*module = (struct unwind_module){ m->table, MAP, MAP + 0x10000, 0 };
	return ip >= MAP && ip < MAP + 0x10000;
}

static uint32_t walk(struct memory *m, uint64_t r12, uint64_t *ips, struct unwind_result *result)
{
	struct unwind_access access = { .ctx = m,
					.read = read_memory,
					.find = find_map,
					.stack = (const uint8_t *)m->stack,
					.stack_start = STACK,
					.stack_size = sizeof(m->stack) };
	struct unwind_regs regs = { .pc = MAP + OFFSET + 0x20 };

	regs.v[X86_RSP] = STACK;
	regs.v[X86_R12] = r12;
	regs.valid = UINT64_C(1) << X86_RSP | UINT64_C(1) << X86_R12;
	return unwind_walk(&arch_x86_64, &regs, &access, ips, 8, result);
}

/* The caller's frame by the register that has the stack pointer of before: on this stack, on one that is not known, and on one that is. */
static void test_walk_by_kept(void **state)
{
	struct memory m = { 0 };
	struct unwind_result result;
	struct unwind_table *t;
	struct program p;
	uint64_t ips[8];

	(void)state;
	make_kept(&p);
	go_put(p.table.bytes + p.table.name_at[1], p.table.other_name, 4, false);
	m.table = t = build(&arch_x86_64, &p);
	m.stack[6 + 4] = m.other[4] = MAP + OFFSET + 0x41; /* goexit */
	assert_int_equal(walk(&m, STACK + 48, ips, &result), 2);
	assert_int_equal(ips[1], MAP + OFFSET + 0x40);
	assert_int_equal(result.end, UNWIND_COMPLETE);
	assert_int_equal(walk(&m, OTHER, ips, &result), 1);
	assert_int_equal(result.end, UNWIND_COMPLETE);
	assert_false(result.guessed);
	m.has_other = true;
	assert_int_equal(walk(&m, OTHER, ips, &result), 2);
	assert_int_equal(ips[1], MAP + OFFSET + 0x40);
	assert_int_equal(result.end, UNWIND_COMPLETE);
	/* On this stack, above what was dumped: a larger dump would have it. */
	assert_int_equal(walk(&m, STACK + sizeof(m.stack), ips, &result), 1);
	assert_int_equal(result.end, UNWIND_TRUNCATED);
	unwind_table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),	     cmocka_unit_test(test_damaged_values), cmocka_unit_test(test_end),
		cmocka_unit_test(test_switch),	     cmocka_unit_test(test_unread_code),    cmocka_unit_test(test_kept),
		cmocka_unit_test(test_walk_by_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
