/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay sched: what the scheduler did: who ran where, who waited for a CPU, and how long.
 */
#include "cmd/sched.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "bpf/loader.h"
#include "capture/capture.h"
#include "cmd/cmd.h"
#include "cmd/perf_compat.h"
#include "kernel/ring.h"
#include "model/timeline_records.h"
#include "view/sched_text.h"

/* ---- reading ---- */

void sched_view_init(struct sched_view *v)
{
	*v = (struct sched_view){ 0 };
	input_init(&v->in);
	v->in.recorder = INPUT_RECORDER_SCHED;
}

void sched_view_fini(struct sched_view *v)
{
	timeline_fini(&v->t);
	sched_events_fini(&v->events);
	input_fini(&v->in);
}

static int add_sample(struct sched_view *v, const struct session_record *sr, struct errbuf *eb)
{
	struct timeline_step step;
	struct sched_event e;
	int ret = timeline_read(&v->t, &v->events, sr, &e, eb);

	if (!ret && v->see_other && sched_events_kind(&v->events, sr->event) == SCHED_NONE)
		v->see_other(v->ctx, sr);
	if (ret <= 0)
		return ret;
	if (e.kind == SCHED_SWITCH && !e.def->has_cpu)
		return errbuf_set(eb, -ENODATA, "%s does not say on which CPU a switch was; 'assay sched record' records that",
				  input_name(&v->in));
	if (timeline_add(&v->t, &e, &step) && v->see)
		v->see(v->ctx, sr, &e, &step);
	return 0;
}

static int add_all(struct sched_view *v, struct errbuf *eb)
{
	struct session_record sr;
	int ret, err;

	while ((ret = input_next_recorded(&v->in, &sr, eb)) > 0) {
		timeline_take_record(&v->t, &v->in.session->recording, &sr);
		switch (sr.header->type) {
		case RECORD_SAMPLE:
			err = add_sample(v, &sr, eb);
			if (!err)
				err = v->o.error;
			if (err)
				return err;
			break;
		case RECORD_LOST:
			if (v->see_lost)
				v->see_lost(v->ctx, &sr);
			break;
		case RECORD_COMM:
			if (v->see_name && sr.task)
				v->see_name(v->ctx, &sr);
			break;
		default:
			break;
		}
	}
	return ret;
}

static const char other_numbers[] =
	"events of the scheduler have the numbers that tasks have outside of it, all other records those inside";

void sched_say_renumbered(const struct sched_events *e)
{
	if (e->nr_renumbered)
		log_warn(
			"it was recorded in a PID namespace (a container): %s, so that processes, and what they are mapped to, may be those "
			"of other tasks; record outside of the container",
			other_numbers);
}

void sched_say_cpus(struct sched_events *e, const struct timeline *t)
{
	uint32_t nr = sched_events_cpus(e);

	/* Events of tasks alone may have one number for all CPUs. */
	if (nr && t->nr_cpus <= nr)
		log_warn("the recording has %u of %u CPUs: what tasks did on the others is not known, and may be counted as waiting", nr,
			 e->recording->info->nrcpus_online);
}

void sched_say_sampled(struct sched_events *e)
{
	const char *event = sched_events_sampled(e);

	if (event)
		log_warn("%s was sampled, so that most switches are missing; record all of them: -e %s/period=1/", event, event);
}

void sched_say_namespace(void)
{
	if (bpf_pid_namespace())
		log_warn("this is a PID namespace (a container): %s; record outside of it to have processes right", other_numbers);
}

