/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/options.h: the command lines a perf user types, the sentences for wrong ones, and --help.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"

/* What one parse left behind. */
struct values {
	bool all, children, no_inherit, group_set, freq_set, all_set;
	int verbose;
	uint64_t freq, period, any;
	const char *output;
	char calls[256]; /* "e=cycles;" per call */
	struct errbuf eb;
	int argc;
	char *argv_store[32];
	char **argv;
	ptrdiff_t first_word;
};

static int note_call(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct values *v = ctx;
	size_t used = strlen(v->calls);

	if (arg && !strcmp(arg, "bad"))
		return errbuf_set(eb, -EINVAL, "the sentence of the callee");
	if (arg && !strcmp(arg, "silent"))
		return -ENOENT;
	snprintf(v->calls + used, sizeof(v->calls) - used, "%s%s=%s;", negated ? "no-" : "", opt->long_name, arg ? arg : "NULL");
	return 0;
}

static int parse_flags(struct values *v, unsigned flags, const char *line)
{
	const struct option table[] = {
		OPT_GROUP("What"),
		OPT_BOOL('a', "all-cpus", &v->all, "all CPUs", .is_set = &v->all_set),
		OPT_CALL_NO('e', "event", note_call, v, "EVENT", "what to count", .complete = "event"),
		OPT_CALL_OPT('j', "branch", note_call, v, "FILTER", "branches"),
		OPT_U64('F', "freq", &v->freq, 1, 1000000, "HZ", "samples a second", .is_set = &v->freq_set),
		OPT_U64('c', "count", &v->period, 1, 0, "N", "period"),
		OPT_U64(0, "any", &v->any, 0, 0, "N", "any number"),
		OPT_GROUP("How"),
		OPT_CALL_NONE('g', NULL, note_call, v, "no long name", .hidden = true),
		OPT_CALL_NONE('T', "timestamp", note_call, v, "times"),
		OPT_CALL_NO(0, "call-graph", note_call, v, "MODE", "how", .complete = "fp|dwarf|lbr"),
		OPT_BOOL('i', "no-inherit", &v->no_inherit, "children are not counted"),
		OPT_BOOL(0, "children", &v->children, "with children"),
		OPT_STRING('o', "output", &v->output, "FILE", "where to", .complete = "file"),
		OPT_COUNT('v', "verbose", &v->verbose, "say more"),
		OPT_ACCEPTED(0, "aio", "writing is asynchronous anyway"),
		OPT_END,
	};
	/* -g has no long name, which note_call prints: give it one of its own. */
	struct option with_g[sizeof(table) / sizeof(table[0])];
	const struct options opts = {
		.command = "record",
		.usage = "assay record [OPTIONS] [--] COMMAND [ARG…]\nassay record [OPTIONS] -a",
		.summary = "Run a command and write what the CPUs did meanwhile into a file that "
			   "is read later, which makes a long line",
		.examples = "assay record -g -- ./app\n  indented\n",
		.table = with_g,
		.flags = flags,
	};
	static char copy[1024];
	char *save = NULL;

	memcpy(with_g, table, sizeof(table));
	with_g[8].long_name = "graph";
	snprintf(copy, sizeof(copy), "%s", line);
	v->argc = 0;
	v->argv_store[v->argc++] = (char *)"record";
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		v->argv_store[v->argc++] = strcmp(w, "''") ? w : (char *)"";
	v->argv_store[v->argc] = NULL;
	v->argv = v->argv_store;
	return options_parse(&opts, &v->argc, &v->argv, &v->eb);
}

static struct values parse_ok(const char *line)
{
	struct values v = { 0 };
	int err = parse_flags(&v, OPTIONS_STOP_AT_WORD, line);

	if (err)
		fail_msg("'%s' gave %d: %s", line, err, v.eb.text);
	/* The words left lie in the caller's copy. */
	v.first_word = v.argv - v.argv_store;
	v.argv = NULL;
	return v;
}

static void check_error(const char *line, const char *sentence)
{
	struct values v = { 0 };

	assert_int_equal(parse_flags(&v, OPTIONS_STOP_AT_WORD, line), -EINVAL);
	assert_string_equal(v.eb.text, sentence);
}

