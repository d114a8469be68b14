/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay trace: the system calls of a command, of running processes or of the whole system, as they are made, or from a recording.
 *
 * Live, the recorder writes into a pipe, and a thread reads it as it would read a recording: one way for both.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "capture/capture.h"
#include "capture/syscall_counting.h"
#include "capture/syscall_feed.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/output_file.h"
#include "model/syscall_log.h"
#include "model/syscall_sums.h"
#include "perfdata/reader.h"
#include "view/trace_summary.h"
#include "view/trace_text.h"

#define PIPE_BYTES (1 << 20)
#define DATA_NOT_GIVEN UINT64_MAX
#define STRACE_DATA_BYTES 32 /* what strace shows of a string */

struct trace_command {
	struct capture_options o;
	struct syscall_tracing tracing;
	struct syscall_set set;
	const char *input, *output;
	bool strace;
	bool no_inherit, failed_only;
	uint64_t duration_ms;
	uint64_t max_events;
	uint64_t data_bytes; /* --data */
	uint64_t nr_shown;   /* calls */
	struct input in;     /* of -i */
	bool show_cpu, absolute_times;
	bool summary_only, summary_too, histograms, errno_summary;
	const char *summary_mode;
	struct syscall_sums sums;
	int verbose;
	bool quiet;
};

struct trace_reader {
	struct trace_command *c;
	int fd; /* the pipe's end */
	int out_fd;
	struct errbuf eb;
	int err;
	bool is_full; /* --max-events */
};

/* ---- printing ---- */

