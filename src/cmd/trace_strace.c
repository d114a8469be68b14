/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay trace --strace, and assay under the name of strace: the options that strace has, with its meaning of them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/trace.h"

struct strace_command {
	struct trace_command t;
	int nr_follow, nr_clock, nr_fds, nr_hex, nr_quiet;
	uint64_t string_limit, column;
	bool is_wall_clock;
	bool output_separately;
	bool shows_version; /* and does nothing else */
	const char *user;   /* -u */
	struct user_credentials run_as;
	char *pids; /* of all -p */
};

#define OPTION(name) static int name(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)

OPTION(take_expression)
{
	(void)opt, (void)negated;
	return strace_take_expression(&((struct strace_command *)ctx)->t, arg, eb);
}

/* --trace=LIST is -e trace=LIST. */
OPTION(take_named)
{
	char *text = mem_printf("%s=%s", opt->long_name, arg);
	int err;

	(void)negated;
	err = strace_take_expression(&((struct strace_command *)ctx)->t, text, eb);
	free(text);
	return err;
}

OPTION(take_status)
{
	struct strace_command *c = ctx;

	(void)arg, (void)negated, (void)eb;
	c->t.filter.statuses = opt->short_name == 'z' ? TRACE_SUCCESSFUL : TRACE_FAILED;
	return 0;
}

/* A path as it is given, and without links. */
OPTION(take_path)
{
	struct strace_command *c = ctx;
	char *full = realpath(arg, NULL);

	(void)opt, (void)negated, (void)eb;
	vec_push(&c->t.filter.exact_paths, mem_strdup(arg));
	if (full)
		vec_push(&c->t.filter.exact_paths, full);
	return 0;
}

/* Separated by commas or blanks, as pidof(1) prints them. */
OPTION(take_pids)
{
	struct strace_command *c = ctx;
	struct trace_ids ids = { 0 };
	int err = trace_filter_add_ids(&ids, arg, "process id", eb);

	(void)opt, (void)negated;
	for (uint32_t i = 0; i < ids.nr && !err; i++) {
		char *more = mem_printf("%s%s%d", c->pids ? c->pids : "", c->pids ? "," : "", ids.v[i]);

		free(c->pids);
		c->pids = more;
	}
	vec_fini(&ids);
	return err;
}

OPTION(take_variable)
{
	size_t len = strcspn(arg, "=");
	char *name = mem_printf("%.*s", (int)len, arg);
	int err = arg[len] ? setenv(name, arg + len + 1, 1) : unsetenv(name);

	(void)opt, (void)ctx, (void)negated;
	free(name);
	return err ? errbuf_set(eb, -EINVAL, "-E: '%s' is no variable", arg) : 0;
}

/* --decode-fds alone is --decode-fds=path; and so on. */
OPTION(take_set_or)
{
	struct strace_command *c = ctx;
	const char *word = opt->long_name, *usual = word[0] == 'q' ? "attach,personality" : "path";
	char *text = mem_printf("%s=%s", word, arg ? arg : usual);
	int err;

	(void)negated;
	err = strace_take_expression(&c->t, text, eb);
	free(text);
	return err;
}

OPTION(take_clock)
{
	struct strace_options *o = &((struct strace_command *)ctx)->t.strace;

	(void)opt, (void)negated;
	return strace_parse_clock(arg ? arg : "time", o, eb);
}

OPTION(take_relative)
{
	struct strace_options *o = &((struct strace_command *)ctx)->t.strace;

	(void)negated;
	o->has_relative = true;
	return arg ? strace_parse_precision(arg, opt->long_name, &o->relative_digits, eb) : 0;
}

OPTION(take_times)
{
	struct strace_options *o = &((struct strace_command *)ctx)->t.strace;

	(void)negated;
	o->shows_duration = true;
	return arg ? strace_parse_precision(arg, opt->long_name, &o->duration_digits, eb) : 0;
}

OPTION(take_hex)
{
	struct strace_command *c = ctx;

	(void)opt, (void)negated;
	c->t.strace.syscalls.hex_escapes = arg && !strcmp(arg, "non-ascii-chars");
	if (!arg || !strcmp(arg, "all"))
		c->nr_hex = 2;
	else if (!strcmp(arg, "non-ascii"))
		c->nr_hex = 1;
	else if (!strcmp(arg, "none") || c->t.strace.syscalls.hex_escapes)
		c->nr_hex = 0;
	else
		return errbuf_set(eb, -EINVAL, "--strings-in-hex: unknown value '%s' (none, non-ascii-chars, non-ascii, all)", arg);
	return 0;
}

