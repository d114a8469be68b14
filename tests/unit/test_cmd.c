/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The command table: look-up, suggestion, and what a return value of the option parser means.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "cmd/cmd.h"
#include "cmd/perf_compat.h"

static void table_is_complete(void **state)
{
	(void)state;
	for (const struct cmd *c = cmd_table(); c->name; c++) {
		assert_ptr_equal(cmd_find(c->name), c);
		assert_non_null(c->run);
		assert_true(strlen(c->summary) > 0 && strlen(c->summary) < 66);
		assert_true(c->summary[strlen(c->summary) - 1] != '.');
	}
	assert_null(cmd_find(""));
	assert_null(cmd_find("versio"));
}

static void unknown_command_suggests(void **state)
{
	struct errbuf near = { "" }, far = { "" }, longer = { "" };

	(void)state;
	assert_int_equal(cmd_unknown("versoin", &near), CMD_USAGE);
	assert_non_null(strstr(near.text, "did you mean 'version'"));
	assert_int_equal(cmd_unknown("qqqqqqqqqqqq", &far), CMD_USAGE);
	assert_non_null(strstr(far.text, "'qqqqqqqqqqqq'"));
	assert_null(strstr(far.text, "did you mean"));
	assert_int_equal(cmd_unknown("flamegraph", &longer), CMD_USAGE);
	assert_non_null(strstr(longer.text, "did you mean 'flame'"));
}

static void commands_of_perf(void **state)
{
	unsigned nr = 0;

	(void)state;
	for (const struct perf_word *p = perf_command_table(); p->name; p++, nr++) {
		struct errbuf eb = { "" };

		/* what is there is not absent */
		assert_null(cmd_find(p->name));
		assert_ptr_equal(perf_command_find(p->name), p);
		assert_int_equal(cmd_unknown(p->name, &eb), CMD_USAGE);
		assert_non_null(strstr(eb.text, "is not in this version of assay"));
		assert_non_null(strstr(eb.text, p->instead ? p->instead : "'assay --help'"));
	}
	assert_true(nr > 5);
	assert_null(perf_command_find("record"));
	assert_null(perf_command_find(""));
}

static int parse(const char *word)
{
	static const struct option table[] = { OPT_END };
	const struct options opts = { .command = "x", .usage = "assay x", .table = table };
	char *words[] = { (char *)"x", (char *)word, NULL }, **argv = words;
	int argc = 2;

	return cmd_parse(&opts, &argc, &argv, NULL);
}

static void option_results(void **state)
{
	(void)state;
	assert_int_equal(parse("--help"), CMD_DONE);
	assert_int_equal(parse("--frob"), CMD_USAGE);
	assert_int_equal(parse("word"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_is_complete),
		cmocka_unit_test(unknown_command_suggests),
		cmocka_unit_test(commands_of_perf),
		cmocka_unit_test(option_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
