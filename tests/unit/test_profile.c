/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The profile: what is equal is one, what differs is two, and maps that change are noticed.
 */
#include "session_fixture.h"

static const char *const names[] = { "main", "work", "leaf", NULL };

static const char *function_at(struct fixture *f, uint32_t location)
{
	return profile_str(&f->p, profile_frame_at(&f->p, location)->function);
}

static void test_interning(void **state)
{
	const uint64_t one[] = { 0x10250, 0x10150, 0x10050 }, two[] = { 0x10250, 0x10160, 0x10050 };
	struct fixture f;
	struct task *task;

	(void)state;
	fixture_init(&f);
	task = fixture_task(&f, 10, 10, "app");
	fixture_map(&f, task, 0x10000, 0x1000, fixture_dso(&f, "/bin/app", names));
	for (int i = 0; i < 100; i++)
		fixture_sample(&f, task, 5, one, 3);
	fixture_sample(&f, task, 7, two, 3);
	profile_symbolize(&f.p);

	const struct profile_samples *s = &f.p.samples;

	assert_int_equal(s->nr, 101);
	assert_int_equal(f.p.tasks.nr, 1);
	assert_int_equal(f.p.locations.nr, 4);
	assert_int_equal(f.p.frames.nr, 3);
	assert_int_equal(s->stack[0], s->stack[99]);
	assert_int_not_equal(s->stack[0], s->stack[100]);
	assert_int_equal(s->location[0], s->location[100]);
	assert_true(s->period[100] == 7 && s->period[0] == 5);
	/* Two chains of the same caller share it. */
	assert_int_equal(f.p.stacks.v[s->stack[0]].depth, 3);
	assert_int_equal(f.p.stacks.nr, 1 + 2);
	assert_int_equal(f.p.tree.frames.nr, 1 + 3 + 2);

	const char *const expected[] = { "leaf", "work", "main" };
	uint32_t i = 0;

	for (uint32_t n = profile_stack_node(&f.p, s->stack[100]); n != STACK_TREE_ROOT; n = stack_tree_parent(&f.p.tree, n))
		assert_string_equal(function_at(&f, stack_tree_frame(&f.p.tree, n)), expected[i++]);
	assert_int_equal(i, 3);
	fixture_fini(&f);
}

/* What was forgotten comes out the same when it comes again; samples that stand still are found without looking. */
static void test_forget(void **state)
{
	const uint64_t one[] = { CHAIN_USER, 0x10250, 0x10150, 0x10050 }, two[] = { CHAIN_USER, 0x10260, 0x10160, 0x10050 };
	struct fixture f;
	struct task *task;
	uint32_t a, b;

	(void)state;
	fixture_init(&f);
	task = fixture_task(&f, 10, 10, "app");
	fixture_map(&f, task, 0x10000, 0x1000, fixture_dso(&f, "/bin/app", names));
	a = profile_intern_chain(&f.p, task, one, 4);
	b = profile_intern_chain(&f.p, task, two, 4);
	assert_int_equal(profile_intern_chain(&f.p, task, two, 4), b);
	assert_int_equal(f.p.nr_found, 0);
	assert_int_equal(profile_intern_chain(&f.p, task, one, 4), a);
	assert_int_equal(f.p.nr_found, 1);
	assert_int_equal(f.p.stacks.nr, 1 + 2);

	profile_forget_chains(&f.p);
	assert_int_equal(f.p.chains.nr, 0);
	assert_int_equal(profile_intern_chain(&f.p, task, two, 4), b);
	assert_int_equal(profile_intern_chain(&f.p, task, one, 4), a);
	assert_int_equal(f.p.stacks.nr, 1 + 2);

	fixture_sample(&f, task, 1, one + 1, 3);
	assert_int_not_equal(f.p.samples.stack[0], STACK_NONE);
	profile_forget_stacks(&f.p);
	assert_int_equal(f.p.samples.stack[0], STACK_NONE);
	assert_int_equal(f.p.locations.nr, 5);
	b = profile_intern_chain(&f.p, task, two, 4);
	assert_int_equal(f.p.stacks.v[b].depth, 3);
	assert_int_equal(f.p.stacks.nr, 1 + 1);
	assert_int_equal(f.p.tree.frames.nr, 1 + 3);
	assert_int_equal(f.p.locations.nr, 5);

	profile_seal(&f.p);
	profile_symbolize(&f.p);
	assert_string_equal(function_at(&f, stack_tree_frame(&f.p.tree, profile_stack_node(&f.p, b))), "leaf");
	fixture_fini(&f);
}

