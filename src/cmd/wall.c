/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay wall: where the elapsed time of each thread went: running, waiting for a CPU, or blocked, and on what. Of a command, of running
 * processes, or of a recording.
 */
#include "cmd/wall.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "bpf/loader.h"
#include "capture/jvm_maps.h"
#include "cmd/cmd.h"
#include "cmd/live_reader.h"

#define RING_PAGES 1024 /* as sched record */
#define SAMPLE_HZ 997	/* no multiple of what programs are paced by */
#define MAX_STACKS 3
#define MAX_FRAMES 8

void wall_command_init(struct wall_command *c, const char *group, int argc, char **argv)
{
	*c = (struct wall_command){ .freq = SAMPLE_HZ, .uses_bpf = true, .max_stacks = MAX_STACKS, .max_frames = MAX_FRAMES };
	input_init(&c->in);
	c->in.recorder = "assay wall record -- COMMAND";
	capture_options_init(&c->o);
	capture_options_set_cmdline(&c->o, group, argc, argv);
	c->o.ring_pages = RING_PAGES;
	c->o.config.callgraph = CALLGRAPH_FP;
}

void wall_command_fini(struct wall_command *c)
{
	capture_options_fini(&c->o);
	input_fini(&c->in);
}

bool wall_has_target(const struct wall_command *c)
{
	return c->o.workload || c->o.all_cpus || c->o.pids || c->o.tids;
}

/* ---- record ---- */

/* A BPF program says what threads do; only the clock is an event. */
static int add_program(struct wall_command *c, struct errbuf *eb)
{
	struct capture_options *o = &c->o;

	o->off_cpu = o->explains_waits = true;
	o->config.has_clockid = o->config.sample_identifier = true;
	o->config.clockid = CLOCK_MONOTONIC;
	return event_list_parse(&o->events, "cpu-clock", eb);
}

/* Whether what others than the threads do is recorded, too, and picked out later. */
static bool is_by_tracepoints(struct wall_command *c)
{
	struct errbuf why = { 0 };

	if (c->uses_bpf && bpf_check(&why)) {
		log_warn("%s: threads are recorded by tracepoints of all CPUs instead", why.text);
		c->uses_bpf = false;
	}
	return !c->uses_bpf;
}

int wall_add_events(struct wall_command *c, struct errbuf *eb)
{
	static const char *const events[] = { "sched:sched_switch", "sched:sched_waking/call-graph=no/",
					      "sched:sched_wakeup_new/call-graph=no/", "cpu-clock" };
	int err = 0;

	c->o.config.sample_cpu = true;
	c->o.config.freq = c->freq;
	if (!is_by_tracepoints(c))
		return add_program(c, eb);
	if (bpf_pid_namespace() && !c->o.all_cpus)
		return errbuf_set(
			eb, -ENOTSUP,
			"tracepoints of the scheduler know tasks by the numbers of the first PID namespace, and this is another one "
			"(a container): run it outside; with BPF (--bpf) it can be run inside, too");
	for (size_t i = 0; !err && i < sizeof(events) / sizeof(events[0]); i++)
		err = event_list_parse(&c->o.events, events[i], eb);
	c->wants_all = c->o.all_cpus;
	c->o.all_cpus = true;
	c->o.pids = c->o.tids = NULL;
	/* Of a command, its descendants are shown. */
	c->recorder_pid = c->o.workload && !c->wants_all ? getpid() : 0;
	return err;
}

/* Where all CPUs are recorded because there is no BPF, virtual machines of others are left alone. */
static int prepare(struct wall_command *c, struct errbuf *eb)
{
	int err = wall_add_events(c, eb);

	c->o.ask_jvms = !c->no_attach && (c->uses_bpf || c->wants_all);
	return err;
}

static int record(struct wall_command *c, struct errbuf *eb)
{
	int err = prepare(c, eb);

	return err ? err : capture_run(&c->o, eb);
}

