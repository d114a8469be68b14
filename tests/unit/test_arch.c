/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * arch/: the tables agree with themselves and, for this machine, with the kernel's and libc's headers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <asm/perf_regs.h>
#include <elf.h>
#include <signal.h>
#include <string.h>
#include <sys/utsname.h>
#include <ucontext.h>

#include "arch/arch.h"

static void test_find(void **state)
{
	struct utsname u;

	(void)state;
	assert_ptr_equal(arch_find("x86_64"), &arch_x86_64);
	assert_ptr_equal(arch_find("amd64"), &arch_x86_64);
	assert_ptr_equal(arch_find("aarch64"), &arch_arm64);
	assert_ptr_equal(arch_find("arm64"), &arch_arm64);
	assert_null(arch_find("riscv64"));
	assert_null(arch_find(""));
	assert_ptr_equal(arch_find_machine(EM_X86_64), &arch_x86_64);
	assert_ptr_equal(arch_find_machine(EM_AARCH64), &arch_arm64);
	assert_ptr_equal(arch_find_machine(EM_386), &arch_i386);
	assert_ptr_equal(arch_find("i686"), &arch_i386);
	assert_ptr_equal(arch_x86_64.narrow, &arch_i386);
	assert_null(arch_find_machine(EM_ARM));
	assert_null(arch_find("i"));
	assert_int_equal(uname(&u), 0);
	assert_ptr_equal(arch_find(u.machine), arch_native());
}

/* Every register that unwinding follows comes out of a sample, each once; the pc by itself. */
static void check_registers(const struct arch_ops *a)
{
	uint64_t seen = 0;

	assert_true(a->nr_regs <= ARCH_MAX_REGS);
	assert_int_equal(a->dwarf_of_perf[a->perf_pc], ARCH_NO_REG);
	assert_true(a->perf_regs >> a->perf_pc & 1);
	for (uint32_t bit = 0; bit < 64; bit++) {
		uint8_t nr = a->dwarf_of_perf[bit];

		if (nr == ARCH_NO_REG)
			continue;
		assert_true(nr < a->nr_regs);
		assert_true(a->perf_regs >> bit & 1);
		assert_false(seen >> nr & 1);
		seen |= UINT64_C(1) << nr;
	}
	for (uint32_t nr = 0; nr < a->nr_regs; nr++)
		assert_true((seen >> nr & 1) || (nr == a->ra && a->lr == ARCH_NO_REG));
	assert_true(a->callee_saved >> a->fp & 1);
	assert_true(a->callee_saved >> a->sp & 1);
	if (a->lr != ARCH_NO_REG)
		assert_false(a->callee_saved >> a->lr & 1);
	assert_non_null(a->sigframe);
	assert_true(a->sigframe[a->sp] && a->sigframe[a->fp] && a->sigframe[a->sigframe_pc]);
}

static void test_registers(void **state)
{
	(void)state;
	check_registers(&arch_x86_64);
	check_registers(&arch_arm64);
	check_registers(&arch_i386);
}

#ifdef __x86_64__
static void test_headers(void **state)
{
	const uint8_t *of = arch_x86_64.dwarf_of_perf;

	(void)state;
	assert_int_equal(of[PERF_REG_X86_AX], 0);
	assert_int_equal(of[PERF_REG_X86_DX], 1);
	assert_int_equal(of[PERF_REG_X86_CX], 2);
	assert_int_equal(of[PERF_REG_X86_BX], 3);
	assert_int_equal(of[PERF_REG_X86_SI], 4);
	assert_int_equal(of[PERF_REG_X86_DI], 5);
	assert_int_equal(of[PERF_REG_X86_BP], arch_x86_64.fp);
	assert_int_equal(of[PERF_REG_X86_SP], arch_x86_64.sp);
	for (int i = 0; i < 8; i++)
		assert_int_equal(of[PERF_REG_X86_R8 + i], 8 + i);
	assert_int_equal(arch_x86_64.perf_pc, PERF_REG_X86_IP);
#define AT(reg) (offsetof(ucontext_t, uc_mcontext.gregs) + (reg) * sizeof(greg_t))
	assert_int_equal(arch_x86_64.sigframe[3], AT(REG_RBX));
	assert_int_equal(arch_x86_64.sigframe[6], AT(REG_RBP));
	assert_int_equal(arch_x86_64.sigframe[7], AT(REG_RSP));
	assert_int_equal(arch_x86_64.sigframe[8], AT(REG_R8));
	assert_int_equal(arch_x86_64.sigframe[15], AT(REG_R15));
	assert_int_equal(arch_x86_64.sigframe[16], AT(REG_RIP));
}
#else
static void test_headers(void **state)
{
	(void)state;
	assert_int_equal(arch_arm64.dwarf_of_perf[PERF_REG_ARM64_LR], arch_arm64.lr);
	assert_int_equal(arch_arm64.dwarf_of_perf[PERF_REG_ARM64_SP], arch_arm64.sp);
	assert_int_equal(arch_arm64.dwarf_of_perf[PERF_REG_ARM64_X29], arch_arm64.fp);
	assert_int_equal(arch_arm64.perf_pc, PERF_REG_ARM64_PC);
	/* struct rt_sigframe: siginfo, then the context */
#define AT(field) (sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext.field))
	assert_int_equal(arch_arm64.sigframe[0], AT(regs[0]));
	assert_int_equal(arch_arm64.sigframe[30], AT(regs[30]));
	assert_int_equal(arch_arm64.sigframe[31], AT(sp));
	assert_int_equal(arch_arm64.sigframe[32], AT(pc));
}
#endif

#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

