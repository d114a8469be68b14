/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay latency: how long calls of a function, a system call, or what lies between two events take, and why the slow ones were slow. Both ends
 * are recorded with what the threads do meanwhile, as `assay wall` records it.
 */
#include "cmd/latency.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/syscalls.h"
#include "base/log.h"
#include "base/mem.h"
#include "bpf/loader.h"
#include "cmd/cmd.h"
#include "cmd/live_reader.h"
#include "cmd/probe_edit.h"
#include "kernel/tracefs.h"
#include "model/calls.h"
#include "view/heat_svg.h"

#define MAX_CALLS 5
#define MAX_PLACES 64 /* of one name */

/* ---- what to measure ---- */

static int add_probe(struct latency_command *c, const struct probe_def *d, uint64_t file_off, bool is_return, char *name, struct errbuf *eb)
{
	const struct bpf_probe place = { .path = d->path, .file_off = file_off };
	int err = temp_probes_add(&c->probes, CALLS_SYSTEM, name, &place, is_return, CALLS_SP "=%sp:x64", eb);

	free(name);
	return err;
}

/* Where its ends are known, these are probed: a probe of the kernel's for returns replaces return addresses, which exceptions do not survive. */
static int add_place(struct latency_command *c, struct probe_module *m, const struct probe_def *d, struct errbuf *eb)
{
	size_t len = strlen(d->event), of = strlen(CALLS_RETURN);
	uint32_t nr = c->nr_places++;
	char *stem = mem_strndup(d->event, len > of && !strcmp(d->event + len - of, CALLS_RETURN) ? len - of : len);
	char *entry = nr ? mem_printf("%s_%u", stem, nr) : mem_strdup(stem);
	struct probe_exits exits = { 0 };
	bool has_exits = probe_module_exits(m, d->file_off, &exits) && exits.v.nr <= MAX_PLACES;
	int err = add_probe(c, d, d->file_off, false, mem_strdup(entry), eb);

	for (uint32_t i = 0; has_exits && !err && i < exits.v.nr; i++)
		err = add_probe(c, d, exits.v.v[i], false, mem_printf("%s" CALLS_EXIT "%u", entry, i), eb);
	if (!has_exits && !err)
		err = add_probe(c, d, d->file_off, true, mem_printf("%s" CALLS_RETURN, entry), eb);
	c->has_return_probes |= !has_exits;
	probe_exits_fini(&exits);
	free(stem);
	free(entry);
	return err;
}

/* Copies that the compiler put into their callers have an entry, and no return. */
static void warn_of_copies(struct probe_module *m, const char *function, uint32_t nr_measured)
{
	const struct probe_limits limits = { .max_points = 1024 };
	struct probe_found found = { 0 };
	struct errbuf eb = { 0 };

	if (!probe_find(&found, m, NULL, function, &limits, &eb) && found.defs.v.nr > nr_measured)
		log_warn("%s is also inlined in %u places: what happens there is not measured", function, found.defs.v.nr - nr_measured);
	probe_found_fini(&found);
}

static int refuse_go(const struct probe_module *m, const char *path, struct errbuf *eb)
{
	if (probe_module_return_risk(m) != PROBE_RETURN_GO)
		return 0;
	return errbuf_set(eb, -ENOTSUP,
			  "%s is a Go program: its functions move between threads, and their stacks move, so that entries and returns "
			  "cannot be paired. 'assay latency SYSCALL' measures its system calls, 'assay wall' shows its waits",
			  path);
}

static void warn_of_returns(const struct latency_command *c, const struct probe_module *m, const char *function)
{
	if (c->has_return_probes && probe_module_return_risk(m) == PROBE_RETURN_EXCEPTIONS)
		log_warn(
			"an exception (or panic) that passes through %s while it is measured ends the program: not all instructions that it "
			"returns by are known, so that the kernel has to replace return addresses",
			function);
}

static int add_function(struct latency_command *c, const char *path, const char *function, struct errbuf *eb)
{
	const struct probe_limits limits = { .max_points = MAX_PLACES };
	const struct probe_target target = { .path = path };
	char *text = mem_printf("%s%%return", function);
	struct probe_found found = { 0 };
	struct probe_module *m = NULL;
	int err = probe_module_open(&m, &target, eb);

	if (!err && !probe_module_is_native(m))
		err = errbuf_set(eb, -ENOEXEC, "%s is code of another architecture: no process of this machine runs it", path);
	if (!err)
		err = refuse_go(m, path, eb);
	if (!err)
		err = probe_find(&found, m, NULL, text, &limits, eb);
	for (uint32_t i = 0; i < found.defs.v.nr && !err; i++)
		err = add_place(c, m, &found.defs.v.v[i], eb);
	if (!err) {
		warn_of_copies(m, function, found.defs.v.nr);
		warn_of_returns(c, m, function);
	}
	probe_found_fini(&found);
	probe_module_close(m);
	free(text);
	if (err)
		return err;
	c->what = mem_printf("%s() in %s", function, path);
	c->wall.o.temp_probes = &c->probes;
	return 0;
}

