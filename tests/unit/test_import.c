/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The importers and what they write: every case goes through a perf.data, a session and a profile (import_roundtrip.h), beside what is
 * asserted of the builder here.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../fuzz/import_roundtrip.h"
#include "base/protobuf.h"
#include "import/import.h"
#include "import/reading.h"

struct importing {
	struct import_builder b;
	struct import_result result;
};

static void folded(struct importing *i, const char *text, bool first_is_comm)
{
	struct import_options o = { .first_is_comm = first_is_comm };
	struct import_lines lines;
	struct errbuf eb = { 0 };

	memset(i, 0, sizeof(*i));
	import_builder_init(&i->b);
	import_lines_init(&lines, text, strlen(text));
	assert_int_equal(import_folded(&i->b, &lines, &o, &i->result, &eb), 0);
	import_lines_fini(&lines);
}

static void script(struct importing *i, const char *text)
{
	struct import_lines lines;
	struct errbuf eb = { 0 };

	memset(i, 0, sizeof(*i));
	import_builder_init(&i->b);
	import_lines_init(&lines, text, strlen(text));
	assert_int_equal(import_script(&i->b, &lines, &i->result, &eb), 0);
	import_lines_fini(&lines);
}

static void done(struct importing *i)
{
	roundtrip(&i->b);
	import_builder_fini(&i->b);
}

static const struct import_location *frame_at(const struct importing *i, uint32_t sample, uint32_t depth)
{
	const struct import_stack *s = &i->b.stacks.v[i->b.samples.v[sample].stack];

	assert_true(depth < s->nr);
	return &i->b.locations.v[s->locations[depth]];
}

static void assert_frame(const struct importing *i, uint32_t sample, uint32_t depth, const char *symbol)
{
	assert_string_equal(import_str(&i->b, frame_at(i, sample, depth)->symbol), symbol);
}

/* ---- folded ---- */

static void test_folded(void **state)
{
	struct importing i;

	(void)state;
	folded(&i,
	       "# a comment\nmain;work;leaf 5\n\nmain;operator new (int) 3\r\nmain;read_[k] 2\nmain;a_[i];b_[i] 1\nmain;[unknown] 4\nmain;jit_[j]\t6",
	       false);
	assert_int_equal(i.b.samples.nr, 6);
	assert_int_equal(i.result.nr_skipped, 0);
	assert_frame(&i, 0, 0, "leaf");
	assert_frame(&i, 0, 2, "main");
	assert_int_equal(i.b.samples.v[0].count, 5);
	assert_frame(&i, 1, 0, "operator new (int)");
	assert_true(frame_at(&i, 2, 0)->is_kernel);
	assert_false(frame_at(&i, 2, 1)->is_kernel);
	assert_frame(&i, 3, 0, "main");
	assert_int_equal(frame_at(&i, 3, 0)->nr_places, 3);
	assert_string_equal(import_str(&i.b, i.b.places.v[frame_at(&i, 3, 0)->first_place].function), "b");
	assert_int_equal(frame_at(&i, 4, 0)->dso, IMPORT_NO_DSO);
	assert_int_equal(i.b.dsos.v[frame_at(&i, 5, 0)->dso].kind, IMPORTED_JIT);
	done(&i);
}

/* A NUL does not end a name: two that differ behind it are two, and it shows. */
static void test_folded_nul(void **state)
{
	static const char text[] = "main;a\0b 1\nmain;a\0c 2\nmain;a 3\n";
	struct import_options o = { 0 };
	struct import_lines lines;
	struct errbuf eb = { 0 };
	struct importing i;

	(void)state;
	memset(&i, 0, sizeof(i));
	import_builder_init(&i.b);
	import_lines_init(&lines, text, sizeof(text) - 1);
	assert_int_equal(import_folded(&i.b, &lines, &o, &i.result, &eb), 0);
	import_lines_fini(&lines);
	assert_int_equal(i.b.samples.nr, 3);
	assert_frame(&i, 0, 0, "a\\x00b");
	assert_frame(&i, 1, 0, "a\\x00c");
	assert_frame(&i, 2, 0, "a");
	done(&i);
}

