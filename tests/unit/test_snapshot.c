/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counting, merging and printing of stacks, with frames of the kernel for functions with names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "model/snapshot.h"
#include "view/stack.h"

struct fixture {
	struct snapshot s;
	struct dso_table dsos;
	struct out o;
};

static void start(struct fixture *f)
{
	struct symbolizer_options opts = { 0 };

	snapshot_init(&f->s);
	dso_table_init(&f->dsos, &opts);
	out_init(&f->o, -1);
}

static void end(struct fixture *f)
{
	out_fini(&f->o);
	snapshot_fini(&f->s);
	dso_table_fini(&f->dsos);
}

/* A thread in `kernel` ("inner\nouter"), and below that at the program's address 0x1000. */
static void add(struct fixture *f, int32_t tid, const char *comm, const char *kernel, uint64_t pc, enum unwind_end how)
{
	struct stack_place place = { .pc = pc, .at = { .addr = pc - 1, .ip = pc - 1 } };
	struct thread_stack t = {
		.pid = 1, .tid = tid, .comm = comm, .kernel = kernel, .places = &place, .nr = pc ? 1 : 0, .walk.end = how
	};

	snapshot_add(&f->s, &t);
}

static void name(struct fixture *f)
{
	struct snapshot_naming n = { .functions = true, .inlines = true, .lines = true };

	snapshot_name(&f->s, &f->dsos, &n);
}

static const char *text(struct fixture *f)
{
	out_char(&f->o, 0);
	return f->o.buf;
}

static void test_counts(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	add(&f, 10, "a", "f+0x1/0x2\ng+0x3/0x4\n", 0x1000, UNWIND_COMPLETE);
	add(&f, 10, "a", "f+0x1/0x2\ng+0x3/0x4\n", 0x1000, UNWIND_COMPLETE);
	add(&f, 11, "a", "f+0x1/0x2\ng+0x3/0x4\n", 0x1000, UNWIND_COMPLETE);
	add(&f, 10, "a", "f+0x1/0x2\n", 0x1000, UNWIND_NO_RULE);
	add(&f, 12, "a", NULL, 0, UNWIND_NOT_DONE);
	add(&f, 12, "a", NULL, 0, UNWIND_NOT_DONE);
	assert_int_equal(f.s.nr_seen, 6);
	assert_int_equal(f.s.nr_incomplete, 1);
	assert_int_equal(f.s.places.nr, 3);
	assert_int_equal(f.s.stacks.nr, 3);
	assert_int_equal(f.s.sightings.nr, 4);
	assert_int_equal(f.s.sightings.v[0].count, 2);
	assert_int_equal(f.s.sightings.v[3].count, 2);
	end(&f);
}

static void test_tree(void **state)
{
	struct fixture f;
	struct snapshot_tree t;
	struct stack_text v = { .pid = 1, .nr_rounds = 5, .interval_ms = 10 };

	(void)state;
	start(&f);
	/* One function at two places is one row; `h` is seen more often than `f`. */
	add(&f, 10, "a", "f+0x1/0x2\ng+0x3/0x4", 0, UNWIND_COMPLETE);
	for (int i = 0; i < 3; i++)
		add(&f, 11, "a", "h+0x1/0x2\ng+0x9/0x4", 0, UNWIND_COMPLETE);
	add(&f, 12, "b;\033[31m", "", 0x1001, UNWIND_COMPLETE);
	name(&f);
	v.o = &f.o;
	v.snapshot = &f.s;
	v.dsos = &f.dsos;
	snapshot_tree_init(&t, &f.s, false);
	stack_text_tree(&v, &t);
	assert_string_equal(text(&f), "PID 1 - process, 5 snapshots 10 ms apart\n"
				      "Threads a, 4 stacks\n"
				      "100.00%      4  [kernel] g\n"
				      " 75.00%      3    [kernel] h\n"
				      " 25.00%      1    [kernel] f\n"
				      "Threads b;\\e[31m, 1 stack\n"
				      "100.00%      1  0x1001\n");
	f.o.len = 0;
	stack_text_folded(&v, &t);
	assert_string_equal(text(&f), "a;g_[k];f_[k] 1\na;g_[k];h_[k] 3\nb:\\e[31m;[unknown] 1\n");
	snapshot_tree_fini(&t);
	f.o.len = 0;
	snapshot_tree_init(&t, &f.s, true);
	stack_text_folded(&v, &t);
	assert_string_equal(text(&f), "a-10;g_[k];f_[k] 1\na-11;g_[k];h_[k] 3\nb:\\e[31m-12;[unknown] 1\n");
	snapshot_tree_fini(&t);
	end(&f);
}

static void test_threads(void **state)
{
	struct stack_text v = { .pid = 1 };
	struct thread_stack hostile = {
		.pid = 1, .tid = 3, .comm = "\033]0;x\a", .state = "sleeping in read(0</a\nb>)", .why = "it\rhas ended"
	};
	struct fixture f;

	(void)state;
	start(&f);
	add(&f, 2, "two", NULL, 0xabcdef, UNWIND_COMPLETE);
	snapshot_add(&f.s, &hostile);
	name(&f);
	v.o = &f.o;
	v.snapshot = &f.s;
	v.dsos = &f.dsos;
	stack_text_threads(&v);
	assert_string_equal(text(&f), "PID 1 - process\nTID 2:\n#0  0x0000000000abcdef\nTID 3:\n");
	f.o.len = 0;
	v.comments = v.activations = v.no_heading = true;
	v.is_core = true;
	stack_text_threads(&v);
	assert_string_equal(text(&f), "TID 2: # two\n#0  0x0000000000abcdef - 1 ?? in [unknown]\n"
				      "TID 3: # \\e]0;x\\x07, sleeping in read(0</a\\nb>)\n    # incomplete: it\\x0dhas ended\n");
	end(&f);
}

static void test_json(void **state)
{
	struct fixture f;
	struct stack_text v = { .pid = 1 };
	const char *found;

	(void)state;
	start(&f);
	add(&f, 2, "two\"", "f+0x1/0x2", 0xabcdef, UNWIND_LIMIT);
	name(&f);
	v.o = &f.o;
	v.snapshot = &f.s;
	v.dsos = &f.dsos;
	stack_json(&v);
	found = text(&f);
	assert_non_null(strstr(found, "\"comm\": \"two\\\"\""));
	assert_non_null(strstr(found, "\"pc\": \"0xabcdef\""));
	assert_non_null(strstr(found, "\"kernel\": true"));
	assert_non_null(strstr(found, "\"complete\": false"));
	assert_non_null(strstr(found, "\"incomplete\": 1"));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
