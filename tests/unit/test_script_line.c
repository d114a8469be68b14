/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "import/script.h"

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
	{ "            burn 11442 18187.697400:     200000 cpu-clock:ppp:      7f0c7000969e handle_amd+0x7e (/lib/ld.so)", "burn",
	  "cpu-clock:ppp", "      7f0c7000969e handle_amd+0x7e (/lib/ld.so)", -1, 11442, -1, 18187697400000, 200000 },
	{ "mixed 16906 18251.664594:     250000 cpu-clock: ", "mixed", "cpu-clock", " ", -1, 16906, -1, 18251664594000, 250000 },
	{ "kworker/u4:1-ev    42 [003]     1.000000001:          1 cycles: ", "kworker/u4:1-ev", "cycles", " ", -1, 42, 3, 1000000001, 1 },
	{ "Web Content 12 7   99/100   [001] 12.5: 1 faults: ", "Web Content 12 7", "faults", " ", 99, 100, 1, 12500000000, 1 },
	{ "my proc 12.5: x  1235/1236 [001]   12.345679:     250000 cycles:u: ", "my proc 12.5: x", "cycles:u", " ", 1235, 1236, 1,
	  12345679000, 250000 },
	{ "a 1.5: 2.5: b    77     3.000000:    1 cycles: ", "a 1.5: 2.5: b", "cycles", " ", -1, 77, -1, 3000000000, 1 },
	{ "app 3.000000: printk:console: took 5 2.5: y", "app", "printk:console", " took 5 2.5: y", -1, -1, -1, 3000000000, -1 },
	{ "  3.000000: ftrace:print: 5 2.5: y", "", "ftrace:print", " 5 2.5: y", -1, -1, -1, 3000000000, -1 },
	{ "app 7 3.000000: ftrace:print: 5 2.5: y", "app", "ftrace:print", " 5 2.5: y", -1, 7, -1, 3000000000, -1 },
	{ ":-1    -1 [000] 12.500000: sched:sched_switch: a=1 b: 2", ":-1", "sched:sched_switch", " a=1 b: 2", -1, -1, 0, 12500000000, -1 },
	{ "swapper     0 [000] K     3.000000:    1 cycles: ", "swapper", "cycles", " ", -1, 0, 0, 3000000000, 1 },
	{ "swapper     0 [000] USp   3.000000:    1 cycles: ", "swapper", "cycles", " ", -1, 0, 0, 3000000000, 1 },
	{ "U 7     3.000000:    1 cycles: ", "U", "cycles", " ", -1, 7, -1, 3000000000, 1 },
	{ "a b     3.000000:    1 cycles: ", "a b", "cycles", " ", -1, -1, -1, 3000000000, 1 },
	{ "burn  1234 cycles: ", "burn", "cycles", " ", -1, 1234, -1, -1, -1 },
	{ "burn  1234    5000 cycles: ", "burn", "cycles", " ", -1, 1234, -1, -1, 5000 },
	{ "burn  1234 [002] cycles: x", "burn", "cycles", " x", -1, 1234, 2, -1, -1 },
	{ "burn  1234 12.000000:  ffffffff81000000 f+0x1 ([k])", "burn", "", "  ffffffff81000000 f+0x1 ([k])", -1, 1234, -1, 12000000000,
	  -1 },
	{ "cc1 18074 [001] 2026-11-15 09:49:40.180361 23958.247929:          1 cycles: ", "cc1", "cycles", " ", -1, 18074, 1,
	  23958247929000, 1 },
	{ "burn  1234 12.000000:      25000  ffffffff81000000 f (x)", "burn", "", "  ffffffff81000000 f (x)", -1, 1234, -1, 12000000000,
	  25000 },
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
	static const char *const lines[] = { "",	  "# cmdline : x", "just some words", "a;b;c 12", "  file.c:12",
					     "main 12.5", "x: y",	   "\t  1234 main" };
	static const char record[] = "swapper     0     0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1208bc8) @ 0]: x [k]_text";
	struct script_head h;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (script_head_parse(lines[i], strlen(lines[i]), &h))
			fail_msg("taken for a sample: %s", lines[i]);
	assert_true(script_head_parse(record, strlen(record), &h));
	assert_true(h.is_record);
}