static void test_folded_bad(void **state)
{
	struct importing i;

	(void)state;
	folded(&i, "main 1\nnot a stack\n 7\n12\nmain x7\nmain -3\nmain 99999999999999999999999\nmain 1.5\nmain 0.2\nmain 2.x\nmain 0\n",
	       false);
	assert_int_equal(i.b.samples.nr, 2); /* 1 and 2: what rounds to nothing is nothing */
	assert_int_equal(i.result.nr_skipped, 7);
	assert_int_equal(i.result.first_skipped, 2);
	assert_int_equal(i.result.nr_rounded, 2);
	done(&i);
}

static void test_folded_comm(void **state)
{
	struct importing i;

	(void)state;
	folded(&i, "app;main;x 1\napp two;main 2\nalone 3\n", true);
	assert_string_equal(import_str(&i.b, i.b.samples.v[1].comm), "app two");
	assert_frame(&i, 0, 1, "main");
	assert_int_equal(i.b.samples.v[2].stack, IMPORT_NO_STACK);
	done(&i);
}

/* A pid or tid of 0 beside another number is none: the task keeps its name, and its functions theirs. */
static void test_folded_ids_of_0(void **state)
{
	static const struct {
		const char *text;
		int32_t pid, tid;
	} cases[] = {
		{ "sh-0/2;main;f 1", 2, 2 }, { "sh-3/0;main;f 1", 3, 3 }, { "idle-0/0;main;f 1", 0, 0 }, { "sh-3/4;main;f 1", 3, 4 }
	};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct importing i;

		folded(&i, cases[k].text, true);
		assert_int_equal(i.b.samples.nr, 1);
		assert_int_equal(i.b.samples.v[0].pid, cases[k].pid);
		assert_int_equal(i.b.samples.v[0].tid, cases[k].tid);
		done(&i);
	}
}

/* Deeper than a record holds: the outer end is lost, and counted. */
static void test_folded_deep(void **state)
{
	char *text = mem_alloc(30000), *p = text;
	struct importing i;

	(void)state;
	for (int k = 0; k < 9000; k++)
		p += sprintf(p, "f;");
	strcpy(p, "leaf 2\n");
	folded(&i, text, false);
	assert_int_equal(i.b.nr_cut, 1);
	assert_frame(&i, 0, 0, "leaf");
	done(&i);
	free(text);
}

/* ---- perf script ---- */

static void test_script(void **state)
{
	struct importing i;

	(void)state;
	script(&i, "# hostname : box\n"
		   "app    10 [001]     1.000000:        100 cycles: \n"
		   "\tffffffff81000010 sys_x+0x10 ([kernel.kallsyms])\n"
		   "\t            1010 in (inlined)\n"
		   "\t            1010 work+0x10 (/bin/app)\n"
		   "\t            2005 main+0x5 (/bin/app)\n"
		   "\t        deadbeef [unknown] ([unknown])\n"
		   "\n"
		   "app    10 [001]     1.100000:        100 cycles: \n"
		   "\t            1010 work+0x10 (/bin/app)\n"
		   "\n"
		   "app    11/12 [000] 1.200000:          1 sched:sched_switch: prev=a ==> next=b\n"
		   "garbage\n");
	assert_int_equal(i.b.samples.nr, 3);
	assert_int_equal(i.result.nr_skipped, 1);
	assert_int_equal(i.result.first_skipped, 13);
	assert_string_equal(i.b.hostname, "box");
	assert_true(frame_at(&i, 0, 0)->is_kernel);
	assert_frame(&i, 0, 1, "work");
	assert_int_equal(frame_at(&i, 0, 1)->nr_places, 2);
	assert_int_equal(frame_at(&i, 0, 3)->dso, IMPORT_NO_DSO);
	assert_string_equal(strtab_get(&i.b.texts, i.b.samples.v[2].text), "prev=a ==> next=b");
	assert_int_equal(i.b.samples.v[2].pid, 11);
	assert_int_equal(i.b.samples.v[2].tid, 12);
	done(&i);
}