/* What stands in front of a return address. */
static void test_calls(void **state)
{
	const struct {
		const struct arch_ops *arch;
		const uint8_t *code;
		size_t size;
		uint8_t call_size; /* 0: no call */
		bool is_direct;
		int64_t distance;
	} cases[] = {
		{ &arch_x86_64, BYTES(0x90, 0xe8, 0x0b, 0x00, 0x00, 0x00), 5, true, 11 },
		{ &arch_x86_64, BYTES(0xe8, 0xf6, 0xff, 0xff, 0xff), 5, true, -10 },
		{ &arch_x86_64, BYTES(0x90, 0xff, 0xd3), 2, false, 0 },				/* *%rbx */
		{ &arch_x86_64, BYTES(0x41, 0xff, 0xd4), 2, false, 0 },				/* *%r12 */
		{ &arch_x86_64, BYTES(0x90, 0xff, 0x13), 2, false, 0 },				/* *(%rbx) */
		{ &arch_x86_64, BYTES(0x90, 0xff, 0x14, 0x24), 3, false, 0 },			/* *(%rsp) */
		{ &arch_x86_64, BYTES(0x90, 0xff, 0x53, 0x08), 3, false, 0 },			/* *8(%rbx) */
		{ &arch_x86_64, BYTES(0xff, 0x54, 0x24, 0x08), 4, false, 0 },			/* *8(%rsp) */
		{ &arch_x86_64, BYTES(0xff, 0x15, 1, 2, 3, 4), 6, false, 0 },			/* *…(%rip) */
		{ &arch_x86_64, BYTES(0xff, 0x14, 0xc5, 1, 2, 3, 4), 7, false, 0 },		/* *…(,%rax,8) */
		{ &arch_x86_64, BYTES(0xff, 0x94, 0x24, 1, 2, 0, 0), 7, false, 0 },		/* *…(%rsp) */
		{ &arch_x86_64, BYTES(0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3), 0, false, 0 }, /* padding, another function's end */
		{ &arch_x86_64, BYTES(0x90, 0xff, 0x23), 0, false, 0 },				/* jmp *(%rbx) */
		{ &arch_x86_64, BYTES(0xe9, 1, 0, 0, 0), 0, false, 0 },
		{ &arch_x86_64, BYTES(0xe8), 0, false, 0 },
		{ &arch_x86_64, BYTES(0xd3), 0, false, 0 },
		{ &arch_arm64, BYTES(0x03, 0x00, 0x00, 0x94), 4, true, 8 },  /* bl .+12 */
		{ &arch_arm64, BYTES(0xff, 0xff, 0xff, 0x97), 4, true, -8 }, /* bl .-4 */
		{ &arch_arm64, BYTES(0x20, 0x00, 0x3f, 0xd6), 4, false, 0 }, /* blr x1 */
		{ &arch_arm64, BYTES(0x3f, 0x0b, 0x3f, 0xd6), 4, false, 0 }, /* blraaz x25 */
		{ &arch_arm64, BYTES(0x20, 0x00, 0x1f, 0xd6), 0, false, 0 }, /* br x1 */
		{ &arch_arm64, BYTES(0x03, 0x00, 0x00, 0x14), 0, false, 0 }, /* b */
		{ &arch_arm64, BYTES(0x94), 0, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arch_call call = { 0 };

		assert_int_equal(cases[i].arch->call_before(cases[i].code, cases[i].size, &call), cases[i].call_size != 0);
		if (!cases[i].call_size)
			continue;
		assert_int_equal(call.size_bytes, cases[i].call_size);
		assert_int_equal(call.is_direct, cases[i].is_direct);
		assert_int_equal(call.distance, cases[i].distance);
	}
}

static void test_jumps(void **state)
{
	static const uint8_t x86[] = { 0x90, 0xe9, 0x0a, 0, 0, 0, 0xeb, 0x10, 0x74, 0x20, 0x0f, 0x84, 0x30, 0, 0, 0 };
	static const uint8_t arm[] = { 0x04, 0, 0, 0x14, 0x60, 0, 0, 0x54, 0x40, 0, 0, 0xb4 };

	(void)state;
	assert_true(arch_x86_64.may_jump(x86, sizeof(x86), 1 + 5 + 10, 1 + 5 + 10 + 1));
	assert_true(arch_x86_64.may_jump(x86, sizeof(x86), 6 + 2 + 16, 6 + 2 + 16 + 1));
	assert_true(arch_x86_64.may_jump(x86, sizeof(x86), 8 + 2 + 32, 8 + 2 + 32 + 1));
	assert_true(arch_x86_64.may_jump(x86, sizeof(x86), 10 + 6 + 48, 10 + 6 + 48 + 1));
	assert_false(arch_x86_64.may_jump(x86, sizeof(x86), 7, 7 + 1));
	assert_false(arch_x86_64.may_jump(x86, 4, 1 + 5 + 10, 1 + 5 + 10 + 1));
	assert_true(arch_x86_64.may_jump(BYTES(0x90, 0xff, 0xe0), 1000, 1001)); /* jmp *%rax may go anywhere */
	assert_true(arch_arm64.may_jump(arm, sizeof(arm), 16, 16 + 1));
	assert_true(arch_arm64.may_jump(arm, sizeof(arm), 4 + 12, 4 + 12 + 1));
	assert_true(arch_arm64.may_jump(arm, sizeof(arm), 8 + 8, 8 + 8 + 1));
	assert_false(arch_arm64.may_jump(arm, sizeof(arm), 20, 20 + 1));
	assert_true(arch_arm64.may_jump(BYTES(0x20, 0x00, 0x1f, 0xd6), 1000, 1001));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),  cmocka_unit_test(test_registers), cmocka_unit_test(test_headers),
		cmocka_unit_test(test_calls), cmocka_unit_test(test_jumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
