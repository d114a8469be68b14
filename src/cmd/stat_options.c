/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The option table of `assay stat`, and which of them go together. What they lead to is elsewhere.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/terminal.h"
#include "cmd/cmd.h"
#include "cmd/perf_compat.h"
#include "cmd/stat.h"
#include "view/stat.h"

void stat_args_init(struct stat_args *a)
{
	memset(a, 0, sizeof(*a));
	counting_options_init(&a->o);
	a->scale = a->big_num = a->csv_summary = true;
	a->format = &stat_text_format;
}

void stat_args_fini(struct stat_args *a)
{
	counting_options_fini(&a->o);
	temp_option_fini(&a->temp);
}

static int take_metrics(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct stat_args *a = ctx;

	(void)opt, (void)eb;
	if (!negated)
		vec_push(&a->o.words.v, ((struct event_word){ WORD_METRIC, arg }));
	return 0;
}

static int take_topdown(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)arg;
	return take_metrics(opt, ctx, "TopdownL1", negated, eb);
}

static const char *const aggr_names[] = {
	[COUNTS_GLOBAL] = "",
	[COUNTS_PER_SOCKET] = "--per-socket",
	[COUNTS_PER_DIE] = "--per-die",
	[COUNTS_PER_CORE] = "--per-core",
	[COUNTS_PER_NODE] = "--per-node",
	[COUNTS_PER_CPU] = "-A",
	[COUNTS_PER_THREAD] = "--per-thread",
};

int stat_args_find_aggr(struct stat_args *a, struct errbuf *eb)
{
	const bool wanted[] = {
		[COUNTS_PER_SOCKET] = a->per_socket, [COUNTS_PER_DIE] = a->per_die, [COUNTS_PER_CORE] = a->per_core,
		[COUNTS_PER_NODE] = a->per_node,     [COUNTS_PER_CPU] = a->no_aggr, [COUNTS_PER_THREAD] = a->per_thread,
	};

	for (unsigned i = 0; i < sizeof(wanted); i++) {
		if (!wanted[i])
			continue;
		if (a->o.aggr != COUNTS_GLOBAL)
			return errbuf_set(eb, CMD_USAGE, "stat: %s and %s exclude each other", aggr_names[a->o.aggr], aggr_names[i]);
		a->o.aggr = (enum counts_aggr)i;
	}
	return 0;
}

static int check_target(const struct stat_args *a, bool has_command, struct errbuf *eb)
{
	const struct capture_options *t = &a->o.target;
	bool has_task = t->pids || t->tids;
	bool has_cpu = !has_task && (t->all_cpus || t->cpus || !has_command);

	if (a->o.aggr != COUNTS_GLOBAL && a->o.aggr != COUNTS_PER_THREAD && !has_cpu)
		return errbuf_set(eb, CMD_USAGE, "stat: %s counts by CPUs: use it with -a (all) or -C (some of them)",
				  aggr_names[a->o.aggr]);
	if (a->per_thread && has_command && !has_task && !t->all_cpus)
		return errbuf_set(eb, CMD_USAGE, "stat: --per-thread needs threads that run already: -p, -t or -a");
	for (uint32_t i = 0; i < a->o.words.v.nr; i++)
		if (a->o.words.v.v[i].kind == WORD_CGROUP && !has_cpu)
			return errbuf_set(eb, CMD_USAGE, "stat: -G counts a cgroup on CPUs: use it with -a or -C");
	if (a->o.repeat != 1 && !has_command && !a->o.timeout_ms && !a->o.interval_count)
		return errbuf_set(eb, CMD_USAGE, "stat: -r repeats a command (or a --timeout); there is none");
	return 0;
}

static int check_args(struct stat_args *a, bool has_command, struct errbuf *eb)
{
	int err = stat_args_find_aggr(a, eb);

	a->o.no_scale = !a->scale;
	if (err)
		return err;
	if (a->o.target.config.all_user && a->o.target.config.all_kernel)
		return errbuf_set(eb, CMD_USAGE, "stat: --all-user and --all-kernel exclude each other");
	if (a->output && a->log_fd_given)
		return errbuf_set(eb, CMD_USAGE, "stat: -o and --log-fd exclude each other");
	if (a->o.null_run && a->o.words.v.nr)
		return errbuf_set(eb, CMD_USAGE, "stat: -n counts no events: leave it out, or -e and -M");
	if (a->append && !a->output)
		return errbuf_set(eb, CMD_USAGE, "stat: --append needs -o FILE");
	if (a->o.interval_count && !a->o.interval_ms)
		return errbuf_set(eb, CMD_USAGE, "stat: --interval-count needs -I MSECS");
	if (a->o.timeout_ms && a->o.interval_count)
		return errbuf_set(eb, CMD_USAGE, "stat: --timeout and --interval-count exclude each other");
	if (a->table && a->o.repeat < 2)
		return errbuf_set(eb, CMD_USAGE, "stat: --table shows the runs of -r N, N > 1");
	if (a->interval_clear && (a->output || a->log_fd_given))
		return errbuf_set(eb, CMD_USAGE, "stat: --interval-clear is for a terminal, not for a file");
	return check_target(a, has_command, eb);
}