/* Samples in any order: names and maps are told in the order of times, as readers have it. roundtrip() looks at every one. */
static void test_script_unsorted(void **state)
{
	struct importing i;

	(void)state;
	script(&i,
	       "new 5/5 2.0: cycles: \n\t1010 f+0x10 (/bin/a)\n\t2000 m+0x0 (/bin/a)\n\nold 5/5 1.0: cycles: \n\t1010 g+0x10 (/bin/b)\n\n"
	       "other 7/5 1.5: cycles: \n\t1010 f+0x10 (/bin/a)\n\nold 5/5 1.0: faults: \n\t1018 f+0x18 (/bin/a)\n\n"
	       "none 8/8 cycles:u: \n\t1018 f+0x18 (/bin/a)\n\nnew 5/5 1.9: cycles:     400010 f+0x10 (/bin/b)\n");
	assert_int_equal(i.b.samples.nr, 6);
	roundtrip(&i.b);
	assert_string_equal(import_str(&i.b, i.b.samples.v[0].comm), "none"); /* without a time */
	assert_string_equal(import_str(&i.b, i.b.events.v[i.b.samples.v[1].event].name), "cycles");
	assert_string_equal(import_str(&i.b, i.b.events.v[i.b.samples.v[2].event].name), "faults");
	assert_string_equal(import_str(&i.b, i.b.samples.v[5].comm), "new");
	import_builder_fini(&i.b);
}

/* A line that does not belong there is no first line, whatever stands behind it. */
static void test_script_stray_line(void **state)
{
	struct importing i;

	(void)state;
	script(&i,
	       "a     1     1.000000:          1 cycles: \n\t            11ca f\n\na     1     2.000000:          1 cycles: \n\t            11ca f\n"
	       "what is this\n\t            1331 main\n\na     1     3.000000:          1 cycles: \n\t            11ca f\n\n");
	assert_int_equal(i.b.samples.nr, 3);
	assert_int_equal(i.result.nr_skipped, 1);
	assert_int_equal(i.result.first_skipped, 6);
	assert_frame(&i, 1, 1, "main");
	done(&i);
}

/* Fields behind a call chain stand where an empty line would; texts without times have first lines all the same. */
static void test_script_fields_behind(void **state)
{
	struct importing i;

	(void)state;
	script(&i, "mixed                0\n\t            11ca f\n\t            1331 main\n ABI:2    AX:0x6fb    BX:0x40d \n"
		   "mixed                0\n\t            11ca f\n ABI:2    AX:0xd58    BX:0x40d \n");
	assert_int_equal(i.b.samples.nr, 2);
	assert_int_equal(i.result.nr_skipped, 0);
	assert_int_equal(i.result.nr_other_fields, 4);
	assert_string_equal(import_str(&i.b, i.b.samples.v[1].comm), "mixed");
	assert_frame(&i, 0, 1, "main");
	assert_frame(&i, 1, 0, "f");
	assert_false(i.b.events.v[0].has_addr);
	done(&i);
}

static void test_folded_pair(void **state)
{
	struct importing i;

	(void)state;
	folded(&i, "main;a 10 12\nmain;b 5 0\nmain;c 0 3\nmain;d 0 0\nbroken\n", false);
	assert_true(i.result.is_pair);
	assert_true(i.b.is_pair);
	assert_int_equal(i.b.events.nr, 2);
	assert_string_equal(import_str(&i.b, i.b.events.v[0].name), "before");
	assert_string_equal(import_str(&i.b, i.b.events.v[1].name), "after");
	assert_int_equal(i.b.samples.nr, 4);
	assert_int_equal(i.b.samples.v[0].event, 0);
	assert_int_equal(i.b.samples.v[0].period, 10);
	assert_int_equal(i.b.samples.v[1].event, 1);
	assert_int_equal(i.b.samples.v[1].count, 12);
	assert_int_equal(i.b.samples.v[3].event, 1);
	assert_frame(&i, 3, 0, "c");
	assert_int_equal(i.result.nr_skipped, 1);
	done(&i);
}

/* Addresses that contradict one another: two symbols at one place, a nameless one inside of a symbol, other lines at the same place. All
 * names and offsets come out nevertheless: roundtrip() checks it. */
