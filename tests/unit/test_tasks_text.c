/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tree of tasks: perf's order, missing parents, circles, names that attack a terminal, maps.
 */
#include "session_fixture.h"

#include <sys/mman.h>

#include "view/report.h"

#define HEADING "#      pid      tid     ppid  comm\n"
#define SWAPPER "         0        0       -1 |swapper\n"

static void check(const struct fixture *f, bool mmaps, const char *expected)
{
	struct out o;

	out_init(&o, -1);
	tasks_text(&o, &f->s.machine, mmaps);
	out_char(&o, 0);
	assert_string_equal(o.buf, expected);
	out_fini(&o);
}

static void test_tree(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_task(&f, 300, 300, "sh");
	task_table_fork(&f.s.machine.tasks, 301, 301, 300, 300, true);
	task_table_fork(&f.s.machine.tasks, 301, 302, 301, 301, true);
	task_table_comm(&f.s.machine.tasks, task_table_find(&f.s.machine.tasks, 302), "worker", false);
	/* 512 is in list 0 of perf's table: met first, it brings its parents with it. */
	task_table_fork(&f.s.machine.tasks, 512, 512, 301, 302, true);
	task_table_fork(&f.s.machine.tasks, 299, 299, 300, 300, true);
	check(&f, false,
	      HEADING SWAPPER "       300      300       -1 |sh\n"
			      "       301      301      300 | sh\n"
			      "       301      302      301 |  worker\n"
			      "       512      512      302 |   worker\n"
			      "       299      299      300 | sh\n");
	fixture_fini(&f);
}

static void test_odd_parents(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_task(&f, 5, 5, "orphan")->ppid = 4444;
	fixture_task(&f, 6, 6, "a")->ppid = 7;
	fixture_task(&f, 7, 7, "b")->ppid = 6;
	fixture_task(&f, 8, 8, "own")->ppid = 8;
	fixture_task(&f, 9, 9, "under")->ppid = 7;
	check(&f, false,
	      HEADING SWAPPER "         5        5     4444 |orphan\n"
			      "         7        7        6 |b\n"
			      "         6        6        7 | a\n"
			      "         9        9        7 | under\n"
			      "         8        8        8 |own\n");
	fixture_fini(&f);
}

static void test_deep(void **state)
{
	struct fixture f;
	struct out o;
	uint32_t nr_lines = 0;

	(void)state;
	fixture_init(&f);
	for (int32_t i = 1; i < 5000; i++)
		task_table_fork(&f.s.machine.tasks, i, i, i - 1, i - 1, true);
	out_init(&o, -1);
	tasks_text(&o, &f.s.machine, false);
	for (size_t i = 0; i < o.len; i++)
		nr_lines += o.buf[i] == '\n';
	assert_int_equal(nr_lines, 5001);
	out_fini(&o);
	fixture_fini(&f);
}

static void test_maps_and_names(void **state)
{
	struct fixture f;
	struct task *task;
	struct map m = { .start = 0x55d000, .end = 0x55e000, .pgoff = 0x1000, .ino = 77, .prot = PROT_READ | PROT_EXEC };

	(void)state;
	fixture_init(&f);
	task = fixture_task(&f, 5, 5, "a\033[31m\n");
	m.dso = dso_table_intern(&f.s.machine.dsos, MODULE_ELF, "/tmp/\033x", 5, NULL, 0);
	task_table_map(&f.s.machine.tasks, task, &m);
	m = (struct map){ .start = 0x7f0000, .end = 0x7f2000, .prot = PROT_WRITE, .flags = MAP_SHARED, .dso = m.dso };
	task_table_map(&f.s.machine.tasks, task, &m);
	check(&f, true,
	      HEADING SWAPPER "         5        5       -1 |a\\e[31m\\n\n"
			      "                                55d000-55e000 r-xp 00001000 77 /tmp/\\ex\n"
			      "                                7f0000-7f2000 -w-s 00000000 0 /tmp/\\ex\n");
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_odd_parents),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_maps_and_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
