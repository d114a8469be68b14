/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The options of `assay trace` in perf's meaning, and of `assay trace record`.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/trace.h"
#include "view/syscall_text.h"

#define TARGET_OPTIONS(c)                                                                                                                  \
	OPT_GROUP("Target (default: the command, or the whole system)"), CMD_TARGET_OPTIONS(&(c)->o, 't'),                                 \
		OPT_STRING('u', "uid", &(c)->o.user, "USER", "The processes of a user (name or number)", .complete = "user"),              \
		OPT_STRING('G', "cgroup", &(c)->tracing.cgroup, "NAME", "The tasks of a cgroup (v2) and of those below it"),               \
		OPT_BOOL(0, "no-inherit", &(c)->no_inherit, "Do not follow threads and processes that the target starts")

#define SELECTION_OPTIONS(c)                                                                                                                  \
	OPT_CALL(                                                                                                                             \
		'e', "event", take_calls, c, "CALL[,…]",                                                                                      \
		"Only these: names (openat), classes (%file, network …), globs (open*), !LIST: all others; and events (sched:*, probe:foo)"), \
		OPT_CALL(0, "duration", take_duration, c, "MSECS", "Only calls that took MSECS or longer, as in 10 or 0.5"),                  \
		OPT_BOOL(0, "failure", &(c)->failed_only, "Only calls that failed"),                                                          \
		OPT_U64(0, "data", &(c)->data_bytes, 0, 4096, "BYTES", "What is shown of buffers that are read and written (default: 0)")

#define FILTER_OPTIONS(c)                                                                                                                  \
	OPT_BOOL('Z', "failed-only", &(c)->failed_only, "The same as --failure", .hidden = true),                                          \
		OPT_CALL_NONE('z', "successful-only", take_successful, c, "Only calls that did not fail"),                                 \
		OPT_CALL(0, "errno", take_errors, c, "ERROR[,…]", "Only calls that failed with one of these errors (ENOENT, EAGAIN …)"),   \
		OPT_CALL(0, "comm", take_comm, c, "GLOB", "Only tasks of this name; may be repeated"),                                     \
		OPT_CALL(0, "fd", take_fds, c, "FD[,…]", "Only calls on these descriptors"),                                               \
		OPT_CALL('P', "path", take_path, c, "GLOB", "Only calls on this path, or on a descriptor of it; may be repeated",          \
			 .complete = "file"),                                                                                              \
		OPT_U64(0, "min-size", &(c)->filter.min_size, 1, INT64_MAX, "BYTES", "Only calls that read or wrote BYTES or more")

#define EVENT_OPTIONS(c)                                                                                                                   \
	TEMP_OPTION(&(c)->events.temp),                                                                                                    \
		OPT_CALL('F', "pf", trace_events_option_faults, &(c)->events, "all|maj|min", "Page faults", .complete = "all|maj|min"),    \
		OPT_BOOL(0, "syscalls", &(c)->events.syscalls, "System calls (default, unless -e names events alone or -F is given)",      \
			 .is_set = &(c)->events.syscalls_given)

/* Stacks of system calls begin in the C library, which is seldom compiled with frame pointers: -g unwinds. */
#define STACK_OPTIONS(c)                                                                                                                   \
	OPT_CALL_NONE('g', NULL, trace_take_stacks, c, "The stack of each call, as --call-graph dwarf"),                                   \
		OPT_CALL_NO(0, "call-graph", cmd_option_callgraph, &(c)->o, "MODE",                                                        \
			    "The stack of each call: fp[,FRAMES] (frame pointers), dwarf[,SIZE][,keep] (unwound)",                         \
			    .complete = "fp|dwarf|no")

int trace_take_stacks(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct trace_command *c = ctx;

	(void)arg;
	return c->o.config.callgraph == CALLGRAPH_NONE ? cmd_option_callgraph(opt, &c->o, "dwarf", negated, eb) : 0;
}

