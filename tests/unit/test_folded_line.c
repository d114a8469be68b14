/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines of folded stacks: counts in all the ways that tools write them, and what a text's lines have in common.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "import/folded_line.h"

/* A stack of NULL: the line is none. */
static const struct row {
	const char *line, *stack;
	uint64_t count;
	bool is_rounded;
} rows[] = {
	{ "a;b 1", "a;b", 1, false },
	{ "a;b\t12  ", "a;b", 12, false },
	{ "a b c   7", "a b c", 7, false },
	{ "a +3", "a", 3, false },
	{ "a 1.5e+06", "a", 1500000, false },
	{ "a 1E3", "a", 1000, false },
	{ "a 12e-1", "a", 1, true },
	{ "a 2.500", "a", 3, true },
	{ "a 2.0", "a", 2, false },
	{ "a 0.0004e4", "a", 4, false },
	{ "a 0.4", "a", 0, true },
	{ "a 0.05", "a", 0, true },
	{ "a 00012", "a", 12, false },
	{ "a 0", "a", 0, false },
	{ "a 0e99999999999", "a", 0, false },
	{ "a 1e-99999999999", "a", 0, true },
	{ "a 9000000000000000000", "a", 9000000000000000000u, false },
	{ "a 9e18", "a", 9000000000000000000u, false },
	{ "a 9.3e18", NULL, 0, false },
	{ "a 1e99999999999", NULL, 0, false },
	{ "a 99999999999999999999", NULL, 0, false },
	{ "a -3", NULL, 0, false },
	{ "a .5", NULL, 0, false },
	{ "a 1e", NULL, 0, false },
	{ "a 1e+", NULL, 0, false },
	{ "a 1.2.3", NULL, 0, false },
	{ "a +", NULL, 0, false },
	{ "a 0x10", NULL, 0, false },
	{ "12", NULL, 0, false },
	{ " 12", NULL, 0, false },
	{ "a", NULL, 0, false },
	{ "", NULL, 0, false },
};

static void test_counts(void **state)
{
	const struct folded_style plain = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];
		struct folded_line l;

		if (folded_line_parse(r->line, strlen(r->line), &plain, &l) != !!r->stack)
			fail_msg("'%s' is%s a stack", r->line, r->stack ? "" : " not");
		if (!r->stack)
			continue;
		if (l.len != strlen(r->stack) || memcmp(l.stack, r->stack, l.len) || l.count[0] != r->count ||
		    l.is_rounded != r->is_rounded)
			fail_msg("'%s': %llu of '%.*s'", r->line, (unsigned long long)l.count[0], (int)l.len, l.stack);
	}
}

static struct folded_style style_of(const char *text)
{
	struct folded_style style;

	folded_style_find(&style, text, strlen(text), true);
	return style;
}

static void test_styles(void **state)
{
	struct folded_style style;

	(void)state;
	assert_true(style_of("a;b 1 2\na;c 0 3\n").is_pair);
	assert_true(style_of("# total\n\na;b 1 2\nnonsense\na;c 1.5 3\r\n").is_pair);
	assert_false(style_of("a;b 1 2\na;c 3\n").is_pair);
	assert_false(style_of("a;b 1\n").is_pair);
	assert_false(style_of("1 2\n").is_pair);
	assert_false(style_of("").is_pair);
	assert_false(style_of("nonsense\n").has_tasks);
	assert_true(style_of("sh-1/2;main 3\nx-y-0/0;main 1\n").has_tasks);
	assert_false(style_of("sh-1/2;main 3\nsh-1;main 1\n").has_tasks);
	assert_false(style_of("sh;main-1/2 3\n").has_tasks);
	assert_int_equal(style_of("  a 1\n\n    b 1\n").indent, 2);
	assert_int_equal(style_of("  a 1\nb 1\n").indent, 0);
	assert_int_equal(style_of("\t a 1\n").indent, 2);
	assert_false(style_of("a;b 1 2\na;c 3").is_pair);
	folded_style_find(&style, "a;b 1 2\na;c 3", 13, false); /* " 4\n" may follow */
	assert_true(style.is_pair);
}

static void test_pairs(void **state)
{
	const struct folded_style pair = { .is_pair = true, .indent = 1 };
	struct folded_line l;

	(void)state;
	assert_true(folded_line_parse(" a;b 10 12", 10, &pair, &l));
	assert_int_equal(l.count[0], 10);
	assert_int_equal(l.count[1], 12);
	assert_int_equal(l.len, 3);
	assert_true(folded_line_parse("a;b 0 12", 8, &pair, &l)); /* less indented than all others */
	assert_int_equal(l.count[0], 0);
	assert_false(folded_line_parse("a;b 12", 6, &pair, &l));
	assert_false(folded_line_parse(" 10 12", 6, &pair, &l));
}

static void test_tasks(void **state)
{
	int32_t pid, tid;
	size_t len = 12;

	(void)state;
	assert_true(folded_take_task("a-b-123/4567", &len, &pid, &tid));
	assert_int_equal(len, 3);
	assert_int_equal(pid, 123);
	assert_int_equal(tid, 4567);
	assert_true(folded_take_task("gone--1/-1", &(size_t){ 10 }, &pid, &tid));
	assert_int_equal(pid, -1);
	assert_int_equal(tid, -1);
	for (const char *const *bad =
		     (const char *const[]){ "sh-12", "sh-/2", "sh-1/", "-1/2", "sh 1/2", "sh-1/99999999999", "/", "", NULL };
	     *bad; bad++) {
		len = strlen(*bad);
		if (folded_take_task(*bad, &len, &pid, &tid))
			fail_msg("'%s' is a task", *bad);
		assert_int_equal(len, strlen(*bad));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_styles),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