/* The same chain means something else once other code is mapped there, and in another process. */
static void test_maps_change(void **state)
{
	static const char *const other[] = { "x_main", "x_work", "x_leaf", NULL };
	const uint64_t ips[] = { 0x10250, 0x10150 };
	struct fixture f;
	struct task *task, *child;
	uint32_t before, after, same;

	(void)state;
	fixture_init(&f);
	task = fixture_task(&f, 10, 10, "app");
	fixture_map(&f, task, 0x10000, 0x1000, fixture_dso(&f, "/bin/app", names));
	child = task_table_fork(&f.s.machine.tasks, 20, 20, 10, 10, true);
	before = profile_intern_chain(&f.p, task, (uint64_t[]){ CHAIN_USER, ips[0], ips[1] }, 3);
	same = profile_intern_chain(&f.p, child, (uint64_t[]){ CHAIN_USER, ips[0], ips[1] }, 3);
	assert_int_equal(before, same);
	fixture_map(&f, task, 0x10000, 0x1000, fixture_dso(&f, "/bin/other", other));
	after = profile_intern_chain(&f.p, task, (uint64_t[]){ CHAIN_USER, ips[0], ips[1] }, 3);
	same = profile_intern_chain(&f.p, child, (uint64_t[]){ CHAIN_USER, ips[0], ips[1] }, 3);
	assert_int_not_equal(before, after);
	assert_int_equal(before, same);
	assert_string_equal(function_at(&f, stack_tree_frame(&f.p.tree, profile_stack_node(&f.p, before))), "leaf");
	assert_string_equal(function_at(&f, stack_tree_frame(&f.p.tree, profile_stack_node(&f.p, after))), "x_leaf");
	fixture_fini(&f);
}

static void test_marks(void **state)
{
	const uint64_t mixed[] = { CHAIN_KERNEL, 0xffffffff81000000, CHAIN_USER, 0x10050 };
	const uint64_t bad[] = { CHAIN_USER, 0x10050, (uint64_t)-7, 0x10150 };
	const uint64_t deferred[] = { CHAIN_KERNEL, 0xffffffff81000000, CHAIN_USER_DEFERRED, 12345 };
	struct fixture f;
	struct task *task;
	uint32_t stack, node;

	(void)state;
	fixture_init(&f);
	task = fixture_task(&f, 10, 10, "app");
	stack = profile_intern_chain(&f.p, task, mixed, 4);
	assert_int_equal(f.p.stacks.v[stack].depth, 2);
	node = profile_stack_node(&f.p, stack);
	assert_int_equal(f.p.locations.v[stack_tree_frame(&f.p.tree, node)].cpumode, MISC_KERNEL);
	node = stack_tree_parent(&f.p.tree, node);
	assert_int_equal(f.p.locations.v[stack_tree_frame(&f.p.tree, node)].cpumode, MISC_USER);
	assert_int_equal(profile_intern_chain(&f.p, task, bad, 4), STACK_NONE);
	assert_int_equal(f.p.nr_invalid_chains, 1);
	stack = profile_intern_chain(&f.p, task, deferred, 4);
	assert_int_equal(f.p.stacks.v[stack].depth, 1);
	assert_int_equal(profile_intern_chain(&f.p, task, mixed, 1), STACK_NONE);
	fixture_fini(&f);
}

static void test_max_stack(void **state)
{
	const uint64_t ips[] = { CHAIN_USER, 0x10250, 0x10150, 0x10050 };
	struct fixture f;
	struct task *task;
	uint32_t stack;

	(void)state;
	fixture_init(&f);
	f.p.max_stack = 2;
	task = fixture_task(&f, 10, 10, "app");
	stack = profile_intern_chain(&f.p, task, ips, 4);
	assert_int_equal(f.p.stacks.v[stack].depth, 2);
	assert_true(f.p.locations.v[stack_tree_frame(&f.p.tree, profile_stack_node(&f.p, stack))].at.ip == 0x10250);
	profile_forget(&f.p);
	f.p.keep_outermost = true;
	stack = profile_intern_chain(&f.p, task, ips, 4);
	assert_int_equal(f.p.stacks.v[stack].depth, 2);
	assert_true(f.p.locations.v[stack_tree_frame(&f.p.tree, profile_stack_node(&f.p, stack))].at.ip == 0x10150);
	fixture_fini(&f);
}

