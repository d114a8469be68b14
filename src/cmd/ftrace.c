/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay ftrace: functions of the kernel, by its own tracers. Here: the options that the commands share, `trace` and the list of functions.
 */
#include "cmd/ftrace.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/log.h"
#include "base/suggest.h"
#include "kernel/trace_functions.h"
#include "kernel/tracefs.h"

void ftrace_command_init(struct ftrace_command *c, const char *name)
{
	*c = (struct ftrace_command){ .name = name };
	ftrace_options_init(&c->o);
}

void ftrace_command_fini(struct ftrace_command *c)
{
	ftrace_options_fini(&c->o);
}

int ftrace_option_function(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct ftrace_words *words = ctx;

	(void)negated;
	if (!trace_function_is_plain(arg))
		return errbuf_set(eb, -EINVAL, "-%c: '%s' is no name or pattern of a function ('vfs_*', 'ext4_*:mod:ext4')",
				  opt->short_name, arg);
	vec_push(&words->v, arg);
	return 0;
}

int ftrace_option_buffer(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	uint64_t *kb = ctx, bytes;

	(void)opt, (void)negated;
	if (spec_parse_size(arg, &bytes) || bytes > UINT64_C(1) << 40)
		return errbuf_set(eb, -EINVAL, "-m: '%s' is no size with a suffix, as 512K or 4M", arg);
	*kb = (bytes + 1023) / 1024;
	return 0;
}

/* ---- --func-opts, --graph-opts: "a,b=N" ---- */

struct sub_option {
	const char *name;
	bool *flag;
	uint64_t *number; /* or this */
};

static int take_sub_option(const struct sub_option *known, const char *where, const char *word, size_t len, struct errbuf *eb)
{
	size_t name = strcspn(word, "=,");
	struct suggest s;
	char text[32];

	suggest_init_part(&s, word, name);
	for (; known->name; known++) {
		suggest_offer(&s, known->name);
		if (strlen(known->name) != name || memcmp(known->name, word, name) != 0)
			continue;
		if (known->flag && name == len) {
			*known->flag = true;
			return 0;
		}
		if (known->number && name + 1 < len && len - name - 1 < sizeof(text)) {
			memcpy(text, word + name + 1, len - name - 1);
			text[len - name - 1] = 0;
			if (!options_u64(text, 1, UINT32_MAX, known->number))
				return 0;
		}
		return errbuf_set(eb, -EINVAL, "%s: '%s' %s", where, known->name,
				  known->flag ? "takes no value" : "takes a number from 1 on");
	}
	return suggest_refuse(&s, where, "option", "the manual page lists them", eb);
}

static int take_sub_options(const struct sub_option *known, const char *where, const char *arg, struct errbuf *eb)
{
	for (;;) {
		size_t len = strcspn(arg, ",");
		int err = take_sub_option(known, where, arg, len, eb);

		if (err || !arg[len])
			return err;
		arg += len + 1;
	}
}

int ftrace_option_func_opts(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct ftrace_options *o = ctx;
	const struct sub_option known[] = {
		{ "call-graph", &o->has_stacks, NULL },
		{ "irq-info", &o->has_irq_info, NULL },
		{ NULL, NULL, NULL },
	};

	(void)opt, (void)negated;
	return take_sub_options(known, "--func-opts", arg, eb);
}

int ftrace_option_graph_opts(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct ftrace_options *o = ctx;
	const struct sub_option known[] = {
		{ "args", &o->has_args, NULL },
		{ "retval", &o->has_retval, NULL },
		{ "retval-hex", &o->has_retval_hex, NULL },
		{ "retaddr", &o->has_retaddr, NULL },
		{ "nosleep-time", &o->no_sleep_time, NULL },
		{ "noirqs", &o->no_irqs, NULL },
		{ "verbose", &o->is_verbose, NULL },
		{ "tail", &o->has_tail, NULL },
		{ "thresh", NULL, &o->thresh_us },
		{ "depth", NULL, &o->max_depth },
		{ NULL, NULL, NULL },
	};

	(void)opt, (void)negated;
	return take_sub_options(known, "--graph-opts", arg, eb);
}

void ftrace_warn_lost(const struct trace_lines *l)
{
	if (l->nr_losses)
		log_warn(
			"%llu events%s are missing: they came faster than they could be read; -m gives each CPU a larger buffer (-m 16M), -T "
			"and -p trace less",
			(unsigned long long)l->nr_lost, l->nr_lost ? " or more" : ", how many is not known,");
	if (l->nr_cut)
		log_warn("%llu lines were cut after %d bytes", (unsigned long long)l->nr_cut, TRACE_LINE_MAX);
}

/* ---- -F ---- */

struct listing {
	struct out o;
	uint64_t nr;
};

static bool list_one(void *ctx, const char *name)
{
	struct listing *l = ctx;

	escape_terminal_str(&l->o, name);
	out_char(&l->o, '\n');
	l->nr++;
	return !l->o.error;
}

static int list_functions(const char *pattern, struct errbuf *eb)
{
	const char *root = tracefs_find(eb);
	struct listing l = { 0 };
	int err, flush_err;

	if (!root)
		return -ENOENT;
	out_init(&l.o, STDOUT_FILENO);
	err = trace_functions_each(root, pattern, list_one, &l, eb);
	flush_err = out_fini(&l.o);
	if (!err && !l.nr)
		err = errbuf_set(eb, -ENOENT, "no function of the kernel matches '%s'", pattern ? pattern : "*");
	return err ? err : flush_err;
}

