/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * symbols/sdt_notes: operands of SDT probes as fetch arguments, and the notes of a program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "symbols/sdt_notes.h"

static void check(uint16_t machine, const char *args, const char *want, uint32_t left_out)
{
	struct elf_file f = { .machine = machine };
	uint32_t nr;
	char *got = sdt_args_fetch(&f, 0, args, &nr);

	assert_string_equal(got, want);
	assert_int_equal(nr, left_out);
	free(got);
}

static void test_x86_operands(void **state)
{
	(void)state;
	check(EM_X86_64, "", "", 0);
	check(EM_X86_64, "-4@%eax 8@-8(%rbp)", "arg1=%ax:s32 arg2=-8(%bp):u64", 0);
	check(EM_X86_64, "8@%rdi 4@%r8d 2@%r15w 1@%r9b 1@%sil 2@%dx",
	      "arg1=%di:u64 arg2=%r8:u32 arg3=%r15:u16 arg4=%r9:u8 arg5=%si:u8 arg6=%dx:u16", 0);
	check(EM_X86_64, "1@%ah -1@%bl", "arg1=%ax:b8@8/16 arg2=%bx:s8", 0);
	check(EM_X86_64, "-4@$-7 8@$0x10 (%rax) 16(%rsp)", "arg1=\\-7:s32 arg2=\\16:u64 arg3=+0(%ax) arg4=+16(%sp)", 0);
	/* what the kernel cannot fetch keeps its number */
	check(EM_X86_64, "8f@%xmm0 4@4(%rax,%rbx,2) -4@%ecx", "arg3=%cx:s32", 2);
	check(EM_X86_64, "16@%rax 8@%nonsense 8@ @ 8@() 8@(%) 8@8(%rip)", "", 7);
	check(EM_386, "4@%eax -4@8(%ebp)", "arg1=%ax:u32 arg2=+8(%bp):s32", 0);
}

static void test_arm64_operands(void **state)
{
	(void)state;
	check(EM_AARCH64, "-4@x0 8@x30 4@w3 8@sp", "arg1=%x0:s32 arg2=%x30:u64 arg3=%x3:u32 arg4=%sp:u64", 0);
	check(EM_AARCH64, "-8@[sp, 12] 8@[x1] 4@[x2, #-8]", "arg1=+12(%sp):s64 arg2=+0(%x1):u64 arg3=-8(%x2):u32", 0);
	check(EM_AARCH64, "-4@-7 4@7", "arg1=\\-7:s32 arg2=\\7:u32", 0);
	check(EM_AARCH64, "8@x31 8@[x1, x2] 4@[ 8@d0", "", 3);
	check(EM_S390, "8@%r1", "", 1);
}

static void test_notes_of_a_program(void **state)
{
	const char *program = getenv("SDT_PROGRAM");
	struct sdt_notes n;

	(void)state;
	if (!program)
		program = "build/tests/workloads/sdt_probes";
	if (sdt_notes_open(&n, program, NULL))
		skip();
	assert_int_equal(n.nr_bad, 0);
	assert_int_equal(n.v.nr, 4);
	for (uint32_t i = 0; i < n.v.nr; i++) {
		assert_string_equal(n.v.v[i].provider, "assay_test");
		assert_true(n.v.v[i].file_off);
		assert_int_equal(!strcmp(n.v.v[i].name, "guarded"), n.v.v[i].semaphore_off != 0);
	}
	sdt_notes_fini(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86_operands),
		cmocka_unit_test(test_arm64_operands),
		cmocka_unit_test(test_notes_of_a_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
