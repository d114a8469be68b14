/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay trace: the system calls of a command, of running processes or of the whole system, as they are made, or from a recording. The options
 * are in trace_options.c and trace_strace.c.
 *
 * Live, the recorder writes into a pipe of this process, and a thread reads it as it would read a recording: one way for both.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "capture/capture.h"
#include "capture/syscall_counting.h"
#include "cmd/live_reader.h"
#include "cmd/trace.h"
#include "kernel/proc_scan.h"
#include "view/syscall_text.h"

#define STRACE_DUMP_BYTES 4096 /* of what -e read= and -e write= show */

struct trace_reader {
	struct trace_command *c;
	int out_fd;
};

static int read_live(void *ctx, struct session *s, struct errbuf *eb)
{
	const struct trace_reader *r = ctx;

	return trace_show(r->c, s, r->out_fd, true, eb);
}

/* ---- live ---- */

static bool is_by_cgroup(const struct trace_command *c)
{
	return c->summary_mode && !strcmp(c->summary_mode, "cgroup");
}

/* Nothing but sums, which the kernel makes. */
static bool counts_only(const struct trace_command *c)
{
	return c->summary_only && !c->events.faults && !c->errno_summary && !c->failed_only && !c->min_duration_ns && !c->max_events &&
	       !trace_filter_is_needed(&c->filter);
}

/* Events beside system calls, and where all of them are counted. */
static int add_others(struct trace_command *c, struct errbuf *eb)
{
	int err = trace_events_add(&c->events, &c->o, eb);

	for (uint32_t i = 0; i < c->o.events.events.nr && c->tracing.cgroup && !err; i++) {
		struct event_spec *e = &c->o.events.events.v[i];

		if (!attr_is_dummy(&e->attr) && !e->cgroup)
			e->cgroup = mem_strdup(c->tracing.cgroup);
	}
	return err;
}

/* With BPF, tasks alone are recorded as events. Without, system calls are the kernel's tracepoints. */
static int add_events(struct trace_command *c, struct errbuf *eb)
{
	struct event_spec spec;
	int err;

	event_list_fini(&c->o.events);
	memset(&c->o.events, 0, sizeof(c->o.events));
	c->o.config.has_clockid = true;
	c->o.config.clockid = 1; /* CLOCK_MONOTONIC, as the records of BPF */
	c->o.config.sample_cpu = c->o.config.sample_identifier = true;
	c->o.config.period = 1;
	c->o.config.user_callchains = true;
	if (!c->o.syscalls && trace_events_has_calls(&c->events)) {
		err = event_list_parse(&c->o.events, "raw_syscalls:sys_enter/call-graph=no/,raw_syscalls:sys_exit", eb);
		return err ? err : add_others(c, eb);
	}
	spec = event_spec_of(ATTR_TYPE_SOFTWARE, CONFIG_DUMMY, mem_strdup("dummy"));
	spec.terms.given |= EVENT_TERM_CALLGRAPH; /* none */
	vec_push(&c->o.events.events, spec);
	return add_others(c, eb);
}

static int run_live(struct trace_command *c, int out_fd, struct errbuf *eb)
{
	static const struct session_options options = { .user_only = true };
	struct trace_reader r = { .c = c, .out_fd = out_fd };
	int err = add_events(c, eb);

	return err ? err : live_reader_run(&c->o, &options, read_live, &r, eb);
}

/* -s alone: the kernel sums up. */
static int run_counting(struct trace_command *c, int out_fd, struct errbuf *eb)
{
	struct syscall_counting counting = { .has_histograms = c->histograms, .counts_cpu = c->counts_cpu };
	struct out o;
	int ret, err;

	trace_sums_init(c);
	c->sums.is_by_cgroup = is_by_cgroup(c);
	ret = syscall_counting_run(&c->o, &counting, &c->sums, eb);
	if (ret < 0) {
		syscall_sums_fini(&c->sums);
		return ret;
	}
	out_init(&o, out_fd);
	trace_print_summary(c, &o);
	err = out_fini(&o);
	return err ? trace_cannot_write(c, err, eb) : ret;
}