static int take_listing(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct ftrace_command *c = ctx;

	(void)opt, (void)negated, (void)eb;
	c->is_listing = true;
	c->pattern = arg;
	return 0;
}

/* ---- trace ---- */

struct trace_output {
	struct trace_lines lines;
	struct out o;
};

static int put_line(void *ctx, const char *line, size_t len, bool is_loss)
{
	struct trace_output *t = ctx;

	(void)is_loss;
	/* Tabs are the kernel's; the rest may be a name. */
	for (size_t i = 0; i <= len;) {
		const char *tab = memchr(line + i, '\t', len - i);
		size_t end = tab ? (size_t)(tab - line) : len;

		escape_terminal(&t->o, line + i, end - i);
		if (tab)
			out_char(&t->o, '\t');
		i = end + 1;
	}
	out_char(&t->o, '\n');
	return t->o.error;
}

static int put_text(void *ctx, const char *data, size_t size)
{
	struct trace_output *t = ctx;
	int err = trace_lines_feed(&t->lines, data, size);

	return err ? err : out_flush(&t->o);
}

static int run_trace(const struct ftrace_options *o, struct errbuf *eb)
{
	struct trace_output t = { 0 };
	int ret, err;

	out_init(&t.o, STDOUT_FILENO);
	trace_lines_init(&t.lines, put_line, &t);
	ret = ftrace_run(o, put_text, &t, eb);
	trace_lines_end(&t.lines);
	err = out_fini(&t.o);
	ftrace_warn_lost(&t.lines);
	if (err && err != -EPIPE && (ret >= 0 || ret == err))
		errbuf_set(eb, err, "cannot write the trace: %s", strerror(-err));
	return err && ret >= 0 ? err : ret;
}

static int check_trace(struct ftrace_command *c, struct errbuf *eb)
{
	struct ftrace_options *o = &c->o;
	bool is_graph = o->graph.v.nr || o->nograph.v.nr, is_function = o->trace.v.nr || o->notrace.v.nr;

	if (o->tracer && strcmp(o->tracer, "function") != 0 && strcmp(o->tracer, "function_graph") != 0)
		return errbuf_set(eb, CMD_USAGE, "ftrace trace: -t: unknown tracer '%s' (function_graph, function)", o->tracer);
	if (is_graph && o->tracer && !strcmp(o->tracer, "function"))
		return errbuf_set(eb, CMD_USAGE, "ftrace trace: -G and -g are of the tracer function_graph: leave -t function out");
	if (!o->tracer && is_graph)
		o->tracer = "function_graph";
	else if (!o->tracer && is_function)
		o->tracer = "function";
	if (o->has_stacks && !o->trace.v.nr)
		return errbuf_set(eb, CMD_USAGE,
				  "ftrace trace: --func-opts call-graph makes each call many times as slow: name the functions with -T");
	return 0;
}

int ftrace_trace(int argc, char **argv, struct errbuf *eb)
{
	struct ftrace_command c;
	const struct option table[] = {
		OPT_GROUP("What to trace"),
		OPT_CALL('T', "trace-funcs", ftrace_option_function, &c.o.trace, "FUNC",
			 "Only these functions (name or pattern; repeatable), by the tracer function"),
		FTRACE_NOTRACE_OPTION(&c),
		FTRACE_GRAPH_OPTIONS(&c),
		OPT_STRING('t', "tracer", &c.o.tracer, "TRACER", "function_graph (the default) or function",
			   .complete = "function_graph|function"),
		OPT_CALL(0, "func-opts", ftrace_option_func_opts, &c.o, "OPT[,…]", "Of function: call-graph, irq-info",
			 .complete = "call-graph|irq-info"),
		OPT_CALL(0, "graph-opts", ftrace_option_graph_opts, &c.o, "OPT[,…]",
			 "Of function_graph: nosleep-time, noirqs, verbose, tail, args, retval, retval-hex, retaddr, thresh=US, depth=N"),
		OPT_CALL_OPT('F', "funcs", take_listing, &c, "PATTERN", "List the functions that can be traced", .takes_word = true),
		FTRACE_BUFFER_OPTION(&c),
		OPT_GROUP("Of what"),
		FTRACE_TARGET_OPTIONS(&c),
		OPT_END,
	};
	const struct options opts = {
		.command = "ftrace trace",
		.usage = "assay ftrace [trace] [OPTIONS] [--] [COMMAND [ARG…]]\nassay ftrace -F [PATTERN]\n"
			 "assay ftrace latency|profile [OPTIONS] [--] [COMMAND [ARG…]]",
		.summary = "Print each call of functions of the kernel, while a command runs or until Ctrl-C",
		.examples = "  assay ftrace -T 'vfs_*' -- ls          functions of the file system that ls calls\n"
			    "  assay ftrace -G vfs_read -- cat FILE    what vfs_read calls, with times\n"
			    "  assay ftrace -F 'tcp_*'                 functions that can be traced\n",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	ftrace_command_init(&c, "ftrace trace");
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret)
		ret = check_trace(&c, eb);
	if (!ret) {
		cmd_set_log_level(c.quiet, c.verbose);
		c.o.target.workload = argc ? argv : NULL;
		ret = c.is_listing ? list_functions(c.pattern, eb) : run_trace(&c.o, eb);
	}
	ftrace_command_fini(&c);
	return ret;
}

const struct cmd ftrace_commands[] = {
	{ "trace", ftrace_trace, "Print each call of functions of the kernel", "command", NULL },
	{ "latency", ftrace_latency, "Show how long calls of a function, or pairs of events, take", "command", NULL },
	{ "profile", ftrace_profile, "Show how often functions were called and how long they took", "command", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};
