/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The text of instructions, by hand from objdump: what differs from capstone's, and what capstone does not know. tests/oracle/disasm_vs_objdump.sh
 * compares whole files.
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "symbols/disasm.h"

struct sample {
	const char *bytes; /* hexadecimal */
	const char *text;
	enum disasm_kind kind;
	uint64_t target; /* 0: none */
};

#define AT 0x1000

static size_t from_hex(const char *hex, uint8_t *out)
{
	size_t nr = strlen(hex) / 2;

	for (size_t i = 0; i < nr; i++) {
		unsigned byte = 0;

		for (int k = 0; k < 2; k++) {
			char c = hex[2 * i + (size_t)k];

			byte = byte << 4 | (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
		}
		out[i] = (uint8_t)byte;
	}
	return nr;
}

static void check(uint16_t machine, enum disasm_syntax syntax, const struct sample *samples, size_t nr)
{
	struct errbuf eb = { 0 };
	struct disasm *d;

	if (disasm_open(&d, machine, syntax, &eb) == -ENOTSUP) {
		print_message("no capstone: %s\n", eb.text);
		skip();
	}
	for (size_t i = 0; i < nr; i++) {
		uint8_t code[32];
		size_t size = from_hex(samples[i].bytes, code);
		struct disasm_insn insn;

		disasm_next(d, code, size, AT, &insn);
		assert_string_equal(insn.text, samples[i].text);
		assert_int_equal(insn.kind, samples[i].kind);
		if (samples[i].kind != DISASM_BAD)
			assert_int_equal(insn.size, size);
		assert_int_equal(insn.has_target || insn.has_name ? insn.target : 0, samples[i].target);
	}
	disasm_close(d);
}
#define CHECK(machine, syntax, samples) check(machine, syntax, samples, sizeof(samples) / sizeof(*(samples)))

static void test_att(void **state)
{
	static const struct sample samples[] = {
		{ "4883ec80", "sub    $0xffffffffffffff80,%rsp", DISASM_OTHER, 0 },
		{ "83c280", "add    $0xffffff80,%edx", DISASM_OTHER, 0 },
		{ "c744240800000000", "movl   $0x0,0x8(%rsp)", DISASM_OTHER, 0 },
		{ "d3e0", "shl    %cl,%eax", DISASM_OTHER, 0 },
		{ "d320", "shll   %cl,(%rax)", DISASM_OTHER, 0 },
		{ "d1e8", "shr    %eax", DISASM_OTHER, 0 },
		{ "0f1f440000", "nopl   0x0(%rax,%rax,1)", DISASM_OTHER, 0 },
		{ "66662e0f1f840000000000", "data16 cs nopw 0x0(%rax,%rax,1)", DISASM_OTHER, 0 },
		{ "6690", "xchg   %ax,%ax", DISASM_OTHER, 0 },
		{ "f390", "pause", DISASM_OTHER, 0 },
		{ "f348ab", "rep stos %rax,%es:(%rdi)", DISASM_OTHER, 0 },
		{ "f3a6", "repz cmpsb %es:(%rdi),%ds:(%rsi)", DISASM_OTHER, 0 },
		{ "64488b042528000000", "mov    %fs:0x28,%rax", DISASM_OTHER, 0 },
		{ "488d0510000000", "lea    0x10(%rip),%rax        # 1017", DISASM_OTHER, 0x1017 },
		{ "e8fbffffff", "call   1000", DISASM_CALL, 0x1000 },
		{ "ff1500000000", "call   *0x0(%rip)        # 1006", DISASM_CALL, 0x1006 },
		{ "3effe0", "notrack jmp *%rax", DISASM_JUMP, 0 },
		{ "f2e900000000", "bnd jmp 1006", DISASM_JUMP, 0x1006 },
		{ "7410", "je     1012", DISASM_BRANCH, 0x1012 },
		{ "c3", "ret", DISASM_RETURN, 0 },
		{ "f3c3", "repz ret", DISASM_RETURN, 0 },
		{ "f0ff08", "lock decl (%rax)", DISASM_OTHER, 0 },
		{ "dec9", "fmulp  %st,%st(1)", DISASM_OTHER, 0 },
		{ "9bd97c2402", "fstcw  0x2(%rsp)", DISASM_OTHER, 0 },
		{ "c5fb92c8", "kmovd  %eax,%k1", DISASM_OTHER, 0 },
		{ "c4e27d5a19", "vbroadcasti128 (%rcx),%ymm3", DISASM_OTHER, 0 },
		{ "0f0d8600010000", "prefetch 0x100(%rsi)", DISASM_OTHER, 0 },
		{ "6292654004c9", "vpmaddubsw %zmm25,%zmm19,%zmm1", DISASM_OTHER, 0 },
		{ "62e1754ce14c0a02", "vpsraw 0x20(%rdx,%rcx,1),%zmm1,%zmm17{%k4}", DISASM_OTHER, 0 },
		{ "62f2fd18a8d1", "vfmadd213pd {rn-sae},%zmm1,%zmm0,%zmm2", DISASM_OTHER, 0 },
		{ "62f1bd18c2cb11", "vcmplt_oqpd {sae},%zmm3,%zmm8,%k1", DISASM_OTHER, 0 },
		{ "62b37d203ec701", "vpcmpltub %ymm23,%ymm16,%k0", DISASM_OTHER, 0 },
		{ "62f27d4826c0", "vptestmb %zmm0,%zmm0,%k0", DISASM_OTHER, 0 },
		{ "06", "(bad)", DISASM_BAD, 0 },
		{ "48", "(bad)", DISASM_BAD, 0 },
	};

	(void)state;
	CHECK(EM_X86_64, DISASM_ATT, samples);
}

static void test_intel(void **state)
{
	static const struct sample samples[] = {
		{ "c744240800000000", "mov    DWORD PTR [rsp+0x8],0x0", DISASM_OTHER, 0 },
		{ "83f8ff", "cmp    eax,0xffffffff", DISASM_OTHER, 0 },
		{ "0f1f440000", "nop    DWORD PTR [rax+rax*1+0x0]", DISASM_OTHER, 0 },
		{ "d1e8", "shr    eax,1", DISASM_OTHER, 0 },
		{ "7410", "je     1012", DISASM_BRANCH, 0x1012 },
		{ "64488b042528000000", "mov    rax,QWORD PTR fs:0x28", DISASM_OTHER, 0 },
		{ "f348ab", "rep stos QWORD PTR es:[rdi],rax", DISASM_OTHER, 0 },
		{ "c5fb92c8", "kmovd  k1,eax", DISASM_OTHER, 0 },
		{ "0f0d8600010000", "prefetch BYTE PTR [rsi+0x100]", DISASM_OTHER, 0 },
	};

	(void)state;
	CHECK(EM_X86_64, DISASM_INTEL, samples);
}

static void test_narrow(void **state)
{
	static const struct sample samples[] = {
		{ "8db42600000000", "lea    0x0(%esi,%eiz,1),%esi", DISASM_OTHER, 0 },
		{ "e8fbffffff", "call   1000", DISASM_CALL, 0x1000 },
		{ "6540", "gs inc %eax", DISASM_OTHER, 0 },
		{ "65a114000000", "mov    %gs:0x14,%eax", DISASM_OTHER, 0 },
	};

	(void)state;
	CHECK(EM_386, DISASM_ATT, samples);
}

static void test_arm64(void **state)
{
	static const struct sample samples[] = {
		{ "1f2003d5", "nop", DISASM_OTHER, 0 },
		{ "fd7bbea9", "stp    x29, x30, [sp, #-32]!", DISASM_OTHER, 0 },
		{ "20008052", "mov    w0, #0x1", DISASM_OTHER, 0 },
		{ "00000014", "b      1000", DISASM_JUMP, 0x1000 },
		{ "01000094", "bl     1004", DISASM_CALL, 0x1004 },
		{ "62000054", "b.cs   100c", DISASM_BRANCH, 0x100c },
		{ "c0035fd6", "ret", DISASM_RETURN, 0 },
		{ "5f2403d5", "bti    c", DISASM_OTHER, 0 },
		{ "200020b8", "ldadd  w0, w0, [x1]", DISASM_OTHER, 0 },
		{ "00000000", "udf    #0", DISASM_BAD, 0 },
	};

	(void)state;
	CHECK(EM_AARCH64, DISASM_ATT, samples);
}

static void test_unknown(void **state)
{
	struct errbuf eb = { 0 };
	struct disasm *d;

	(void)state;
	assert_int_equal(disasm_open(&d, EM_RISCV, DISASM_ATT, &eb), -ENOTSUP);
	assert_null(d);
	assert_true(eb.text[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_att),   cmocka_unit_test(test_intel),   cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_arm64), cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
