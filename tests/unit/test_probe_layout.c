/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * capture/probe_layout: arguments of temporary probes, what is fetched for them, and the raw data of samples.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "capture/probe_layout.h"

static struct arena arena;

static int compile(const char *args, bool is_return, struct probe_program *p, struct probe_layout *l, struct errbuf *eb)
{
	return probe_fetch_compile(args, PROBE_X86_64, 0x1000, is_return, &arena, p, l, eb);
}

static void test_arguments(void **state)
{
	struct probe_program p;
	struct probe_layout l;

	(void)state;
	assert_int_equal(compile("a=%di:s32 +8(-16(%bp)):u8 s=+0(%si):string \\7 g=@+0x3000:u16 $stack2 c=$comm", false, &p, &l, NULL), 0);
	assert_int_equal(p.nr_args, 7);
	assert_int_equal(p.args[0].word, 14);
	assert_int_equal(p.args[0].nr_steps, 0);
	assert_string_equal(l.fields[0].name, "a");
	assert_string_equal(l.fields[0].print, "%d");
	/* from the inside out */
	assert_int_equal(p.args[1].word, 4);
	assert_int_equal(p.args[1].nr_steps, 2);
	assert_true(p.args[1].steps[0] == -16 && p.args[1].steps[1] == 8);
	assert_int_equal(p.args[1].size, 1);
	assert_string_equal(l.fields[1].name, "arg2");
	assert_true(p.args[2].is_string && l.fields[2].is_string);
	assert_int_equal(p.args[3].start, PROBE_FETCH_NUMBER);
	assert_true(p.args[3].number == 7);
	/* data of the file, as far from the probe as in the file */
	assert_int_equal(p.args[4].word, 16);
	assert_true(p.args[4].steps[0] == 0x2000);
	assert_int_equal(p.args[5].word, 19);
	assert_true(p.args[5].steps[0] == 16);
	assert_int_equal(p.args[6].start, PROBE_FETCH_COMM);
	/* common fields and the address, then one behind the other */
	assert_int_equal(l.fields[0].off, 16);
	assert_int_equal(l.fields[1].off, 20);
	assert_int_equal(l.fields[2].off, 21);
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"%zz",	   "$retval",	"a=%di:foo",	"a=%di:string", "a=+8(%di",	 "a=+x(%di)", "a=%di:u8[4]",
		"a-b=%di", "a=@symbol", "a=\\\"text\"", "$stack99999",	"b=%di:b9@8/16", "",	      "a=+0(+0(+0(+0(+0(%di)))))",
	};
	struct probe_program p;
	struct probe_layout l;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct errbuf eb = { 0 };

		if (!*bad[i])
			continue;
		assert_int_equal(compile(bad[i], false, &p, &l, &eb), -ENOTSUP);
		assert_non_null(strstr(eb.text, "assay probe"));
	}
	assert_int_equal(compile("%di %di %di %di %di %di %di %di %di %di %di %di %di %di %di %di %di", false, &p, &l, NULL), -ENOTSUP);
	assert_int_equal(compile("$retval:s32", true, &p, &l, NULL), 0);
	assert_int_equal(l.fields[0].off, 24);
}

static void test_arm64_registers(void **state)
{
	struct probe_program p;
	struct probe_layout l;

	(void)state;
	assert_int_equal(probe_fetch_compile("%x0 %x30 %sp +8(%x29)", PROBE_ARM64, 0, false, &arena, &p, &l, NULL), 0);
	assert_int_equal(p.args[1].word, 30);
	assert_int_equal(p.args[2].word, 31);
	assert_int_equal(p.args[3].word, 29);
	assert_int_equal(probe_fetch_compile("%x31", PROBE_ARM64, 0, false, &arena, &p, &l, NULL), -ENOTSUP);
	assert_int_equal(probe_fetch_compile("%ax", PROBE_ARM64, 0, false, &arena, &p, &l, NULL), -ENOTSUP);
}

static void test_format(void **state)
{
	struct probe_program p;
	struct probe_layout l;
	struct out o;

	(void)state;
	assert_int_equal(compile("n=%si:s32 p=%di s=+0(%dx):string", false, &p, &l, NULL), 0);
	l.id = 1500;
	out_init(&o, -1);
	probe_layout_format(&l, "work", &o);
	out_char(&o, 0);
	/* as Linux 6.18 has it for such a probe */
	assert_string_equal(o.buf, "name: work\nID: 1500\nformat:\n"
				   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
				   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
				   "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
				   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
				   "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
				   "\tfield:s32 n;\toffset:16;\tsize:4;\tsigned:1;\n"
				   "\tfield:u64 p;\toffset:20;\tsize:8;\tsigned:0;\n"
				   "\tfield:__data_loc char[] s;\toffset:28;\tsize:4;\tsigned:1;\n\n"
				   "print fmt: \"(%lx) n=%d p=0x%Lx s=\\\"%s\\\"\", REC->__probe_ip, REC->n, REC->p, __get_str(s)\n");
	out_fini(&o);
}

static void test_raw(void **state)
{
	struct probe_long_hit h = { .hit = { .tid = 7, .ip = 0x1234 } };
	struct probe_program p;
	struct probe_layout l;
	uint8_t raw[256];
	uint32_t loc;

	(void)state;
	assert_int_equal(compile("n=%si:s32 b=%di:b4@4/16 s=+0(%dx):string", false, &p, &l, NULL), 0);
	h.hit.values[0] = 0xffffffff00000005;
	h.hit.values[1] = 0x9c40;
	h.hit.values[2] = 4ull << 32 | 2;
	memcpy(h.strings, "xxabc", 6);
	assert_int_equal(probe_layout_raw(&l, &h, sizeof(h), raw, sizeof(raw)), l.size + 4);
	assert_memory_equal(raw + 16, "\5\0\0\0\4\0", 6);
	memcpy(&loc, raw + l.fields[2].off, 4);
	assert_int_equal(loc, 4 << 16 | l.size);
	assert_string_equal((char *)raw + l.size, "abc");
	/* what could not be read, a place outside, a record without strings, one that is cut */
	h.hit.failed = 4;
	assert_int_equal(probe_layout_raw(&l, &h, sizeof(h), raw, sizeof(raw)), l.size + sizeof("(fault)"));
	h.hit.failed = 0;
	h.hit.values[2] = 0xffffffffull << 32 | 0xffffffff;
	assert_int_equal(probe_layout_raw(&l, &h, sizeof(h), raw, sizeof(raw)), l.size + sizeof("(fault)"));
	assert_int_equal(probe_layout_raw(&l, &h, sizeof(h.hit), raw, sizeof(raw)), l.size + sizeof("(fault)"));
	assert_int_equal(probe_layout_raw(&l, &h, sizeof(h.hit) - 1, raw, sizeof(raw)), 0);
}

static int fini(void **state)
{
	(void)state;
	arena_fini(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments), cmocka_unit_test(test_refused), cmocka_unit_test(test_arm64_registers),
		cmocka_unit_test(test_format),	  cmocka_unit_test(test_raw),
	};

	return cmocka_run_group_tests(tests, NULL, fini);
}