/* `stat [OPTIONS] record [OPTIONS]`: the same options once more, but that -o is the recording. */
static int parse_record(struct stat_args *a, const struct options *opts, int *argc, char ***argv, struct errbuf *eb)
{
	const char *text_output = a->output;
	int err;

	a->output = NULL;
	err = cmd_parse(opts, argc, argv, eb);
	a->o.record_path = a->output ? a->output : "perf.data";
	a->output = text_output;
	if (!err && a->o.repeat != 1)
		err = errbuf_set(eb, CMD_USAGE, "stat record: a recording holds one run: leave -r out");
	if (!err && a->o.null_run)
		err = errbuf_set(eb, CMD_USAGE, "stat record: with -n there is nothing to record");
	return err;
}

int stat_args_parse(struct stat_args *a, int *argc, char ***argv, struct errbuf *eb)
{
	const struct option table[] = {
		OPT_GROUP("What to count"),
		OPT_CALL_NO('e', "event", cmd_option_events, &a->o.words, "EVENT[,…]",
			    "Events (default: clock, switches, faults, cycles, branches)", .complete = "event"),
		OPT_CALL_NO(0, "filter", cmd_option_events, &a->o.words, "FILTER", "Count only what passes (tracepoints of the last -e)"),
		OPT_CALL_NO('G', "cgroup", cmd_option_events, &a->o.words, "NAME[,…]",
			    "Count only tasks of a cgroup: for all events so far, or one each"),
		TEMP_OPTION(&a->temp),
		OPT_COUNT('d', "detailed", &a->o.detailed, "Caches too; -d -d: and TLBs; -d -d -d: and prefetches"),
		OPT_BOOL('n', "null", &a->o.null_run, "No events, only times"),
		OPT_BOOL(0, "all-user", &a->o.target.config.all_user, "Only what happens in user space"),
		OPT_BOOL(0, "all-kernel", &a->o.target.config.all_kernel, "Only what happens in the kernel"),
		OPT_BOOL('c', "scale", &a->scale, "Scale up counters that shared the hardware (the default)"),
		OPT_GROUP("Of whom (default: the command, or all CPUs)"),
		CMD_TARGET_OPTIONS(&a->o.target, 't'),
		OPT_BOOL('i', "no-inherit", &a->o.target.config.no_inherit, "Do not count threads and processes that the target starts"),
		OPT_GROUP("One row for each …"),
		OPT_BOOL('A', "no-aggr", &a->no_aggr, "CPU (with -a or -C)"),
		STAT_TOPOLOGY_OPTIONS(a),
		OPT_BOOL(0, "per-thread", &a->per_thread, "Thread (with -p, -t, or of all)"),
		OPT_GROUP("When, and how often"),
		OPT_U64('r', "repeat", &a->o.repeat, 0, 1000000, "N", "Run the command N times and show mean and spread; 0: until Ctrl-C"),
		OPT_BOOL(0, "table", &a->table, "With -r: show the time of each run"),
		OPT_U64('I', "interval-print", &a->o.interval_ms, 1, UINT_MAX, "MSECS", "Rows every so many milliseconds"),
		OPT_U64(0, "interval-count", &a->o.interval_count, 1, UINT_MAX, "N", "With -I: end after N intervals"),
		OPT_BOOL(0, "interval-clear", &a->interval_clear, "With -I: clear the screen before each"),
		OPT_BOOL(0, "summary", &a->o.summary, "With -I: the totals at the end, too"),
		OPT_U64(0, "timeout", &a->o.timeout_ms, 1, UINT_MAX, "MSECS", "End after this time"),
		OPT_U64('D', "delay", &a->o.delay_ms, 0, UINT_MAX, "MSECS", "Begin to count so many milliseconds after the start"),
		OPT_STRING(0, "pre", &a->o.pre, "COMMAND", "Run this before each run", .complete = "command"),
		OPT_STRING(0, "post", &a->o.post, "COMMAND", "Run this after each run", .complete = "command"),
		OPT_BOOL('S', "sync", &a->o.sync, "Call sync(2) before each run"),
		OPT_GROUP("Output"),
		OPT_STRING('o', "output", &a->output, "FILE", "Write the result to a file", .complete = "file"),
		OPT_BOOL(0, "append", &a->append, "Append to the file of -o"),
		OPT_U64(0, "log-fd", &a->log_fd, 0, INT_MAX, "FD", "Write the result to this file descriptor", .is_set = &a->log_fd_given),
		OPT_BOOL('B', "big-num", &a->big_num, "Group digits as the locale does (the default)"),
		OPT_BOOL(0, "quiet", &a->quiet, "Print no result"),
		OPT_COUNT('v', "verbose", &a->verbose, "Say more: raw counts of each run, and why events are missing"),
		OPT_GROUP("Other forms"),
		OPT_STRING('x', "field-separator", &a->separator, "SEP", "Values separated by SEP, for programs (\\t: tabs)"),
		OPT_BOOL('j', "json-output", &a->json, "A JSON object a line"),
		OPT_BOOL(0, "csv-summary", &a->csv_summary, "With -x, -I and --summary: the summary's lines say so (the default)"),
		OPT_CALL_NO('M', "metrics", take_metrics, a, "METRIC[,…]",
			    "Count what these metrics need, and show them (ipc, TopdownL1, …)"),
		OPT_CALL_NONE(0, "topdown", take_topdown, a, "Where the pipeline's slots went, level 1: -M TopdownL1"),
		OPT_BOOL(0, "metric-only", &a->metric_only, "Only the metrics, a column each"),
		OPT_BOOL(0, "plot", &a->plot, "With -I on a terminal: a live chart of each event"),
		OPT_BOOL(0, "no-merge", &a->o.no_merge, "A row for each of the PMUs of one kind, not one for all"),
		OPT_ACCEPTED(0, "metric-no-group", "groups that do not fit are taken apart anyway"),
		OPT_ACCEPTED(0, "metric-no-merge", "metrics share events only where all are the same"),
		OPT_END,
	};
	const struct options opts = {
		.command = "stat",
		.absent = perf_stat_absent,
		.usage = "assay stat [OPTIONS] [--] COMMAND [ARG…]\n"
			 "assay stat [OPTIONS] -a|-C LIST|-p PID|-t TID [-- COMMAND [ARG…]]\n"
			 "assay stat record [-o FILE] [OPTIONS] [--] COMMAND [ARG…]\n"
			 "assay stat report [-i FILE] [OPTIONS]",
		.summary = "Count events of a command, of running processes or of the whole system",
		.examples = "assay stat -d -- ./app                     caches as well\n"
			    "assay stat -r 10 -- ./app                  mean and spread of ten runs\n"
			    "assay stat -I 1000 -a --per-core           a row for each core and second\n"
			    "assay stat -e 'syscalls:sys_enter_*' ls    all system calls, counted\n",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int err;

	err = cmd_parse(&opts, argc, argv, eb);
	if (!err && *argc > 0 && !strcmp((*argv)[0], "report"))
		return 0; /* its options are its own */
	if (!err && *argc > 0 && !strcmp((*argv)[0], "record"))
		err = parse_record(a, &opts, argc, argv, eb);
	if (!err)
		err = check_args(a, *argc > 0, eb);
	return err ? err : stat_formats_check(a, eb);
}

int stat_formats_check(struct stat_args *a, struct errbuf *eb)
{
	if (a->separator && a->json)
		return errbuf_set(eb, CMD_USAGE, "stat: -x and -j exclude each other");
	if (a->separator && !*a->separator)
		return errbuf_set(eb, CMD_USAGE, "stat: -x needs what to put between two fields, as in -x,");
	if (a->separator && !strcmp(a->separator, "\\t"))
		a->separator = "\t";
	if (a->metric_only && a->per_thread)
		return errbuf_set(eb, CMD_USAGE, "stat: --metric-only does not go with --per-thread");
	if (a->metric_only && a->o.repeat != 1)
		return errbuf_set(eb, CMD_USAGE, "stat: --metric-only does not go with -r");
	if (a->plot && !a->o.interval_ms)
		return errbuf_set(eb, CMD_USAGE, "stat: --plot draws one column an interval: say how long with -I MSECS");
	if (a->plot && (a->separator || a->json || a->metric_only))
		return errbuf_set(eb, CMD_USAGE, "stat: --plot is for the eye, and excludes -x, -j and --metric-only");
	if (a->separator)
		a->format = &stat_csv_format;
	if (a->json)
		a->format = &stat_json_format;
	return 0;
}

void stat_formats_set_style(struct stat_args *a, struct stat_style *s, int fd)
{
	s->intervals = a->o.interval_ms != 0;
	s->separator = a->separator;
	s->no_csv_summary = !a->csv_summary;
	if (a->separator || a->json)
		s->colour = s->clear = false;
	if (a->metric_only)
		s->metric_only = mem_zalloc(sizeof(*s->metric_only));
	if (!a->plot)
		return;
	if (!isatty(fd)) {
		log_warn("--plot needs a terminal: here are the rows instead");
		return;
	}
	s->plot = stat_plot_new(a->o.interval_ms * 1000000ull, terminal_is_utf8());
	a->format = &stat_plot_format;
}

void stat_formats_fini_style(struct stat_style *s)
{
	if (s->metric_only)
		metric_columns_fini(s->metric_only);
	free(s->metric_only);
	stat_plot_free(s->plot);
	s->metric_only = NULL;
	s->plot = NULL;
}
