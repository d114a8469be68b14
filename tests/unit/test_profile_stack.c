/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Whole stacks: the kernel's part of a chain, then a dumped stack (of frame pointers here: test_unwinder.c has the rest) or calls.
 */
#include "session_fixture.h"

#include <sys/mman.h>

#define STACK_START UINT64_C(0x7ffe0000)

static const char *const names[] = { "main", "work", "leaf", NULL };

struct stacks {
	struct fixture f;
	struct task *task;
	struct record_header header;
	struct session_record sr;
	uint64_t regs[64], stack[8];
	struct branch_entry branches[3];
};

static struct sample_layout *layout_of(struct stacks *t)
{
	return &t->f.info.events.v[0].layout;
}

static void stacks_init(struct stacks *t)
{
	struct map map = { .start = 0x10000, .end = 0x11000, .prot = PROT_EXEC };

	memset(t, 0, sizeof(*t));
	fixture_init(&t->f);
	t->task = fixture_task(&t->f, 10, 10, "app");
	map.dso = fixture_dso(&t->f, "/not/there/app", names);
	task_table_map(&t->f.s.machine.tasks, t->task, &map);
	t->header = (struct record_header){ .type = RECORD_SAMPLE, .misc = MISC_USER };
	t->sr = (struct session_record){ .header = &t->header, .task = t->task };
	t->sr.rec.sample.period = 1;
}

/* main → work → leaf on an x86_64, each with a frame pointer. */
static void dump_stack(struct stacks *t)
{
	struct sample_layout *l = layout_of(t);
	struct sample *s = &t->sr.rec.sample;

	t->f.info.arch = "x86_64";
	l->sample_type |= SAMPLE_REGS_USER | SAMPLE_STACK_USER;
	l->regs_user = 1 << 6 | 1 << 7 | 1 << 8; /* bp, sp, ip */
	t->regs[0] = STACK_START + 16;
	t->regs[1] = STACK_START;
	t->regs[2] = 0x10250;
	t->stack[2] = STACK_START + 48;
	t->stack[3] = 0x10150;
	t->stack[7] = 0x10050;
	s->regs_user_abi = 2;
	s->regs_user = t->regs;
	s->stack = t->stack;
	s->stack_size = s->stack_dyn_size = sizeof(t->stack);
}

static void set_chain(struct stacks *t, const uint64_t *ips, uint64_t nr)
{
	t->sr.rec.sample.ips = ips;
	t->sr.rec.sample.nr_ips = nr;
}

static void expect_stack(struct stacks *t, uint32_t stack, const uint64_t *ips, uint32_t nr)
{
	const struct profile *p = &t->f.p;
	uint32_t node = profile_stack_node(p, stack);

	assert_int_equal(p->stacks.v[stack].depth, nr);
	for (uint32_t i = 0; i < nr; i++, node = stack_tree_parent(&p->tree, node))
		assert_int_equal(p->locations.v[stack_tree_frame(&p->tree, node)].at.ip, ips[i]);
	assert_int_equal(node, STACK_TREE_ROOT);
}

static void test_kernel_then_dump(void **state)
{
	const uint64_t chain[] = { CHAIN_KERNEL, 0xffff800000001000, 0xffff800000002000 };
	const uint64_t whole[] = { 0xffff800000001000, 0xffff800000002000, 0x10250, 0x1014f, 0x1004f };
	struct unwind_result walk;
	struct stacks t;
	uint32_t stack;

	(void)state;
	stacks_init(&t);
	dump_stack(&t);
	set_chain(&t, chain, 3);
	stack = profile_intern_sample(&t.f.p, &t.sr, &walk);
	expect_stack(&t, stack, whole, 5);
	assert_int_not_equal(walk.end, UNWIND_NOT_DONE);
	assert_int_equal(t.f.p.nr_by_end[walk.end], 1);
	assert_int_equal(profile_intern_sample(&t.f.p, &t.sr, &walk), stack);
	assert_int_equal(t.f.p.chains.nr, 1);

	/* user space alone */
	set_chain(&t, chain, 0);
	expect_stack(&t, profile_intern_sample(&t.f.p, &t.sr, &walk), whole + 2, 3);
	profile_add(&t.f.p, &t.sr);
	assert_int_equal(profile_walk(&t.f.p, 0).end, walk.end);
	fixture_fini(&t.f);
}

