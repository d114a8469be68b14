/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Who a tid is over time: fork, threads, exec, exit, reuse; and map sets that are shared until
 * somebody writes.
 */
#include "session_fixture.h"

#include <stdio.h>

static const char *comm_of(const struct task_table *t, const struct task *task)
{
	return strtab_get(&t->strings, task->comm);
}

static void add_map(struct task_table *t, struct task *task, uint64_t start, uint32_t dso)
{
	struct map m = { .start = start, .end = start + 0x1000, .dso = dso };

	task_table_map(t, task, &m);
}

static uint32_t dso_at(const struct task *task, uint64_t ip)
{
	const struct map *m = map_set_find(task_maps(task), ip);

	return m ? m->dso : 0;
}

static void test_unknown_tasks(void **state)
{
	struct task_table t;
	struct task *task;

	(void)state;
	task_table_init(&t);
	assert_string_equal(comm_of(&t, task_table_find(&t, 0)), "swapper");
	assert_null(task_table_find(&t, 7));
	task = task_table_get(&t, 7, 8);
	assert_string_equal(comm_of(&t, task), ":8");
	assert_false(task->comm_known);
	assert_int_equal(task->ppid, -1);
	assert_ptr_equal(task_table_get(&t, 7, 8), task);
	assert_ptr_equal(task_table_get(&t, -1, 8), task);
	assert_ptr_equal(task->leader, task_table_find(&t, 7));
	/* Met by tid alone, then by both: one task. */
	task = task_table_get(&t, -1, 20);
	assert_ptr_equal(task_table_get(&t, 19, 20), task);
	assert_int_equal(task->pid, 19);
	assert_ptr_equal(task->leader, task_table_find(&t, 19));
	task_table_fini(&t);
}

static void apply(struct machine *m, uint32_t type, const struct record *body)
{
	struct record_header h = { .type = type, .size = sizeof(h) };
	struct record rec = *body;

	rec.header = &h;
	machine_apply(m, &rec);
}

/* A thread on its way out has the tid 0 beside the pid of its process. */
static void test_tid_zero_is_idle_only_with_pid_zero(void **state)
{
	struct symbolizer_options opts = { 0 };
	struct task *idle, *leader;
	struct machine m;

	(void)state;
	machine_init(&m, &opts);
	idle = task_table_find(&m.tasks, 0);
	leader = task_table_get(&m.tasks, 100, 100);
	task_table_comm(&m.tasks, leader, "leader", false);
	assert_ptr_equal(task_table_get(&m.tasks, 100, 0), leader);
	assert_ptr_equal(task_table_get(&m.tasks, 0, 0), idle);
	assert_ptr_equal(task_table_get(&m.tasks, -1, 0), idle);
	assert_int_equal(idle->pid, 0);
	assert_ptr_equal(idle->leader, idle);
	/* Its records change neither the idle task nor its process. */
	apply(&m, RECORD_COMM, &(struct record){ .comm = { .pid = 100, .tid = 0, .comm = "dying" } });
	apply(&m, RECORD_FORK, &(struct record){ .task = { .pid = 100, .tid = 0, .ppid = 100, .ptid = 100 } });
	apply(&m, RECORD_EXIT, &(struct record){ .task = { .pid = 100, .tid = 0, .ppid = 100, .ptid = 100 } });
	assert_ptr_equal(task_table_get(&m.tasks, 100, 100), leader);
	assert_string_equal(comm_of(&m.tasks, leader), "leader");
	assert_false(leader->exited);
	assert_ptr_equal(task_table_get(&m.tasks, 0, 0), idle);
	assert_string_equal(comm_of(&m.tasks, idle), "swapper");
	assert_false(idle->exited);
	/* And a thread whose pid is gone is still that thread. */
	assert_ptr_equal(task_table_get(&m.tasks, 0, 100), leader);
	assert_int_equal(leader->pid, 100);
	machine_fini(&m);
}

static void test_threads_share_maps(void **state)
{
	struct task_table t;
	struct task *leader, *thread;
	uint32_t before;

	(void)state;
	task_table_init(&t);
	leader = task_table_get(&t, 10, 10);
	task_table_comm(&t, leader, "app", false);
	thread = task_table_fork(&t, 10, 11, 10, 10, true);
	assert_string_equal(comm_of(&t, thread), "app");
	assert_int_equal(thread->ppid, 10);
	assert_ptr_equal(task_maps(thread), task_maps(leader));
	before = task_maps(leader)->generation;
	add_map(&t, thread, 0x1000, 5);
	assert_int_equal(dso_at(leader, 0x1800), 5);
	assert_int_not_equal(task_maps(leader)->generation, before);
	task_table_comm(&t, thread, "worker", false);
	assert_string_equal(comm_of(&t, leader), "app");
	task_table_fini(&t);
}