OPTION(take_columns)
{
	struct strace_command *c = ctx;

	(void)opt, (void)negated;
	return strace_parse_columns(arg, &c->t.strace_summary, eb);
}

OPTION(take_xlat)
{
	(void)opt, (void)ctx, (void)negated;
	return strcmp(arg, "abbrev") ? errbuf_set(eb, -EINVAL, "-X: flags are shown by their names (abbrev); -e raw= shows numbers") : 0;
}

OPTION(refuse)
{
	const char letter[] = { '-', opt->short_name, ',', ' ', 0 };

	(void)ctx, (void)arg, (void)negated;
	return errbuf_set(eb, -EINVAL, "strace's option %s--%s is not supported: %s", opt->short_name ? letter : "", opt->long_name,
			  opt->help);
}

/* Words that read their options, and values that depend on several. */
static int settle(struct strace_command *c, bool has_command, struct errbuf *eb)
{
	struct trace_command *t = &c->t;
	struct strace_options *o = &t->strace;

	t->no_inherit = !c->nr_follow && !t->input;
	t->separate = (c->nr_follow > 1 || c->output_separately) && t->output && !t->input;
	if (c->nr_clock) {
		o->clock = c->nr_clock > 2 ? STRACE_EPOCH : STRACE_TIME_OF_DAY;
		o->clock_digits = c->nr_clock > 1 ? 6 : 0;
	}
	if (c->nr_fds)
		o->syscalls.show_fds = c->nr_fds > 1 ? SYSCALL_FD_ALL : SYSCALL_FD_PATH;
	o->syscalls.hex_strings = c->nr_hex == 1;
	o->syscalls.all_hex = c->nr_hex > 1;
	o->syscalls.max_string = (uint32_t)c->string_limit;
	o->result_column = (uint32_t)c->column;
	/* A file with the lines of a command has no messages in it. */
	if (t->output && has_command)
		c->nr_quiet += !c->nr_quiet;
	o->shows_attached &= !c->nr_quiet;
	o->shows_mode &= !c->nr_quiet;
	o->shows_exits &= c->nr_quiet < 2;
	t->summary_only &= !t->summary_too;
	t->counts_cpu = !c->is_wall_clock;
	/* Without -f a thread, and not its process. */
	if (c->pids && t->no_inherit && !t->input)
		t->o.tids = c->pids;
	else
		t->o.pids = c->pids;
	if (t->separate && trace_has_summary(t))
		return errbuf_set(eb, CMD_USAGE, "strace: -ff writes a file of each task, and -c sums all up: give -f");
	if (t->appends && !t->output)
		return errbuf_set(eb, CMD_USAGE, "strace: -A appends to the file of -o: give -o FILE");
	if ((c->is_wall_clock || t->strace_summary.sort || t->strace_summary.nr_columns) && !trace_has_summary(t))
		return errbuf_set(eb, CMD_USAGE, "strace: -S, -U and -w are for sums: give -c or -C, too");
	if (t->output && (*t->output == '|' || *t->output == '!'))
		return errbuf_set(eb, CMD_USAGE, "strace: -o writes into a file; for a command, use a pipe: -o /dev/stdout … | COMMAND");
	if (c->user && !has_command)
		return errbuf_set(eb, CMD_USAGE,
				  "strace: -u says what the command runs as: give a command ('assay trace -u' traces what a user runs)");
	if (c->user && geteuid())
		return errbuf_set(eb, CMD_USAGE, "strace: -u: only root can run a command as another user");
	if (!c->user)
		return 0;
	t->o.run_as = &c->run_as;
	return user_credentials_find(&c->run_as, c->user, eb);
}

static int run(struct strace_command *c, int argc, char **argv, struct errbuf *eb)
{
	char *version[] = { "version", NULL };
	int err;

	if (c->shows_version)
		return cmd_version(1, version, eb);
	err = settle(c, argc, eb);
	if (err)
		return err;
	if (!argc && !c->pids && !c->t.input && !c->t.o.all_cpus)
		return errbuf_set(eb, CMD_USAGE, "strace: give a command, or -p PID");
	return trace_execute(&c->t, argc, argv, eb);
}

static void init(struct strace_command *c, int argc, char **argv)
{
	memset(c, 0, sizeof(*c));
	trace_init(&c->t, NULL, argc, argv);
	c->t.shape = TRACE_SHAPE_STRACE;
	c->t.strace.shows_attached = true;
	c->string_limit = STRACE_STRING;
	c->column = STRACE_COLUMN;
}