static void test_script_conflicts(void **state)
{
	struct importing i;

	(void)state;
	script(&i,
	       "a 1 1.0: cycles: \n\t1010 one+0x10 (/bin/a)\n\t1010 two+0x10 (/bin/a)\n\t1008 [unknown] (/bin/a)\n\t1010 one+0x10 (/bin/a)\n  a.c:1\n"
	       "\t1010 one+0x10 (/bin/a)\n  a.c:2\n\t1010 one (/bin/a)\n\t1010 one+0x1011 (/bin/a)\n\tffffffffffffffff x+0x1 (/bin/a)\n\t0 zero+0x0 (/bin/a)\n"
	       "\tffffffff81000010 k+0x10 ([kernel.kallsyms])\n\tffffffff81000010 k+0x10 ([ext4])\n\tfffffffffffffff0 m+0x1 ([ext4])\n\n"
	       "b 1 1.1: cycles:     400010 f+0x10 (/bin/a)\nb 1 1.2: cycles:     400010 g+0x10 (/bin/b)\nb 1 1.3: cycles:     400010 f+0x10 (/bin/a)\n"
	       "b 2 1.4: cycles:     500010 f+0x10 (/bin/a)\nb 2 1.5: cycles:     500011 [unknown] (/bin/a)\nb 2 1.6: cycles:     500012 [unknown] ([unknown])\n");
	assert_int_equal(i.b.samples.nr, 7);
	assert_int_equal(i.result.nr_skipped, 0);
	done(&i);
}

/* A return address with lines of its own where its symbol begins, because others claim the byte in front. */
static void test_script_first_byte(void **state)
{
	struct importing i;

	(void)state;
	script(&i, "a 1 1.0: cycles: \n\t1330 g (/bin/a)\n  a.c:1\n\t1330 h (/bin/a)\n  a.c:3\n\t1330 g (/bin/a)\n  a.c:2\n\n");
	assert_int_equal(i.b.samples.nr, 1);
	assert_int_equal(i.result.nr_skipped, 0);
	done(&i);
}

/* A tid that moves to another process and back: names and maps have to be told again. */
static void test_script_reused_tid(void **state)
{
	struct importing i;

	(void)state;
	script(&i, "one 5/5 1.0: cycles: \n\t1010 f+0x10 (/bin/a)\n\ntwo 7/5 1.1: cycles: \n\t1010 f+0x10 (/bin/a)\n\n"
		   "one 5/5 1.2: cycles: \n\t1010 f+0x10 (/bin/a)\n\nsix 5/6 1.3: cycles: \n\t1010 f+0x10 (/bin/a)\n\n");
	assert_int_equal(i.b.samples.nr, 4);
	done(&i);
}

/* The same of a pid: its threads find the maps of the process that has it now, and a thread that led another process in between has its
 * name again. */
static void test_script_reused_pid(void **state)
{
	struct importing i;

	(void)state;
	script(&i, "one 5/6 1.0: cycles: \n\t1010 f+0x10 (/bin/a)\n\ntwo 7/5 1.1: cycles: \n\t1010 f+0x10 (/bin/a)\n\n"
		   "one 5/5 1.2: cycles: \n\t2010 g+0x10 (/bin/b)\n\none 5/6 1.3: cycles: \n\t2010 g+0x10 (/bin/b)\n\n"
		   "six 6/8 1.4: cycles: \n\t1010 f+0x10 (/bin/a)\n\none 5/6 1.5: cycles: \n\t2010 g+0x10 (/bin/b)\n\n");
	assert_int_equal(i.b.samples.nr, 6);
	done(&i);
}

static void add_sample(struct import_builder *b, uint32_t dso, const char *symbol, const uint64_t *ips, uint32_t nr)
{
	uint32_t locations[3];
	struct import_sample s = { .pid = 1, .tid = 1, .period = 1, .count = 1 };

	for (uint32_t i = 0; i < nr; i++) {
		const struct import_location l = {
			.dso = dso,
			.symbol = import_string(b, symbol, strlen(symbol)),
			.addr = ips[i],
			.ip = ips[i],
			.off = IMPORT_UNKNOWN,
		};

		locations[i] = import_location(b, &l, NULL, 0);
	}
	s.stack = import_stack(b, locations, nr);
	import_sample(b, &s);
}

