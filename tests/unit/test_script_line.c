/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "import/script_line.h"

static void assert_span(struct script_span s, const char *want)
{
	if (s.len != strlen(want) || (s.len && memcmp(s.s, want, s.len)))
		fail_msg("'%.*s' instead of '%s'", (int)s.len, s.len ? s.s : "", want);
}

/* What is missing is -1, or "" in texts. */
static const struct head_row {
	const char *line, *comm, *event, *rest;
	long long pid, tid, cpu, time_ns, period;
} heads[] = {
	{ "            burn 11442 18187.697400:     200000 cpu-clock:ppp:      7f0c7000969e handle_amd+0x7e (/lib/ld.so)", "burn", "cpu-clock:ppp",
	  "      7f0c7000969e handle_amd+0x7e (/lib/ld.so)", -1, 11442, -1, 18187697400000, 200000 },
	{ "mixed 16906 18251.664594:     250000 cpu-clock: ", "mixed", "cpu-clock", " ", -1, 16906, -1, 18251664594000, 250000 },
	{ "kworker/u4:1-ev    42 [003]     1.000000001:          1 cycles: ", "kworker/u4:1-ev", "cycles", " ", -1, 42, 3, 1000000001, 1 },
	{ "Web Content 12 7   99/100   [001] 12.5: 1 faults: ", "Web Content 12 7", "faults", " ", 99, 100, 1, 12500000000, 1 },
	{ ":-1    -1 [000] 12.500000: sched:sched_switch: a=1 b: 2", ":-1", "sched:sched_switch", " a=1 b: 2", -1, -1, 0, 12500000000, -1 },
	{ "swapper     0 [000] K     3.000000:    1 cycles: ", "swapper", "cycles", " ", -1, 0, 0, 3000000000, 1 },
	{ "swapper     0 [000] USp   3.000000:    1 cycles: ", "swapper", "cycles", " ", -1, 0, 0, 3000000000, 1 },
	{ "U 7     3.000000:    1 cycles: ", "U", "cycles", " ", -1, 7, -1, 3000000000, 1 },
	{ "a b     3.000000:    1 cycles: ", "a b", "cycles", " ", -1, -1, -1, 3000000000, 1 },
	{ "burn  1234 cycles: ", "burn", "cycles", " ", -1, 1234, -1, -1, -1 },
	{ "burn  1234    5000 cycles: ", "burn", "cycles", " ", -1, 1234, -1, -1, 5000 },
	{ "burn  1234 [002] cycles: x", "burn", "cycles", " x", -1, 1234, 2, -1, -1 },
	{ "burn  1234 12.000000:  ffffffff81000000 f+0x1 ([k])", "burn", "", "  ffffffff81000000 f+0x1 ([k])", -1, 1234, -1, 12000000000, -1 },
	{ "burn  1234 12.000000:      25000  ffffffff81000000 f (x)", "burn", "", "ffffffff81000000 f (x)", -1, 1234, -1, 12000000000, 25000 },
};

static long long or_missing(bool has, long long v)
{
	return has ? v : -1;
}

static void test_heads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		const struct head_row *r = &heads[i];
		struct script_head h;

		if (!script_head_parse(r->line, strlen(r->line), &h))
			fail_msg("not understood: %s", r->line);
		assert_span(h.comm, r->comm);
		assert_span(h.event, r->event);
		assert_span(h.rest, r->rest);
		assert_int_equal(or_missing(h.has_pid, h.pid), r->pid);
		assert_int_equal(or_missing(h.has_tid, h.tid), r->tid);
		assert_int_equal(or_missing(h.has_cpu, h.cpu), r->cpu);
		assert_int_equal(or_missing(h.has_time, (long long)h.time_ns), r->time_ns);
		assert_int_equal(or_missing(h.has_period, (long long)h.period), r->period);
	}
}