static void say_what_is_missing(struct sched_view *v)
{
	const struct timeline *t = &v->t;

	sched_say_renumbered(&v->events);
	sched_say_cpus(&v->events, t);
	sched_say_sampled(&v->events);
	if (v->needs_wakes && !sched_events_has(&v->events, SCHED_WAKING) && !sched_events_has(&v->events, SCHED_WAKEUP))
		log_warn("the recording has no wakes (sched:sched_waking): how long tasks waited for a CPU after one is not known");
	if (t->nr_gaps)
		log_warn("%llu of %llu switches do not follow the one before on their CPU: switches are missing, and figures that "
			 "depend on them are marked",
			 (unsigned long long)t->nr_gaps, (unsigned long long)t->nr_switches);
	if (t->nr_bad_cpus)
		log_warn("%llu events on CPUs from %u on were left out", (unsigned long long)t->nr_bad_cpus, TIMELINE_MAX_CPUS);
	if (v->events.nr_malformed)
		log_warn("%llu events do not hold the fields of their format and were left out",
			 (unsigned long long)v->events.nr_malformed);
}

/* Half of the events are run times, which only latency needs. */
static bool wants_samples(void *ctx, int32_t event)
{
	struct sched_view *v = ctx;
	enum sched_kind kind = sched_events_kind(&v->events, event);

	if (kind == SCHED_NONE && v->wants_other)
		return v->wants_other(v->ctx, event);
	return kind != SCHED_NONE && (kind != SCHED_RUNTIME || v->needs_runtimes);
}

static int read_recording(struct sched_view *v, struct errbuf *eb)
{
	struct session *s = v->in.session;
	int err, flush_err;

	v->events.recording = &s->recording;
	timeline_init(&v->t, &s->machine);
	s->options.wants_samples = wants_samples;
	s->options.wants_samples_ctx = v;
	s->options.plain_samples = true;
	out_init(&v->o, STDOUT_FILENO);
	out_page(&v->o);
	out_write_behind(&v->o);
	err = v->begin ? v->begin(v->ctx, eb) : 0;
	input_limit_output(&v->in, &v->o, v->prints_stacks);
	if (!err)
		err = add_all(v, eb);
	if (!err && !v->t.nr_switches && !v->takes_any)
		err = input_damage(&v->in, eb);
	if (!err && !v->t.nr_switches && !v->takes_any)
		err = errbuf_set(eb, -ENODATA, "%s has no events sched:sched_switch; 'assay sched record' records them",
				 input_name(&v->in));
	if (!err) {
		timeline_finish(&v->t);
		v->in.checks_passed = true;
		err = v->end(v->ctx, eb);
	}
	flush_err = out_fini(&v->o);
	if (!err && !flush_err && !v->in.quiet)
		say_what_is_missing(v);
	return input_limit_error(&v->in, err ? err : flush_err, eb);
}

int sched_view_run(struct sched_view *v, const char *command, int argc, char **argv, struct errbuf *eb)
{
	int err = input_take_file(&v->in.path, command, argc, argv, eb);

	if (err)
		return err;
	cmd_set_log_level(v->in.quiet, v->in.verbose);
	err = input_open(&v->in, false, eb);
	if (err)
		return err;
	progress_init(&v->in.progress, "reading", v->in.session->source->total_bytes);
	err = read_recording(v, eb);
	progress_fini(&v->in.progress);
	if (!err)
		err = input_finish(&v->in, eb);
	return err;
}

/* ---- record ---- */

/* perf's list; those of the statistics are there in kernels that were built with them. */
static const struct {
	const char *event;
	bool is_optional;
} recorded_events[] = {
	{ "sched:sched_switch", false },     { "sched:sched_stat_wait", true },	   { "sched:sched_stat_sleep", true },
	{ "sched:sched_stat_iowait", true }, { "sched:sched_stat_runtime", true }, { "sched:sched_process_fork", true },
	{ "sched:sched_wakeup_new", false }, { "sched:sched_migrate_task", true },
};

#define RING_PAGES 1024 /* as perf sched record */