/* Limits are those of perf: kernel and user part each for itself. */
static void test_limit(void **state)
{
	const uint64_t chain[] = { CHAIN_KERNEL, 0xffff800000001000, 0xffff800000002000, 0xffff800000003000 };
	const uint64_t both[] = { 0xffff800000001000, 0xffff800000002000, 0x10250, 0x1014f };
	struct unwind_result walk;
	struct stacks t;

	(void)state;
	stacks_init(&t);
	dump_stack(&t);
	set_chain(&t, chain, 4);
	t.f.p.max_stack = 2;
	expect_stack(&t, profile_intern_sample(&t.f.p, &t.sr, &walk), both, 4);
	assert_int_equal(walk.end, UNWIND_LIMIT);
	fixture_fini(&t.f);
}

/* What the kernel said of user space gives way to what was unwound, and stays where nothing could be. */
static void test_frame_pointers_too(void **state)
{
	const uint64_t chain[] = { CHAIN_KERNEL, 0xffff800000001000, CHAIN_USER, 0x10250, 0x10999 };
	const uint64_t unwound[] = { 0xffff800000001000, 0x10250, 0x1014f, 0x1004f };
	const uint64_t recorded[] = { 0xffff800000001000, 0x10250, 0x10999 };
	struct unwind_result walk;
	struct stacks t;

	(void)state;
	stacks_init(&t);
	dump_stack(&t);
	set_chain(&t, chain, 5);
	expect_stack(&t, profile_intern_sample(&t.f.p, &t.sr, &walk), unwound, 4);
	t.sr.rec.sample.regs_user_abi = 0;
	expect_stack(&t, profile_intern_sample(&t.f.p, &t.sr, &walk), recorded, 3);
	assert_int_equal(walk.end, UNWIND_NOT_DONE);
	fixture_fini(&t.f);
}

static void test_unknown_arch(void **state)
{
	const uint64_t chain[] = { CHAIN_USER, 0x10250, 0x10150 };
	struct unwind_result walk;
	struct stacks t;

	(void)state;
	stacks_init(&t);
	dump_stack(&t);
	t.f.info.arch = "riscv64";
	set_chain(&t, chain, 3);
	expect_stack(&t, profile_intern_sample(&t.f.p, &t.sr, &walk), chain + 1, 2);
	assert_int_equal(walk.end, UNWIND_NOT_DONE);
	assert_int_equal(t.f.p.nr_unknown_arch, 1);
	fixture_fini(&t.f);
}

static void test_calls(void **state)
{
	const uint64_t chain[] = { CHAIN_KERNEL, 0xffff800000001000, CHAIN_USER, 0x10250 };
	const uint64_t calls[] = { 0xffff800000001000, 0x10200, 0x10120, 0x10030 };
	const uint64_t recorded[] = { 0xffff800000001000, 0x10250 };
	struct unwind_result walk;
	struct stacks t;

	(void)state;
	stacks_init(&t);
	layout_of(&t)->sample_type |= SAMPLE_BRANCH_STACK;
	layout_of(&t)->branch_sample_type = BRANCH_CALL_STACK;
	t.branches[0] = (struct branch_entry){ .from = 0x10120, .to = 0x10200 };
	t.branches[1] = (struct branch_entry){ .from = 0x10030, .to = 0x10100 };
	t.sr.rec.sample.branches = t.branches;
	t.sr.rec.sample.nr_branches = 2;
	set_chain(&t, chain, 4);
	expect_stack(&t, profile_intern_sample(&t.f.p, &t.sr, &walk), calls, 4);
	/* nothing in the list: the chain is all there is */
	t.sr.rec.sample.nr_branches = 0;
	expect_stack(&t, profile_intern_sample(&t.f.p, &t.sr, &walk), recorded, 2);
	/* user space was left out */
	t.sr.rec.sample.nr_branches = 2;
	set_chain(&t, chain, 2);
	expect_stack(&t, profile_intern_sample(&t.f.p, &t.sr, &walk), calls, 1);
	/* branches of another kind say nothing of callers */
	layout_of(&t)->branch_sample_type = 1;
	set_chain(&t, chain, 4);
	expect_stack(&t, profile_intern_sample(&t.f.p, &t.sr, &walk), recorded, 2);
	fixture_fini(&t.f);
}