/* After a failure of which `eb` says why. */
static void fall_back(struct trace_command *c, struct errbuf *eb)
{
	log_warn("%s", eb->text);
	log_warn("tracing by tracepoints: slower, and memory that arguments point to is not shown%s",
		 c->shape == TRACE_SHAPE_STRACE ? ", nor are signals and exits"
		 : c->is_recorded && (c->tracing.set || c->min_duration_ns || c->filter.statuses != TRACE_ANY_STATUS || c->failed_only)
			 ? "; the recording has all calls: choose with 'assay trace -i'"
			 : "");
	errbuf_clear(eb);
	c->o.syscalls = NULL;
}

static int trace(struct trace_command *c, int out_fd, struct errbuf *eb)
{
	int ret = counts_only(c) ? run_counting(c, out_fd, eb) : run_live(c, out_fd, eb);

	if (ret >= 0 || !c->tracing.is_unavailable || is_by_cgroup(c))
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
	err = trace_show(c, c->in.session, out_fd, false, eb);
	c->in.nr_passed = c->nr_shown;
	damage = err ? 0 : input_finish(&c->in, eb);
	if (!err && !damage && !c->nr_shown) {
		bool has_filter = c->filter.set.is_chosen || trace_filter_is_needed(&c->filter) || c->in.filter.times.nr;

		damage = errbuf_set(eb, -ENODATA, "%s: no system call %s", c->input,
				    has_filter ? "passes the filter" : "is in it: record them with 'assay trace record'");
	}
	input_close(&c->in);
	return err ? err : damage;
}

/* A name that is wrong is no failure of BPF: tracepoints would not find it either. */
static int check_cgroup(const struct trace_command *c, struct errbuf *eb)
{
	int fd = c->tracing.cgroup ? cgroup_open_unified(c->tracing.cgroup, eb) : -1;

	if (fd >= 0)
		close(fd);
	return c->tracing.cgroup && fd < 0 ? fd : 0;
}

/* Options that say nothing together. */
static int check(const struct trace_command *c, int argc, struct errbuf *eb)
{
	const struct capture_options *o = &c->o;
	bool is_strace = c->shape == TRACE_SHAPE_STRACE;
	const char *only = is_strace ? "-c" : "-s", *too = is_strace ? "-C" : "-S";

	if (c->input && (argc || o->user || o->cpus || o->all_cpus || c->no_inherit))
		return errbuf_set(eb, CMD_USAGE, "trace: %s reads a recording: no target but %s can be given beside it",
				  is_strace ? "--input" : "-i", is_strace ? "-p" : "-p and -t");
	if (c->input && c->events.temp.words.nr)
		return errbuf_set(eb, CMD_USAGE, "trace: -i reads a recording, in which nothing can be probed: leave out --temp");
	if (c->in.times && !c->input)
		return errbuf_set(eb, CMD_USAGE, "trace: --time=FROM,TO is for recordings (-i)");
	if (c->summary_mode && strcmp(c->summary_mode, "thread") && strcmp(c->summary_mode, "total") && strcmp(c->summary_mode, "cgroup"))
		return errbuf_set(eb, CMD_USAGE, "--summary-mode: unknown value '%s' (thread|total|cgroup)", c->summary_mode);
	if (is_by_cgroup(c) && (c->input || !counts_only(c)))
		return errbuf_set(
			eb, CMD_USAGE,
			"trace: --summary-mode cgroup sums up in the kernel, where -s alone does: no lines, recordings and filters by result");
	if (c->tracing.cgroup && (c->input || o->pids || o->tids || o->user))
		return errbuf_set(eb, CMD_USAGE, "trace: -G names the tasks to trace: -p, -t, -u and -i exclude it");
	if ((c->histograms || c->summary_mode || c->errno_summary) && !c->summary_only && !c->summary_too)
		return errbuf_set(eb, CMD_USAGE, "trace: --hist, --errno-summary and --summary-mode need -s or -S");
	if ((c->histograms || c->summary_mode || c->errno_summary) && c->events.faults && !trace_events_has_calls(&c->events))
		return errbuf_set(
			eb, CMD_USAGE,
			"trace: --hist, --errno-summary and --summary-mode are about sums of system calls: with -F, give --syscalls");
	if (c->summary_only && c->summary_too)
		return errbuf_set(eb, CMD_USAGE, "trace: %s has sums alone, %s lines and sums: choose one", only, too);
	if (c->failed_only && c->filter.statuses == TRACE_SUCCESSFUL)
		return errbuf_set(eb, CMD_USAGE, "trace: -z and --failure exclude each other");
	if (c->summary_only && (c->events.names || c->events.switch_on || c->events.switch_off))
		return errbuf_set(eb, CMD_USAGE, "trace: %s has no lines, and so no events: %s has both", only, too);
	if (c->max_rows && (!c->events.faults || !trace_has_summary(c)))
		return errbuf_set(eb, CMD_USAGE, "trace: --entries is about tables of page faults: -F with -s or -S");
	if (o->config.callgraph == CALLGRAPH_LBR)
		return errbuf_set(eb, CMD_USAGE, "trace: --call-graph takes fp or dwarf: the branch unit sees no system calls");
	if (c->summary_only && !c->events.faults && (o->config.callgraph != CALLGRAPH_NONE || c->min_stack || c->max_stack))
		return errbuf_set(eb, CMD_USAGE, "trace: %s has no lines, and so no stacks: %s has both", only, too);
	if (o->config.callgraph == CALLGRAPH_DWARF && o->config.stack_user_size > SYSCALL_STACK_MAX)
		return errbuf_set(eb, CMD_USAGE, "trace: --call-graph dwarf,SIZE takes at most %d bytes", SYSCALL_STACK_MAX);
	if (c->is_json && trace_has_summary(c) && (!c->summary_only || !c->events.faults || trace_events_has_calls(&c->events)))
		return errbuf_set(eb, CMD_USAGE,
				  "trace: --json has lines of calls, and no summary but that of page faults alone (-F with -s)");
	return check_cgroup(c, eb);
}