/* Both events, in the order of -e. */
static int add_pair(struct latency_command *c, const char *from, const char *to, struct errbuf *eb)
{
	int err = event_list_parse(&c->wall.o.events, from, eb);

	if (!err)
		err = event_list_parse(&c->wall.o.events, to, eb);
	if (!err && !(event_patterns_add(&c->from, from) && event_patterns_add(&c->to, to)))
		err = errbuf_set(eb, CMD_USAGE, "latency: '%s' and '%s' have to be two events", from, to);
	return err;
}

static bool is_event(const char *system, const char *name)
{
	const char *root = tracefs_find(NULL);
	char *path = root ? mem_printf("%s/events/%s/%s", root, system, name) : NULL;
	bool is_there = path && !access(path, F_OK);

	free(path);
	return is_there;
}

/* Events of some calls have the name of the kernel's function. */
static char *call_event(const char *call)
{
	char *name = mem_printf("sys_enter_%s", call), *other = mem_printf("sys_enter_new%s", call);
	bool is_other = !is_event("syscalls", name) && is_event("syscalls", other);

	free(is_other ? name : other);
	return is_other ? other : name;
}

static int add_syscall(struct latency_command *c, const char *call, struct errbuf *eb)
{
	char *enter = call_event(call), *from, *to;
	int err;

	if (!tracefs_find(eb)) {
		free(enter);
		return -ENOENT;
	}
	from = mem_printf("syscalls:%s", enter);
	to = mem_printf("syscalls:sys_exit_%s", enter + strlen("sys_enter_"));
	err = add_pair(c, from, to, eb);
	c->what = mem_printf("system call %s", call);
	free(enter);
	free(from);
	free(to);
	return err;
}

static bool is_syscall(const char *word)
{
	enum syscall_abi abi = syscall_native_abi();

	for (uint32_t i = 0; i < syscall_limit(abi); i++) {
		const struct syscall_def *def = syscall_get(abi, i);

		if (def && !strcmp(def->name, word))
			return true;
	}
	return false;
}

static int add_measured(struct latency_command *c, struct errbuf *eb)
{
	char **workload = c->wall.o.workload;
	const char *word = c->words[0];

	if (c->binary)
		return add_function(c, c->binary, word, eb);
	if (c->nr_words == 2) {
		c->what = mem_printf("%s → %s", word, c->words[1]);
		return add_pair(c, word, c->words[1], eb);
	}
	if (is_syscall(word))
		return add_syscall(c, word, eb);
	if (strchr(word, ':') && !strstr(word, "::"))
		return errbuf_set(eb, CMD_USAGE, "latency: %s is one event; name the one that ends it, too: assay latency %s EVENT", word,
				  word);
	if (workload)
		return add_function(c, workload[0], word, eb);
	return errbuf_set(eb, CMD_USAGE,
			  "latency: '%s' is no system call; of a function, say which program or library it is in: -x FILE %s", word, word);
}

/* ---- what is recorded beside ---- */

/* Interrupts of the threads, where tracefs has their events. */
static int add_interrupts(struct latency_command *c, struct errbuf *eb)
{
	static const char *const events[][2] = {
		{ "irq", "irq_handler" },	    { "irq", "softirq" },
		{ "irq_vectors", "local_timer" },   { "irq_vectors", "reschedule" },
		{ "irq_vectors", "call_function" }, { "irq_vectors", "call_function_single" },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]) && !err; i++) {
		char *entry = mem_printf("%s_entry", events[i][1]);
		char *both = mem_printf("%s:%s_entry/call-graph=no/,%s:%s_exit/call-graph=no/", events[i][0], events[i][1], events[i][0],
					events[i][1]);

		if (is_event(events[i][0], entry))
			err = event_list_parse(&c->wall.o.events, both, eb);
		free(entry);
		free(both);
	}
	return err;
}

static int check_bpf(const struct latency_command *c, struct errbuf *eb)
{
	struct errbuf why = { 0 };
	int err;

	if (!c->wall.o.temp_probes)
		return 0;
	err = c->wall.uses_bpf ? bpf_check(&why) : errbuf_set(&why, -EINVAL, "--no-bpf");
	if (!err)
		return 0;
	return errbuf_set(eb, err,
			  "%s: calls of a function are measured by BPF. Without: 'assay probe -x %s %s %s%%return' defines two probes, and "
			  "'assay latency EVENT EVENT' takes their names",
			  why.text, c->probes.places.v[0].path, c->words[0], c->words[0]);
}