static int take_calls(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct trace_command *c = ctx;
	char *calls;
	int err = 0;

	(void)opt, (void)negated;
	if (!strncmp(arg, "status=", 7))
		return trace_filter_set_statuses(&c->filter, arg + 7, eb);
	trace_events_take(&c->events, arg, &calls);
	if (calls)
		err = syscall_set_add(&c->filter.set, syscall_native_abi(), calls, eb);
	free(calls);
	return err;
}

static int take_successful(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct trace_command *c = ctx;

	(void)opt, (void)arg, (void)negated, (void)eb;
	c->filter.statuses = TRACE_SUCCESSFUL;
	return 0;
}

/* As perf's: milliseconds, with a fraction. */
static int take_duration(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct trace_command *c = ctx;
	char *end;
	double ms = strtod(arg, &end);

	(void)negated;
	if (end == arg || *end || !(ms >= 0.001 && ms <= UINT32_MAX))
		return errbuf_set(eb, -EINVAL, "--%s: '%s' is not a number of milliseconds from 0.001 to %u", opt->long_name, arg,
				  UINT32_MAX);
	c->min_duration_ns = (uint64_t)(ms * 1e6 + 0.5);
	return 0;
}

static int take_errors(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct trace_command *c = ctx;

	(void)opt, (void)negated;
	return trace_filter_add_errors(&c->filter, arg, syscall_error_number, eb);
}

static int take_fds(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct trace_command *c = ctx;

	(void)opt, (void)negated;
	return trace_filter_add_ids(&c->filter.fds, arg, "file descriptor", eb);
}

static int take_comm(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct trace_command *c = ctx;

	(void)opt, (void)negated, (void)eb;
	vec_push(&c->filter.comms, arg);
	return 0;
}

static int take_path(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct trace_command *c = ctx;

	(void)opt, (void)negated, (void)eb;
	vec_push(&c->filter.paths, arg);
	return 0;
}

/* -T, and --time=FROM,TO. */
static int take_time(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct trace_command *c = ctx;

	if (arg)
		return input_option_time(opt, &c->in, arg, negated, eb);
	c->absolute_times = !negated;
	return 0;
}

static int refuse_late_strace(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)ctx, (void)arg;
	if (negated)
		return 0;
	return errbuf_set(eb, -EINVAL, "--strace changes what the other options mean: give it first");
}

