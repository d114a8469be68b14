/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * model/quality.h and view/quality_text.h: stacks of known ends, places of known names, and what is said of them.
 */
#include "abi/offcpu.h"
#include "session_fixture.h"

#include <stdlib.h>

#include "model/quality.h"
#include "view/quality_text.h"

static const char *const names[] = { "_start", "main", "work", "leaf", NULL };

struct quality_fixture {
	struct fixture f;
	struct task *task;
	struct quality q;
};

/* /bin/app at 0x10000 with four functions, and 0x10000 bytes behind them that no symbol covers. */
static void setup(struct quality_fixture *x)
{
	fixture_init(&x->f);
	x->task = fixture_task(&x->f, 10, 10, "app");
	fixture_map(&x->f, x->task, 0x10000, 0x10000, fixture_dso(&x->f, "/bin/app", names));
}

static void measure(struct quality_fixture *x)
{
	profile_symbolize(&x->f.p);
	quality_of_profile(&x->q, &x->f.p);
}

static void teardown(struct quality_fixture *x)
{
	quality_fini(&x->q);
	fixture_fini(&x->f);
}

static void add(struct quality_fixture *x, int nr, const uint64_t *ips, uint32_t depth)
{
	for (int i = 0; i < nr; i++)
		fixture_sample(&x->f, x->task, 1, ips, depth);
}

/* Chains of one mode and any length, which fixture_sample() has not. */
static void add_chain(struct quality_fixture *x, unsigned mode, uint64_t ip, uint32_t depth)
{
	struct record_header h = { .type = RECORD_SAMPLE, .misc = (uint16_t)mode };
	struct session_record sr = { .header = &h, .event = 0, .task = x->task };
	uint64_t *chain = mem_alloc((depth + 1) * sizeof(*chain));

	chain[0] = mode == MISC_KERNEL ? CHAIN_KERNEL : CHAIN_USER;
	for (uint32_t i = 0; i < depth; i++)
		chain[i + 1] = ip;
	sr.rec.header = &h;
	sr.rec.sample = (struct sample){ .ip = ip, .pid = 10, .tid = 10, .ips = chain, .nr_ips = depth + 1 };
	profile_add(&x->f.p, &sr);
	free(chain);
}

static void test_ends(void **state)
{
	struct quality_fixture x;

	(void)state;
	setup(&x);
	add(&x, 50, (const uint64_t[]){ 0x10350, 0x10250, 0x10150, 0x10050 }, 4); /* to _start */
	add(&x, 20, (const uint64_t[]){ 0x10350, 0x10250, 0x10150 }, 3);	  /* to main */
	add(&x, 20, (const uint64_t[]){ 0x10350, 0x10250 }, 2);			  /* work is called by somebody */
	add(&x, 10, (const uint64_t[]){ 0x10350, 0x99999000 }, 2);		  /* into nothing */
	measure(&x);
	assert_int_equal(x.q.nr_samples, 100);
	assert_int_equal(x.q.nr_stacks, 100);
	assert_int_equal(x.q.nr_by_stack[QUALITY_COMPLETE], 70);
	assert_int_equal(x.q.nr_by_stack[QUALITY_TRUNCATED], 0);
	assert_int_equal(x.q.nr_by_stack[QUALITY_BROKEN], 30);
	assert_int_equal(x.q.nr_unresolved, 0);
	assert_int_equal(x.q.nr_frames, 50 * 4 + 20 * 3 + 30 * 2);
	assert_int_equal(x.q.nr_unresolved_frames, 10);
	assert_true(quality_is_incomplete(&x.q));
	assert_false(quality_is_unresolved(&x.q) || quality_is_lossy(&x.q));
	teardown(&x);
}