static int add_events(struct latency_command *c, struct errbuf *eb)
{
	struct wall_command *w = &c->wall;
	int err = add_measured(c, eb);

	if (!err)
		err = check_bpf(c, eb);
	/* Nothing named: whoever does it. */
	if (!err && !wall_has_target(w))
		w->o.all_cpus = true;
	if (!err)
		err = wall_add_events(w, eb);
	if (!err)
		err = event_list_parse(&w->o.events, "major-faults/period=1/", eb);
	w->o.config.address = true;
	return err ? err : add_interrupts(c, eb);
}

/* ---- run ---- */

static int read_live(void *ctx, struct session *s, struct errbuf *eb)
{
	struct latency_command *c = ctx;
	struct profile *p = mem_alloc(sizeof(*p));
	int err;

	profile_init(p, &s->machine, &s->recording);
	err = latency_read(c, s, p, eb);
	cmd_warn_lost(recording_lost(&s->recording));
	profile_fini(p);
	free(p);
	return err;
}

static int run_file(struct latency_command *c, struct errbuf *eb)
{
	struct input *in = &c->wall.in;
	int err = input_open(in, false, eb);

	if (err)
		return err;
	c->wall.is_file = true;
	progress_init(&in->progress, "reading", in->session->source->total_bytes);
	err = latency_read(c, in->session, in->profile, eb);
	progress_fini(&in->progress);
	return err ? err : input_finish(in, eb);
}

/* Into a file that is kept, or through a pipe. Returns the command's status. */
static int run_live(struct latency_command *c, struct errbuf *eb)
{
	struct wall_command *w = &c->wall;
	const struct session_options options = { .symbols = w->in.symbols };
	int ret = add_events(c, eb), err;

	if (ret || !w->kept_path)
		return ret ? ret : live_reader_run(&w->o, &options, read_live, c, eb);
	w->o.output = w->in.path = w->kept_path;
	ret = capture_run(&w->o, eb);
	if (ret < 0)
		return ret;
	err = run_file(c, eb);
	return err ? err : ret;
}

/* "5ms", "500us", "1.5s". */
static int parse_slower(struct latency_command *c, struct errbuf *eb)
{
	enum heat_unit unit;
	const char *end;

	if (!c->slower)
		return 0;
	c->has_slower = true;
	for (end = c->slower; *end && (strchr("0123456789.", *end)); end++)
		;
	if (!heat_unit_find(end, &unit) || latency_number(c->slower, &end, heat_unit_exponent(unit), &c->slower_ns))
		return errbuf_set(eb, CMD_USAGE, "latency: --slower takes a time with its unit, as in 5ms, 500us or 1.5s; not '%s'",
				  c->slower);
	return 0;
}

static int check_words(const struct latency_command *c, struct errbuf *eb)
{
	const struct wall_command *w = &c->wall;

	if (w->in.path && (w->o.workload || w->o.all_cpus || c->binary))
		return errbuf_set(eb, CMD_USAGE, "latency: -i reads a recording: no %s can be given beside it",
				  w->o.workload ? "command"
				  : c->binary	? "-x"
						: "-a");
	if (w->in.path && c->nr_words != 0 && c->nr_words != 2)
		return errbuf_set(eb, CMD_USAGE, "latency: of a recording (-i), name two of its events, or nothing: what was measured");
	if (!w->in.path && !c->nr_words)
		return errbuf_set(eb, CMD_USAGE,
				  "latency: say what to measure: -x FILE FUNC, SYSCALL, or EVENT EVENT; a command follows behind --");
	if (!w->in.path && c->nr_words > (c->binary ? 1 : 2))
		return errbuf_set(eb, CMD_USAGE, "latency: unexpected argument '%s': a command follows behind --",
				  c->words[c->binary ? 1 : 2]);
	if (c->nr_words == 2 && !strcmp(c->words[0], c->words[1]))
		return errbuf_set(eb, CMD_USAGE, "latency: both events are %s; they have to be two", c->words[0]);
	if (c->key && c->nr_words != 2)
		return errbuf_set(eb, CMD_USAGE, "latency: --key is for pairs of events (EVENT EVENT)");
	return 0;
}

