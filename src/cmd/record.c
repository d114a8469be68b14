/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay record`: the option table and what its words mean.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "capture/header_info.h"
#include "capture/output.h"
#include "cmd/cmd.h"
#include "cmd/perf_compat.h"
#include "cmd/record_options.h"
#include "cmd/runtimes.h"
#include "cmd/temp_probes.h"
#include "kernel/cpus.h"
#include "kernel/ring.h"
#include "kernel/tasks.h"

struct record_args {
	struct capture_options o;
	struct event_words events;
	struct temp_option temp;
	bool quiet, dry_run, snapshot, latency, thresh_given, no_attach;
	bool python_only;
	int verbose;
	bool runtimes; /* --runtimes */
};

/* What the grammar knows and the recorder does not do yet. */
static int check_terms(const struct event_spec *spec, struct errbuf *eb)
{
	if (spec->terms.overwrite)
		return errbuf_set(eb, -EINVAL,
				  "event '%s': this version of assay reads rings as they fill and "
				  "has none that overwrite: leave out 'overwrite'",
				  spec->name);
	return 0;
}

int record_parse_events(struct event_list *l, const struct event_words *words, struct errbuf *eb)
{
	int err = 0;

	for (uint32_t i = 0; i < words->v.nr && !err; i++) {
		const struct event_word *w = &words->v.v[i];

		if (w->kind == WORD_EVENT)
			err = event_list_parse(l, w->text, eb);
		else if (w->kind == WORD_CGROUP)
			err = event_list_add_cgroups(l, w->text, eb);
		else if (w->kind == WORD_EXCLUDE_SELF)
			err = event_list_exclude_self(l, eb);
		else
			err = event_list_add_filter(l, w->text, eb);
	}
	for (uint32_t i = 0; i < l->events.nr && !err; i++)
		err = check_terms(&l->events.v[i], eb);
	return err;
}

/* Tasks and maps have to be known where probes are all that is recorded. */
static int add_temp_probes(struct record_args *a, char **workload, struct errbuf *eb)
{
	struct event_spec spec;
	int err = temp_option_resolve(&a->temp, &a->o, workload, eb);

	if (err || !a->o.temp_probes)
		return err;
	if (a->o.config.has_clockid && a->o.config.clockid != CLOCK_MONOTONIC)
		return errbuf_set(eb, CMD_USAGE,
				  "record: --temp takes its times from the clock monotonic: leave out -k, or give -k monotonic");
	/* Samples of both kinds are distinguished by ids, and ordered by one clock. */
	a->o.config.has_clockid = a->o.config.sample_identifier = a->o.config.sample_cpu = true;
	a->o.config.clockid = CLOCK_MONOTONIC;
	if (a->o.events.events.nr)
		return 0;
	spec = event_spec_of(ATTR_TYPE_SOFTWARE, CONFIG_DUMMY, mem_strdup("dummy"));
	spec.terms.given |= EVENT_TERM_CALLGRAPH; /* none */
	vec_push(&a->o.events.events, spec);
	return 0;
}

static int take_exclude_self(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct record_args *a = ctx;

	(void)opt, (void)arg, (void)eb;
	if (!negated)
		vec_push(&a->events.v, ((struct event_word){ WORD_EXCLUDE_SELF, NULL }));
	return 0;
}

int record_option_freq(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct capture_options *o = ctx;

	(void)opt;
	if (negated)
		return errbuf_set(eb, -EINVAL, "--no-freq: use -c to sample by count instead of by time");
	o->config.freq_given = true;
	o->freq_max = !strcmp(arg, "max");
	if (!o->freq_max && options_u64(arg, 1, 1000000000, &o->config.freq))
		return errbuf_set(eb, -EINVAL, "-F takes samples per second (from 1 on) or 'max', not '%s'", arg);
	return 0;
}

int record_option_pages(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct capture_options *o = ctx;

	(void)opt;
	if (negated) {
		o->ring_pages = 0;
		return 0;
	}
	return ring_parse_pages(arg, &o->ring_pages, eb);
}

static int take_compression(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct record_args *a = ctx;
	uint64_t level = negated ? 0 : 1;

	(void)opt;
	if (arg && options_u64(arg, 0, 22, &level))
		return errbuf_set(eb, -EINVAL, "record: -z takes a level from 1 to 22, not '%s'", arg);
	a->o.compress_level = (int)level;
	return 0;
}

static int take_clock(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct event_config *c = &((struct record_args *)ctx)->o.config;

	(void)opt;
	c->has_clockid = !negated;
	if (!negated && host_clock_find(arg, &c->clockid))
		return errbuf_set(eb, -EINVAL,
				  "record: '%s' is no clock; there are monotonic, monotonic_raw, boottime, "
				  "realtime and tai",
				  arg);
	return 0;
}

static int take_delay(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct record_args *a = ctx;

	(void)opt;
	if (negated) {
		delay_plan_fini(&a->o.delay);
		return 0;
	}
	return delay_plan_parse(&a->o.delay, arg, eb);
}

static int take_switch(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct record_args *a = ctx;

	(void)opt;
	if (negated) {
		a->o.switching = (struct switch_spec){ 0 };
		return 0;
	}
	return switch_spec_parse(&a->o.switching, arg, eb);
}

static int take_max_size(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct record_args *a = ctx;

	(void)opt;
	if (negated)
		a->o.max_size_bytes = 0;
	else if (spec_parse_size(arg, &a->o.max_size_bytes))
		return errbuf_set(eb, -EINVAL, "record: --max-size takes a size with its unit (500K, 10M, 1G), not '%s'", arg);
	return 0;
}

/* Native callers are recorded where mixed stacks are wanted: interpreters rarely keep frame pointers. */
static int take_python(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct record_args *a = ctx;

	(void)opt;
	a->o.python = !negated && (!arg || strcmp(arg, "off") != 0);
	a->python_only = a->o.python && arg && !strcmp(arg, "only");
	if (arg && strcmp(arg, "mixed") && strcmp(arg, "only") && strcmp(arg, "off"))
		return errbuf_set(eb, -EINVAL, "record: --python takes mixed, only or off, not '%s'", arg);
	return 0;
}

/* Stacks are distinguished from samples by ids, and found by the time of these. */
static int set_python(struct record_args *a, struct errbuf *eb)
{
	struct event_config *c = &a->o.config;

	if (a->o.temp_probes)
		return errbuf_set(eb, CMD_USAGE, "record: --python and --temp exclude each other");
	if (switch_spec_is_on(&a->o.switching))
		return errbuf_set(eb, CMD_USAGE, "record: --python and --switch-output exclude each other");
	if (c->timestamp_given && !c->timestamp)
		return errbuf_set(eb, CMD_USAGE, "record: --python needs the times of samples: leave out --no-timestamp");
	c->sample_identifier = c->timestamp = c->sample_cpu = true;
	if (a->python_only) {
		c->callgraph = CALLGRAPH_FP;
		c->kernel_callchains = true;
	} else if (c->callgraph == CALLGRAPH_NONE) {
		c->callgraph = CALLGRAPH_DWARF;
	}
	return 0;
}

/* For options that need an argument and no action. */
static int take_nothing(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)ctx, (void)arg, (void)negated, (void)eb;
	return 0;
}

static int check_args(const struct record_args *a, bool has_workload, struct errbuf *eb)
{
	const struct capture_options *o = &a->o;

	if (o->config.freq_given && o->config.period)
		return errbuf_set(eb, CMD_USAGE, "record: -F and -c exclude each other: by time or by count");
	if (o->config.all_user && o->config.all_kernel)
		return errbuf_set(eb, CMD_USAGE, "record: --all-user and --all-kernel exclude each other");
	if (a->latency && (o->all_cpus || o->cpus || o->user || (!has_workload && !o->pids && !o->tids)))
		return errbuf_set(
			eb, CMD_USAGE,
			"record: --latency counts the running threads of a program: give a command, -p PID or -t TID, and neither "
			"-a, -C nor -u");
	if (a->snapshot)
		return errbuf_set(eb, CMD_USAGE, "record: -S takes snapshots of an AUX area, and none of the events has one");
	if (a->thresh_given && !o->off_cpu)
		return errbuf_set(eb, CMD_USAGE, "record: --off-cpu-thresh needs --off-cpu");
	if (o->off_cpu && o->config.has_clockid && o->config.clockid != CLOCK_MONOTONIC)
		return errbuf_set(eb, CMD_USAGE,
				  "record: --off-cpu takes its times from the clock monotonic: leave out -k, or give -k monotonic");
	if (switch_spec_is_on(&o->switching) && !strcmp(o->output, "-"))
		return errbuf_set(eb, CMD_USAGE, "record: --switch-output needs a file, not a pipe (-o -)");
	if (o->switch_max_files && !switch_spec_is_on(&o->switching))
		return errbuf_set(eb, CMD_USAGE, "record: --switch-max-files needs --switch-output");
	return 0;
}

static int run(struct record_args *a, int argc, char **argv, struct errbuf *eb)
{
	int err;

	if (output_is_stdout(a->o.output))
		a->o.output = "-";
	err = check_args(a, argc > 0, eb);
	if (err)
		return err;
	cmd_set_log_level(a->quiet, a->verbose);
	if (argc)
		temp_option_take_sdt(&a->temp, &a->events);
	err = record_parse_events(&a->o.events, &a->events, eb);
	if (!err)
		err = add_temp_probes(a, argc > 0 ? argv : NULL, eb);
	if (err)
		return err;
	a->o.workload = argc > 0 ? argv : NULL;
	a->o.config.switch_events |= a->latency;
	if (a->o.off_cpu) {
		/* Samples of both kinds are distinguished by ids, and ordered by one clock. */
		a->o.config.has_clockid = a->o.config.sample_identifier = a->o.config.sample_cpu = true;
		a->o.config.clockid = CLOCK_MONOTONIC;
	}
	if (a->o.python)
		err = set_python(a, eb);
	if (!err && a->runtimes)
		err = runtimes_prepare(a->o.workload, a->o.python, eb);
	if (a->dry_run || err)
		return err;
	cmd_check_cache();
	a->o.ask_jvms = !a->no_attach;
	return capture_run(&a->o, eb);
}

#define ACCEPTED_OPTIONS(a)                                                                                                                \
	OPT_GROUP("Accepted for perf's sake"), OPT_ACCEPTED('N', "no-buildid-cache", "Nothing to do: no cache of files is ever filled"),   \
		OPT_ACCEPTED(0, "buildid-all", "Nothing to do: all mapped files are listed"),                                              \
		OPT_ACCEPTED(0, "tail-synthesize", "Nothing to do: every file introduces its tasks at its beginning"),                     \
		OPT_ACCEPTED(0, "no-buffering", "Nothing to do: the file is never more than a fifth of a second behind"),                  \
		OPT_CALL_NO(0, "synth", take_nothing, a, "WHAT", "Nothing to do: all that samples may need is recorded"),                  \
		OPT_CALL_NO(0, "num-thread-synthesize", take_nothing, a, "N",                                                              \
			    "Nothing to do: one thread reads /proc while the rings are drained"),                                          \
		OPT_ACCEPTED(0, "timestamp-boundary", "Nothing to do: always recorded"),                                                   \
		OPT_ACCEPTED(0, "aio", "Nothing to do: a thread of its own drains the rings"),                                             \
		OPT_ACCEPTED(0, "threads", "Nothing to do: one thread drains faster than rings fill"),                                     \
		OPT_CALL_NO(0, "affinity", take_nothing, a, "MODE", "Nothing to do: the drain copies nothing that would profit"),          \
		OPT_CALL_NO(0, "mmap-flush", take_nothing, a, "SIZE",                                                                      \
			    "Nothing to do: rings are emptied when half full, or five times a second")

#define CHAIN_OPTIONS(a)                                                                                                                      \
	OPT_GROUP("Call chains"),                                                                                                             \
		OPT_CALL_NONE('g', NULL, cmd_option_callgraph, &(a)->o,                                                                       \
			      "Record call chains by frame pointers, as perf (whole only where all code keeps them)"),                        \
		OPT_CALL_NO(                                                                                                                  \
			0, "call-graph", cmd_option_callgraph, &(a)->o, "MODE",                                                               \
			"Record call chains: fp[,FRAMES] (frame pointers), dwarf[,SIZE][,keep] (unwound while recording; keep: stored raw), " \
			"lbr (branch unit)",                                                                                                  \
			.complete = "fp|dwarf|lbr|no"),                                                                                       \
		OPT_BOOL(0, "user-callchains", &(a)->o.config.user_callchains, "Chains of user space only"),                                  \
		OPT_BOOL(0, "kernel-callchains", &(a)->o.config.kernel_callchains, "Chains of the kernel only")

#define SAMPLE_OPTIONS(a)                                                                                                                  \
	OPT_GROUP("What a sample carries"), OPT_BOOL('d', "data", &(a)->o.config.address, "Data addresses, and maps of data"),             \
		OPT_BOOL(0, "phys-data", &(a)->o.config.phys_address, "Physical data addresses"),                                          \
		OPT_BOOL(0, "data-page-size", &(a)->o.config.data_page_size, "Page size of data addresses"),                               \
		OPT_BOOL(0, "code-page-size", &(a)->o.config.code_page_size, "Page size of code addresses"),                               \
		OPT_BOOL('T', "timestamp", &(a)->o.config.timestamp, "Time of samples (the default)",                                      \
			 .is_set = &(a)->o.config.timestamp_given),                                                                        \
		OPT_BOOL('P', "period", &(a)->o.config.sample_period, "Period of samples (the default with -F)",                           \
			 .is_set = &(a)->o.config.sample_period_given),                                                                    \
		OPT_BOOL('R', "raw-samples", &(a)->o.config.raw, "Raw data (the default for tracepoints)"),                                \
		OPT_BOOL('W', "weight", &(a)->o.config.weight, "Weight (latency), where the event has one"),                               \
		OPT_BOOL(0, "transaction", &(a)->o.config.transaction, "Flags of hardware transactions"),                                  \
		OPT_BOOL(0, "sample-cpu", &(a)->o.config.sample_cpu, "CPU of samples (the default with -a and -C)"),                       \
		OPT_BOOL(0, "sample-identifier", &(a)->o.config.sample_identifier, "Event id in a fixed place"),                           \
		OPT_CALL_NO('k', "clockid", take_clock, a, "CLOCK",                                                                        \
			    "Clock of all times: monotonic, monotonic_raw, boottime, realtime, tai",                                       \
			    .complete = "monotonic|monotonic_raw|boottime|realtime|tai")

#define RECORDED_OPTIONS(a)                                                                                                                \
	OPT_GROUP("What else is recorded"), OPT_BOOL('s', "stat", &(a)->o.config.stat, "Event counts of every thread, when it ends"),      \
		OPT_BOOL(0, "running-time", &(a)->o.config.running_time, "Times with the counts that are read"),                           \
		OPT_BOOL(0, "runtimes", &(a)->runtimes,                                                                                    \
			 "Have Node, Python, Java, .NET and Julia in the command describe their code (sets environment variables)"),       \
		OPT_BOOL(0, "switch-events", &(a)->o.config.switch_events, "Context switches"),                                            \
		OPT_BOOL(0, "latency", &(a)->latency, "Context switches of one program, for 'assay report --latency'"),                    \
		OPT_BOOL(0, "off-cpu", &(a)->o.off_cpu,                                                                                    \
			 "Times that tasks are off their CPU, with stacks, as the event offcpu-time (BPF)"),                               \
		OPT_U64(0, "off-cpu-thresh", &(a)->o.off_cpu_thresh_ms, 0, UINT32_MAX, "MS",                                               \
			"With --off-cpu: a sample for each time of at least MS; shorter ones are summed up by stack (default: 500)",       \
			.is_set = &(a)->thresh_given),                                                                                     \
		OPT_CALL_OPT(                                                                                                              \
			0, "python", take_python, a, "HOW",                                                                                \
			"Functions of CPython 3.8 to 3.13: mixed (with native frames, the default), only (no native callers), off (BPF)",  \
			.complete = "mixed|only|off"),                                                                                     \
		OPT_BOOL(0, "namespaces", &(a)->o.config.namespaces, "Namespaces of tasks"),                                               \
		OPT_BOOL(0, "all-cgroups", &(a)->o.config.cgroups, "Cgroups, and the cgroup of every sample"),                             \
		OPT_BOOL(0, "buildid-mmap", &(a)->o.config.build_id_mmap,                                                                  \
			 "Build-ids in the records of maps (the default; --no-buildid-mmap: inodes)"),                                     \
		OPT_BOOL(0, "no-bpf-event", &(a)->o.config.no_bpf_event, "No records about BPF programs"),                                 \
		OPT_BOOL('S', "snapshot", &(a)->snapshot, "Snapshots of an AUX area (no event here has one: an error)")

#define OUTPUT_OPTIONS(a)                                                                                                                  \
	OPT_GROUP("Output"),                                                                                                               \
		OPT_STRING('o', "output", &(a)->o.output, "FILE|-", "Output file, or - for a pipe (default: perf.data)",                   \
			   .complete = "file"),                                                                                            \
		OPT_CALL_NO('m', "mmap-pages", record_option_pages, &(a)->o, "PAGES|SIZE",                                                 \
			    "Size of each CPU's ring: pages, or 512K, 4M (default: 512K; with stacks more)"),                              \
		OPT_CALL_OPT('z', "compression-level", take_compression, a, "LEVEL", "Compress with zstd (default level: 1)"),             \
		OPT_BOOL(0, "timestamp-filename", &(a)->o.timestamp_filename, "Append the time to the file's name"),                       \
		OPT_CALL_OPT(0, "switch-output", take_switch, a, "signal|SIZE|TIME",                                                       \
			     "Begin a new file at SIGUSR2 (default), at a size (10M) or after a time (30s)"),                              \
		OPT_U64(0, "switch-max-files", &(a)->o.switch_max_files, 0, UINT32_MAX, "N",                                               \
			"Keep only the newest N files of --switch-output"),                                                                \
		OPT_CALL_NO(0, "max-size", take_max_size, a, "SIZE", "Stop recording when the file has this size (10M)"),                  \
		OPT_U64('r', "realtime", &(a)->o.realtime, 1, 99, "PRIORITY", "Drain the rings with this SCHED_FIFO priority"),            \
		OPT_U64(0, "proc-map-timeout", &(a)->o.map_timeout_ms, 1, UINT32_MAX, "MSECS",                                             \
			"Time to read the maps of a running process (default: 500)"),                                                      \
		OPT_BOOL('B', "no-buildid", &(a)->o.no_build_ids, "Do not save build-ids"),                                                \
		OPT_BOOL(0, "no-attach", &(a)->no_attach, "Do not ask Java virtual machines for the names of compiled code"),              \
		OPT_BOOL('q', "quiet", &(a)->quiet, "No messages but errors"), OPT_COUNT('v', "verbose", &(a)->verbose, "Say more"),       \
		OPT_BOOL(0, "dry-run", &(a)->dry_run, "Check the command line and end")

int cmd_record(int argc, char **argv, struct errbuf *eb)
{
	struct record_args a = { 0 };
	const struct option table[] = {
		OPT_GROUP("Target (default: the command, or all CPUs)"),
		CMD_TARGET_OPTIONS(&a.o, 't'),
		OPT_STRING('u', "uid", &a.o.user, "USER", "The processes of a user (name or number)"),
		OPT_BOOL('i', "no-inherit", &a.o.config.no_inherit, "Do not follow threads and processes that the target starts",
			 .is_set = &a.o.inherit_given),
		OPT_CALL_NO('D', "delay", take_delay, &a, "MSECS",
			    "Wait before recording; -1: record no samples; A-B,C-D: only in these ranges"),
		OPT_GROUP("What to sample, and how often"),
		OPT_CALL_NO('e', "event", cmd_option_events, &a.events, "EVENT[,…]", "Events (default: cycles, or cpu-clock without a PMU)",
			    .complete = "event"),
		OPT_CALL_NO(0, "filter", cmd_option_events, &a.events, "FILTER",
			    "Only tracepoints of the -e before it whose fields match (prev_pid == 0)"),
		OPT_CALL_NONE(0, "exclude-perf", take_exclude_self, &a, "Not what assay itself does (tracepoints of the last -e)"),
		OPT_CALL_NO('G', "cgroup", cmd_option_events, &a.events, "NAME[,…]",
			    "Only tasks of this cgroup, for the events before it (with -a)"),
		TEMP_OPTION(&a.temp),
		OPT_CALL_NO('F', "freq", record_option_freq, &a.o, "HZ|max", "Samples per second (default: 4000)"),
		OPT_BOOL(0, "strict-freq", &a.o.strict_freq, "Fail where the kernel does not allow the rate, instead of lowering it"),
		OPT_U64('c', "count", &a.o.config.period, 1, INT64_MAX, "N", "One sample every N events"),
		OPT_BOOL('n', "no-samples", &a.o.config.no_samples, "Count and track, but take no samples"),
		OPT_BOOL(0, "all-user", &a.o.config.all_user, "Only what happens in user space"),
		OPT_BOOL(0, "all-kernel", &a.o.config.all_kernel, "Only what happens in the kernel"),
		CHAIN_OPTIONS(&a),
		SAMPLE_OPTIONS(&a),
		RECORDED_OPTIONS(&a),
		OUTPUT_OPTIONS(&a),
		ACCEPTED_OPTIONS(&a),
		OPT_END,
	};
	const struct options opts = {
		.command = "record",
		.absent = perf_record_absent,
		.usage = "assay record [OPTIONS] [--] COMMAND [ARG…]\n"
			 "assay record [OPTIONS] -a|-C LIST|-p PID|-t TID|-u USER [-- COMMAND [ARG…]]",
		.summary = "Sample a command, running processes or the whole system into perf.data",
		.examples = "assay record --call-graph dwarf -- ./app           a command, with whole stacks\n"
			    "assay record --call-graph dwarf -p 1234            a running process, until Ctrl-C\n"
			    "assay record --call-graph dwarf -a -- sleep 10     the whole system for ten seconds\n",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	capture_options_init(&a.o);
	a.o.off_cpu_thresh_ms = 500;
	capture_options_set_cmdline(&a.o, NULL, argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret)
		ret = run(&a, argc, argv, eb);
	vec_fini(&a.events.v);
	temp_option_fini(&a.temp);
	capture_options_fini(&a.o);
	return ret;
}
