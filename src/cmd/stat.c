/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay stat`: counts events and prints them, to stderr unless -o or --log-fd are given, because the command's own output is on stdout.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/perf_compat.h"
#include "cmd/stat.h"

static int open_output(const struct stat_args *a, int *fd, struct errbuf *eb)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (a->append ? O_APPEND : O_TRUNC);

	*fd = STDERR_FILENO;
	if (a->log_fd_given) {
		*fd = (int)a->log_fd;
		if (fcntl(*fd, F_GETFD) < 0)
			return errbuf_set(eb, -errno, "stat: --log-fd %d: %s", *fd, strerror(errno));
	} else if (a->output) {
		*fd = open(a->output, flags, 0666);
		if (*fd < 0)
			return errbuf_set(eb, -errno, "cannot write %s: %s", a->output, strerror(errno));
	}
	return 0;
}

/* A file says when it was written; not one of JSON, which has no comments. */
static void print_started(struct out *o)
{
	time_t now = time(NULL);
	struct tm tm;
	char text[64];

	if (localtime_r(&now, &tm) && strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm))
		out_printf(o, "# started on %s\n\n", text);
}

/* What is counted, as the heading says it: "'ls -l'". The caller frees. */
static char *target_text(const struct capture_options *t)
{
	struct out o;
	char *text;

	if (t->pids)
		return mem_printf("process id '%s'", t->pids);
	if (t->tids)
		return mem_printf("thread id '%s'", t->tids);
	if (t->cpus && !t->all_cpus)
		return mem_printf("'CPU(s) %s'", t->cpus);
	if (t->all_cpus || !t->workload)
		return mem_strdup("'system wide'");
	out_init(&o, -1);
	for (char **word = t->workload; *word; word++) {
		out_char(&o, word == t->workload ? '\'' : ' ');
		out_str(&o, *word);
	}
	out_char(&o, '\'');
	text = mem_strndup(o.buf, o.len);
	out_fini(&o);
	return text;
}

/* Prints what is counted. */
struct printer {
	const struct stat_format *format;
	struct stat_style style;
	const struct counting_replay *replay; /* NULL: live */
	struct out out;
	uint64_t nr_intervals;
};

/* Of a recording, the file says what was counted. */
static const struct stat_style *style_of(struct printer *p)
{
	if (p->replay) {
		p->style.target = p->replay->heading;
		p->style.intervals = p->replay->has_intervals;
	}
	return &p->style;
}

static int print_interval(void *ctx, const struct counts *c, uint64_t time_ns)
{
	struct printer *p = ctx;

	p->format->interval(&p->out, c, style_of(p), time_ns, p->nr_intervals++);
	return out_flush(&p->out);
}

static int print_total(void *ctx, const struct counts *c)
{
	struct printer *p = ctx;

	p->style.repeated = c->runs.nr > 1;
	p->format->total(&p->out, c, style_of(p));
	return out_flush(&p->out);
}

static int run(struct stat_args *a, struct errbuf *eb)
{
	enum target_kind kind = target_kind_of(&a->o.target);
	char *target = target_text(&a->o.target);
	struct printer p = { .style = { .target = target,
					.big_num = a->big_num,
					.null_run = a->o.null_run,
					.show_times = kind == TARGET_WORKLOAD,
					.table = a->table,
					.skip_zero = a->per_thread && kind == TARGET_CPUS } };
	int fd = -1, err;

	cmd_set_log_level(false, a->verbose);
	err = open_output(a, &fd, eb);
	if (err)
		goto out;
	out_init(&p.out, fd);
	p.style.colour = out_is_colourful(fd);
	p.style.clear = a->interval_clear && isatty(fd);
	stat_formats_set_style(a, &p.style, fd);
	p.format = a->format;
	if (a->output && !a->log_fd_given && !a->quiet && !a->json)
		print_started(&p.out);
	if (!a->quiet)
		a->o.sink = (struct counting_sink){ print_interval, print_total, &p };
	a->o.is_unattended = (a->separator || a->json) && !a->output;
	err = counting_run(&a->o, eb);
	if (out_fini(&p.out) && err >= 0)
		err = errbuf_set(eb, p.out.error, "cannot write the result: %s", strerror(-p.out.error));
	if (a->output && !a->log_fd_given)
		close(fd);
	stat_formats_fini_style(&p.style);
out:
	free(target);
	return err;
}

static int show_recording(struct stat_args *a, const char *path, bool force, struct errbuf *eb)
{
	enum counts_aggr aggr = a->o.aggr;
	struct counting_replay replay = { .path = path, .force = force, .aggr = aggr };
	struct printer p = { .replay = &replay, .style = { .big_num = a->big_num, .colour = isatty(STDOUT_FILENO) } };
	int err, done;

	replay.has_aggr = aggr != COUNTS_GLOBAL && aggr != COUNTS_PER_THREAD;
	replay.sink = (struct counting_sink){ print_interval, print_total, &p };
	stat_formats_set_style(a, &p.style, STDOUT_FILENO);
	p.format = a->format;
	out_init(&p.out, STDOUT_FILENO);
	err = counting_replay_run(&replay, eb);
	done = out_fini(&p.out);
	stat_formats_fini_style(&p.style);
	return err ? err : done;
}

/* Its options are also taken behind the word `report`; perf takes -x and the like before it only. */
static int cmd_stat_report(struct stat_args *a, int argc, char **argv, struct errbuf *eb)
{
	const char *path = NULL;
	bool force = false;
	const struct option table[] = {
		OPT_STRING('i', "input", &path, "FILE", "Read FILE (- is stdin; default perf.data)", .complete = "file"),
		OPT_BOOL('f', "force", &force, "Read a file that another user owns"),
		OPT_GROUP("One row for each …"),
		OPT_BOOL('A', "no-aggr", &a->no_aggr, "CPU"),
		STAT_TOPOLOGY_OPTIONS(a),
		OPT_GROUP("Other forms"),
		OPT_STRING('x', "field-separator", &a->separator, "SEP", "Values separated by SEP, for programs (\\t: tabs)"),
		OPT_BOOL('j', "json-output", &a->json, "A JSON object a line"),
		OPT_BOOL(0, "metric-only", &a->metric_only, "Only the metrics, a column each"),
		OPT_END,
	};
	const struct options opts = {
		.command = "stat report",
		.absent = perf_stat_absent,
		.usage = "assay stat report [OPTIONS] [FILE]",
		.summary = "Show what `stat record` recorded",
		.table = table,
	};
	int err = cmd_parse(&opts, &argc, &argv, eb);

	if (err)
		return err;
	if (input_take_file(&path, "stat report", argc, argv, eb))
		return CMD_USAGE;
	a->plot = false;
	if (stat_formats_check(a, eb) || stat_args_find_aggr(a, eb))
		return CMD_USAGE;
	if (!path)
		path = input_default_path("assay stat record -- COMMAND", eb);
	return path ? show_recording(a, path, force, eb) : -ENOENT;
}

/* They are counted in one sum each. */
static int check_temp(const struct stat_args *a, struct errbuf *eb)
{
	if (a->o.aggr != COUNTS_GLOBAL)
		return errbuf_set(eb, CMD_USAGE, "stat: probes of --temp have one row each: leave out -A and --per-…");
	if (a->o.record_path)
		return errbuf_set(eb, CMD_USAGE, "stat record: a recording has no counts of --temp: define the probe with 'assay probe'");
	return 0;
}

int cmd_stat(int argc, char **argv, struct errbuf *eb)
{
	struct stat_args a;
	int ret;

	stat_args_init(&a);
	capture_options_set_cmdline(&a.o.target, NULL, argc, argv);
	ret = stat_args_parse(&a, &argc, &argv, eb);
	if (!ret && !a.o.record_path && argc > 0 && !strcmp(argv[0], "report")) {
		ret = cmd_stat_report(&a, argc, argv, eb);
	} else if (!ret) {
		a.o.target.workload = argc > 0 ? argv : NULL;
		if (argc)
			temp_option_take_sdt(&a.temp, &a.o.words);
		ret = temp_option_resolve(&a.temp, &a.o.target, a.o.target.workload, eb);
		if (!ret && a.o.target.temp_probes)
			ret = check_temp(&a, eb);
		if (!ret)
			ret = run(&a, eb);
	}
	stat_args_fini(&a);
	return ret;
}