bool trace_asks_results(const struct trace_command *c)
{
	const struct trace_filter *f = &c->filter;

	return f->statuses != TRACE_ANY_STATUS || f->errors.nr || f->fds.nr || f->min_size || f->min_duration_ns;
}

/* Whether lines have paths of descriptors, which are right only where the calls that open and close are traced, too: when the line is written the
 * process may have closed the file and opened another. */
static bool shows_paths(const struct trace_command *c)
{
	if (c->summary_only)
		return false;
	return c->shape == TRACE_SHAPE_STRACE ? c->strace.syscalls.show_fds != 0 : !c->is_recorded;
}

static void add_file_calls(struct syscall_set *set)
{
	syscall_log_add_calls(set, syscall_native_abi());
	if (syscall_native_abi() == SYSCALL_X86_64)
		syscall_log_add_calls(set, SYSCALL_I386);
}

/* What the kernel leaves out. Where paths of descriptors have to be exact, it leaves out nothing that changes them. */
static void choose_calls(struct trace_command *c)
{
	struct trace_filter *f = &c->filter;

	f->min_duration_ns = c->min_duration_ns;
	if (c->failed_only)
		f->statuses = TRACE_FAILED;
	c->tracing.only_failed = f->statuses == TRACE_FAILED;
	c->tracing.only_succeeded = f->statuses == TRACE_SUCCESSFUL;
	c->tracing.min_duration_ns = f->min_duration_ns;
	c->traced = f->set;
	c->follows_files = trace_filter_has_paths(f) || shows_paths(c);
	if (c->follows_files) {
		add_file_calls(&c->traced);
		add_file_calls(&c->file_calls);
		c->tracing.kept = &c->file_calls;
	}
	if (f->set.is_chosen)
		c->tracing.set = c->follows_files ? &c->traced : &f->set;
}

static uint32_t wanted_data(const struct trace_command *c)
{
	const struct strace_options *o = &c->strace;

	if (c->shape != TRACE_SHAPE_STRACE)
		return c->data_bytes != TRACE_DATA_NOT_GIVEN ? (uint32_t)c->data_bytes : 0;
	if (o->has_dumps)
		return STRACE_DUMP_BYTES;
	return o->syscalls.max_string;
}