static void test_walked_ends(void **state)
{
	static const struct {
		enum unwind_end end;
		bool guessed, is_whole; /* the outermost function is _start, or else one that is called */
		enum quality_stack what;
	} cases[] = { { UNWIND_COMPLETE, false, false, QUALITY_COMPLETE },
		      { UNWIND_TRUNCATED, false, false, QUALITY_TRUNCATED },
		      { UNWIND_LIMIT, false, false, QUALITY_TRUNCATED },
		      { UNWIND_NO_MAP, false, false, QUALITY_BROKEN },
		      { UNWIND_NO_RULE, false, false, QUALITY_BROKEN },
		      { UNWIND_BAD_MEMORY, false, false, QUALITY_BROKEN },
		      { UNWIND_NO_PROGRESS, false, false, QUALITY_BROKEN },
		      { UNWIND_COMPLETE, true, false, QUALITY_GUESSED },
		      { UNWIND_TRUNCATED, true, false, QUALITY_TRUNCATED },
		      { UNWIND_LIMIT, true, false, QUALITY_TRUNCATED },
		      { UNWIND_NO_RULE, true, false, QUALITY_BROKEN },
		      { UNWIND_NO_RULE, false, true, QUALITY_COMPLETE },
		      { UNWIND_BAD_MEMORY, false, true, QUALITY_COMPLETE },
		      { UNWIND_NO_PROGRESS, false, true, QUALITY_COMPLETE },
		      { UNWIND_NO_RULE, true, true, QUALITY_GUESSED },
		      { UNWIND_COMPLETE, true, true, QUALITY_GUESSED },
		      /* the walk knows that it was cut */
		      { UNWIND_SMALL_DUMP, false, true, QUALITY_TRUNCATED },
		      { UNWIND_RECORD_LIMIT, false, true, QUALITY_TRUNCATED },
		      { UNWIND_PYTHON_LIMIT, false, true, QUALITY_TRUNCATED },
		      { UNWIND_TRUNCATED, false, true, QUALITY_TRUNCATED },
		      { UNWIND_LIMIT, false, true, QUALITY_TRUNCATED } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct quality_fixture x;

		setup(&x);
		add(&x, 3, (const uint64_t[]){ 0x10350, cases[i].is_whole ? 0x10050 : 0x10250 }, 2);
		for (uint32_t j = 0; j < 3; j++)
			x.f.p.samples.walk[j] = profile_walk_byte((struct unwind_result){ cases[i].end, cases[i].guessed });
		measure(&x);
		assert_int_equal(x.q.nr_by_stack[cases[i].what], 3);
		assert_int_equal(quality_judge(&x.q, &x.f.p, x.f.p.samples.stack[0], profile_walk(&x.f.p, 0)), cases[i].what);
		assert_int_equal(x.q.nr_by_cut[QUALITY_CUT_DUMP], cases[i].end == UNWIND_TRUNCATED ? 3 : 0);
		assert_int_equal(x.q.nr_by_cut[QUALITY_CUT_READER], cases[i].end == UNWIND_LIMIT ? 3 : 0);
		assert_int_equal(x.q.nr_by_cut[QUALITY_CUT_BUDGET], cases[i].end == UNWIND_SMALL_DUMP ? 3 : 0);
		assert_int_equal(x.q.nr_by_cut[QUALITY_CUT_RECORD], cases[i].end == UNWIND_RECORD_LIMIT ? 3 : 0);
		assert_int_equal(x.q.nr_by_cut[QUALITY_CUT_PYTHON], cases[i].end == UNWIND_PYTHON_LIMIT ? 3 : 0);
		teardown(&x);
	}
}