/* Texts without times: which fields they have, and what is read from their last line. */
static const struct shape_row {
	const char *text;
	uint32_t fields;
	bool is_chained;
	const char *comm, *event;
	long long pid, tid, cpu, period;
} shapes[] = {
	{ "mixed \n\t 11ca f\n\nweb server \n\t 11ca f\n", SCRIPT_COMM, true, "web server", "", -1, -1, -1, -1 },
	{ "mixed 24968 \n\t 11ca f\n\ntmux: server     3 \n\t 11ca f\n", SCRIPT_COMM | SCRIPT_TID, true, "tmux: server", "", -1, 3, -1,
	  -1 },
	{ "mixed 24968/24969 \n\t 11ca f\n", SCRIPT_COMM | SCRIPT_PID | SCRIPT_TID, true, "mixed", "", 24968, 24969, -1, -1 },
	{ "24968 \n\t 11ca f\n\n    7 \n\t 11ca f\n", SCRIPT_TID, true, "", "", -1, 7, -1, -1 },
	/* Wider in perf 7.2 */
	{ "mixed   24968 \n\t 11ca f\n\ntmux: server       3 \n\t 11ca f\n", SCRIPT_COMM | SCRIPT_TID, true, "tmux: server", "", -1, 3, -1,
	  -1 },
	{ "  24968 \n\t 11ca f\n\n      7 \n\t 11ca f\n", SCRIPT_TID, true, "", "", -1, 7, -1, -1 },
	{ "           mixed   25035  ffffffff81d33137 read_zero\n", SCRIPT_COMM | SCRIPT_TID, false, "mixed", "", -1, 25035, -1, -1 },
	{ "            burn   31530     250000 cpu-clock:ppp: \n", SCRIPT_COMM | SCRIPT_TID | SCRIPT_PERIOD | SCRIPT_EVENT, false, "burn",
	  "cpu-clock:ppp", -1, 31530, -1, 250000 },
	{ "   1000000 \n\t 11ca f\n", SCRIPT_PERIOD, true, "", "", -1, -1, -1, 1000000 },
	{ "mixed    1000000 \n\t 11ca f\n", SCRIPT_COMM | SCRIPT_PERIOD, true, "mixed", "", -1, -1, -1, 1000000 },
	{ "cpu-clock:ppp: \n\t 11ca f\n\n  page-faults: \n\t 11ca f\n", SCRIPT_EVENT, true, "", "page-faults", -1, -1, -1, -1 },
	{ "mixed K     \n\t 11ca f\n", SCRIPT_COMM | SCRIPT_MISC, true, "mixed", "", -1, -1, -1, -1 },
	{ "tail [000] \n\t 11ca f\n", SCRIPT_COMM, true, "tail", "", -1, -1, 0, -1 },
	/* A thread that is called like a name and an id, among others */
	{ "a \n\t1 f\n\nb \n\t1 f\n\nworker 12345 \n\t1 f\n", SCRIPT_COMM, true, "worker 12345", "", -1, -1, -1, -1 },
	{ "           mixed  ffffffff81d33137 read_zero\n             cc1      7f0e9d83e2ad read\n", SCRIPT_COMM, false, "cc1", "", -1, -1,
	  -1, -1 },
	{ "           mixed 25035  ffffffff81d33137 read_zero\n", SCRIPT_COMM | SCRIPT_TID, false, "mixed", "", -1, 25035, -1, -1 },
	{ "    tmux: server 25035 cycles:  ffffffff81d33137 f\n", SCRIPT_COMM | SCRIPT_TID | SCRIPT_EVENT, false, "tmux: server", "cycles",
	  -1, 25035, -1, -1 },
	{ "           mixed cpu-clock: \n", SCRIPT_COMM | SCRIPT_EVENT, false, "mixed", "cpu-clock", -1, -1, -1, -1 },
	{ "[001]      5605075c0219 work_1\n", 0, false, "", "", -1, -1, 1, -1 },
	{ " ffffffff81d33137 read_zero\n", 0, false, "", "", -1, -1, -1, -1 },
	{ "K      ffffffff81d33137 read_zero\n", SCRIPT_MISC, false, "", "", -1, -1, -1, -1 },
	{ "           mixed 18516  ABI:2    AX:0x0    BX:0x1000 \n", SCRIPT_COMM | SCRIPT_TID, false, "mixed", "", -1, 18516, -1, -1 },
};

static void test_shapes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		const struct shape_row *r = &shapes[i];
		const char *last = NULL;
		struct script_shape shape;
		struct script_head h;

		script_shape_find(&shape, r->text, strlen(r->text));
		assert_int_equal(shape.is_chained, r->is_chained);
		if (shape.nr < 1 || shape.fields[0] != r->fields)
			fail_msg("other fields (%u): %s", shape.nr ? shape.fields[0] : 999, r->text);
		for (const char *s = r->text; *s; s = strchr(s, '\n') + 1)
			last = *s == '\t' || *s == '\n' ? last : s;
		assert_true(script_shape_parse(&shape, last, strcspn(last, "\n"), &h));
		assert_span(h.comm, r->comm);
		assert_span(h.event, r->event);
		assert_int_equal(or_missing(h.has_pid, h.pid), r->pid);
		assert_int_equal(or_missing(h.has_tid, h.tid), r->tid);
		assert_int_equal(or_missing(h.has_cpu, h.cpu), r->cpu);
		assert_int_equal(or_missing(h.has_period, (long long)h.period), r->period);
	}
}