/* A task under two names is two, and comes back as the first when it takes the first name again. */
static void test_tasks(void **state)
{
	struct fixture f;
	struct task *task, *other;
	uint32_t first, second;

	(void)state;
	fixture_init(&f);
	task = fixture_task(&f, 10, 10, "sh");
	other = fixture_task(&f, 10, 11, "sh");
	first = profile_intern_task(&f.p, task);
	assert_int_equal(profile_intern_task(&f.p, task), first);
	assert_int_not_equal(profile_intern_task(&f.p, other), first);
	task_table_comm(&f.s.machine.tasks, task, "app", true);
	second = profile_intern_task(&f.p, task);
	assert_int_not_equal(second, first);
	assert_string_equal(profile_str(&f.p, f.p.tasks.v[second].comm), "app");
	task_table_comm(&f.s.machine.tasks, task, "sh", false);
	assert_int_equal(profile_intern_task(&f.p, task), first);
	fixture_fini(&f);
}

/* No symbol, no map, a symbol without a name: one frame for each address, none of them resolved. */
static void test_unresolved(void **state)
{
	static const char *const nameless[] = { "", "named", NULL };
	struct fixture f;
	struct task *task;
	uint32_t a, b, c;

	(void)state;
	fixture_init(&f);
	task = fixture_task(&f, 10, 10, "app");
	fixture_map(&f, task, 0x10000, 0x1000, fixture_dso(&f, "/bin/app", nameless));
	a = profile_intern_location(&f.p, task, 0x10010, MISC_USER);
	b = profile_intern_location(&f.p, task, 0x10020, MISC_USER);
	c = profile_intern_location(&f.p, task, 0x77777, MISC_USER);
	profile_symbolize(&f.p);
	assert_int_equal(f.p.frames.v[f.p.locations.v[a].frame].function, 0);
	assert_true(f.p.frames.v[f.p.locations.v[a].frame].start == 0x10010);
	assert_int_not_equal(f.p.locations.v[a].frame, f.p.locations.v[b].frame);
	assert_int_equal(f.p.frames.v[f.p.locations.v[c].frame].dso, DSO_NONE);
	a = profile_intern_location(&f.p, task, 0x10110, MISC_USER);
	assert_string_equal(function_at(&f, a), "named");
	fixture_fini(&f);
}

/* Many addresses over the ip cache's slots: an answer is never another address's. */
static void test_many_locations(void **state)
{
	struct fixture f;
	struct task *task[2];
	uint64_t rng = 9;

	(void)state;
	fixture_init(&f);
	task[0] = fixture_task(&f, 10, 10, "a");
	task[1] = fixture_task(&f, 20, 20, "b");
	fixture_map(&f, task[0], 0x10000, 0x100000, fixture_dso(&f, "/bin/a", names));
	fixture_map(&f, task[1], 0x20000, 0x100000, fixture_dso(&f, "/bin/b", names));
	for (int i = 0; i < 50000; i++) {
		struct task *t = task[fixture_rng(&rng) % 2];
		uint64_t ip = fixture_rng(&rng) % 0x140000;
		uint32_t id = profile_intern_location(&f.p, t, ip, MISC_USER);
		const struct profile_location *l = &f.p.locations.v[id];
		struct location at = machine_locate(&f.s.machine, t, ip, MISC_USER);

		assert_true(l->at.ip == ip && l->at.dso == at.dso && l->at.addr == at.addr);
	}
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interning),      cmocka_unit_test(test_maps_change), cmocka_unit_test(test_marks),
		cmocka_unit_test(test_max_stack),      cmocka_unit_test(test_tasks),	   cmocka_unit_test(test_unresolved),
		cmocka_unit_test(test_many_locations), cmocka_unit_test(test_forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