static void fini(struct strace_command *c)
{
	trace_fini(&c->t);
	user_credentials_fini(&c->run_as);
	free(c->pids);
}

#define REFUSED(letter, name, why) OPT_CALL_NONE(letter, name, refuse, NULL, why, .hidden = true)
#define REFUSED_ARG(letter, name, why) OPT_CALL(letter, name, refuse, NULL, "ARG", why, .hidden = true)
#define REFUSED_OPT(letter, name, why) OPT_CALL_OPT(letter, name, refuse, NULL, "ARG", why, .hidden = true)

int strace_run(int argc, char **argv, struct errbuf *eb)
{
	struct strace_command c;
	struct trace_command *t = &c.t;
	struct strace_options *s = &c.t.strace;
	const struct option table[] = {
		OPT_GROUP("Target"),
		OPT_COUNT('f', "follow-forks", &c.nr_follow, "Threads and processes that it starts, too; -ff -o FILE: into FILE.TID each"),
		OPT_CALL('p', "attach", take_pids, &c, "PID", "A running process (without -f: its thread of that number); may be repeated",
			 .complete = "pid"),
		OPT_STRING('u', "user", &c.user, "USER", "Run the command as this user, with its groups", .complete = "user"),
		OPT_CALL('E', "env", take_variable, &c, "VAR[=VALUE]", "Set or remove a variable of the command's environment"),
		OPT_GROUP("What to show"),
		OPT_CALL('e', "expr", take_expression, &c, "EXPR",
			 "trace=LIST, signal=LIST, read=FDS, write=FDS, status=LIST, raw=LIST, quiet=LIST; without a word: trace="),
		OPT_CALL(0, "trace", take_named, &c, "LIST", "-e trace=LIST"),
		OPT_CALL(0, "signal", take_named, &c, "LIST", "-e signal=LIST"),
		OPT_CALL(0, "read", take_named, &c, "FDS", "-e read=FDS"),
		OPT_CALL(0, "write", take_named, &c, "FDS", "-e write=FDS"),
		OPT_CALL(0, "status", take_named, &c, "LIST", "-e status=LIST"),
		OPT_CALL(0, "raw", take_named, &c, "LIST", "-e raw=LIST"),
		OPT_CALL(0, "abbrev", take_named, &c, "LIST", "-e abbrev=LIST", .complete = "all|none"),
		OPT_CALL(0, "verbose", take_named, &c, "LIST", "-e verbose=LIST", .complete = "all"),
		OPT_CALL('P', "trace-path", take_path, &c, "PATH", "Only calls on this path; may be repeated", .complete = "file"),
		OPT_CALL_NONE('z', "successful-only", take_status, &c, "Only calls that did not fail"),
		OPT_CALL_NONE('Z', "failed-only", take_status, &c, "Only calls that failed"),
		OPT_GROUP("Lines"),
		OPT_COUNT('t', NULL, &c.nr_clock, "The time of day; -tt: with microseconds, -ttt: seconds since 1970"),
		OPT_CALL_OPT(0, "absolute-timestamps", take_clock, &c, "FORMAT[,PRECISION]", "none, time (as -t) or unix; s, ms, us or ns",
			     .complete = "none|time|unix|time,ms|time,us|time,ns|unix,ms|unix,us|unix,ns"),
		OPT_BOOL('r', NULL, &s->has_relative, "The time since the line before"),
		OPT_CALL_OPT(0, "relative-timestamps", take_relative, &c, "PRECISION", "The same: s, ms, us (as -r) or ns",
			     .complete = "s|ms|us|ns"),
		OPT_BOOL('T', NULL, &s->shows_duration, "How long each call took"),
		OPT_CALL_OPT(0, "syscall-times", take_times, &c, "PRECISION", "The same: s, ms, us (as -T) or ns",
			     .complete = "s|ms|us|ns"),
		OPT_U64('s', "string-limit", &c.string_limit, 0, 4096, "BYTES", "Of strings and buffers (default: 32)"),
		OPT_BOOL('v', "no-abbrev", &s->syscalls.is_verbose, "Whole structs and environments"),
		OPT_COUNT('x', NULL, &c.nr_hex, "Strings with other than printable bytes in hexadecimal; -xx: all"),
		OPT_CALL_OPT(0, "strings-in-hex", take_hex, &c, "WHICH", "none, non-ascii-chars (single bytes), non-ascii (as -x) or all",
			     .complete = "none|non-ascii-chars|non-ascii|all"),
		OPT_CALL_NONE('k', "stack-traces", trace_take_stacks, t, "The stack of each call"),
		OPT_COUNT('y', NULL, &c.nr_fds,
			  "Paths of descriptors; -yy: also protocols and addresses of sockets, numbers of devices, processes"),
		OPT_CALL_OPT(0, "decode-fds", take_set_or, &c, "SET", "path (as -y), dev, socket, pidfd, all (as -yy) or none"),
		OPT_BOOL('Y', NULL, &s->syscalls.show_comms, "The names of tasks behind their numbers"),
		OPT_CALL(0, "decode-pids", take_named, &c, "SET", "comm (as -Y) or none", .complete = "comm|none"),
		OPT_BOOL('n', "syscall-number", &s->shows_numbers, "The number of each call"),
		OPT_U64('a', "columns", &c.column, 0, 1000, "COLUMN", "Where results stand (default: 40)"),
		OPT_CALL('X', "const-print-style", take_xlat, &c, "FORMAT", "abbrev: names of flags", .complete = "abbrev"),
		OPT_COUNT('q', NULL, &c.nr_quiet, "No messages of attaching and modes; -qq: no exit lines"),
		OPT_CALL_OPT(0, "quiet", take_set_or, &c, "SET", "attach, exit, path-resolution, personality, thread-execve, all or none"),
		OPT_GROUP("Sums"),
		OPT_BOOL('c', "summary-only", &t->summary_only, "Calls, errors and time of each call, no lines"),
		OPT_BOOL('C', "summary", &t->summary_too, "The same below the lines"),
		OPT_CHOICE('S', "summary-sort-by", &t->strace_summary.sort, STRACE_SORTS, "WHAT",
			   "time (default), calls, errors, name, min, max, avg, nothing"),
		OPT_CALL('U', "summary-columns", take_columns, &c, "LIST", STRACE_COLUMNS),
		OPT_BOOL('w', "summary-wall-clock", &c.is_wall_clock, "Times from the beginning to the end, not only on a CPU"),
		OPT_GROUP("Input and output"),
		OPT_STRING('o', "output", &t->output, "FILE", "Write there (default: standard error)", .complete = "file"),
		OPT_BOOL('A', "output-append-mode", &t->appends, "Append to FILE"),
		OPT_BOOL(0, "output-separately", &c.output_separately, "The lines of each task into FILE.TID, as -ff"),
		OPT_STRING(0, "input", &t->input, "FILE", "Read a recording of trace record instead of tracing", .complete = "file"),
		OPT_BOOL(0, "force", &t->in.force, "Read a file that another user owns"),
		OPT_BOOL(0, "strace", &(bool){ false }, "These options", .hidden = true),
		OPT_BOOL('V', "version", &c.shows_version, "The version"),
		OPT_ACCEPTED(0, "seccomp-bpf", "Without effect: calls that are not chosen never leave the kernel", .hidden = true),
		REFUSED('i', "instruction-pointer", "-k shows the whole stack of each call"),
		REFUSED('d', "debug", "'assay -v trace' says more"),
		REFUSED_OPT('D', "daemonize", "start the command and attach: COMMAND & assay trace --strace -p $!"),
		REFUSED_ARG('I', "interruptible", "signals end the tracing, and never harm the target"),
		REFUSED_ARG('b', "detach-on", "without -f children are not traced; -e '!execve' leaves the call out"),
		REFUSED_ARG('O', "summary-syscall-overhead", "calls are not stopped: there is nothing to subtract"),
		REFUSED_ARG(0, "inject", "assay watches system calls and never changes them; strace can"),
		REFUSED_ARG(0, "fault", "assay watches system calls and never changes them; strace can"),
		REFUSED_ARG(0, "kvm", "events of KVM: assay trace -e 'kvm:*'"),
		REFUSED_OPT(0, "tips", "'assay trace --strace --help' and assay-trace(1) say what there is"),
		OPT_END,
	};
	const struct options opts = {
		.command = "trace --strace",
		.usage = "assay trace --strace [OPTIONS] [--] COMMAND [ARG…]\n"
			 "assay trace --strace [OPTIONS] -p PID\n"
			 "assay trace --strace [OPTIONS] --input FILE",
		.summary = "Show system calls with the options and in the lines of strace",
		.examples = "assay trace --strace -f -e trace=%file make\n"
			    "assay trace --strace -c -p 1234\n"
			    "ln -s $(command -v assay) ~/bin/strace     under this name it is strace\n",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	init(&c, argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	ret = ret ? ret : run(&c, argc, argv, eb);
	fini(&c);
	return ret;
}