static int set_up(struct latency_command *c, struct errbuf *eb)
{
	struct wall_command *w = &c->wall;
	int err = check_words(c, eb);

	if (err)
		return err;
	if (w->kept_path && (w->in.path || !strcmp(w->kept_path, "-")))
		return errbuf_set(eb, CMD_USAGE, "latency: -o is the file that a new recording is kept in%s",
				  w->in.path ? ", and -i reads one" : "");
	if (c->heatmap_path && output_file_is_stdout(c->heatmap_path))
		return errbuf_set(eb, CMD_USAGE, "latency: --heatmap needs a file: the figures go to standard output");
	err = parse_slower(c, eb);
	return err ? err : wall_set_filter(w, eb);
}

/* What follows "--" is the command; what to measure stands before it, with options in any order. */
static char **split_command(int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		*argc = i;
		argv[i] = NULL;
		return argv[i + 1] ? argv + i + 1 : NULL;
	}
	return NULL;
}

int cmd_latency(int argc, char **argv, struct errbuf *eb)
{
	struct latency_command c = { .max_calls = MAX_CALLS };
	struct wall_command *w = &c.wall;
	const struct option table[] = {
		OPT_GROUP("What to measure"),
		OPT_STRING('x', "exec", &c.binary, "FILE", "Calls of a function of this program or library", .complete = "file"),
		OPT_STRING(0, "key", &c.key, "FIELD[,…]", "Of two events: fields that both share, or FROM:TO (default: the thread)"),
		OPT_BOOL(0, "nested", &c.nested, "Measure each call of a recursion (default: the outermost)"),
		OPT_GROUP("Target (default: all threads of the machine)"),
		WALL_TARGET_OPTIONS(w),
		OPT_STRING('i', "input", &w->in.path, "FILE", "Read a recording of -o, or one that has both events", .complete = "file"),
		OPT_GROUP("What to record"),
		WALL_RECORD_OPTIONS(w),
		OPT_STRING('o', "output", &w->kept_path, "FILE", "Keep the recording in FILE, for -i", .complete = "file"),
		OPT_GROUP("What to show"),
		OPT_STRING(0, "slower", &c.slower, "TIME", "Calls above this, as in 5ms, are the slow ones (default: the slowest 1%)"),
		OPT_U64('n', "calls", &c.max_calls, 0, 10000, "N", "How many of the slowest are shown (default: 5)"),
		OPT_CALL('c', "comms", input_option_filter, &w->in, "NAME,…", "Only threads of these names"),
		OPT_U64(0, "max-stack", &w->max_frames, 1, 1024, "N", "Functions of a stack (default: 8)"),
		OPT_STRING(0, "heatmap", &c.heatmap_path, "FILE", "Draw a heat map of all calls into FILE", .complete = "file"),
		OPT_BOOL('j', "json", &w->json, "Print JSON"),
		OPT_COUNT('v', "verbose", &w->in.verbose, "Say more"),
		OPT_BOOL('q', "quiet", &w->in.quiet, "No warnings"),
		OPT_BOOL('f', "force", &w->in.force, "Read a file that another user owns"),
		OPT_GROUP("Symbols"),
		INPUT_SYMBOLS(&w->in),
		OPT_END,
	};
	const struct options opts = {
		.command = "latency",
		.usage = "assay latency -x FILE FUNC [OPTIONS] [-- COMMAND [ARG…]]\n"
			 "assay latency SYSCALL [OPTIONS] [-- COMMAND [ARG…]]\n"
			 "assay latency EVENT EVENT [--key FIELD] [OPTIONS] [-- COMMAND [ARG…]]\n"
			 "assay latency -i FILE [EVENT EVENT]",
		.summary = "Show how long calls take, and where the time of the slow ones went",
		.examples = "  assay latency -x ./app handle_request -- ./app         a function, of a program that is started\n"
			    "  assay latency -x ./app handle_request --slower 5ms -p 1234\n"
			    "  assay latency fsync --heatmap fsync.svg -- ./app       a system call\n"
			    "  assay latency -a block:block_rq_issue block:block_rq_complete --key dev,sector -- sleep 5\n",
		.table = table,
	};
	char **command;
	int ret;

	wall_command_init(w, NULL, argc, argv);
	command = split_command(&argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret) {
		cmd_set_log_level(w->in.quiet, w->in.verbose);
		w->o.workload = command;
		c.words = argv;
		c.nr_words = argc;
		ret = set_up(&c, eb);
	}
	if (!ret)
		ret = w->in.path ? run_file(&c, eb) : run_live(&c, eb);
	free(c.what);
	event_patterns_fini(&c.from);
	event_patterns_fini(&c.to);
	temp_probes_fini(&c.probes);
	wall_command_fini(w);
	return ret;
}