static void test_fork_copies_when_written(void **state)
{
	struct task_table t;
	struct task *parent, *child, *grandchild;
	uint32_t generation;

	(void)state;
	task_table_init(&t);
	parent = task_table_get(&t, 10, 10);
	add_map(&t, parent, 0x1000, 1);
	generation = task_maps(parent)->generation;
	child = task_table_fork(&t, 20, 20, 10, 10, true);
	grandchild = task_table_fork(&t, 30, 30, 20, 20, true);
	assert_int_equal(dso_at(child, 0x1000), 1);
	/* Equal contents, equal generation: chains need not be resolved again. */
	assert_int_equal(task_maps(child)->generation, generation);
	assert_int_equal(task_maps(grandchild)->generation, generation);

	add_map(&t, child, 0x1000, 2);
	assert_int_equal(dso_at(child, 0x1000), 2);
	assert_int_equal(dso_at(parent, 0x1000), 1);
	assert_int_equal(dso_at(grandchild, 0x1000), 1);
	assert_int_equal(task_maps(parent)->generation, generation);
	add_map(&t, parent, 0x1000, 3);
	assert_int_equal(dso_at(parent, 0x1000), 3);
	assert_int_equal(dso_at(grandchild, 0x1000), 1);
	assert_int_not_equal(task_maps(parent)->generation, task_maps(child)->generation);
	task_table_fini(&t);
}

static void test_fork_without_maps(void **state)
{
	struct task_table t;
	struct task *parent;

	(void)state;
	task_table_init(&t);
	parent = task_table_get(&t, 10, 10);
	add_map(&t, parent, 0x1000, 1);
	assert_int_equal(dso_at(task_table_fork(&t, 20, 20, 10, 10, false), 0x1000), 0);
	/* As recorders write it for those who are there already: a leader as its own parent. */
	assert_ptr_equal(task_table_fork(&t, 10, 10, 10, 10, false), parent);
	assert_int_equal(dso_at(parent, 0x1000), 1);
	task_table_fini(&t);
}

static void test_thread_forks(void **state)
{
	struct task_table t;
	struct task *thread, *child;

	(void)state;
	task_table_init(&t);
	add_map(&t, task_table_get(&t, 10, 10), 0x1000, 1);
	thread = task_table_fork(&t, 10, 11, 10, 10, true);
	task_table_comm(&t, thread, "worker", false);
	child = task_table_fork(&t, 20, 20, 10, 11, true);
	assert_string_equal(comm_of(&t, child), "worker");
	assert_int_equal(child->ppid, 11);
	assert_int_equal(dso_at(child, 0x1000), 1);
	task_table_fini(&t);
}

static void test_exec(void **state)
{
	struct task_table t;
	struct task *parent, *child;

	(void)state;
	task_table_init(&t);
	parent = task_table_get(&t, 10, 10);
	task_table_comm(&t, parent, "sh", false);
	add_map(&t, parent, 0x1000, 1);
	child = task_table_fork(&t, 20, 20, 10, 10, true);
	task_table_comm(&t, child, "ls", true);
	assert_string_equal(comm_of(&t, child), "ls");
	assert_string_equal(comm_of(&t, parent), "sh");
	add_map(&t, child, 0x1000, 2);
	assert_int_equal(dso_at(child, 0x1000), 2);
	assert_int_equal(dso_at(parent, 0x1000), 1);
	task_table_fini(&t);
}

static void test_reuse_of_a_tid(void **state)
{
	struct task_table t;
	struct task *first, *second, *thread, *moved;

	(void)state;
	task_table_init(&t);
	task_table_comm(&t, task_table_get(&t, 10, 10), "init", false);
	first = task_table_fork(&t, 20, 20, 10, 10, true);
	task_table_comm(&t, first, "first", true);
	add_map(&t, first, 0x1000, 1);
	task_table_exit(&t, first);
	/* What it does on its way out is still its own. */
	assert_ptr_equal(task_table_get(&t, 20, 20), first);
	second = task_table_fork(&t, 20, 20, 10, 10, true);
	assert_ptr_not_equal(second, first);
	assert_true(first->superseded);
	assert_ptr_equal(task_table_find(&t, 20), second);
	assert_string_equal(comm_of(&t, second), "init");
	assert_string_equal(comm_of(&t, first), "first");
	assert_int_equal(dso_at(second, 0x1000), 0);
	assert_int_equal(dso_at(first, 0x1000), 1);

	/* A thread's id turns up in another process, its FORK record lost. */
	thread = task_table_fork(&t, 20, 21, 20, 20, true);
	moved = task_table_get(&t, 30, 21);
	assert_ptr_not_equal(moved, thread);
	assert_ptr_equal(moved->leader, task_table_find(&t, 30));
	assert_ptr_equal(task_table_find(&t, 21), moved);

	/* A pid is another process's: a thread of that pid belongs to it from then on. */
	thread = task_table_get(&t, 40, 41);
	first = thread->leader;
	second = task_table_fork(&t, 40, 40, 10, 10, true);
	assert_true(first->superseded);
	assert_ptr_equal(task_table_get(&t, 40, 41), thread);
	assert_ptr_equal(thread->leader, second);
	/* It became a thread of another process: nobody leads 40 any more. */
	assert_ptr_equal(task_table_get(&t, 50, 40), second);
	assert_ptr_equal(task_table_get(&t, 40, 41), thread);
	assert_ptr_not_equal(thread->leader, second);
	assert_int_equal(thread->leader->tid, 40);
	task_table_fini(&t);
}