/* Addresses of a file that are far from each other, or in the range of words of call chains. */
static void test_far_addresses(void **state)
{
	const uint64_t near[] = { 0x1000 }, far[] = { 0x1000, 0xfff0000000001000, (UINT64_C(1) << 56) + 3 }, unknown[] = { IMPORT_UNKNOWN };
	struct importing i;
	uint32_t a, b;

	(void)state;
	memset(&i, 0, sizeof(i));
	import_builder_init(&i.b);
	import_event(&i.b, "cycles", 6);
	i.b.events.v[0].has_chain = i.b.events.v[0].has_period = true;
	a = import_dso(&i.b, "/bin/a", 6);
	b = import_dso(&i.b, "/bin/b", 6);
	add_sample(&i.b, a, "f", unknown, 1);
	add_sample(&i.b, b, "", near, 1);
	add_sample(&i.b, a, "", far, 3);
	add_sample(&i.b, IMPORT_NO_DSO, "", far, 3);
	add_sample(&i.b, a, "f", unknown, 1);
	done(&i);
}

/* ---- pprof ---- */

struct pb {
	struct out all, message, inner;
	uint32_t nr_strings;
};

static uint64_t pb_string(struct pb *p, const char *s)
{
	protobuf_bytes(&p->all, 6, s, strlen(s));
	return p->nr_strings++;
}

static void pb_pairs(struct pb *p, uint32_t field, const uint64_t *v, uint32_t nr)
{
	for (uint32_t k = 0; k < nr; k++)
		protobuf_u64(&p->message, k + 1, v[k]);
	protobuf_message(&p->all, field, &p->message);
}

static void pb_location(struct pb *p, uint64_t id, uint64_t mapping, uint64_t address, const uint64_t *functions, uint32_t nr)
{
	protobuf_u64(&p->message, 1, id);
	protobuf_u64(&p->message, 2, mapping);
	protobuf_u64(&p->message, 3, address);
	for (uint32_t k = 0; k < nr; k++) {
		protobuf_u64(&p->inner, 1, functions[k]);
		protobuf_u64(&p->inner, 2, 10 + k);
		protobuf_message(&p->message, 4, &p->inner);
	}
	protobuf_message(&p->all, 4, &p->message);
}

/* Not packed, as old writers do it. */
static void pb_sample(struct pb *p, const uint64_t *locations, uint32_t nr, int64_t count, int64_t value, uint64_t key, int64_t tid)
{
	for (uint32_t k = 0; k < nr; k++)
		protobuf_u64(&p->message, 1, locations[k]);
	protobuf_varint(&p->inner, (uint64_t)count);
	protobuf_varint(&p->inner, (uint64_t)value);
	protobuf_message(&p->message, 2, &p->inner);
	protobuf_u64(&p->inner, 1, key);
	protobuf_i64(&p->inner, 3, tid);
	protobuf_message(&p->message, 3, &p->inner);
	protobuf_message(&p->all, 2, &p->message);
}