static void test_switches(void **state)
{
	struct values v;

	(void)state;
	v = parse_ok("");
	assert_false(v.all || v.all_set || v.freq_set);
	assert_int_equal(v.argc, 0);
	v = parse_ok("-a -a --all-cpus");
	assert_true(v.all && v.all_set);
	v = parse_ok("-a --no-all-cpus");
	assert_true(!v.all && v.all_set);
	v = parse_ok("-vvv -v --verbose");
	assert_int_equal(v.verbose, 5);
	v = parse_ok("-vv --no-verbose");
	assert_int_equal(v.verbose, 0);
	v = parse_ok("--no-inherit");
	assert_true(v.no_inherit);
	v = parse_ok("-i --inherit");
	assert_false(v.no_inherit);
	v = parse_ok("-i --inh");
	assert_false(v.no_inherit);
	v = parse_ok("--no-no-inherit");
	assert_false(v.no_inherit);
}

static void test_arguments(void **state)
{
	struct values v;

	(void)state;
	assert_int_equal(parse_ok("-F99").freq, 99);
	assert_int_equal(parse_ok("-F 99").freq, 99);
	assert_int_equal(parse_ok("--freq=99").freq, 99);
	assert_int_equal(parse_ok("--freq 99").freq, 99);
	assert_int_equal(parse_ok("--fr 0x10").freq, 16);
	assert_int_equal(parse_ok("-F 1000000").freq, 1000000);
	assert_true(parse_ok("-F 1").freq_set);
	assert_true(parse_ok("-c 18446744073709551615").period == UINT64_MAX);
	assert_true(parse_ok("--any 0").any == 0);
	v = parse_ok("-agvF 99 -o - x");
	assert_true(v.all);
	assert_int_equal(v.verbose, 1);
	assert_int_equal(v.freq, 99);
	assert_string_equal(v.calls, "graph=NULL;");
	assert_string_equal(v.output, "-");
	assert_int_equal(v.argc, 1);
	v = parse_ok("-o -F -F 5"); /* what an option needs it takes, whatever it looks like */
	assert_string_equal(v.output, "-F");
	assert_int_equal(v.freq, 5);
	assert_string_equal(parse_ok("--output=").output, "");
	assert_string_equal(parse_ok("--output=a=b").output, "a=b");
	assert_string_equal(parse_ok("-o a -ob").output, "b");
	v = parse_ok("--aio --aio=4 --no-aio");
	assert_int_equal(v.argc, 0);
}

static void test_calls(void **state)
{
	(void)state;
	assert_string_equal(parse_ok("-e a -eb --event c --event=d").calls, "event=a;event=b;event=c;event=d;");
	/* an optional argument is only ever attached */
	assert_string_equal(parse_ok("-jany --branch=k -j u").calls, "branch=any;branch=k;branch=NULL;");
	assert_string_equal(parse_ok("-T --timestamp --no-timestamp").calls, "timestamp=NULL;timestamp=NULL;no-timestamp=NULL;");
	assert_string_equal(parse_ok("--no-call-graph --no-ev --no-branch").calls, "no-call-graph=NULL;no-event=NULL;no-branch=NULL;");
}

static const char *word(const struct values *v, int i)
{
	return v->argv_store[v->first_word + i];
}

static void test_words(void **state)
{
	struct values v = { 0 };

	(void)state;
	v = parse_ok("-a sleep -v 1 --help");
	assert_int_equal(v.argc, 4);
	assert_string_equal(word(&v, 0), "sleep");
	assert_string_equal(word(&v, 3), "--help");
	assert_null(word(&v, 4));
	assert_int_equal(v.verbose, 0);
	v = parse_ok("-a -- -v --");
	assert_int_equal(v.argc, 2);
	assert_string_equal(word(&v, 0), "-v");
	assert_string_equal(word(&v, 1), "--");
	v = parse_ok("- -v");
	assert_int_equal(v.argc, 2);
	v = parse_ok("'' -v"); /* an empty word is a word */
	assert_int_equal(v.argc, 2);

	/* Mixed, where there is no workload. */
	memset(&v, 0, sizeof(v));
	assert_int_equal(parse_flags(&v, 0, "one -a two -o out three -- -v four"), 0);
	assert_int_equal(v.argc, 5);
	assert_string_equal(v.argv[0], "one");
	assert_string_equal(v.argv[1], "two");
	assert_string_equal(v.argv[2], "three");
	assert_string_equal(v.argv[3], "-v");
	assert_string_equal(v.argv[4], "four");
	assert_null(v.argv[5]);
	assert_string_equal(v.output, "out");
	assert_true(v.all);
	assert_int_equal(v.verbose, 0);
}

