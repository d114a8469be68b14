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
	assert_null(arch_find_machine(EM_386));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
