/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay stack`: the stacks of a running process or of a core file, with the switches of eu-stack; and many snapshots of a process,
 * folded.
 */
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/out.h"
#include "base/progress.h"
#include "base/stop.h"
#include "capture/live_stack.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "model/snapshot.h"
#include "session/thread_stack.h"
#include "view/stack.h"

#define DEFAULT_FRAMES 256
#define UNLIMITED_FRAMES 1000000

struct stack_options {
	uint64_t pid, tid, max_frames, nr_samples, interval_ms;
	const char *core, *executable;
	struct input in; /* for its symbols */
	bool one, activation, build_id, debug_name, inlines, list_modules, module, source, quiet, raw, verbose;
	bool plain, state, kernel, folded, per_thread, json;
	bool inlines_set, source_set, samples_set, interval_set, state_set;
};

/* What was seen, and where from. */
struct stack_run {
	const struct stack_options *o;
	struct snapshot snapshot;
	struct machine *machine;
	const struct task *task;
	int32_t pid;
	uint32_t nr_rounds;
	struct live_stack_cost cost;
};

static void sleep_until(uint64_t when_ns)
{
	struct timespec ts = { (time_t)(when_ns / 1000000000u), (long)(when_ns % 1000000000u) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

/* Snapshots at their times; what is late is not made up for. */
static int take_samples(struct stack_run *r, struct live_stack *ls, struct errbuf *eb)
{
	const struct thread_stack_sink sink = { snapshot_add, &r->snapshot };
	uint64_t next = clock_now_ns(), step = r->o->interval_ms * 1000000u;
	struct progress progress;
	int got = 0;

	stop_install();
	progress_init(&progress, "taking stacks", r->o->nr_samples);
	while (r->nr_rounds < r->o->nr_samples && !stop_signal) {
		got = live_stack_take(ls, &sink, eb);
		if (got < 0)
			break;
		progress_update(&progress, ++r->nr_rounds);
		next += step;
		if (r->nr_rounds < r->o->nr_samples && !stop_signal && next > clock_now_ns())
			sleep_until(next);
		else
			next = clock_now_ns();
	}
	progress_fini(&progress);
	if (got == -ESRCH && r->nr_rounds) {
		errbuf_clear(eb);
		log_warn("process %d ended after %u of %llu snapshots", r->pid, r->nr_rounds, (unsigned long long)r->o->nr_samples);
		got = 0;
	}
	return got < 0 ? got : 0;
}

static void name(struct stack_run *r)
{
	const struct stack_options *o = r->o;
	struct snapshot_naming n = {
		.functions = !o->quiet,
		.nameless = !o->quiet && !o->plain,
		.inlines = o->inlines && !o->quiet,
		.lines = o->source,
		/* as eu-stack has it: with inlined functions, all names are those of the debug information */
		.debug_names = o->debug_name || o->verbose || (o->inlines && o->inlines_set),
	};

	snapshot_name(&r->snapshot, &r->machine->dsos, &n);
}

static void show_json(const struct stack_run *r, struct out *out)
{
	struct stack_text t = {
		.o = out,
		.snapshot = &r->snapshot,
		.dsos = &r->machine->dsos,
		.pid = r->pid,
		.is_core = r->o->core,
		.nr_rounds = r->nr_rounds,
		.interval_ms = (double)r->o->interval_ms,
		.nr_stops = r->cost.nr_stops,
		.pause_ns = r->cost.pause_ns,
		.longest_pause_ns = r->cost.longest_pause_ns,
	};

	stack_json(&t);
}

static void show_text(const struct stack_run *r, struct out *out)
{
	const struct stack_options *o = r->o;
	bool below = (o->source && o->source_set) || o->verbose;
	struct snapshot_modules modules = { 0 };
	struct stack_text t = {
		.o = out,
		.snapshot = &r->snapshot,
		.dsos = &r->machine->dsos,
		.modules = &modules,
		.pid = r->pid,
		.is_core = o->core,
		.no_heading = o->one || o->tid,
		.comments = !o->plain,
		.activations = o->activation || o->verbose,
		.build_ids = o->build_id,
		.module_names = o->module || o->verbose,
		.source_lines = below,
		.source_at = !below && o->source,
		.quiet = o->quiet,
	};

	if (o->build_id || o->list_modules)
		snapshot_modules_init(&modules, r->machine, r->task, o->list_modules);
	if (o->list_modules)
		stack_text_modules(&t);
	stack_text_threads(&t);
	snapshot_modules_fini(&modules);
}

static void show_folded(const struct stack_run *r, struct out *out)
{
	struct stack_text t = {
		.o = out,
		.snapshot = &r->snapshot,
		.dsos = &r->machine->dsos,
		.pid = r->pid,
		.nr_rounds = r->nr_rounds,
		.interval_ms = (double)r->o->interval_ms,
	};
	struct snapshot_tree tree;

	snapshot_tree_init(&tree, &r->snapshot, r->o->per_thread);
	if (r->o->folded)
		stack_text_folded(&t, &tree);
	else
		stack_text_tree(&t, &tree);
	snapshot_tree_fini(&tree);
}

static void show_cost(const struct stack_run *r, struct out *out)
{
	const struct live_stack_cost *c = &r->cost;

	if (r->o->verbose && !r->o->plain && c->nr_stops)
		out_printf(out, "# threads were stopped %llu times, for %.1f us each time, %.1f us at most\n",
			   (unsigned long long)c->nr_stops, (double)c->pause_ns / (double)c->nr_stops / 1e3,
			   (double)c->longest_pause_ns / 1e3);
}

/* Prints, and says what is not whole. */
static int show(struct stack_run *r, struct errbuf *eb)
{
	uint64_t nr = r->snapshot.nr_incomplete, all = r->snapshot.nr_seen;
	struct out out;
	int err;

	name(r);
	out_init(&out, STDOUT_FILENO);
	if (r->o->json)
		show_json(r, &out);
	else if (r->o->samples_set || r->o->folded)
		show_folded(r, &out);
	else
		show_text(r, &out);
	if (!r->o->json && !r->o->folded)
		show_cost(r, &out);
	err = out_fini(&out);
	if (err || !nr)
		return err;
	if (r->o->samples_set) {
		log_warn("%llu of %llu stacks are incomplete", (unsigned long long)nr, (unsigned long long)all);
		return 0;
	}
	errbuf_set(eb, 1, "%llu of %llu stacks %s incomplete%s", (unsigned long long)nr, (unsigned long long)all, nr == 1 ? "is" : "are",
		   r->o->plain ? "" : "; the reason stands below each");
	return 1;
}

static int run_live(struct stack_run *r, struct errbuf *eb)
{
	const struct stack_options *o = r->o;
	struct live_stack_options lo = {
		.pid = o->one ? 0 : (pid_t)o->pid,
		.tid = (pid_t)(o->one && o->pid ? o->pid : o->tid),
		.max_frames = o->max_frames ? (uint32_t)o->max_frames : UNLIMITED_FRAMES,
		.state = o->state && !o->plain && !o->samples_set,
		.kernel = o->kernel,
		.data_maps = o->build_id || o->list_modules,
	};
	const struct thread_stack_sink sink = { snapshot_add, &r->snapshot };
	struct live_stack *ls;
	int err = live_stack_open(&ls, &o->in.symbols, &lo, eb);

	if (err)
		return err;
	r->machine = live_stack_machine(ls);
	r->task = live_stack_task(ls);
	r->pid = live_stack_pid(ls);
	err = o->samples_set ? take_samples(r, ls, eb) : live_stack_take(ls, &sink, eb);
	r->cost = live_stack_cost(ls);
	if (err >= 0)
		err = show(r, eb);
	live_stack_close(ls);
	return err;
}

/* Only the first thread of those that come. */
struct first_only {
	struct snapshot *snapshot;
	bool had_one;
};

static void add_first(void *ctx, const struct thread_stack *t)
{
	struct first_only *f = ctx;

	if (!f->had_one)
		snapshot_add(f->snapshot, t);
	f->had_one = true;
}

static int run_core(struct stack_run *r, struct errbuf *eb)
{
	const struct stack_options *o = r->o;
	struct core_stack_options co = {
		.path = o->core,
		.executable = o->executable,
		.max_frames = o->max_frames ? (uint32_t)o->max_frames : UNLIMITED_FRAMES,
		.data_maps = o->build_id || o->list_modules,
	};
	struct first_only first = { &r->snapshot, false };
	struct thread_stack_sink sink = { snapshot_add, &r->snapshot };
	struct errbuf notes = { 0 };
	struct core_stack *cs;
	int err = core_stack_open(&cs, &o->in.symbols, &co, &notes, eb);

	if (err)
		return err;
	if (notes.text[0])
		log_warn("%s", notes.text);
	if (o->one)
		sink = (struct thread_stack_sink){ add_first, &first };
	r->machine = core_stack_machine(cs);
	r->task = core_stack_task(cs);
	r->pid = core_stack_pid(cs);
	if (core_stack_take(cs, (int32_t)o->tid, &sink))
		err = show(r, eb);
	else
		err = errbuf_set(eb, -ESRCH, "%s has no thread %d", o->core, (int)o->tid);
	core_stack_close(cs);
	return err;
}

/* What one form of the output shows, another has no place for: that is said, instead of leaving it out. */
static int check_shape(const struct stack_options *o, struct errbuf *eb)
{
	const char *shape = o->json ? "--json" : o->folded ? "--folded" : o->samples_set ? "--samples" : NULL;
	bool text_only = shape && !o->json; /* JSON has the file, the line and the kind of every address */
	const char *given = shape && o->list_modules		      ? "-l"
			    : shape && o->build_id		      ? "-b"
			    : text_only && o->module		      ? "-m"
			    : text_only && o->activation	      ? "-a"
			    : text_only && o->source && o->source_set ? "-s"
			    : text_only && o->state && o->state_set   ? "--state"
								      : NULL;

	if (given)
		return errbuf_set(eb, CMD_USAGE, "%s does not go together with %s, which has no place for it", given, shape);
	if (o->state && o->state_set && (o->samples_set || o->plain))
		return errbuf_set(eb, CMD_USAGE, "--state does not go together with %s%s", o->samples_set ? "--samples" : "--plain",
				  o->samples_set ? ": what a thread does is another thing in every snapshot" : "");
	return 0;
}

/* A word is a process by its number, or a core file. */
static int take_word(struct stack_options *o, int argc, char **argv, struct errbuf *eb)
{
	const char *given = o->core ? "--core" : o->pid ? "-p" : o->tid ? "-t" : NULL;

	if (argc > 1)
		return errbuf_set(eb, CMD_USAGE, "stack: unexpected argument '%s'", argv[1]);
	if (argc && given)
		return errbuf_set(eb, CMD_USAGE, "stack: %s and '%s' both say whose stacks; give one of them", given, argv[0]);
	if (!argc || !options_u64(argv[0], 1, INT32_MAX, &o->pid))
		return 0;
	if (access(argv[0], F_OK))
		return errbuf_set(eb, CMD_USAGE, "stack: '%s' is neither the number of a process nor a core file", argv[0]);
	if (input_is_recording(argv[0]))
		return errbuf_set(eb, CMD_USAGE, "stack: '%s' is a recording: 'assay report %s' shows its stacks", argv[0], argv[0]);
	o->core = argv[0];
	return 0;
}

static int check(struct stack_options *o, int argc, char **argv, struct errbuf *eb)
{
	if (take_word(o, argc, argv, eb))
		return CMD_USAGE;
	if (!o->pid + !o->tid + !o->core == 3)
		return errbuf_set(eb, CMD_USAGE, "say whose stacks: -p PID, -t TID or --core FILE");
	if (o->pid && (o->tid || o->core))
		return errbuf_set(eb, CMD_USAGE, "-p does not go together with %s", o->core ? "--core" : "-t");
	if (o->executable && !o->core)
		return errbuf_set(eb, CMD_USAGE, "--executable is for --core: a running process says itself what it runs");
	if (o->core && (o->samples_set || o->kernel))
		return errbuf_set(eb, CMD_USAGE, "%s is for running processes", o->kernel ? "--kernel" : "--samples");
	if (o->interval_set && !o->samples_set)
		return errbuf_set(eb, CMD_USAGE, "--interval says how far apart snapshots are: give their number with --samples");
	if (o->per_thread && !o->samples_set && !o->folded)
		return errbuf_set(eb, CMD_USAGE, "--per-thread is for --samples and --folded");
	if (o->json && o->folded)
		return errbuf_set(eb, CMD_USAGE, "--json does not go together with --folded");
	if (check_shape(o, eb))
		return CMD_USAGE;
	if (o->plain && !o->inlines_set)
		o->inlines = false;
	if (o->plain && !o->source_set)
		o->source = false;
	o->inlines |= o->verbose;
	o->source |= o->verbose;
	o->in.symbols.no_demangle |= o->raw;
	o->in.symbols.elfutils_names = o->plain && !o->in.symbols.short_names;
	if (o->quiet && o->debug_name)
		return errbuf_set(eb, CMD_USAGE, "-q shows no names, which -d asks for");
	return 0;
}

int cmd_stack(int argc, char **argv, struct errbuf *eb)
{
	struct stack_options o = {
		.max_frames = DEFAULT_FRAMES, .nr_samples = 1, .interval_ms = 10, .inlines = true, .source = true, .state = true
	};
	const struct option table[] = {
		OPT_GROUP("Whose stacks"),
		OPT_U64('p', "pid", &o.pid, 1, INT32_MAX, "PID", "of all threads of this process", .complete = "pid"),
		OPT_U64('t', "tid", &o.tid, 1, INT32_MAX, "TID", "of this thread only"),
		OPT_STRING(0, "core", &o.core, "FILE", "of the process that left this core file", .complete = "file"),
		OPT_STRING('e', "executable", &o.executable, "FILE", "with --core: the program that died, where it was moved",
			   .complete = "file"),
		OPT_STRING(0, "symfs", &o.in.symbols.symfs, "DIR", "look for binaries below DIR", .complete = "file"),
		OPT_GROUP("What to show, as eu-stack does"),
		OPT_BOOL('1', NULL, &o.one, "the main thread only (of a core file: the one that died)"),
		OPT_BOOL('a', "activation", &o.activation, "mark return addresses with '- 1'"),
		OPT_BOOL('b', "build-id", &o.build_id, "build-id, load address and offset of each frame's file"),
		OPT_BOOL('d', "debugname", &o.debug_name, "functions as the debug information calls them"),
		OPT_BOOL('i', "inlines", &o.inlines, "functions that were inlined, too (default)", .is_set = &o.inlines_set),
		OPT_BOOL('l', "list-modules", &o.list_modules, "list the files that are mapped first"),
		OPT_BOOL('m', "module", &o.module, "the file of each frame"),
		OPT_U64('n', NULL, &o.max_frames, 0, UNLIMITED_FRAMES, "N", "at most N frames of a thread (256; 0: all)"),
		OPT_BOOL('q', "quiet", &o.quiet, "no names of functions"),
		OPT_BOOL('r', "raw", &o.raw, "names as compilers write them"),
		OPT_CALL_OPT(0, "demangle", input_option_demangle, &o.in, "HOW",
			     "names of C++, Rust and D: full (readable, the default), short (template arguments folded), no",
			     .complete = "short|full|no"),
		OPT_BOOL('s', "source", &o.source, "file:line:column below each frame; by default file:line behind it",
			 .is_set = &o.source_set),
		OPT_BOOL('v', "verbose", &o.verbose, "-a, -d, -i, -m and -s; and how long threads were stopped"),
		OPT_BOOL(0, "plain", &o.plain, "nothing but what eu-stack prints with the same switches"),
		OPT_GROUP("More"),
		OPT_BOOL(0, "state", &o.state, "what each thread is doing: the call it sleeps in, on which file (default)",
			 .is_set = &o.state_set),
		OPT_BOOL(0, "kernel", &o.kernel, "the frames in the kernel, too (needs root)"),
		OPT_BOOL(0, "json", &o.json, "one JSON document"),
		OPT_GROUP("Many snapshots"),
		OPT_U64(0, "samples", &o.nr_samples, 1, 10000000, "N", "take N snapshots and fold them into a tree with counts",
			.is_set = &o.samples_set),
		OPT_U64(0, "interval", &o.interval_ms, 0, 3600000, "MS", "milliseconds from one to the next (10)",
			.is_set = &o.interval_set),
		OPT_BOOL(0, "folded", &o.folded, "lines for a flame graph: comm;outer;inner COUNT"),
		OPT_BOOL(0, "per-thread", &o.per_thread, "threads of one name apart"),
		OPT_END,
	};
	const struct options opts = {
		.command = "stack",
		.usage = "assay stack [OPTIONS] PID|COREFILE\nassay stack [OPTIONS] -p PID | -t TID | --core FILE",
		.summary = "Print the stacks of a running process or a core file",
		.examples = "  assay stack -p 1234\n"
			    "  assay stack --core core.1234 -e ./server\n"
			    "  assay stack -p 1234 --samples 100 --interval 10 --folded > stacks.folded\n",
		.table = table,
	};
	struct stack_run r = { .o = &o };
	int err;

	input_init(&o.in);
	err = cmd_parse(&opts, &argc, &argv, eb);
	if (err)
		return err;
	err = check(&o, argc, argv, eb);
	if (err)
		return err;
	cmd_check_cache();
	snapshot_init(&r.snapshot);
	err = o.core ? run_core(&r, eb) : run_live(&r, eb);
	snapshot_fini(&r.snapshot);
	input_fini(&o.in);
	return err;
}