static int add_events(struct capture_options *o, struct errbuf *eb)
{
	struct errbuf ignored;
	int err = 0;

	o->config.period = 1;
	o->config.sample_cpu = true;
	for (size_t i = 0; !err && i < sizeof(recorded_events) / sizeof(recorded_events[0]); i++) {
		errbuf_clear(&ignored);
		err = event_list_parse(&o->events, recorded_events[i].event, recorded_events[i].is_optional ? &ignored : eb);
		if (recorded_events[i].is_optional)
			err = 0;
	}
	/* Kernels before 4.3 have no sched_waking. */
	errbuf_clear(&ignored);
	if (!err && event_list_parse(&o->events, "sched:sched_waking", &ignored))
		err = event_list_parse(&o->events, "sched:sched_wakeup", eb);
	return err;
}

static int take_pages(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct capture_options *o = ctx;

	(void)opt, (void)negated;
	return ring_parse_pages(arg, &o->ring_pages, eb);
}

static int sched_record(int argc, char **argv, struct errbuf *eb)
{
	struct capture_options o;
	bool quiet = false;
	int verbose = 0, ret;
	const struct option table[] = {
		OPT_ACCEPTED('a', "all-cpus", "Nothing to do: all CPUs are recorded"),
		OPT_CALL('C', "cpu", cmd_option_cpus, &o.cpus, "LIST", "Only these CPUs (0-3,7)"),
		OPT_CALL_NONE('g', NULL, cmd_option_callgraph, &o, "Record call chains by frame pointers, for timehist"),
		OPT_CALL(0, "call-graph", cmd_option_callgraph, &o, "MODE", "Record call chains: fp, dwarf or lbr",
			 .complete = "fp|dwarf|lbr|no"),
		OPT_CALL('m', "mmap-pages", take_pages, &o, "PAGES|SIZE", "Size of each CPU's ring: pages, or 512K, 4M (default: 4M)"),
		OPT_STRING('o', "output", &o.output, "FILE|-", "Output file, or - for a pipe (default: perf.data)", .complete = "file"),
		OPT_BOOL('q', "quiet", &quiet, "No messages but errors"),
		OPT_COUNT('v', "verbose", &verbose, "Say more"),
		OPT_END,
	};
	const struct options opts = {
		.command = "sched record",
		.absent = perf_sched_record_absent,
		.usage = "assay sched record [OPTIONS] [--] [COMMAND [ARG…]]",
		.summary = "Record what the scheduler does on all CPUs, while a command runs or until Ctrl-C",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};

	capture_options_init(&o);
	capture_options_set_cmdline(&o, "sched", argc, argv);
	o.ring_pages = RING_PAGES;
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret) {
		cmd_set_log_level(quiet, verbose);
		o.workload = argc ? argv : NULL;
		o.all_cpus = !o.cpus;
		ret = add_events(&o, eb);
	}
	if (!ret)
		sched_say_namespace();
	ret = ret ? ret : capture_run(&o, eb);
	capture_options_fini(&o);
	return ret;
}

/* ---- latency ---- */

struct latency_command {
	struct sched_view view;
	struct sched_latency latency;
};

static int take_cpus(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)negated;
	return filter_add_cpus(ctx, opt->long_name, arg, eb);
}

static int begin_latency(void *ctx, struct errbuf *eb)
{
	struct latency_command *c = ctx;

	(void)eb;
	c->view.t.counted_cpus = c->view.in.filter.cpus.v;
	c->view.t.nr_counted_cpus = c->view.in.filter.cpus.nr;
	return 0;
}

static int end_latency(void *ctx, struct errbuf *eb)
{
	struct latency_command *c = ctx;

	(void)eb;
	for (uint32_t i = 0; i < c->view.t.tracks.nr; i++)
		c->view.in.nr_passed += c->view.t.tracks.v[i].delays.nr;
	/* input_finish() says that nothing passes. */
	if (c->view.in.nr_passed || !filter_is_set(&c->view.in.filter))
		sched_latency_print(&c->latency, &c->view.o, &c->view.t, recording_lost(&c->view.in.session->recording));
	return 0;
}