/* Stacks that are lost in generated code are counted by the runtime whose files the process maps. */
static void test_runtimes(void **state)
{
	struct quality_fixture x;
	uint32_t jit;

	(void)state;
	setup(&x);
	jit = dso_table_intern(&x.f.s.machine.dsos, MODULE_JIT, "/tmp/perf-10.map", 10, NULL, 0);
	fixture_map(&x.f, x.task, 0x100000, 0x1000, jit);
	fixture_map(&x.f, x.task, 0x200000, 0x1000, fixture_dso(&x.f, "/usr/lib/libpython3.11.so.1.0", names));
	fixture_map(&x.f, x.task, 0x300000, 0x1000, fixture_dso(&x.f, "/usr/bin/luajit", names));
	add(&x, 2, (const uint64_t[]){ 0x10350, 0x100010 }, 2);
	x.f.p.samples.walk[0] = x.f.p.samples.walk[1] = profile_walk_byte((struct unwind_result){ UNWIND_NO_RULE, false });
	measure(&x);
	assert_int_equal(dso_table_get(&x.f.s.machine.dsos, jit)->runtime, JIT_LUA);
	assert_int_equal(x.q.nr_broken_by[QUALITY_CAUSE_JIT], 2);
	assert_int_equal(x.q.nr_broken_in[JIT_LUA], 2);
	teardown(&x);
}

/* Where threads wait, dumps have a size of their own. */
static void test_cut_waits(void **state)
{
	static char name[] = OFFCPU_EVENT_NAME;

	(void)state;
	for (int is_wait = 0; is_wait < 2; is_wait++) {
		struct quality_fixture x;

		setup(&x);
		add(&x, 3, (const uint64_t[]){ 0x10350, 0x10250 }, 2);
		x.f.p.samples.walk[0] = profile_walk_byte((struct unwind_result){ UNWIND_TRUNCATED, false });
		if (is_wait) {
			x.f.info.events.v[0].attr.type = ATTR_TYPE_SOFTWARE;
			x.f.info.events.v[0].attr.config = CONFIG_BPF_OUTPUT;
			x.f.info.events.v[0].name = name;
		}
		measure(&x);
		assert_int_equal(x.q.nr_by_cut[QUALITY_CUT_WAIT], is_wait);
		assert_int_equal(x.q.nr_by_cut[QUALITY_CUT_DUMP], !is_wait);
		teardown(&x);
	}
}

/* report -U may take the innermost frame from a stack: what is left is still of a circle. */
static void test_shortened_circle(void **state)
{
	struct quality_fixture x;
	struct profile *p;
	uint32_t stack;

	(void)state;
	setup(&x);
	p = &x.f.p;
	add(&x, 1, (const uint64_t[]){ 0x99999000, 0x10250 }, 2);
	stack = p->samples.stack[0];
	while (p->is_cyclic.nr <= stack)
		vec_push(&p->is_cyclic, false);
	p->is_cyclic.v[stack] = true;
	p->samples.location[0] = stack_tree_frame(&p->tree, stack_tree_parent(&p->tree, profile_stack_node(p, stack)));
	measure(&x);
	profile_drop_unnamed(p);
	assert_int_equal(p->samples.nr, 1);
	assert_int_equal(p->stacks.v[p->samples.stack[0]].depth, 1);
	assert_true(profile_is_cyclic(p, p->samples.stack[0]));
	teardown(&x);
}