static void test_unknown(void **state)
{
	(void)state;
	check_error("--frob", "record: unknown option --frob; did you mean --freq? "
			      "('assay record --help' lists them)");
	check_error("--frob=9", "record: unknown option --frob; did you mean --freq? "
				"('assay record --help' lists them)");
	check_error("--no-all-cpu-s", "record: unknown option --no-all-cpu-s; did you mean "
				      "--no-all-cpus? ('assay record --help' lists them)");
	check_error("--zzzzzzzz", "record: unknown option --zzzzzzzz ('assay record --help' lists them)");
	check_error("-Z", "record: unknown option -Z ('assay record --help' lists them)");
	check_error("-aZg", "record: unknown option -Z in '-aZg' "
			    "('assay record --help' lists them)");
	check_error("-freq", "record: unknown option -freq; did you mean --freq? "
			     "('assay record --help' lists them)");
	check_error("--=x", "record: unknown option -- ('assay record --help' lists them)");
	/* switches only, so no --no-output */
	check_error("--no-output", "record: unknown option --no-output; did you mean --output? "
				   "('assay record --help' lists them)");
}

static void test_ambiguous(void **state)
{
	(void)state;
	check_error("--a", "record: option --a is ambiguous: --all-cpus, --any, --aio");
	check_error("--c", "record: option --c is ambiguous: --count, --call-graph, --children");
	check_error("--no-c", "record: option --no-c is ambiguous: --no-call-graph, --no-children");
	assert_int_equal(parse_ok("--an 4").any, 4);
}

static void test_wrong_arguments(void **state)
{
	(void)state;
	check_error("-F", "record: -F needs an argument: -F HZ");
	check_error("-a --output", "record: --output needs an argument: --output FILE");
	check_error("-F 99x", "record: -F: '99x' is not a number from 1 to 1000000");
	check_error("-F=99", "record: -F: '=99' is not a number from 1 to 1000000");
	check_error("--freq=", "record: --freq: '' is not a number from 1 to 1000000");
	check_error("-F 0", "record: -F: '0' is not a number from 1 to 1000000");
	check_error("-F 1000001", "record: -F: '1000001' is not a number from 1 to 1000000");
	check_error("-F -5", "record: -F: '-5' is not a number from 1 to 1000000");
	check_error("-c 0", "record: -c: '0' is not a number from 1 on");
	check_error("--any 0x", "record: --any: '0x' is not a number");
	check_error("--any 99999999999999999999", "record: --any: '99999999999999999999' is not a "
						  "number");
	check_error("--all-cpus=1", "record: --all-cpus takes no argument ('1')");
	check_error("--no-event=1", "record: --no-event takes no argument ('1')");
	check_error("-e bad", "the sentence of the callee");
}

static void test_callee_errors(void **state)
{
	struct values v = { 0 };

	(void)state;
	assert_int_equal(parse_flags(&v, 0, "-e silent"), -ENOENT);
	assert_string_equal(v.eb.text, "record: -e: cannot use 'silent'");
}

static void test_huge_words(void **state)
{
	char line[900];
	struct values v = { 0 };

	(void)state;
	memset(line, 'a', sizeof(line));
	line[sizeof(line) - 1] = '\0';
	line[0] = line[1] = '-';
	assert_int_equal(parse_flags(&v, 0, line), -EINVAL);
	line[1] = 'F';
	errbuf_clear(&v.eb);
	assert_int_equal(parse_flags(&v, 0, line), -EINVAL);
}