static void test_no_heads(void **state)
{
	static const char *const lines[] = { "", "# cmdline : x", "just some words", "a;b;c 12", "  file.c:12", "main 12.5", "x: y", "\t  1234 main" };
	static const char record[] = "swapper     0     0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1208bc8) @ 0]: x [k]_text";
	struct script_head h;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (script_head_parse(lines[i], strlen(lines[i]), &h))
			fail_msg("taken for a sample: %s", lines[i]);
	assert_true(script_head_parse(record, strlen(record), &h));
	assert_true(h.is_record);
}

static const struct frame_row {
	const char *line;
	uint64_t addr;
	const char *symbol;
	uint64_t off;
	const char *dso;
	bool has_dso, is_inlined;
} frames[] = {
	{ "\t    7f0c7000969e handle_amd+0x7e (/lib/ld.so)", 0x7f0c7000969e, "handle_amd", 0x7e, "/lib/ld.so", true, false },
	{ "\tffffffff81000130 [unknown] ([kernel.kallsyms])", 0xffffffff81000130, "", UINT64_MAX, "[kernel.kallsyms]", true, false },
	{ "\t            1234 [unknown] ([unknown])", 0x1234, "", UINT64_MAX, "", true, false },
	{ "1234 operator new(unsigned long)+0xa (/usr/lib/a b.so)", 0x1234, "operator new(unsigned long)", 0xa, "/usr/lib/a b.so", true, false },
	{ "1234 std::function<void (int)>::operator()", 0x1234, "std::function<void (int)>::operator()", UINT64_MAX, "", false, false },
	{ "1234 f+0x1 (/memfd:x (deleted))", 0x1234, "f", 1, "/memfd:x (deleted)", true, false },
	{ "1234 f+0x1 (/tmp/odd)name)", 0x1234, "f", 1, "/tmp/odd)name", true, false },
	{ "1234 f (inlined)", 0x1234, "f", UINT64_MAX, "", false, true },
	{ "1234 f+0x10 (inlined)", 0x1234, "f", 0x10, "", false, true },
	{ "1234 (/bin/true)", 0x1234, "", UINT64_MAX, "/bin/true", true, false },
	{ "1234", 0x1234, "", UINT64_MAX, "", false, false },
	{ "1234 f+0xzz", 0x1234, "f+0xzz", UINT64_MAX, "", false, false },
};

static void test_frames(void **state)
{
	struct script_frame f;

	(void)state;
	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
		const struct frame_row *r = &frames[i];

		if (!script_frame_parse(r->line, strlen(r->line), &f))
			fail_msg("not understood: %s", r->line);
		assert_int_equal(f.addr, r->addr);
		assert_span(f.symbol, r->symbol);
		assert_int_equal(f.off, r->off);
		assert_span(f.dso, r->dso);
		assert_int_equal(f.has_dso, r->has_dso);
		assert_int_equal(f.is_inlined, r->is_inlined);
	}
	assert_false(script_frame_parse("main+0x1", 8, &f));
	assert_false(script_frame_parse("12345678901234567 f", 19, &f));
	assert_false(script_frame_parse("", 0, &f));
}

static void test_source(void **state)
{
	struct script_span file;
	uint32_t line;
	bool is_inlined;

	(void)state;
	assert_true(script_source_parse("  dir/file.c:42", 15, &file, &line, &is_inlined));
	assert_span(file, "dir/file.c");
	assert_int_equal(line, 42);
	assert_false(is_inlined);
	assert_true(script_source_parse("  file.c:7 (inlined)", 20, &file, &line, &is_inlined));
	assert_span(file, "file.c");
	assert_int_equal(line, 7);
	assert_true(is_inlined);
	assert_true(script_source_parse("  [kernel.kallsyms][ffffffff81000000]", 37, &file, &line, &is_inlined));
	assert_span(file, "");
	assert_false(script_source_parse("  no line", 9, &file, &line, &is_inlined));
	assert_false(script_source_parse("  :7", 4, &file, &line, &is_inlined));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_no_heads),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