static int trace_record(int argc, char **argv, struct errbuf *eb)
{
	struct trace_command c;
	const struct option table[] = {
		TARGET_OPTIONS(&c),
		OPT_GROUP("What to record"),
		SELECTION_OPTIONS(&c),
		EVENT_OPTIONS(&c),
		STACK_OPTIONS(&c),
		OPT_GROUP("Output"),
		OPT_STRING('o', "output", &c.o.output, "FILE|-", "Output file, or - for a pipe (default: perf.data)", .complete = "file"),
		OPT_BOOL('q', "quiet", &c.quiet, "No messages but errors"),
		OPT_COUNT('v', "verbose", &c.verbose, "Say more"),
		OPT_END,
	};
	const struct options opts = {
		.command = "trace record",
		.usage = "assay trace record [OPTIONS] [--] COMMAND [ARG…]",
		.summary = "Record system calls into perf.data, for trace -i, report and script",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	trace_init(&c, "trace", argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	ret = ret ? ret : trace_execute_record(&c, argc, argv, eb);
	trace_fini(&c);
	return ret;
}

int trace_run(int argc, char **argv, struct errbuf *eb)
{
	struct trace_command c;
	const struct option table[] = {
		TARGET_OPTIONS(&c),
		OPT_GROUP("What to show"),
		SELECTION_OPTIONS(&c),
		EVENT_OPTIONS(&c),
		OPT_U64(0, "max-events", &c.max_events, 1, INT64_MAX, "N", "Stop after N lines"),
		FILTER_OPTIONS(&c),
		OPT_CALL_OPT('T', "time", take_time, &c, "FROM,TO",
			     "Times of the clock, not since the first call; --time=FROM,TO: with -i, only what began then"),
		OPT_STRING(0, "switch-on", &c.events.switch_on, "EVENT", "Show nothing before this event", .complete = "event"),
		OPT_STRING(0, "switch-off", &c.events.switch_off, "EVENT", "… and nothing after this one", .complete = "event"),
		OPT_BOOL(0, "show-on-off-events", &c.events.shows_switches, "Show these events, too"),
		OPT_BOOL(0, "show-cpu", &c.show_cpu, "The CPU of each call"),
		OPT_CALL_NONE(0, "strace", refuse_late_strace, &c,
			      "As the first option: lines and options of strace (assay trace --strace --help)"),
		OPT_BOOL(0, "json", &c.is_json, "A JSON object a line"),
		OPT_BOOL('f', "force", &c.in.force, "Read a file that another user owns"),
		OPT_CHOICE(0, "color", &c.colour, "auto|always|never", "WHEN", "Colours (default: on a terminal, unless NO_COLOR is set)"),
		OPT_ACCEPTED(0, "sort-events", "Nothing to do: lines are always in the order of time"),
		OPT_GROUP("Stacks"),
		STACK_OPTIONS(&c),
		OPT_CALL_NONE('k', "stack-traces", trace_take_stacks, &c, "The same, under strace's name"),
		OPT_U64(0, "max-stack", &c.max_stack, 1, UINT32_MAX, "N", "At most N frames of each stack"),
		OPT_U64(0, "min-stack", &c.min_stack, 1, UINT32_MAX, "N", "Only calls with N frames or more"),
		OPT_GROUP("Summary"),
		OPT_BOOL('s', "summary", &c.summary_only, "Only sums of the calls of each thread, and of page faults, no lines"),
		OPT_BOOL('S', "with-summary", &c.summary_too, "Lines, and sums at the end"),
		OPT_STRING(0, "summary-mode", &c.summary_mode, "MODE", "Sums of each thread, in total, or of each cgroup",
			   .complete = "thread|total|cgroup"),
		OPT_BOOL(0, "hist", &c.histograms, "With -s: how long the calls took, as a histogram"),
		OPT_BOOL(0, "errno-summary", &c.errno_summary, "With -s: how often each error came"),
		OPT_U64('E', "entries", &c.max_rows, 1, UINT32_MAX, "N", "At most N rows in each table of page faults (default: 20)"),
		OPT_GROUP("Input and output"),
		OPT_STRING('i', "input", &c.input, "FILE", "Read a recording instead of tracing", .complete = "file"),
		OPT_STRING('o', "output", &c.output, "FILE|-", "Write there (default: standard error; with -i: standard output)",
			   .complete = "file"),
		OPT_BOOL('q', "quiet", &c.quiet, "No messages but errors"),
		OPT_COUNT('v', "verbose", &c.verbose, "Say more"),
		OPT_END,
	};
	const struct options opts = {
		.command = "trace",
		.usage = "assay trace [OPTIONS] [--] COMMAND [ARG…]\n"
			 "assay trace [OPTIONS] -a|-p PID|-t TID|-u USER\n"
			 "assay trace [OPTIONS] -i FILE\n"
			 "assay trace --strace [OPTIONS OF STRACE] [--] COMMAND [ARG…]",
		.summary = "Show the system calls of a command or of running processes",
		.examples = "assay trace -- ls                     each call with its arguments and its time\n"
			    "assay trace -s -p 1234                what a process spends its time with, until Ctrl-C\n"
			    "assay trace --failure -- ./app        only what failed\n"
			    "assay trace -F all -s -g -- ./app     which code touched which memory for the first time\n",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	if (argc > 1 && !strcmp(argv[1], "--strace"))
		return strace_run(argc - 1, argv + 1, eb);
	trace_init(&c, NULL, argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	c.shape = c.is_json ? TRACE_SHAPE_JSON : TRACE_SHAPE_PERF;
	ret = ret ? ret : trace_execute(&c, argc, argv, eb);
	trace_fini(&c);
	return ret;
}

const struct cmd trace_commands[] = {
	{ "record", trace_record, "Record system calls into a file", "command", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};