static void test_u64(void **state)
{
	uint64_t v = 7;

	(void)state;
	assert_int_equal(options_u64("18446744073709551615", 0, UINT64_MAX, &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(options_u64("0XfFfFfFfFfFfFfFfF", 0, UINT64_MAX, &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(options_u64("010", 0, 100, &v), 0);
	assert_true(v == 10);
	assert_int_equal(options_u64("18446744073709551616", 0, UINT64_MAX, &v), -ERANGE);
	assert_int_equal(options_u64("0x10000000000000000", 0, UINT64_MAX, &v), -ERANGE);
	assert_int_equal(options_u64("5", 6, 7, &v), -ERANGE);
	assert_int_equal(options_u64("8", 6, 7, &v), -ERANGE);
	const char *const wrong[] = { "", " 5", "5 ", "+5", "-5", "5k", "0x", "0xg", "x5", "1e3" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(options_u64(wrong[i], 0, UINT64_MAX, &v), -EINVAL);
	assert_true(v == 10);
}

/* Runs a parse with stdout in a pipe; gives what it printed. */
static const char *stdout_of(const char *line, int expected)
{
	static char text[16384];
	struct values v = { 0 };
	int fds[2], saved;
	ssize_t n;

	assert_int_equal(pipe(fds), 0);
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	dup2(fds[1], STDOUT_FILENO);
	close(fds[1]);
	int err = parse_flags(&v, OPTIONS_STOP_AT_WORD, line);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	n = read(fds[0], text, sizeof(text) - 1);
	close(fds[0]);
	assert_int_equal(err, expected);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void test_help(void **state)
{
	static const char expected[] = "Usage: assay record [OPTIONS] [--] COMMAND [ARG…]\n"
				       "       assay record [OPTIONS] -a\n"
				       "\n"
				       "Run a command and write what the CPUs did meanwhile into a file that is read\n"
				       "later, which makes a long line\n"
				       "\n"
				       "What:\n"
				       "  -a, --all-cpus         all CPUs\n"
				       "  -e, --event EVENT      what to count\n"
				       "  -j, --branch[=FILTER]  branches\n"
				       "  -F, --freq HZ          samples a second\n"
				       "  -c, --count N          period\n"
				       "      --any N            any number\n"
				       "\n"
				       "How:\n"
				       "  -T, --timestamp        times\n"
				       "      --call-graph MODE  how\n"
				       "  -i, --no-inherit       children are not counted\n"
				       "      --children         with children\n"
				       "  -o, --output FILE      where to\n"
				       "  -v, --verbose          say more\n"
				       "      --aio              (writing is asynchronous anyway)\n"
				       "\n"
				       "  -h, --help             show this help\n"
				       "\n"
				       "Examples:\n"
				       "  assay record -g -- ./app\n"
				       "  indented\n";

	(void)state;
	assert_string_equal(stdout_of("--help", OPTIONS_HELP_SHOWN), expected);
	assert_string_equal(stdout_of("-h", OPTIONS_HELP_SHOWN), expected);
	assert_string_equal(stdout_of("-a --hel", OPTIONS_HELP_SHOWN), expected);
	assert_string_equal(stdout_of("-avh", OPTIONS_HELP_SHOWN), expected);
}

static void test_help_wraps(void **state)
{
	const struct option table[] = {
		OPT_BOOL('x', "ex", NULL,
			 "a text that is longer than the line is wide and goes on under itself, "
			 "not under the option"),
		OPT_STRING(0, "an-option-of-a-very-long-name", NULL, "ARGUMENT", "next line"),
		OPT_END,
	};
	const struct options opts = { .command = "x", .usage = "assay x", .table = table };
	struct out o;

	(void)state;
	out_init(&o, -1);
	options_print_help(&opts, &o);
	out_char(&o, '\0');
	assert_string_equal(o.buf, "Usage: assay x\n"
				   "\n"
				   "Options:\n"
				   "  -x, --ex    a text that is longer than the line is wide and goes on "
				   "under\n"
				   "              itself, not under the option\n"
				   "      --an-option-of-a-very-long-name ARGUMENT\n"
				   "              next line\n"
				   "  -h, --help  show this help\n");
	out_fini(&o);
}

enum colour { RED, GREEN, BLUE };

static int parse_choice(const char *name, const char *arg, enum colour *c, bool *is_set, struct errbuf *eb)
{
	const struct option table[] = {
		OPT_CHOICE(0, "colour", c, "red|green|blue", "NAME", "which", .is_set = is_set),
		OPT_CALL('e', "event", note_call, NULL, "EVENT", "what to count"),
		OPT_END,
	};
	const struct options opts = { .command = "x", .usage = "assay x", .table = table };
	char *words[] = { (char *)"x", (char *)name, (char *)arg, NULL }, **argv = words;
	int argc = arg ? 3 : 2;

	return options_parse(&opts, &argc, &argv, eb);
}

static void test_choice(void **state)
{
	static const char *const wrong[] = { "gree", "greener", "red|green", "", "|" };
	enum colour c = RED;
	bool is_set = false;

	(void)state;
	assert_int_equal(parse_choice("--colour", "blue", &c, &is_set, NULL), 0);
	assert_true(is_set && c == BLUE);
	assert_int_equal(parse_choice("--col=green", NULL, &c, &is_set, NULL), 0);
	assert_int_equal(c, GREEN);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct errbuf eb = { 0 };
		char expected[100];

		snprintf(expected, sizeof(expected), "x: --colour: unknown value '%s' (red|green|blue)", wrong[i]);
		assert_int_equal(parse_choice("--colour", wrong[i], &c, &is_set, &eb), -EINVAL);
		assert_string_equal(eb.text, expected);
	}
	assert_int_equal(c, GREEN);
}

/* A callback that needs its argument is not called without one. */
static void test_not_negatable(void **state)
{
	enum colour c = RED;
	bool is_set = false;

	(void)state;
	assert_int_equal(parse_choice("--no-colour", NULL, &c, &is_set, NULL), -EINVAL);
	assert_int_equal(parse_choice("--no-event", NULL, &c, &is_set, NULL), -EINVAL);
	assert_false(is_set);
}

static void test_completion(void **state)
{
	(void)state;
	assert_string_equal(stdout_of("-a --completion-helper", OPTIONS_HELP_SHOWN),
			    "-a\t--all-cpus\t\t\tall CPUs\t--no-all-cpus\n"
			    "-e\t--event\tEVENT\tevent\twhat to count\t\n"
			    "-j\t--branch\t[FILTER]\t\tbranches\t--no-branch\n"
			    "-F\t--freq\tHZ\t\tsamples a second\t\n"
			    "-c\t--count\tN\t\tperiod\t\n"
			    "\t--any\tN\t\tany number\t\n"
			    "-g\t--graph\t\t\tno long name\t\n"
			    "-T\t--timestamp\t\t\ttimes\t--no-timestamp\n"
			    "\t--call-graph\tMODE\tfp|dwarf|lbr\thow\t\n"
			    "-i\t--no-inherit\t\t\tchildren are not counted\t--inherit\n"
			    "\t--children\t\t\twith children\t--no-children\n"
			    "-o\t--output\tFILE\tfile\twhere to\t\n"
			    "-v\t--verbose\t\t\tsay more\t\n"
			    "\t--aio\t\t\twriting is asynchronous anyway\t\n"
			    "-h\t--help\t\t\tshow this help\t\n");
}

static void test_help_into_nothing(void **state)
{
	struct values v = { 0 };
	int fds[2], saved, err;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	dup2(fds[1], STDOUT_FILENO);
	close(fds[1]);
	err = parse_flags(&v, 0, "--help");
	dup2(saved, STDOUT_FILENO);
	close(saved);
	assert_int_equal(err, -EPIPE);
}

/* `assay --frob`: the options before any command have no command to name. */
static void test_without_command(void **state)
{
	const struct option table[] = { OPT_BOOL(0, "version", NULL, "v"), OPT_END };
	const struct options opts = { .command = "", .usage = "assay", .table = table };
	char *argv_store[] = { (char *)"assay", (char *)"--frob", NULL };
	char **argv = argv_store;
	struct errbuf eb = { "" };
	int argc = 2;

	(void)state;
	assert_int_equal(options_parse(&opts, &argc, &argv, &eb), -EINVAL);
	assert_string_equal(eb.text, "unknown option --frob ('assay --help' lists them)");
	argc = 2;
	argv = argv_store;
	assert_int_equal(options_parse(&opts, &argc, &argv, NULL), -EINVAL);
}

static void expect_absent(const char *word, const char *wanted)
{
	static const struct option_absent absent[] = {
		{ 'b', "branch-any", "read this instead" }, { 0, "all", "all-cpus is meant" }, { 0, "itrace", NULL }, { 0, NULL, NULL }
	};
	bool all = false;
	const struct option table[] = { OPT_BOOL('a', "all-cpus", &all, "all"), OPT_END };
	const struct options opts = { .command = "record", .usage = "", .summary = "", .table = table, .absent = absent };
	char *argv_of[] = { "record", (char *)word, NULL }, **argv = argv_of;
	struct errbuf eb = { "" };
	int argc = 2;

	assert_int_equal(options_parse(&opts, &argc, &argv, &eb), -EINVAL);
	assert_string_equal(eb.text, wanted);
}

/* Whole names go before beginnings of ours, ours before beginnings of theirs. */
static void test_absent(void **state)
{
	static const char itrace[] = "record: perf's option --itrace is not in this version of assay; 'assay record --help' lists what is";

	(void)state;
	expect_absent("-ab", "record: perf's option -b, --branch-any is not in this version of assay: read this instead");
	expect_absent("--branch-any=x", "record: perf's option -b, --branch-any is not in this version of assay: read this instead");
	expect_absent("--all", "record: perf's option --all is not in this version of assay: all-cpus is meant");
	expect_absent("--itr=i10", itrace);
	expect_absent("--no-itrace", itrace);
	expect_absent("--itracs", "record: unknown option --itracs ('assay record --help' lists them)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_ambiguous),
		cmocka_unit_test(test_wrong_arguments),
		cmocka_unit_test(test_callee_errors),
		cmocka_unit_test(test_huge_words),
		cmocka_unit_test(test_u64),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_help_wraps),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_not_negatable),
		cmocka_unit_test(test_completion),
		cmocka_unit_test(test_help_into_nothing),
		cmocka_unit_test(test_without_command),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