static void pb_make(struct pb *p)
{
	uint64_t s_samples, s_count, s_cpu, s_ns, s_file, s_build_id, s_main, s_work, s_inl, s_src, s_tid, s_mangled, s_readable;

	memset(p, 0, sizeof(*p));
	out_init(&p->all, -1);
	out_init(&p->message, -1);
	out_init(&p->inner, -1);
	pb_string(p, "");
	s_samples = pb_string(p, "samples");
	s_count = pb_string(p, "count");
	s_cpu = pb_string(p, "cpu");
	s_ns = pb_string(p, "nanoseconds");
	s_file = pb_string(p, "/bin/app");
	s_build_id = pb_string(p, "00ff12");
	s_main = pb_string(p, "main");
	s_work = pb_string(p, "work");
	s_inl = pb_string(p, "inl");
	s_src = pb_string(p, "app.c");
	s_tid = pb_string(p, "tid");
	s_mangled = pb_string(p, "_Z3fooi");
	s_readable = pb_string(p, "foo");
	pb_pairs(p, 1, (uint64_t[]){ s_samples, s_count }, 2);
	pb_pairs(p, 1, (uint64_t[]){ s_cpu, s_ns }, 2);
	pb_pairs(p, 3, (uint64_t[]){ 1, 0x400000, 0x500000, 0x1000, s_file, s_build_id }, 6);
	pb_pairs(p, 5, (uint64_t[]){ 1, s_main, s_main, s_src }, 4);
	pb_pairs(p, 5, (uint64_t[]){ 2, s_work, 0, s_src }, 4);
	pb_pairs(p, 5, (uint64_t[]){ 3, s_inl, s_inl, s_src }, 4);
	pb_pairs(p, 5, (uint64_t[]){ 4, s_readable, s_mangled, s_src }, 4);
	pb_location(p, 1, 1, 0x400100, (uint64_t[]){ 3, 2 }, 2); /* inl in work */
	pb_location(p, 2, 1, 0x400200, (uint64_t[]){ 1 }, 1);
	pb_location(p, 3, 0, 0, (uint64_t[]){ 4 }, 1); /* no address, no module */
	pb_location(p, 4, 1, 0x400300, NULL, 0);       /* no name */
	pb_sample(p, (uint64_t[]){ 1, 2 }, 2, 3, 30000000, s_tid, 77);
	pb_sample(p, (uint64_t[]){ 3, 1, 2 }, 3, 1, 10000000, s_tid, 78);
	pb_sample(p, (uint64_t[]){ 4, 2 }, 2, 1, 10000001, s_tid, 78);
	pb_sample(p, (uint64_t[]){ 99 }, 1, 1, 1, s_tid, 78); /* no such location */
	pb_sample(p, (uint64_t[]){ 1 }, 1, 1, -5, s_tid, 78);
	protobuf_u64(&p->all, 12, 10000000);
}

static void pb_fini(struct pb *p)
{
	out_fini(&p->all);
	out_fini(&p->message);
	out_fini(&p->inner);
}

static void test_pprof(void **state)
{
	struct importing i = { 0 };
	struct errbuf eb = { 0 };
	struct pb p;

	(void)state;
	pb_make(&p);
	import_builder_init(&i.b);
	assert_int_equal(import_pprof(&i.b, p.all.buf, p.all.len, &i.result, &eb), 0);
	assert_int_equal(i.b.events.nr, 1);
	assert_string_equal(import_str(&i.b, i.b.events.v[0].name), "cpu-clock");
	assert_int_equal(i.b.events.v[0].period, 10000000);
	assert_int_equal(i.b.samples.nr, 3);
	assert_int_equal(i.result.nr_skipped, 1);
	assert_int_equal(i.result.first_skipped, 4);
	assert_int_equal(i.result.nr_negative, 1);
	assert_int_equal(i.result.first_negative, 5);
	assert_int_equal(i.b.samples.v[0].count, 3);
	assert_int_equal(i.b.samples.v[0].period, 30000000);
	assert_int_equal(i.b.samples.v[0].tid, 77);
	assert_frame(&i, 0, 0, "work");
	assert_int_equal(frame_at(&i, 0, 0)->ip, 0x400100);
	assert_int_equal(frame_at(&i, 0, 0)->addr, 0x1100);
	assert_int_equal(frame_at(&i, 0, 0)->nr_places, 2);
	assert_int_equal(frame_at(&i, 0, 1)->ip, 0x400201); /* behind the call */
	assert_int_equal(i.b.dsos.v[frame_at(&i, 0, 0)->dso].build_id_size, 3);
	assert_int_equal(i.b.dsos.v[frame_at(&i, 0, 0)->dso].build_id[1], 0xff);
	assert_frame(&i, 1, 0, "_Z3fooi");
	done(&i);
	pb_fini(&p);
}

/* Cut anywhere, it is refused or makes sense as far as it goes. */
static void test_pprof_cut(void **state)
{
	struct pb p;

	(void)state;
	pb_make(&p);
	for (size_t len = 0; len < p.all.len; len++) {
		struct importing i = { 0 };
		struct errbuf eb = { 0 };
		char *copy = malloc(len + 1);

		memcpy(copy, p.all.buf, len);
		import_builder_init(&i.b);
		if (!import_pprof(&i.b, copy, len, &i.result, &eb))
			roundtrip(&i.b);
		import_builder_fini(&i.b);
		free(copy);
	}
	pb_fini(&p);
}