static int wall_record(int argc, char **argv, struct errbuf *eb)
{
	struct wall_command c;
	const struct option table[] = {
		OPT_GROUP("Target"),
		WALL_TARGET_OPTIONS(&c),
		OPT_GROUP("What to record, and output"),
		WALL_RECORD_OPTIONS(&c),
		WALL_ATTACH_OPTION(&c),
		OPT_STRING('o', "output", &c.o.output, "FILE|-", "Output file, or - for a pipe (default: perf.data)", .complete = "file"),
		OPT_BOOL('q', "quiet", &c.in.quiet, "No messages but errors"),
		OPT_COUNT('v', "verbose", &c.in.verbose, "Say more"),
		OPT_END,
	};
	const struct options opts = {
		.command = "wall record",
		.usage = "assay wall record [OPTIONS] [--] COMMAND [ARG…]\n"
			 "assay wall record [OPTIONS] -a|-p PID|-t TID [-- COMMAND [ARG…]]",
		.summary = "Record what threads do and wait for into perf.data, for assay wall -i",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	wall_command_init(&c, "wall", argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret) {
		cmd_set_log_level(c.in.quiet, c.in.verbose);
		c.o.workload = argc ? argv : NULL;
		ret = record(&c, eb);
	}
	wall_command_fini(&c);
	return ret;
}

/* ---- show ---- */

static int read_live(void *ctx, struct session *s, struct errbuf *eb)
{
	struct wall_command *c = ctx;
	struct profile *p = mem_alloc(sizeof(*p));
	int err;

	profile_init(p, &s->machine, &s->recording);
	err = wall_read(c, s, p, eb);
	cmd_warn_lost(recording_lost(&s->recording));
	profile_fini(p);
	free(p);
	return err;
}

static int run_file(struct wall_command *c, struct errbuf *eb)
{
	struct input *in = &c->in;
	int err = input_open(in, false, eb);

	if (err)
		return err;
	c->is_file = true;
	progress_init(&in->progress, "reading", in->session->source->total_bytes);
	err = wall_read(c, in->session, in->profile, eb);
	progress_fini(&in->progress);
	if (!err)
		err = input_finish(in, eb);
	return err;
}

/* Into a file that is kept, or through a pipe. Returns the command's status. */
static int run_live(struct wall_command *c, struct errbuf *eb)
{
	const struct session_options options = { .symbols = c->in.symbols };
	int ret = prepare(c, eb), err;

	if (ret)
		return ret;
	if (!c->kept_path) {
		struct jvm_maps *jvms = NULL;

		c->o.kept_jvms = &jvms;
		ret = live_reader_run(&c->o, &options, read_live, c, eb);
		jvm_maps_remove(jvms);
		jvm_maps_free(jvms);
		return ret;
	}
	c->o.output = c->in.path = c->kept_path;
	ret = capture_run(&c->o, eb);
	if (ret < 0)
		return ret;
	err = run_file(c, eb);
	return err ? err : ret;
}

int wall_set_filter(struct wall_command *c, struct errbuf *eb)
{
	int err = 0;

	if (c->o.pids)
		err = filter_add_ids(&c->in.filter, false, "-p", c->o.pids, eb);
	if (!err && c->o.tids)
		err = filter_add_ids(&c->in.filter, true, "-t", c->o.tids, eb);
	return err ? CMD_USAGE : 0;
}

static bool is_stdout(const char *path)
{
	return path && output_file_is_stdout(path);
}

/* -p and -t are what is recorded or, of a recording, what is shown. */
static int set_up(struct wall_command *c, struct errbuf *eb)
{
	if (c->in.path && (c->o.workload || c->o.all_cpus))
		return errbuf_set(eb, CMD_USAGE, "wall: -i reads a recording: no %s can be given beside it",
				  c->o.workload ? "command" : "-a");
	if (c->kept_path && (c->in.path || !wall_has_target(c)))
		return errbuf_set(eb, CMD_USAGE, "wall: -o is where a recording is kept: give a command, -a, -p or -t to record");
	if (c->kept_path && !strcmp(c->kept_path, "-"))
		return errbuf_set(eb, CMD_USAGE, "wall: -o needs a file; 'assay wall record -o -' writes to a pipe");
	if (c->json + is_stdout(c->flame_path) + is_stdout(c->chart_path) > 1)
		return errbuf_set(eb, CMD_USAGE, "wall: only one of --json, --flame - and --timechart - can write to standard output");
	return wall_set_filter(c, eb);
}

/* Seconds, with a fraction. */
static bool parse_seconds(const char *text, const char *end, uint64_t *ns)
{
	char word[32], *rest;
	double seconds;

	if (end == text || (size_t)(end - text) >= sizeof(word))
		return false;
	memcpy(word, text, (size_t)(end - text));
	word[end - text] = 0;
	seconds = strtod(word, &rest);
	if (*rest || !(seconds >= 0) || seconds > 1e9 || (word[0] != '.' && (word[0] < '0' || word[0] > '9')))
		return false;
	*ns = (uint64_t)(seconds * 1e9);
	return true;
}

static int take_path(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	const char *comma = strchr(arg, ',');
	struct wall_command *c = ctx;

	(void)opt, (void)negated;
	c->has_path = true;
	c->is_longest = !strcmp(arg, "longest");
	if (c->is_longest)
		return 0;
	if (!comma || !parse_seconds(arg, comma, &c->from_ns) || !parse_seconds(comma + 1, arg + strlen(arg), &c->to_ns) ||
	    c->from_ns >= c->to_ns)
		return errbuf_set(
			eb, -EINVAL,
			"--critical-path takes 'longest', or two times in seconds since the begin of the recording, as in 0.5,1.25; "
			"not '%s'",
			arg);
	return 0;
}

int wall_run(int argc, char **argv, struct errbuf *eb)
{
	struct wall_command c;
	const struct option table[] = {
		OPT_GROUP("Target (default: read perf.data)"),
		WALL_TARGET_OPTIONS(&c),
		OPT_STRING('i', "input", &c.in.path, "FILE", "Read a recording (- is stdin; default perf.data)", .complete = "file"),
		OPT_GROUP("What to record"),
		WALL_RECORD_OPTIONS(&c),
		WALL_ATTACH_OPTION(&c),
		OPT_STRING('o', "output", &c.kept_path, "FILE", "Keep the recording in FILE, for -i", .complete = "file"),
		OPT_GROUP("What to show"),
		OPT_CALL('c', "comms", input_option_filter, &c.in, "NAME,…", "Only threads of these names"),
		OPT_BOOL(0, "all", &c.shows_idle, "All threads: idle ones, and more than 50"),
		OPT_U64('n', "stacks", &c.max_stacks, 0, UINT32_MAX, "N", "Stacks of each class (default: 3)"),
		OPT_U64(0, "max-stack", &c.max_frames, 1, 1024, "N", "Functions of a stack (default: 8)"),
		OPT_CALL(0, "critical-path", take_path, &c, "FROM,TO|longest",
			 "What happened one after the other, across threads: in this time (seconds), or in the longest wait",
			 .complete = "longest"),
		OPT_BOOL('j', "json", &c.json, "Print JSON"),
		OPT_STRING(0, "flame", &c.flame_path, "FILE", "Draw a flame graph of all time, by class, into FILE", .complete = "file"),
		OPT_STRING(0, "timechart", &c.chart_path, "FILE", "Draw what threads did over time into FILE", .complete = "file"),
		OPT_COUNT('v', "verbose", &c.in.verbose, "Say more"),
		OPT_BOOL('q', "quiet", &c.in.quiet, "No warnings"),
		OPT_BOOL('f', "force", &c.in.force, "Read a file that another user owns"),
		OPT_GROUP("Symbols"),
		INPUT_SYMBOLS(&c.in),
		OPT_END,
	};
	const struct options opts = {
		.command = "wall",
		.usage = "assay wall [OPTIONS] [--] COMMAND [ARG…]\n"
			 "assay wall [OPTIONS] -a|-p PID|-t TID [-- COMMAND [ARG…]]\n"
			 "assay wall [OPTIONS] [-i FILE]",
		.summary = "Show where the elapsed time of each thread went: running, runnable, or blocked, and on what",
		.examples = "assay wall -- ./app              each thread of a program\n"
			    "assay wall --critical-path longest -- ./app   what its longest wait was for, up to the first cause\n"
			    "assay wall -p 1234               a running process, until Ctrl-C\n"
			    "assay wall -p 1234 -- sleep 10   the same, for ten seconds\n"
			    "assay wall record -- ./app       into perf.data, for assay wall -i perf.data\n",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	wall_command_init(&c, NULL, argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret) {
		cmd_set_log_level(c.in.quiet, c.in.verbose);
		c.o.workload = argc ? argv : NULL;
		ret = set_up(&c, eb);
	}
	if (!ret)
		ret = !c.in.path && wall_has_target(&c) ? run_live(&c, eb) : run_file(&c, eb);
	wall_command_fini(&c);
	return ret;
}

const struct cmd wall_commands[] = {
	{ "record", wall_record, "Record what threads do and wait for", "command", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};
