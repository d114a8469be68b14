/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * view/quality_text.h: each sentence with the cause that it is for, and none of the others'.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "view/quality_text.h"

/* What is to be done, and for nothing else. */
static const char *const advice[] = {
	"kernel.perf_event_max_stack",
	"--max-stack 65535 shows all",
	"dwarf,65528",
	"lower -F",
	"than a record holds",
	"LBR",
	"-fno-omit-frame-pointer",
	"-fasynchronous-unwind-tables",
	"PreserveFramePointer",
	"32-bit programs",
	"switches stacks",
};

static void remember(void *ctx, bool is_loud, const char *text)
{
	out_printf(ctx, "%s %s\n", is_loud ? "!" : "-", text);
}

static char *notes_of(const struct quality *q)
{
	struct out o;

	out_init(&o, -1);
	quality_notes(q, remember, &o);
	out_char(&o, 0);
	return o.buf;
}

/* The notes have these and none of the others. */
static void expect_advice(const struct quality *q, const char *first, const char *second)
{
	char *notes = notes_of(q);

	for (size_t i = 0; i < sizeof(advice) / sizeof(advice[0]); i++) {
		bool wanted = strcmp(advice[i], first) == 0 || (second && strcmp(advice[i], second) == 0);

		if (!strstr(notes, advice[i]) != !wanted)
			fail_msg("'%s' is %s in: %s", advice[i], wanted ? "missing" : "wrong", notes);
	}
	free(notes);
}

static void test_broken(void **state)
{
	static const struct {
		enum quality_cause cause;
		const char *first, *second;
	} cases[] = {
		{ QUALITY_CAUSE_POINTERS, "-fno-omit-frame-pointer", NULL },
		{ QUALITY_CAUSE_CALLS, "LBR", NULL },
		{ QUALITY_CAUSE_JIT, "PreserveFramePointer", NULL },
		{ QUALITY_CAUSE_NO_TABLE, "-fasynchronous-unwind-tables", NULL },
		{ QUALITY_CAUSE_32BIT, "32-bit programs", "-fno-omit-frame-pointer" },
		{ QUALITY_CAUSE_TABLE, "switches stacks", "never written to" },
	};

	(void)state;
	assert_int_equal(sizeof(cases) / sizeof(cases[0]), QUALITY_NR_CAUSES);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct quality q = { .has_stacks = true, .nr_samples = 100, .nr_stacks = 100 };

		/* a few of another cause do not decide */
		q.nr_by_stack[QUALITY_BROKEN] = 60;
		q.nr_broken_by[cases[i].cause] = 50;
		q.nr_broken_by[(cases[i].cause + 1) % QUALITY_NR_CAUSES] = 10;
		q.nr_by_stack[QUALITY_COMPLETE] = 40;
		expect_advice(&q, cases[i].first, cases[i].second);
	}
}

/* The file, where it is known, with what it needs itself. */
static void test_no_table_of(void **state)
{
	struct quality q = { .has_stacks = true, .nr_samples = 100, .nr_stacks = 100, .no_table_path = "/opt/lib\033.so" };
	char *notes;

	(void)state;
	q.nr_by_stack[QUALITY_BROKEN] = q.nr_broken_by[QUALITY_CAUSE_NO_TABLE] = 100;
	strcpy(q.no_table_remedy, "apt install lib-dbgsym");
	notes = notes_of(&q);
	assert_non_null(strstr(notes, "mostly in /opt/lib"));
	assert_non_null(strstr(notes, ".so: apt install lib-dbgsym"));
	assert_null(strchr(notes, '\033'));
	free(notes);
	/* Nothing would help: its debug file is installed. */
	q.no_table_remedy[0] = 0;
	notes = notes_of(&q);
	assert_non_null(strstr(notes, ".so\n"));
	assert_null(strstr(notes, "package"));
	free(notes);
	q.nr_broken_by[QUALITY_CAUSE_JIT] = 101;
	expect_advice(&q, "PreserveFramePointer", NULL);
}

static void test_cut(void **state)
{
	static const struct {
		enum quality_cut cut;
		const char *advice, *more;
	} cases[] = {
		{ QUALITY_CUT_KERNEL, "kernel.perf_event_max_stack", NULL },
		{ QUALITY_CUT_READER, "--max-stack 65535 shows all", NULL },
		{ QUALITY_CUT_DUMP, "dwarf,65528", NULL },
		{ QUALITY_CUT_CALLS, "LBR", NULL },
		{ QUALITY_CUT_BUDGET, "lower -F", NULL },
		{ QUALITY_CUT_RECORD, "than a record holds", "dwarf,65528" },
		{ QUALITY_CUT_WAIT, "where threads wait", "dwarf,32768" },
		{ QUALITY_CUT_PYTHON, "functions of Python", "128" },
	};

	(void)state;
	assert_int_equal(sizeof(cases) / sizeof(cases[0]), QUALITY_NR_CUTS);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct quality q = { .has_stacks = true, .nr_samples = 100, .nr_stacks = 100 };

		q.nr_by_stack[QUALITY_TRUNCATED] = 100;
		q.nr_by_cut[cases[i].cut] = 100;
		q.has_largest_dumps = cases[i].cut == QUALITY_CUT_BUDGET;
		expect_advice(&q, cases[i].advice, cases[i].more);
	}
}

/* Guessed stacks are no warning, but they are told. */
static void test_guessed(void **state)
{
	static const struct {
		enum quality_cause cause;
		const char *advice;
	} cases[] = {
		{ QUALITY_CAUSE_JIT, "(Node's does; Java's with -XX:+PreserveFramePointer)" },
		{ QUALITY_CAUSE_NO_TABLE, "-fasynchronous-unwind-tables" },
		{ QUALITY_CAUSE_POINTERS, "--call-graph dwarf" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct quality q = { .has_stacks = true, .nr_samples = 100, .nr_stacks = 100 };
		char line[QUALITY_LINE_SIZE], *notes;

		q.nr_by_stack[QUALITY_GUESSED] = 75;
		q.nr_by_stack[QUALITY_COMPLETE] = 25;
		q.nr_guessed_by[cases[i].cause] = 75;
		assert_false(quality_is_incomplete(&q));
		quality_line(&q, line, sizeof(line));
		assert_string_equal(
			line, "25.0% of stacks complete, 75.0% guessed, 0.0% truncated, 0.0% broken; 0.0% of samples unresolved; 0 lost, "
			      "0 throttled");
		notes = notes_of(&q);
		assert_non_null(strstr(notes, "- guessed stacks: "));
		assert_non_null(strstr(notes, cases[i].advice));
		assert_null(strchr(notes, '!'));
		free(notes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_no_table_of),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_guessed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