static void set_up(struct trace_command *c, int argc, char **argv)
{
	cmd_set_log_level(c->quiet, c->verbose);
	c->o.workload = argc > 0 ? argv : NULL;
	if ((c->min_stack || c->max_stack) && c->o.config.callgraph == CALLGRAPH_NONE)
		c->o.config.callgraph = CALLGRAPH_DWARF;
	c->tracing.max_data = wanted_data(c);
	c->tracing.no_children = c->o.config.no_inherit = c->no_inherit;
	c->tracing.has_signals = c->shape != TRACE_SHAPE_PERF;
	c->tracing.has_entries = c->shape == TRACE_SHAPE_STRACE && !c->summary_only && !trace_asks_results(c);
	c->tracing.has_files = c->shape == TRACE_SHAPE_STRACE && c->strace.syscalls.show_fds && !c->summary_only;
	choose_calls(c);
	c->tracing.by_cgroup = is_by_cgroup(c);
	/* What is in it is found among all. */
	c->o.all_cpus |= c->tracing.cgroup && !c->o.cpus;
	c->o.syscalls = trace_events_has_calls(&c->events) ? &c->tracing : NULL;
}

/* Of a recording the tasks are a filter. */
static int choose_tasks(struct trace_command *c, struct errbuf *eb)
{
	int err = 0;

	if (!c->input)
		return 0;
	if (c->o.pids)
		err = trace_filter_add_ids(&c->filter.pids, c->o.pids, "process id", eb);
	if (!err && c->o.tids)
		err = trace_filter_add_ids(&c->filter.tids, c->o.tids, "thread id", eb);
	return err;
}

static int open_output(const struct trace_command *c, struct errbuf *eb)
{
	int fd;

	if (c->separate || (!c->output && !c->input))
		return STDERR_FILENO;
	if (!c->output || !strcmp(c->output, "-"))
		return STDOUT_FILENO;
	fd = open(c->output, O_WRONLY | O_CREAT | O_CLOEXEC | (c->appends ? O_APPEND : O_TRUNC), 0666);
	return fd < 0 ? errbuf_set(eb, -errno, "cannot create %s: %s", c->output, strerror(errno)) : fd;
}

int trace_execute(struct trace_command *c, int argc, char **argv, struct errbuf *eb)
{
	int fd, ret = check(c, argc, eb);

	if (!ret)
		ret = trace_events_check(&c->events, eb);
	if (!ret)
		ret = choose_tasks(c, eb);
	if (ret)
		return ret;
	fd = open_output(c, eb);
	if (fd < 0)
		return fd;
	set_up(c, argc, argv);
	ret = c->input ? run_file(c, fd, eb) : trace(c, fd, eb);
	if (fd > STDERR_FILENO)
		close(fd);
	return ret;
}

int trace_execute_record(struct trace_command *c, int argc, char **argv, struct errbuf *eb)
{
	int ret = check(c, argc, eb);

	if (!ret)
		ret = trace_events_check(&c->events, eb);
	if (!ret && c->filter.statuses != TRACE_ANY_STATUS && c->filter.statuses != TRACE_FAILED && c->filter.statuses != TRACE_SUCCESSFUL)
		ret = errbuf_set(eb, CMD_USAGE,
				 "trace record: -e status= takes failed or successful; 'trace -i FILE -e status=' all others");
	if (ret)
		return ret;
	c->is_recorded = true;
	set_up(c, argc, argv);
	/* For whom reads it with --strace. */
	c->tracing.has_signals = c->tracing.has_files = true;
	ret = add_events(c, eb);
	if (!ret)
		ret = capture_run(&c->o, eb);
	if (ret >= 0 || !c->tracing.is_unavailable)
		return ret;
	fall_back(c, eb);
	ret = add_events(c, eb);
	return ret ? ret : capture_run(&c->o, eb);
}

void trace_init(struct trace_command *c, const char *group, int argc, char **argv)
{
	*c = (struct trace_command){ .data_bytes = TRACE_DATA_NOT_GIVEN };
	trace_filter_init(&c->filter);
	strace_options_init(&c->strace);
	input_init(&c->in);
	c->in.recorder = "assay trace record -- COMMAND";
	capture_options_init(&c->o);
	capture_options_set_cmdline(&c->o, group, argc, argv);
}

void trace_fini(struct trace_command *c)
{
	capture_options_fini(&c->o);
	input_fini(&c->in);
	trace_filter_fini(&c->filter);
	trace_events_fini(&c->events);
}