/* Chains of a recorder that walks: lines are looked for where they say, not a byte before; marks tell the end and are no frames. */
static void test_walked(void **state)
{
	static const enum unwind_end ends[] = { UNWIND_COMPLETE, UNWIND_TRUNCATED, UNWIND_NO_RULE, UNWIND_RECORD_LIMIT,
						UNWIND_NO_STACK, UNWIND_COMPLETE,  UNWIND_NO_RULE, UNWIND_SMALL_DUMP };
	const uint64_t chain[] = { CHAIN_KERNEL, 0xffff800000001000, 0xffff800000002000, CHAIN_USER, 0x10250,	 0x1014f,   CHAIN_USER,
				   CHAIN_USER,	 CHAIN_USER,	     CHAIN_USER,	 CHAIN_USER, CHAIN_USER, CHAIN_USER };
	const uint64_t whole[] = { 0xffff800000001000, 0xffff800000002000, 0x10250, 0x1014f };
	struct unwind_result walk;
	struct stacks t;
	struct attr *a;
	uint32_t stack;

	(void)state;
	stacks_init(&t);
	t.f.p.source = PROFILE_LINES;
	a = &t.f.info.events.v[0].attr;
	a->sample_regs_user = 7;
	a->sample_stack_user = 8192;
	a->flags |= ATTR_EXCLUDE_CHAIN_USER;
	for (uint32_t i = 0; i < 8; i++) {
		set_chain(&t, chain, 6 + i);
		stack = profile_intern_sample(&t.f.p, &t.sr, &walk);
		expect_stack(&t, stack, whole, 4);
		assert_int_equal(walk.end, ends[i]);
		assert_int_equal(walk.guessed, i == 5 || i == 6);
	}
	assert_int_equal(t.f.p.chains.nr, 1);
	assert_false(t.f.p.locations.v[stack_tree_frame(&t.f.p.tree, 1)].is_caller); /* the outermost: main */
	assert_true(t.f.p.locations.v[stack_tree_frame(&t.f.p.tree, 3)].is_caller);  /* the kernel's are return addresses */
	/* nothing of user space: not walked */
	set_chain(&t, chain, 3);
	expect_stack(&t, profile_intern_sample(&t.f.p, &t.sr, &walk), whole, 2);
	assert_int_equal(walk.end, UNWIND_NOT_DONE);
	set_chain(&t, chain, 0);
	assert_int_equal(profile_intern_sample(&t.f.p, &t.sr, &walk), STACK_NONE);
	set_chain(&t, chain + 6, 4);
	assert_int_equal(profile_intern_sample(&t.f.p, &t.sr, &walk), STACK_NONE);
	/* cut here: as a chain is, not part by part */
	t.f.p.max_stack = 3;
	set_chain(&t, chain + 3, 3);
	profile_intern_sample(&t.f.p, &t.sr, &walk);
	assert_int_equal(walk.end, UNWIND_COMPLETE);
	set_chain(&t, chain, 5);
	profile_intern_sample(&t.f.p, &t.sr, &walk);
	assert_int_equal(walk.end, UNWIND_COMPLETE);
	profile_forget(&t.f.p);
	set_chain(&t, chain, 7);
	expect_stack(&t, profile_intern_sample(&t.f.p, &t.sr, &walk), whole, 3);
	assert_int_equal(walk.end, UNWIND_LIMIT);
	/* of an event with frame pointers callers are return addresses */
	t.f.p.max_stack = 127;
	profile_forget(&t.f.p);
	a->sample_stack_user = 0;
	set_chain(&t, chain, 6);
	profile_intern_sample(&t.f.p, &t.sr, &walk);
	assert_int_equal(walk.end, UNWIND_NOT_DONE);
	assert_true(t.f.p.locations.v[stack_tree_frame(&t.f.p.tree, 1)].is_caller);
	fixture_fini(&t.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_then_dump), cmocka_unit_test(test_limit), cmocka_unit_test(test_frame_pointers_too),
		cmocka_unit_test(test_unknown_arch),	 cmocka_unit_test(test_calls), cmocka_unit_test(test_walked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