/* Behind the event's colon. */
static const struct rest_row {
	const char *rest, *frame;
	long long addr;
	bool has_other;
} rests[] = {
	{ "  ffffffff82200309 f+0x19 ([k])", "ffffffff82200309 f+0x19 ([k])", -1, false },
	{ "  ffffffff82200309 f+0x19 ([k]) ABI:2    AX:0xff    BX:0x55 ", "ffffffff82200309 f+0x19 ([k])", -1, true },
	{ "  ffffffff82200309 f ABI:2    AX:0xff ", "ffffffff82200309 f", -1, true },
	{ "           151fd1c f+0x6 (/bin/prog)  0x401140/0x401136/P/-/-/3  0x401150/0x401138/M/-/-/0 ", "151fd1c f+0x6 (/bin/prog)", -1,
	  true },
	{ "           151fd1c f+0x6 (/bin/prog) something else", "151fd1c f+0x6 (/bin/prog)", -1, true },
	{ "           151fd1c f(int) const", "151fd1c f(int) const", -1, false },
	{ "           151fd1c f (/tmp/x (deleted))", "151fd1c f (/tmp/x (deleted))", -1, false },
	{ "     7ff7566c3002 [unknown] (//anon)           b930de f+0x1e (/bin/x)", "b930de f+0x1e (/bin/x)", 0x7ff7566c3002, false },
	{ "     7ff7566c3002           b930de", "b930de", 0x7ff7566c3002, false },
	{ "     7ff7566c3002", "", 0x7ff7566c3002, false },
	{ "                0 ffffffff82200309 f ([k])", "ffffffff82200309 f ([k])", -1, true },
	{ "                0", "", -1, true },
	{ "       1e05080021 |OP N/A|LVL N/A or N/A|BLK  N/A          151fd1c f (/bin/x)", "151fd1c f (/bin/x)", -1, true },
	{ "       1e05080021 |OP N/A|LVL N/A or N/A|BLK  N/A", "", -1, true },
	{ "  ffffffff82200309 f ([k]) ABI:2    AX:0xff                 0", "ffffffff82200309 f ([k])", -1, true },
	{ "  0x401140/0x401136/P/-/-/3 ", "", -1, true },
	{ "     400010 f+0x10 (/bin/a)", "400010 f+0x10 (/bin/a)", -1, false }, /* somebody else's column */
	{ " nonsense", "", -1, false },
};

static void test_rests(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rests) / sizeof(*rests); i++) {
		const struct rest_row *row = &rests[i];
		struct script_rest r;

		script_rest_parse((struct script_span){ row->rest, strlen(row->rest) }, false, &r);
		assert_span(r.frame, row->frame);
		assert_int_equal(or_missing(r.has_addr, (long long)r.addr), row->addr);
		if (r.has_other != row->has_other)
			fail_msg("what is left out: %s", row->rest);
	}
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
	{ "1234 operator new(unsigned long)+0xa (/usr/lib/a b.so)", 0x1234, "operator new(unsigned long)", 0xa, "/usr/lib/a b.so", true,
	  false },
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
	uint64_t addr;
	bool is_inlined;

	(void)state;
	assert_true(script_source_parse("  dir/file.c:42", 15, &file, &line, &addr, &is_inlined));
	assert_span(file, "dir/file.c");
	assert_int_equal(line, 42);
	assert_false(is_inlined);
	assert_true(addr == UINT64_MAX);
	assert_true(script_source_parse("  file.c:7 (inlined)", 20, &file, &line, &addr, &is_inlined));
	assert_span(file, "file.c");
	assert_int_equal(line, 7);
	assert_true(is_inlined);
	assert_true(script_source_parse("  [kernel.kallsyms][ffffffff81000000]", 37, &file, &line, &addr, &is_inlined));
	assert_span(file, "");
	assert_true(addr == 0xffffffff81000000u);
	assert_true(script_source_parse("  [vdso][af1]", 13, &file, &line, &addr, &is_inlined));
	assert_true(addr == 0xaf1);
	assert_true(script_source_parse("  [vdso]", 8, &file, &line, &addr, &is_inlined));
	assert_true(addr == UINT64_MAX);
	assert_true(script_source_parse("  ]", 3, &file, &line, &addr, &is_inlined));
	assert_true(addr == UINT64_MAX);
	assert_false(script_source_parse("  no line", 9, &file, &line, &addr, &is_inlined));
	assert_false(script_source_parse("  :7", 4, &file, &line, &addr, &is_inlined));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads), cmocka_unit_test(test_no_heads), cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_rests), cmocka_unit_test(test_frames),   cmocka_unit_test(test_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