/* Many tasks, many reuses: the latest always wins, and the one found last is never stale. */
static void test_storm(void **state)
{
	struct task *latest[100] = { NULL };
	struct task_table t;
	uint64_t rng = 5;

	(void)state;
	task_table_init(&t);
	for (int i = 0; i < 20000; i++) {
		int32_t tid = 1000 + (int32_t)(fixture_rng(&rng) % 100);

		if (fixture_rng(&rng) % 3 || !latest[tid - 1000]) {
			latest[tid - 1000] = task_table_fork(&t, tid, tid, 1, 1, true);
			if (fixture_rng(&rng) % 2)
				add_map(&t, latest[tid - 1000], 0x1000, (uint32_t)tid);
		}
		tid = 1000 + (int32_t)(fixture_rng(&rng) % 100);
		assert_ptr_equal(task_table_find(&t, tid), latest[tid - 1000]);
	}
	task_table_fini(&t);
}

/* A machine where processes come and go for days: those that live stay as they were, the table does not grow. */
static void test_forget(void **state)
{
	struct task_table t;
	struct task *shell, *thread, *child;
	uint32_t generation, nr_sets = 0;
	uint64_t size = 0;

	(void)state;
	task_table_init(&t);
	shell = task_table_get(&t, 10, 10);
	task_table_comm(&t, shell, "shell", false);
	add_map(&t, shell, 0x1000, 7);
	/* A process whose leader is gone, and a thread of it not. */
	child = task_table_fork(&t, 20, 20, 10, 10, true);
	thread = task_table_fork(&t, 20, 21, 20, 20, true);
	add_map(&t, thread, 0x2000, 8);
	task_table_exit(&t, child);
	generation = task_maps(thread)->generation;
	for (int32_t i = 0; i < 200000; i++) {
		int32_t pid = 1000 + i % 100000; /* tids are used again */
		char name[24];

		child = task_table_fork(&t, pid, pid, 10, 10, true);
		snprintf(name, sizeof(name), "job-%d", i);
		task_table_comm(&t, child, name, true);
		add_map(&t, child, 0x3000, 9);
		task_table_exit(&t, child);
		task_table_forget(&t);
		/* its last sample comes behind the record of its end */
		assert_int_equal(dso_at(task_table_get(&t, pid, pid), 0x3000), 9);
		if (i == 50000) {
			nr_sets = t.map_sets.nr;
			size = t.arena.size_bytes;
		}
		assert_true(t.tasks.nr < 10000 && t.map_sets.nr < 20000);
	}
	assert_true(t.map_sets.nr <= nr_sets + 8200);
	assert_int_equal(t.arena.size_bytes, size);
	assert_ptr_equal(task_table_find(&t, 10), shell);
	assert_ptr_equal(task_table_find(&t, 21), thread);
	assert_string_equal(comm_of(&t, shell), "shell");
	assert_int_equal(dso_at(shell, 0x1000), 7);
	assert_int_equal(dso_at(thread, 0x2000), 8);
	assert_int_equal(task_maps(thread)->generation, generation);
	assert_string_equal(comm_of(&t, task_table_find(&t, 0)), "swapper");
	assert_null(task_table_find(&t, 1000));
	task_table_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_tasks),
		cmocka_unit_test(test_threads_share_maps),
		cmocka_unit_test(test_fork_copies_when_written),
		cmocka_unit_test(test_fork_without_maps),
		cmocka_unit_test(test_thread_forks),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_reuse_of_a_tid),
		cmocka_unit_test(test_tid_zero_is_idle_only_with_pid_zero),
		cmocka_unit_test(test_storm),
		cmocka_unit_test(test_forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