/* ---- the door ---- */

static int import_whole(const char *text, size_t size, struct import_result *result)
{
	int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC);
	struct import_options o = { 0 };
	struct errbuf eb = { 0 };
	int err;

	assert_true(in >= 0 && out >= 0 && write(in, text, size) == (ssize_t)size && !lseek(in, 0, SEEK_SET));
	err = import_file(in, out, "x", &o, result, &eb);
	assert_true(!err == !eb.text[0]);
	close(in);
	close(out);
	return err;
}

static const struct {
	const char *text;
	enum import_format format;
} guesses[] = {
	{ "swapper;cpu_idle [000] 3.2: x 5\n", IMPORT_FOLDED },
	{ "a;b 1\r\na;c 2\r\n", IMPORT_FOLDED },
	{ "\xef\xbb\xbf"
	  "a;b 1\n",
	  IMPORT_FOLDED },
	{ "  a;b 1\n", IMPORT_FOLDED },
	{ "main 7\nother 8\n", IMPORT_FOLDED },
	{ "a;b 1e6 2.5\n", IMPORT_FOLDED },
	{ "app 1 [000] 3.2: sched:x: a;b 5\n", IMPORT_SCRIPT },
	{ "mixed \n\t            11ca main\n\n", IMPORT_SCRIPT },
	{ "mixed 24968 \n\t            11ca main\n\n", IMPORT_SCRIPT },
	{ "           mixed 24968 \n", IMPORT_SCRIPT },
	{ "           mixed cpu-clock: \n", IMPORT_SCRIPT },
	{ " ffffffff81d33137\n     7f0e9d83e2ad\n", IMPORT_SCRIPT },
	{ "[001]      5605075c0219 work_1\n", IMPORT_SCRIPT },
	{ "23847.661170:  ffffffff81d33137 f ([k])\n", IMPORT_SCRIPT },
	{ "           mixed 24968 23847.311271: \n", IMPORT_SCRIPT },
};

static void test_guess(void **state)
{
	static const char words[] = "just some words\n", stacks[] = "a;b 1\n", other[] = "a 1 2.0: cycles: \n\t12 f (x)\n\n";
	struct import_result r;
	struct pb p;

	(void)state;
	assert_int_equal(import_whole(stacks, sizeof(stacks) - 1, &r), 0);
	assert_int_equal(r.format, IMPORT_FOLDED);
	assert_int_equal(import_whole(other, sizeof(other) - 1, &r), 0);
	assert_int_equal(r.format, IMPORT_SCRIPT);
	pb_make(&p);
	assert_int_equal(import_whole(p.all.buf, p.all.len, &r), 0);
	assert_int_equal(r.format, IMPORT_PPROF);
	pb_fini(&p);
	for (size_t k = 0; k < sizeof(guesses) / sizeof(*guesses); k++) {
		assert_int_equal(import_whole(guesses[k].text, strlen(guesses[k].text), &r), 0);
		if (r.format != guesses[k].format)
			fail_msg("taken for %s: %s", import_format_name(r.format), guesses[k].text);
	}
	assert_int_equal(import_whole(words, sizeof(words) - 1, &r), -ENOEXEC);
	assert_int_equal(import_whole("", 0, &r), -ENOEXEC);
	assert_false(import_could_be("PERFILE2xxxx", 12));
	assert_false(import_could_be("\177ELF\2\1\1", 7));
	assert_true(import_could_be("\x1f\x8b\x08", 3));
	assert_true(import_could_be(stacks, sizeof(stacks) - 1));
}