/* Where stacks begin, by the name of the outermost function and the file it is in: a program may call its own functions clone or start. */
static void test_entries(void **state)
{
	static const struct {
		const char *path, *name;
		bool has_libc; /* linked into it */
		bool is_entry;
	} cases[] = {
		{ "/bin/app", "_start", false, true },
		{ "/bin/app", "main", false, true },
		{ "/bin/app", "work", false, false },
		{ "/bin/app", "clone", false, false },
		{ "/bin/app", "start", false, false },
		{ "/bin/app", "start_thread", false, false },
		{ "/bin/app", "clone", true, true },
		{ "/bin/libclone.so", "clone", false, false },
		{ "/bin/libc-tools", "clone", false, false },
		{ "/lib/libc.so.6", "clone", false, true },
		{ "/lib/libc.so.6", "clone3", false, true },
		{ "/lib/libc.so.6", "start_thread", false, true },
		{ "/lib/libc.so.6", "__start_context", false, true },
		{ "/lib/libc.so.6", "qsort", false, false },
		{ "/lib/libc-2.31.so", "clone", false, true },
		{ "/lib/libpthread-2.31.so", "start_thread", false, true },
		{ "/lib/ld-musl-x86_64.so.1", "start", false, true },
		{ "/lib/ld-linux-x86-64.so.2", "_dl_start_user", false, true },
		{ "/bin/app", "make_fcontext", false, true },
		{ "/bin/app", "runtime.goexit.abi0", false, true },
		{ "/bin/app", "runtime.mcall", false, true },
		{ "/bin/app", "runtime.systemstack.abi0", false, true },
		{ "/bin/app", "runtime.rt0_go.abi0", false, true },
		{ "/bin/app", "runtime.mallocgc", false, false },
		{ "/bin/app", "crosscall_amd64", false, true },
		{ "/bin/app", "crosscall2", false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *const own[] = { cases[i].name, cases[i].has_libc ? "__libc_start_call_main" : "other", NULL };

		/* however the kernel's chain or a walk got there */
		for (int is_walked = 0; is_walked < 2; is_walked++) {
			enum quality_stack what = cases[i].is_entry ? QUALITY_COMPLETE : QUALITY_BROKEN;
			struct quality_fixture x;

			fixture_init(&x.f);
			x.task = fixture_task(&x.f, 10, 10, "app");
			fixture_map(&x.f, x.task, 0x50000, 0x1000, fixture_dso(&x.f, "/bin/inner", names));
			fixture_map(&x.f, x.task, 0x10000, 0x1000, fixture_dso(&x.f, cases[i].path, own));
			add(&x, 1, (const uint64_t[]){ 0x50350, 0x50250, 0x10050 }, 3);
			if (is_walked)
				x.f.p.samples.walk[0] = profile_walk_byte((struct unwind_result){ UNWIND_NO_RULE, false });
			measure(&x);
			if (x.q.nr_by_stack[what] != 1)
				fail_msg("%s of %s is %sentry", cases[i].name, cases[i].path, cases[i].is_entry ? "no " : "an ");
			teardown(&x);
		}
	}
}

/* Frame pointers through generated code, or through what is in no map, were not confirmed by anything. */
static void test_guessed_chains(void **state)
{
	struct quality_fixture x;

	(void)state;
	setup(&x);
	fixture_map(&x.f, x.task, 0x70000, 0x1000, dso_table_intern(&x.f.s.machine.dsos, MODULE_JIT, "/tmp/perf-10.map", 10, NULL, 0));
	add(&x, 5, (const uint64_t[]){ 0x10350, 0x70010, 0x10050 }, 3); /* called by it */
	add(&x, 6, (const uint64_t[]){ 0x70010, 0x10050 }, 2);		/* sampled in it */
	add(&x, 7, (const uint64_t[]){ 0x10350, 0x9990000, 0x10050 }, 3);
	add(&x, 8, (const uint64_t[]){ 0x10350, 0x10050 }, 2);
	measure(&x);
	assert_int_equal(x.q.nr_by_stack[QUALITY_GUESSED], 18);
	assert_int_equal(x.q.nr_guessed_by[QUALITY_CAUSE_JIT], 11);
	assert_int_equal(x.q.nr_guessed_by[QUALITY_CAUSE_POINTERS], 7);
	assert_int_equal(x.q.nr_by_stack[QUALITY_COMPLETE], 8);
	teardown(&x);
}

/* In the middle of an exec: neither whole nor broken. */
static void test_no_stack(void **state)
{
	struct quality_fixture x;

	(void)state;
	setup(&x);
	add(&x, 4, (const uint64_t[]){ 0x10350, 0x10250 }, 2);
	for (uint32_t j = 0; j < 3; j++)
		x.f.p.samples.walk[j] = profile_walk_byte((struct unwind_result){ UNWIND_NO_STACK, false });
	x.f.p.samples.walk[3] = profile_walk_byte((struct unwind_result){ UNWIND_NO_RULE, false });
	measure(&x);
	assert_int_equal(x.q.nr_samples, 4);
	assert_int_equal(x.q.nr_stacks, 1);
	assert_int_equal(x.q.nr_by_stack[QUALITY_BROKEN], 1);
	assert_int_equal(x.q.nr_by_stack[QUALITY_COMPLETE], 0);
	teardown(&x);
}

static void test_limits(void **state)
{
	struct quality_fixture x;

	(void)state;
	/* The kernel's */
	setup(&x);
	x.f.p.max_stack = 1024;
	for (int i = 0; i < 30; i++)
		add_chain(&x, MISC_USER, 0x10250, 127);
	add_chain(&x, MISC_USER, 0x10250, 126);
	measure(&x);
	assert_int_equal(x.q.nr_by_stack[QUALITY_TRUNCATED], 30);
	assert_int_equal(x.q.nr_by_cut[QUALITY_CUT_KERNEL], 30);
	assert_int_equal(x.q.nr_by_stack[QUALITY_BROKEN], 1);
	teardown(&x);
	/* ours */
	setup(&x);
	x.f.p.max_stack = 20;
	add_chain(&x, MISC_USER, 0x10250, 60);
	measure(&x);
	assert_int_equal(x.q.nr_by_cut[QUALITY_CUT_READER], 1);
	teardown(&x);
	/* and the recorder's */
	setup(&x);
	x.f.info.events.v[0].attr.sample_max_stack = 16;
	add_chain(&x, MISC_USER, 0x10250, 16);
	add_chain(&x, MISC_USER, 0x10250, 15);
	measure(&x);
	assert_int_equal(x.q.nr_by_cut[QUALITY_CUT_KERNEL], 1);
	assert_int_equal(x.q.nr_by_stack[QUALITY_BROKEN], 1);
	teardown(&x);
}

/* What a command line says is no proof: the workload may have any name. */
static void test_dumped(void **state)
{
	static const char *const cmdline[] = { "record", "-g", "./test-dwarf" };
	struct quality_fixture x;

	(void)state;
	for (int is_walked = 0; is_walked < 2; is_walked++) {
		struct attr *a;

		setup(&x);
		x.f.info.cmdline = (void *)cmdline;
		x.f.info.nr_cmdline = 3;
		a = &x.f.info.events.v[0].attr;
		if (is_walked) {
			a->sample_regs_user = 7;
			a->sample_stack_user = 8192;
			a->flags |= ATTR_EXCLUDE_CHAIN_USER;
		}
		add(&x, 30, (const uint64_t[]){ 0x10350, 0x10250, CHAIN_USER, CHAIN_USER }, 4);
		measure(&x);
		assert_int_equal(x.q.is_dumped, is_walked);
		assert_int_equal(x.q.nr_by_stack[QUALITY_BROKEN], 30);
		assert_int_equal(x.q.nr_frames, 60);
		x.f.info.cmdline = NULL;
		x.f.info.nr_cmdline = 0;
		teardown(&x);
	}
}

static void remember(void *ctx, bool is_loud, const char *text)
{
	struct out *o = ctx;

	out_printf(o, "%s %s\n", is_loud ? "!" : "-", text);
}

static char *notes_of(const struct quality *q)
{
	struct out o;

	out_init(&o, -1);
	quality_notes(q, remember, &o);
	out_char(&o, 0);
	return o.buf;
}

/* A limit that no attr names shows in many different stacks of the same depth; a walk that goes astray in one place does not look so. */
static void test_unnamed_limit(void **state)
{
	struct quality_fixture x;

	(void)state;
	for (int is_limit = 0; is_limit < 2; is_limit++) {
		setup(&x);
		for (uint64_t i = 0; i < 40; i++) {
			uint64_t ips[32];

			for (uint32_t k = 0; k < 32; k++)
				ips[k] = 0x10200 + (is_limit ? (i + k) % 40 : 7);
			ips[0] = 0x10300 + i; /* the hot function, at any of its places */
			add(&x, 1, ips, 32);
			add(&x, 1, ips, 20);
		}
		measure(&x);
		assert_int_equal(x.q.nr_by_cut[QUALITY_CUT_KERNEL], is_limit ? 40 : 0);
		assert_int_equal(x.q.nr_by_stack[QUALITY_BROKEN], is_limit ? 40 : 80);
		teardown(&x);
	}
}

/* The CPU's list of calls: those that fill it are cut, the others broken, and neither has to do with frame pointers. */
static void test_calls(void **state)
{
	struct branch_entry calls[16];
	struct quality_fixture x;
	char *notes;

	(void)state;
	for (uint32_t i = 0; i < 16; i++)
		calls[i] = (struct branch_entry){ .from = 0x10210 + i, .to = 0x10200 };
	for (uint32_t nr = 15; nr <= 16; nr++) {
		uint64_t chain[] = { CHAIN_KERNEL, UINT64_C(0xffffffff81000100), CHAIN_USER, 0x10350 };
		struct record_header h = { .type = RECORD_SAMPLE, .misc = MISC_KERNEL };
		struct session_record sr = { .header = &h, .event = 0 };
		struct attr *a;

		setup(&x);
		a = &x.f.info.events.v[0].attr;
		a->sample_type |= SAMPLE_BRANCH_STACK;
		a->branch_sample_type = BRANCH_CALL_STACK;
		x.f.info.events.v[0].layout = sample_layout_of(a);
		sr.task = x.task;
		sr.rec.header = &h;
		sr.rec.sample = (struct sample){ .ip = 0x10350, .pid = 10, .tid = 10, .ips = chain, .nr_ips = 4, .branches = calls };
		for (uint32_t i = 0; i < 40; i++) {
			sr.rec.sample.nr_branches = i < 30 ? nr : 3;
			profile_add(&x.f.p, &sr);
		}
		measure(&x);
		assert_int_equal(x.q.nr_by_stack[QUALITY_TRUNCATED], nr == 16 ? 30 : 0);
		assert_int_equal(x.q.nr_by_cut[QUALITY_CUT_CALLS], nr == 16 ? 30 : 0);
		assert_int_equal(x.q.nr_by_stack[QUALITY_BROKEN], nr == 16 ? 10 : 40);
		notes = notes_of(&x.q);
		assert_null(strstr(notes, "frame-pointer"));
		assert_non_null(strstr(notes, "LBR"));
		assert_non_null(strstr(notes, nr == 16 ? "more calls than the CPU keeps" : "list of calls"));
		free(notes);
		teardown(&x);
	}
}

static void test_kernel(void **state)
{
	struct quality_fixture x;

	(void)state;
	setup(&x);
	add_chain(&x, MISC_KERNEL, UINT64_C(0xffffffff81000100), 5);
	add_chain(&x, MISC_KERNEL, UINT64_C(0xffffffff81000100), 127);
	measure(&x);
	assert_int_equal(x.q.nr_by_stack[QUALITY_COMPLETE], 1);
	assert_int_equal(x.q.nr_by_stack[QUALITY_TRUNCATED], 1);
	teardown(&x);
}

static void test_unresolved(void **state)
{
	struct quality_fixture x;
	char line[QUALITY_LINE_SIZE], *notes;

	(void)state;
	setup(&x);
	add(&x, 95, (const uint64_t[]){ 0x12350, 0x10050 }, 2);
	add(&x, 5, (const uint64_t[]){ 0x10350, 0x10050 }, 2);
	measure(&x);
	assert_int_equal(x.q.nr_unresolved, 95);
	assert_int_equal(x.q.nr_reported, 1);
	assert_string_equal(x.q.modules.v[0].path, "/bin/app");
	assert_true(quality_is_unresolved(&x.q));
	quality_line(&x.q, line, sizeof(line));
	assert_string_equal(
		line,
		"100.0% of stacks complete, 0.0% guessed, 0.0% truncated, 0.0% broken; 95.0% of samples unresolved; 0 lost, 0 throttled");
	notes = notes_of(&x.q);
	assert_true(strncmp(notes, "! 95% of samples are unresolved, in /bin/app", 44) == 0);
	free(notes);
	teardown(&x);
}

/* Those with samples before those that only call; few of them; little ones not at all. */
static void test_modules(void **state)
{
	static const char *const none[] = { NULL };
	struct quality_fixture x;
	char *notes;

	(void)state;
	setup(&x);
	for (uint64_t i = 0; i < 6; i++) {
		char path[] = "/lib/0";

		path[5] = (char)('0' + i);
		fixture_map(&x.f, x.task, 0x100000 * (i + 1), 0x1000, fixture_dso(&x.f, path, none));
	}
	add(&x, 900, (const uint64_t[]){ 0x10350, 0x100010, 0x10050 }, 3); /* 0 only calls */
	add(&x, 9, (const uint64_t[]){ 0x200010, 0x10050 }, 2);		   /* 1 is too little */
	add(&x, 20, (const uint64_t[]){ 0x300010, 0x10050 }, 2);
	add(&x, 40, (const uint64_t[]){ 0x400010, 0x10050 }, 2);
	add(&x, 31, (const uint64_t[]){ 0x500010, 0x10050 }, 2);
	measure(&x);
	assert_int_equal(x.q.nr_worth, 4);
	assert_int_equal(x.q.nr_reported, 3);
	assert_string_equal(x.q.modules.v[0].path, "/lib/3");
	assert_string_equal(x.q.modules.v[1].path, "/lib/4");
	assert_string_equal(x.q.modules.v[2].path, "/lib/2");
	assert_string_equal(x.q.modules.v[3].path, "/lib/0");
	assert_false(quality_is_unresolved(&x.q));
	notes = notes_of(&x.q);
	assert_non_null(strstr(notes, "- 4.0% of samples without names in /lib/3"));
	assert_non_null(strstr(notes, "- and 1 more file "));
	assert_null(strchr(notes, '!'));
	free(notes);
	teardown(&x);
}

static void test_losses(void **state)
{
	struct quality_fixture x;
	char line[QUALITY_LINE_SIZE], *notes;

	(void)state;
	setup(&x);
	x.f.info.events.v[0].attr.sample_type &= ~SAMPLE_CALLCHAIN;
	x.f.s.recording.stats.nr_lost_events = 100;
	x.f.s.recording.stats.nr_throttled = 7;
	add(&x, 900, (const uint64_t[]){ 0x10350 }, 1);
	measure(&x);
	quality_line(&x.q, line, sizeof(line));
	assert_string_equal(line, "stacks not recorded; 0.0% of samples unresolved; 100 lost, 7 throttled");
	assert_true(quality_is_lossy(&x.q));
	notes = notes_of(&x.q);
	assert_true(strncmp(notes, "! 10% of samples are missing: 100 samples were lost while recording", 67) == 0);
	assert_non_null(strstr(notes, "- the kernel throttled sampling 7 times"));
	free(notes);
	teardown(&x);
}

/* Few samples prove nothing; no samples at all are no profile. */
static void test_few(void **state)
{
	struct quality_fixture x;
	char line[QUALITY_LINE_SIZE];

	(void)state;
	setup(&x);
	measure(&x);
	quality_line(&x.q, line, sizeof(line));
	assert_string_equal(line, "no samples; 0.0% of samples unresolved; 0 lost, 0 throttled");
	teardown(&x);
	setup(&x);
	add(&x, QUALITY_MIN_SAMPLES - 1, (const uint64_t[]){ 0x12350, 0x12350 }, 2);
	measure(&x);
	assert_false(quality_is_unresolved(&x.q) || quality_is_incomplete(&x.q));
	teardown(&x);
}

/* Threads that wait do so in the scheduler: many of them do not make code without names rare. Where they are all there is, they count. */
static void test_waits(void **state)
{
	static char wait[] = OFFCPU_EVENT_NAME, clock[] = "cpu-clock";
	struct profile *p;
	struct quality_fixture x;
	char line[QUALITY_LINE_SIZE];

	(void)state;
	for (int is_only = 0; is_only < 2; is_only++) {
		setup(&x);
		p = &x.f.p;
		vec_push(&x.f.info.events, x.f.info.events.v[0]);
		x.f.info.events.v[0].name = clock;
		x.f.info.events.v[1].name = wait;
		x.f.info.events.v[1].attr.type = ATTR_TYPE_SOFTWARE;
		x.f.info.events.v[1].attr.config = CONFIG_BPF_OUTPUT;
		add(&x, 90, (const uint64_t[]){ 0x10350, 0x10050 }, 2);
		add(&x, is_only ? 10 : 0, (const uint64_t[]){ 0x12350, 0x10050 }, 2);
		for (uint32_t i = 0; i < p->samples.nr; i++)
			p->samples.event[i] = 1;
		add(&x, is_only ? 0 : 5, (const uint64_t[]){ 0x10350, 0x10050 }, 2);
		add(&x, is_only ? 0 : 15, (const uint64_t[]){ 0x12350, 0x10050 }, 2);
		measure(&x);
		assert_int_equal(x.q.nr_samples, is_only ? 100 : 110);
		quality_line(&x.q, line, sizeof(line));
		assert_non_null(strstr(line, is_only ? " 10.0% of samples unresolved" : " 75.0% of samples unresolved"));
		assert_int_equal(quality_is_unresolved(&x.q), !is_only);
		assert_int_equal(x.q.modules.v[0].nr_samples, is_only ? 10 : 15);
		x.f.info.events.v[0].name = x.f.info.events.v[1].name = NULL;
		teardown(&x);
	}
}

/* What is forgotten half-way is counted all the same. */
static void test_settling(void **state)
{
	struct quality_fixture x;
	struct profile *p = &x.f.p;

	(void)state;
	setup(&x);
	quality_init(&x.q);
	for (int round = 0; round < 3; round++) {
		uint32_t stack = profile_intern_chain(p, x.task, (const uint64_t[]){ CHAIN_USER, 0x12350, 0x10050 }, 3);
		uint32_t location = profile_intern_location(p, x.task, 0x12350, MISC_USER);

		for (int i = 0; i < 10; i++)
			quality_add(&x.q, location, true, stack, (struct unwind_result){ UNWIND_NOT_DONE, false });
		quality_settle(&x.q, p);
		profile_forget(p);
	}
	quality_finish(&x.q, p);
	assert_int_equal(x.q.nr_samples, 30);
	assert_int_equal(x.q.nr_by_stack[QUALITY_COMPLETE], 30);
	assert_int_equal(x.q.nr_unresolved, 30);
	assert_int_equal(x.q.nr_unresolved_frames, 30);
	assert_int_equal(x.q.modules.nr, 1);
	teardown(&x);
}

static void test_json(void **state)
{
	struct quality_fixture x;
	struct json j;
	struct out o;

	(void)state;
	setup(&x);
	add(&x, 30, (const uint64_t[]){ 0x12350, 0x10050 }, 2);
	measure(&x);
	out_init(&o, -1);
	json_init(&j, &o, false);
	json_object(&j);
	quality_json(&j, &x.q);
	json_object_end(&j);
	out_char(&o, 0);
	assert_non_null(strstr(o.buf, "\"stacks\":{\"recorded\":30,\"complete\":30,\"guessed\":0,\"truncated\":0,\"broken\":0}"));
	assert_non_null(strstr(o.buf, "\"unresolved\":{\"samples\":30,\"percent\":100.00,\"frames\":30,\"of_frames\":60}"));
	assert_non_null(strstr(o.buf, "\"path\":\"/bin/app\",\"samples\":30,\"frames\":30,"));
	assert_non_null(strstr(o.buf, "\"warnings\":[\"100% of samples are unresolved"));
	out_fini(&o);
	teardown(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_walked_ends),
		cmocka_unit_test(test_cut_waits),
		cmocka_unit_test(test_runtimes),
		cmocka_unit_test(test_shortened_circle),
		cmocka_unit_test(test_no_stack),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_unresolved),
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_settling),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_unnamed_limit),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_dumped),
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_guessed_chains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