static int sched_latency(int argc, char **argv, struct errbuf *eb)
{
	struct latency_command c = { .latency = { .keys = { SCHED_BY_AVERAGE, SCHED_BY_MAX, SCHED_BY_COUNT, SCHED_BY_RUNTIME },
						  .nr_keys = 4 } };
	const char *keys = NULL;
	const struct option table[] = {
		SCHED_INPUT_OPTIONS(&c.view),
		OPT_STRING('s', "sort", &keys, "KEY[,…]", "Sort by runtime, switch, avg, max or pid (default: avg,max,switch,runtime)",
			   .complete = "runtime|switch|avg|max|pid"),
		OPT_BOOL('p', "pids", &c.latency.by_task, "A row for each task (default: for each name)"),
		OPT_CALL('C', "CPU", take_cpus, &c.view.in.filter, "LIST", "Only waits that ended on these CPUs, and runs there"),
		OPT_END,
	};
	const struct options opts = {
		.command = "sched latency",
		.absent = perf_sched_absent,
		.usage = "assay sched latency [OPTIONS] [FILE]",
		.summary = "Show how long tasks waited for a CPU after they were woken or preempted",
		.table = table,
	};
	int ret;

	sched_view_init(&c.view);
	c.view.begin = begin_latency;
	c.view.end = end_latency;
	c.view.needs_runtimes = true;
	c.view.ctx = &c;
	c.view.needs_wakes = true;
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret && keys && sched_latency_set_keys(&c.latency, keys, eb))
		ret = CMD_USAGE;
	if (!ret)
		ret = sched_view_run(&c.view, "sched latency", argc, argv, eb);
	sched_view_fini(&c.view);
	return ret;
}

/* ---- map ---- */

struct map_command {
	struct sched_view view;
	struct sched_map map;
};

static int begin_map(void *ctx, struct errbuf *eb)
{
	struct map_command *c = ctx;

	(void)eb;
	c->map.o = &c->view.o;
	c->map.t = &c->view.t;
	c->map.has_colours = out_is_colourful(STDOUT_FILENO);
	return 0;
}

static void see_map(void *ctx, const struct session_record *sr, const struct sched_event *e, const struct timeline_step *step)
{
	struct map_command *c = ctx;

	(void)sr;
	if (e->kind == SCHED_SWITCH)
		sched_map_add(&c->map, e, step);
}

static int end_map(void *ctx, struct errbuf *eb)
{
	struct map_command *c = ctx;

	if (c->map.nr_lines)
		return 0;
	return errbuf_set(eb, -ENODATA, "no switch of %s passes%s%s", input_name(&c->view.in), c->map.task_names.nr ? " --task-name" : "",
			  c->map.cpus.cpus.nr ? " --cpus" : "");
}

static void see_map_name(void *ctx, const struct session_record *sr)
{
	struct map_command *c = ctx;

	sched_map_rename(&c->map, sr->task);
}

static void see_map_lost(void *ctx, const struct session_record *sr)
{
	struct map_command *c = ctx;

	sched_map_lose(&c->map, timeline_cpu_of_loss(&c->view.in.session->recording, sr));
}

static int take_pids(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)negated;
	return filter_add_ids(ctx, false, "--color-pids", arg, eb);
}

static int take_names(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	(void)opt, (void)negated, (void)eb;
	filter_add_names(ctx, arg);
	return 0;
}