/* Bytes of any kind that begin like a field are not yet a profile; one that is cut anywhere behind its first field is. */
static void test_guess_pprof(void **state)
{
	uint8_t noise[4096] = { 0x0a, 0x05 };
	uint64_t x = 88172645463325252u;
	unsigned nr_taken = 0;
	struct pb p;

	(void)state;
	for (unsigned first = 0; first < 256; first++) {
		for (size_t i = 0; i < sizeof(noise); i++) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			noise[i] = (uint8_t)(x >> 32);
		}
		noise[0] = (uint8_t)first;
		nr_taken += import_could_be(noise, sizeof(noise));
	}
	assert_in_range(nr_taken, 0, 2);
	assert_false(import_could_be("\x0a\x02\0\0\xfa\x7f\x01\0", 8)); /* no field of a profile */
	pb_make(&p);
	for (size_t len = 8; len <= p.all.len; len++)
		if (!import_could_be(p.all.buf, len))
			fail_msg("the first %zu bytes of a profile", len);
	pb_fini(&p);
}

/* A line without an end is no reason to hold all of it. */
static void test_endless_line(void **state)
{
	size_t len = 70u << 20;
	char *text = mem_alloc(len + 1);
	struct importing i;

	(void)state;
	memset(text, 'a', len);
	memcpy(text + len - 12, "\nmain;work 4", 13);
	folded(&i, text, false);
	assert_int_equal(i.result.nr_skipped, 1);
	assert_int_equal(i.b.samples.nr, 1);
	assert_frame(&i, 0, 0, "work");
	done(&i);
	free(text);
}

static void test_script_endless_line(void **state)
{
	static const char head[] = "app 7 [000] 1.5: 1 cycles: \n\t    1234 work (x)\n\t    1235 ";
	size_t len = 70u << 20;
	char *text = mem_alloc(len + 1);
	struct importing i;

	(void)state;
	memset(text, 'a', len);
	memcpy(text, head, sizeof(head) - 1);
	text[len] = 0;
	script(&i, text);
	assert_int_equal(i.result.nr_skipped, 1);
	assert_int_equal(i.result.first_skipped, 3);
	assert_int_equal(i.b.samples.nr, 1);
	assert_int_equal(i.b.stacks.v[i.b.samples.v[0].stack].nr, 1);
	assert_frame(&i, 0, 0, "work");
	done(&i);
	free(text);
}

/* What begins like pairs is believed only when all of it was seen, however long it is. */
static void test_folded_late_proof(void **state)
{
	static const char *const last[] = { "main;idle 7", "main;idle 7\n", "main;idle 7 8\n" };
	struct import_result r;

	(void)state;
	for (uint32_t k = 0; k < 3; k++) {
		uint32_t nr = 70000;
		struct out o;

		out_init(&o, -1);
		for (uint32_t i = 0; i < nr; i++)
			out_printf(&o, "main;worker %u 5\n", i % 100);
		out_str(&o, last[k]);
		assert_true(o.len > 1u << 20);
		assert_int_equal(import_whole(o.buf, o.len, &r), 0);
		assert_int_equal(r.is_pair, k == 2);
		assert_int_equal(r.nr_skipped, 0);
		assert_int_equal(r.nr_lines, nr + 1);
		if (k < 2)
			assert_int_equal(r.nr_samples, nr * 5 + 7);
		out_fini(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_folded_bad),
		cmocka_unit_test(test_folded_nul),
		cmocka_unit_test(test_folded_comm),
		cmocka_unit_test(test_folded_deep),
		cmocka_unit_test(test_script),
		cmocka_unit_test(test_script_conflicts),
		cmocka_unit_test(test_pprof),
		cmocka_unit_test(test_pprof_cut),
		cmocka_unit_test(test_guess),
		cmocka_unit_test(test_guess_pprof),
		cmocka_unit_test(test_endless_line),
		cmocka_unit_test(test_script_reused_tid),
		cmocka_unit_test(test_script_unsorted),
		cmocka_unit_test(test_script_fields_behind),
		cmocka_unit_test(test_folded_pair),
		cmocka_unit_test(test_script_stray_line),
		cmocka_unit_test(test_script_endless_line),
		cmocka_unit_test(test_folded_late_proof),
		cmocka_unit_test(test_folded_ids_of_0),
		cmocka_unit_test(test_script_first_byte),
		cmocka_unit_test(test_script_reused_pid),
		cmocka_unit_test(test_far_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
