/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay ftrace profile: how often functions of the kernel were called and how long they took, by the tracer function_graph.
 */
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/ftrace.h"
#include "model/graph_lines.h"
#include "view/ftrace_text.h"

struct profile_command {
	struct ftrace_command c;
	enum function_sort sort;
	bool json;
	struct trace_lines lines;
	struct function_sums sums;
};

static int take_text(void *ctx, const char *data, size_t size)
{
	struct profile_command *p = ctx;

	return trace_lines_feed(&p->lines, data, size);
}

static void say_what_is_missing(const struct profile_command *p)
{
	const struct function_sums *s = &p->sums;
	uint64_t nr_unfinished = function_sums_unfinished(s);

	ftrace_warn_lost(&p->lines);
	if (nr_unfinished)
		log_warn("%llu calls had not ended, and are not counted", (unsigned long long)nr_unfinished);
	if (s->nr_nameless + s->nr_untimed)
		log_warn("%llu ends of calls have no name or no time, and are not counted",
			 (unsigned long long)(s->nr_nameless + s->nr_untimed));
	if (s->nr_left_out)
		log_warn("%llu calls of further functions are not counted", (unsigned long long)s->nr_left_out);
	if (s->nr_bad)
		log_warn("%llu lines of the tracer were not understood, the first: '%s'", (unsigned long long)s->nr_bad, s->first_bad);
}

static int run(struct profile_command *p, struct errbuf *eb)
{
	struct out o;
	int ret, err;

	trace_lines_init(&p->lines, function_sums_add_line, &p->sums);
	ret = ftrace_run(&p->c.o, take_text, p, eb);
	if (ret < 0 && !p->sums.nr_calls)
		return ret;
	trace_lines_end(&p->lines);
	function_sums_sort(&p->sums, p->sort);
	out_init(&o, STDOUT_FILENO);
	if (p->json)
		function_sums_json(&o, &p->sums, p->lines.nr_lost);
	else
		function_sums_text(&o, &p->sums);
	err = out_fini(&o);
	say_what_is_missing(p);
	return err && ret >= 0 ? err : ret;
}

int ftrace_profile(int argc, char **argv, struct errbuf *eb)
{
	struct profile_command p = { 0 };
	const struct option table[] = {
		OPT_GROUP("What to measure"),
		OPT_CALL('T', "trace-funcs", ftrace_option_function, &p.c.o.trace, "FUNC",
			 "Only these functions (name or pattern; repeatable)"),
		FTRACE_NOTRACE_OPTION(&p.c),
		FTRACE_GRAPH_OPTIONS(&p.c),
		OPT_CALL(0, "graph-opts", ftrace_option_graph_opts, &p.c.o, "OPT[,…]", "nosleep-time, noirqs, thresh=US, depth=N"),
		FTRACE_BUFFER_OPTION(&p.c),
		OPT_GROUP("Of what"),
		FTRACE_TARGET_OPTIONS(&p.c),
		OPT_GROUP("Output"),
		OPT_CHOICE('s', "sort", &p.sort, "total|avg|max|count|name", "KEY", "Sort by total (the default), avg, max, count or name"),
		OPT_BOOL('j', "json", &p.json, "Print JSON"),
		OPT_END,
	};
	const struct options opts = {
		.command = "ftrace profile",
		.usage = "assay ftrace profile [OPTIONS] [--] [COMMAND [ARG…]]",
		.summary = "Show how often functions of the kernel were called and how long they took",
		.examples = "  assay ftrace profile -T 'vfs_*' -- ls -R /etc   functions of the file system\n"
			    "  assay ftrace profile -G do_sys_openat2 -- ls    what opening files is made of\n",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	struct ftrace_options *o = &p.c.o;
	int ret;

	ftrace_command_init(&p.c, "ftrace profile");
	function_sums_init(&p.sums);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret && (o->is_verbose || o->has_tail || o->has_args || o->has_retval || o->has_retval_hex || o->has_retaddr))
		ret = errbuf_set(
			eb, CMD_USAGE,
			"ftrace profile: --graph-opts takes nosleep-time, noirqs, thresh=US and depth=N here: the others are about lines of "
			"'ftrace trace'");
	if (!ret) {
		cmd_set_log_level(p.c.quiet, p.c.verbose);
		o->target.workload = argc ? argv : NULL;
		o->tracer = "function_graph";
		o->has_tail = true;
		ret = run(&p, eb);
	}
	function_sums_fini(&p.sums);
	ftrace_command_fini(&p.c);
	return ret;
}