static int sched_map(int argc, char **argv, struct errbuf *eb)
{
	struct map_command c = { 0 };
	const struct option table[] = {
		SCHED_INPUT_OPTIONS(&c.view),
		OPT_BOOL(0, "compact", &c.map.is_compact, "Columns only for CPUs that appear, in the order in which they do"),
		OPT_CALL(0, "cpus", take_cpus, &c.map.cpus, "LIST", "Only lines of these CPUs"),
		OPT_CALL(0, "task-name", take_names, &c.map.task_names, "NAME[,…]", "Only lines of tasks of these names"),
		OPT_BOOL(0, "fuzzy-name", &c.map.is_fuzzy, "Names of --task-name may be parts of names"),
		OPT_CALL(0, "color-pids", take_pids, &c.map.colours, "PID[,…]", "Colour these tasks, on a terminal"),
		OPT_CALL(0, "color-cpus", take_cpus, &c.map.colours, "LIST", "Colour these CPUs, on a terminal"),
		OPT_END,
	};
	const struct options opts = {
		.command = "sched map",
		.absent = perf_sched_absent,
		.usage = "assay sched map [OPTIONS] [FILE]",
		.summary = "Show what ran on each CPU, a line for each switch",
		.table = table,
	};
	int ret;

	sched_view_init(&c.view);
	c.view.begin = begin_map;
	c.view.see = see_map;
	c.view.end = end_map;
	c.view.see_name = see_map_name;
	c.view.see_lost = see_map_lost;
	c.view.ctx = &c;
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret && c.map.is_fuzzy && !c.map.task_names.nr)
		ret = errbuf_set(eb, CMD_USAGE, "sched map: --fuzzy-name says how --task-name is compared: give that, too");
	if (!ret)
		ret = sched_view_run(&c.view, "sched map", argc, argv, eb);
	sched_map_fini(&c.map);
	sched_view_fini(&c.view);
	return ret;
}

/* ---- summary, script ---- */

struct summary_command {
	struct sched_view view;
	bool json, csv;
};

static int end_summary(void *ctx, struct errbuf *eb)
{
	struct summary_command *c = ctx;

	(void)eb;
	sched_summary_print(&c->view.o, &c->view.t, c->json ? SCHED_JSON : c->csv ? SCHED_CSV : SCHED_TEXT);
	return 0;
}

int sched_summary(int argc, char **argv, struct errbuf *eb)
{
	struct summary_command c = { 0 };
	const struct option table[] = {
		SCHED_INPUT_OPTIONS(&c.view),
		OPT_BOOL('j', "json", &c.json, "Print JSON"),
		OPT_BOOL(0, "csv", &c.csv, "Print CSV"),
		OPT_END,
	};
	const struct options opts = {
		.command = "sched summary",
		.absent = perf_sched_absent,
		.usage = "assay sched summary [OPTIONS] [FILE]",
		.summary = "Show how long each task ran, could have run and was blocked for what",
		.table = table,
	};
	int ret;

	sched_view_init(&c.view);
	c.view.end = end_summary;
	c.view.ctx = &c;
	c.view.needs_wakes = true;
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret && c.json && c.csv)
		ret = errbuf_set(eb, CMD_USAGE, "sched summary: --json and --csv exclude each other");
	if (!ret)
		ret = sched_view_run(&c.view, "sched summary", argc, argv, eb);
	sched_view_fini(&c.view);
	return ret;
}

static int sched_script(int argc, char **argv, struct errbuf *eb)
{
	return cmd_script(argc, argv, eb);
}

const struct cmd sched_commands[] = {
	{ "record", sched_record, "Record what the scheduler does", "command", NULL },
	{ "latency", sched_latency, "Show how long tasks waited for a CPU", "file", NULL },
	{ "lat", sched_latency, "The same as latency", "file", NULL },
	{ "timehist", sched_timehist, "Show each run of each task, with what it waited for", "file", NULL },
	{ "map", sched_map, "Show what ran on each CPU", "file", NULL },
	{ "replay", sched_replay, "Repeat what tasks did, and measure it", "file", NULL },
	{ "summary", sched_summary, "Show how long tasks ran, could have run and were blocked", "file", NULL },
	{ "stats", sched_stats, "Show how far counters of the scheduler moved", "record|report|diff", NULL },
	{ "script", sched_script, "Print the events, as assay script does", "file", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};