static bool read_fd_path(void *ctx, int32_t pid, int fd, char *path, size_t size)
{
	char link[64];
	ssize_t len;

	(void)ctx;
	if (fd == SYSCALL_CWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", pid);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, fd);
	len = readlink(link, path, size - 1);
	if (len <= 0)
		return false;
	path[len] = 0;
	return true;
}

static bool has_summary(const struct trace_command *c)
{
	return c->summary_only || c->summary_too || c->errno_summary;
}

static void print_summary(struct trace_command *c, struct out *o)
{
	const struct trace_summary_options opts = { .has_histograms = c->histograms, .has_errors = c->errno_summary };

	syscall_sums_sort(&c->sums);
	trace_summary_text(o, &c->sums, &opts);
	syscall_sums_fini(&c->sums);
}

/* BPF chooses already; recordings and tracepoints have all. */
static bool is_wanted(const struct trace_command *c, const struct traced *t)
{
	uint64_t took_ns = t->start_ns ? t->end_ns - t->start_ns : 0;

	if (t->kind != TRACED_CALL)
		return true;
	if (c->set.is_chosen && !syscall_set_has(&c->set, t->call.abi, t->call.nr))
		return false;
	return (!c->failed_only || syscall_error(&t->call)) && (took_ns >= c->tracing.min_duration_ns);
}

static int print_all(struct trace_command *c, struct session *s, int out_fd, bool is_live, struct errbuf *eb)
{
	enum syscall_shape shape = c->strace ? SYSCALL_STRACE : SYSCALL_PERF;
	struct syscall_log log;
	struct session_record sr;
	struct trace_text text;
	struct traced t = { 0 };
	struct out o;
	char *cwd = NULL;
	int ret, err;

	out_init(&o, out_fd);
	syscall_log_init(&log, &s->recording);
	if (is_live)
		log.read_fd = read_fd_path;
	/* Where nothing else is traced, all that is was started here. */
	if (is_live && c->o.workload && !c->o.all_cpus && !c->o.cpus)
		log.cwd = cwd = getcwd(NULL, 0);
	log.is_partial = is_live && c->o.syscalls && (c->set.is_chosen || c->failed_only || c->duration_ms);
	syscall_sums_init(&c->sums, syscall_native_abi(), c->summary_mode && !strcmp(c->summary_mode, "total"));
	trace_text_init(&text, &o, &s->machine, &log, shape);
	if (c->data_bytes != DATA_NOT_GIVEN)
		text.syscalls.max_string = (uint32_t)c->data_bytes;
	text.shows_cpu = c->show_cpu;
	if (out_fd == STDERR_FILENO)
		text.shows_tasks = TRACE_SEVERAL_TASKS;
	else if (c->no_inherit && c->o.workload)
		text.shows_tasks = TRACE_NO_TASKS;
	if (c->absolute_times)
		text.clock = TRACE_ABSOLUTE;
	while ((ret = session_next(s, &sr, eb)) > 0) {
		/* At the end of a batch the reader sees what there is. */
		if (sr.header->type == RECORD_FINISHED_ROUND && (ret = out_flush(&o)))
			break;
		if (!syscall_log_take(&log, &sr, &t))
			continue;
		if (!is_wanted(c, &t)) {
			syscall_log_apply(&log, &t);
			continue;
		}
		if (!c->summary_only)
			trace_text_line(&text, &t);
		if (t.kind == TRACED_CALL && has_summary(c))
			syscall_sums_add_call(&c->sums, t.task->pid, t.task->tid, machine_comm(&s->machine, t.task), t.call.nr,
					      t.start_ns ? t.end_ns - t.start_ns : 0, -syscall_error(&t.call));
		syscall_log_apply(&log, &t);
		c->nr_shown += t.kind == TRACED_CALL;
		if (o.error || (c->max_events && c->nr_shown == c->max_events))
			break;
	}
	c->sums.abi = log.abi;
	if (has_summary(c))
		print_summary(c, &o);
	err = out_fini(&o);
	if (recording_lost(&s->recording))
		log_warn("%llu records are missing: they came faster than they could be written",
			 (unsigned long long)recording_lost(&s->recording));
	if (log.nr_unpaired && !is_live)
		log_info("%llu calls began before they were recorded", (unsigned long long)log.nr_unpaired);
	syscall_log_fini(&log);
	free(cwd);
	return ret < 0 ? ret : err;
}

static void *read_live(void *arg)
{
	static const struct session_options options = { .user_only = true };
	struct trace_reader *r = arg;
	struct record_source *source;
	struct session *s;

	r->err = reader_open_fd(&source, r->fd, "the recorder", &r->eb);
	if (!r->err)
		r->err = session_open(&s, source, &options, &r->eb);
	if (r->err)
		return NULL;
	r->err = print_all(r->c, s, r->out_fd, true, &r->eb);
	session_close(s);
	return NULL;
}

/* ---- live ---- */

/* With BPF, tasks alone are recorded as events. Without, system calls are the kernel's tracepoints. */
static int add_events(struct trace_command *c, struct errbuf *eb)
{
	event_list_fini(&c->o.events);
	memset(&c->o.events, 0, sizeof(c->o.events));
	c->o.config.has_clockid = true;
	c->o.config.clockid = 1; /* CLOCK_MONOTONIC, as the records of BPF */
	c->o.config.sample_cpu = c->o.config.sample_identifier = true;
	c->o.config.period = 1;
	if (!c->o.syscalls)
		return event_list_parse(&c->o.events, "raw_syscalls:sys_enter,raw_syscalls:sys_exit", eb);
	vec_push(&c->o.events.events, event_spec_of(ATTR_TYPE_SOFTWARE, CONFIG_DUMMY, mem_strdup("dummy")));
	return 0;
}

static int run_live(struct trace_command *c, int out_fd, struct errbuf *eb)
{
	struct trace_reader r = { .c = c, .out_fd = out_fd };
	pthread_t thread;
	sigset_t all, old;
	int fds[2], ret, err = add_events(c, eb);

	if (err)
		return err;
	if (pipe2(fds, O_CLOEXEC))
		return errbuf_set(eb, -errno, "cannot make a pipe: %s", strerror(errno));
	fcntl(fds[1], F_SETPIPE_SZ, PIPE_BYTES);
	r.fd = fds[0];
	c->o.output_fd = fds[1];
	/* Signals are the recorder's. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	err = pthread_create(&thread, NULL, read_live, &r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err) {
		close(fds[0]);
		close(fds[1]);
		return errbuf_set(eb, -err, "cannot start a thread: %s", strerror(err));
	}
	ret = capture_run(&c->o, eb);
	close(fds[1]);
	pthread_join(thread, NULL);
	if (ret == -EPIPE || (ret >= 0 && r.err)) {
		ret = r.err;
		errbuf_set(eb, ret, "%s", r.eb.text);
	}
	return ret;
}

/* -s alone: the kernel sums up. */
static int run_counting(struct trace_command *c, int out_fd, struct errbuf *eb)
{
	struct syscall_counting counting = { .has_histograms = c->histograms };
	struct out o;
	int ret, err;

	syscall_sums_init(&c->sums, syscall_native_abi(), c->summary_mode && !strcmp(c->summary_mode, "total"));
	ret = syscall_counting_run(&c->o, &counting, &c->sums, eb);
	if (ret < 0) {
		syscall_sums_fini(&c->sums);
		return ret;
	}
	out_init(&o, out_fd);
	print_summary(c, &o);
	err = out_fini(&o);
	return err ? err : ret;
}

/* After a failure of which `eb` says why. */
static void fall_back(struct trace_command *c, struct errbuf *eb)
{
	log_warn("%s", eb->text);
	log_warn("tracing by tracepoints: slower, and memory that arguments point to is not shown%s",
		 c->strace ? ", nor are signals and exits" : "");
	errbuf_clear(eb);
	c->o.syscalls = NULL;
}

static int trace(struct trace_command *c, int out_fd, struct errbuf *eb)
{
	bool counts = c->summary_only && !c->errno_summary && !c->failed_only && !c->duration_ms && !c->max_events;
	int ret = counts ? run_counting(c, out_fd, eb) : run_live(c, out_fd, eb);

	if (ret >= 0 || !c->tracing.is_unavailable)
		return ret;
	fall_back(c, eb);
	return run_live(c, out_fd, eb);
}

static int run_file(struct trace_command *c, int out_fd, struct errbuf *eb)
{
	int err, damage;

	c->in.path = c->input;
	err = input_open(&c->in, false, eb);
	if (err)
		return err;
	err = print_all(c, c->in.session, out_fd, false, eb);
	c->in.nr_passed = c->nr_shown;
	damage = err ? 0 : input_finish(&c->in, eb);
	if (!err && !damage && !c->nr_shown)
		damage = errbuf_set(eb, -ENODATA, "%s: no system call %s", c->input,
				    c->set.is_chosen || c->failed_only || c->duration_ms ? "passes the filter"
											 : "was recorded: 'assay trace record' does");
	input_close(&c->in);
	return err ? err : damage;
}

/* Options that say nothing together. */
static int check(const struct trace_command *c, int argc, struct errbuf *eb)
{
	const struct capture_options *o = &c->o;

	if (c->input && (argc || o->pids || o->tids || o->user || o->cpus || o->all_cpus || c->no_inherit))
		return errbuf_set(eb, CMD_USAGE, "trace: -i reads a recording: no target can be given beside it");
	if (c->summary_mode && strcmp(c->summary_mode, "thread") && strcmp(c->summary_mode, "total"))
		return errbuf_set(eb, CMD_USAGE, "--summary-mode: unknown value '%s' (thread|total)", c->summary_mode);
	if ((c->histograms || c->summary_mode) && !has_summary(c))
		return errbuf_set(eb, CMD_USAGE, "trace: --hist and --summary-mode need -s or -S");
	if (c->strace && c->show_cpu)
		return errbuf_set(eb, CMD_USAGE, "trace: --strace and --show-cpu exclude each other: strace's lines have no CPU");
	return 0;
}

static void set_up(struct trace_command *c, int argc, char **argv)
{
	if (c->quiet)
		log_level = LOG_QUIET;
	else if (c->verbose)
		log_level = c->verbose > 1 ? LOG_DEBUG : LOG_VERBOSE;
	c->o.workload = argc > 0 ? argv : NULL;
	c->tracing.max_data = c->data_bytes != DATA_NOT_GIVEN ? (uint32_t)c->data_bytes : c->strace ? STRACE_DATA_BYTES : 0;
	c->tracing.no_children = c->o.config.no_inherit = c->no_inherit;
	c->tracing.only_failed = c->failed_only;
	c->tracing.min_duration_ns = c->duration_ms * 1000000;
	c->tracing.has_signals = c->strace;
	if (c->set.is_chosen)
		c->tracing.set = &c->set;
	c->o.syscalls = &c->tracing;
}

static int run(struct trace_command *c, int argc, char **argv, struct errbuf *eb)
{
	int fd = STDERR_FILENO, ret = check(c, argc, eb);

	if (ret)
		return ret;
	if (c->output && strcmp(c->output, "-"))
		fd = open(c->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	else if (c->output || c->input)
		fd = STDOUT_FILENO;
	if (fd < 0)
		return errbuf_set(eb, -errno, "cannot create %s: %s", c->output, strerror(errno));
	set_up(c, argc, argv);
	ret = c->input ? run_file(c, fd, eb) : trace(c, fd, eb);
	if (fd > STDERR_FILENO)
		close(fd);
	return ret;
}

#define TARGET_OPTIONS(c)                                                                                                                  \
	OPT_GROUP("Whom to trace (default: the command, or the whole system)"),                                                            \
		OPT_BOOL('a', "all-cpus", &(c)->o.all_cpus, "Everything on all CPUs"),                                                     \
		OPT_CALL('C', "cpu", cmd_option_cpus, &(c)->o.cpus, "LIST", "Only these CPUs (0-3,7)"),                                    \
		OPT_CALL('p', "pid", cmd_option_tasks, &(c)->o.pids, "PID[,PID…]", "Running processes, all their threads",                 \
			 .complete = "pid"),                                                                                               \
		OPT_CALL('t', "tid", cmd_option_tasks, &(c)->o.tids, "TID[,TID…]", "Running threads", .complete = "pid"),                  \
		OPT_STRING('u', "uid", &(c)->o.user, "USER", "The processes of a user (name or number)"),                                  \
		OPT_BOOL(0, "no-inherit", &(c)->no_inherit, "Do not follow threads and processes that the target starts")

#define SELECTION_OPTIONS(c)                                                                                                               \
	OPT_CALL('e', "event", take_calls, c, "CALL[,…]",                                                                                  \
		 "Only these: names (openat), classes (%file, network …), globs (open*); !LIST: all others", .complete = NULL),            \
		OPT_U64(0, "duration", &(c)->duration_ms, 1, UINT32_MAX, "MSECS", "Only calls that took at least so long"),                \
		OPT_BOOL(0, "failure", &(c)->failed_only, "Only calls that failed"),                                                       \
		OPT_U64(0, "data", &(c)->data_bytes, 0, 4096, "BYTES",                                                                     \
			"What is shown of buffers that are read and written (default: 0; 32 with --strace)")

static int take_calls(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct trace_command *c = ctx;

	(void)opt, (void)negated;
	return syscall_set_add(&c->set, syscall_native_abi(), arg, eb);
}

static void trace_init(struct trace_command *c, int argc, char **argv)
{
	*c = (struct trace_command){ .data_bytes = DATA_NOT_GIVEN };
	input_init(&c->in);
	capture_options_init(&c->o);
	capture_options_set_cmdline(&c->o, argc, argv);
}

static int record(struct trace_command *c, int argc, char **argv, struct errbuf *eb)
{
	int ret;

	set_up(c, argc, argv);
	c->tracing.has_signals = true; /* for whom reads it with --strace */
	ret = add_events(c, eb);
	if (!ret)
		ret = capture_run(&c->o, eb);
	if (ret >= 0 || !c->tracing.is_unavailable)
		return ret;
	fall_back(c, eb);
	ret = add_events(c, eb);
	return ret ? ret : capture_run(&c->o, eb);
}

static int trace_record(int argc, char **argv, struct errbuf *eb)
{
	struct trace_command c;
	const struct option table[] = {
		TARGET_OPTIONS(&c),
		OPT_GROUP("What to record"),
		SELECTION_OPTIONS(&c),
		OPT_GROUP("Whereto"),
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

	trace_init(&c, argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	ret = ret ? ret : record(&c, argc, argv, eb);
	capture_options_fini(&c.o);
	input_fini(&c.in);
	return ret;
}

int trace_run(int argc, char **argv, struct errbuf *eb)
{
	struct trace_command c;
	const struct option table[] = {
		TARGET_OPTIONS(&c),
		OPT_GROUP("What to show"),
		SELECTION_OPTIONS(&c),
		OPT_U64(0, "max-events", &c.max_events, 1, INT64_MAX, "N", "End after so many calls"),
		OPT_BOOL('T', "time", &c.absolute_times, "Times of the clock, not since the first call"),
		OPT_BOOL(0, "show-cpu", &c.show_cpu, "The CPU of each call"),
		OPT_BOOL(0, "strace", &c.strace, "Lines as strace writes them"),
		OPT_GROUP("Summary"),
		OPT_BOOL('s', "summary", &c.summary_only, "Only sums of the calls of each thread, no lines"),
		OPT_BOOL('S', "with-summary", &c.summary_too, "Lines, and sums at the end"),
		OPT_STRING(0, "summary-mode", &c.summary_mode, "MODE", "Sums of each thread, or in total", .complete = "thread|total"),
		OPT_BOOL(0, "hist", &c.histograms, "With -s: how long the calls took, as a histogram"),
		OPT_BOOL(0, "errno-summary", &c.errno_summary, "With -s: how often each error came"),
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
			 "assay trace [OPTIONS] -i FILE",
		.summary = "Show the system calls of a command or of running processes",
		.examples = "assay trace -- ls                     each call with its arguments and its time\n"
			    "assay trace -s -p 1234                what a process spends its time with, until Ctrl-C\n"
			    "assay trace --failure -- ./app        only what failed\n",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	trace_init(&c, argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	ret = ret ? ret : run(&c, argc, argv, eb);
	capture_options_fini(&c.o);
	input_fini(&c.in);
	return ret;
}

const struct cmd trace_commands[] = {
	{ "record", trace_record, "Record system calls into a file", "command", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};
