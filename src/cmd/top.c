/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay top: where the time goes, live.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/terminal.h"
#include "capture/target.h"
#include "cmd/annotate_ui.h"
#include "cmd/cmd.h"
#include "cmd/live_reader.h"
#include "cmd/perf_compat.h"
#include "cmd/record_options.h"
#include "cmd/top.h"
#include "tui/tui.h"

#define DEFAULT_DELAY 2.0
#define DEFAULT_MEMORY_MB 256
#define SORT_WORDS "comm|pid|tid|cpu|dso|sym|symbol|srcline|srcfile"

static int take_sort(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct hist_options *h = ctx;

	(void)opt, (void)negated;
	h->nr_keys = 0;
	for (const char *word = arg; *word;) {
		size_t len = strcspn(word, ", ");
		enum hist_column col = column_find(word, len);

		if (len && (col >= HIST_NR_KEYS || columns[col].flags & (COLUMN_OF_BRANCHES | COLUMN_OF_SWITCHES)))
			return perf_sort_key_refuse("top: --sort", word, len, HIST_NR_KEYS, COLUMN_IN_DIFF, eb); /* the same ones */
		if (len && h->nr_keys == LIVE_MAX_KEYS)
			return errbuf_set(eb, -EINVAL, "top: --sort takes at most %d keys", LIVE_MAX_KEYS);
		if (len)
			h->keys[h->nr_keys++] = (uint16_t)col;
		word += len + (word[len] != 0);
	}
	return h->nr_keys ? 0 : errbuf_set(eb, -EINVAL, "top: --sort: the list of keys is empty");
}

static int take_delay(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	double *delay = ctx;
	char *end;

	(void)opt, (void)negated;
	*delay = strtod(arg, &end);
	if (end == arg || *end || !(*delay >= 0.1 && *delay <= 3600))
		return errbuf_set(eb, -EINVAL, "top: -d takes seconds from 0.1 to 3600, not '%s'", arg);
	return 0;
}

static int take_percent(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	double *percent = ctx;
	char *end;

	(void)opt, (void)negated;
	*percent = strtod(arg, &end);
	if (end == arg || *end || !(*percent >= 0 && *percent <= 100))
		return errbuf_set(eb, -EINVAL, "top: --percent-limit: '%s' is no number from 0 to 100", arg);
	return 0;
}

static int take_widths(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct top_style *style = ctx;
	uint32_t nr = 0;

	(void)opt, (void)negated;
	for (const char *rest = arg; *rest; nr++) {
		size_t len = strcspn(rest, ",");
		char word[8] = "";
		uint64_t width;

		if (len < sizeof(word))
			memcpy(word, rest, len);
		if (nr == LIVE_MAX_KEYS || options_u64(word, 0, 1000, &width))
			return errbuf_set(eb, -EINVAL, "top: -w: '%s' is no list of at most %d widths from 0 to 1000", arg, LIVE_MAX_KEYS);
		style->widths[nr] = (uint16_t)width;
		rest += len + (rest[len] == ',');
	}
	return 0;
}

/* As the heading says it. The caller frees. */
static char *target_text(const struct capture_options *o)
{
	if (o->pids)
		return mem_printf("process %s", o->pids);
	if (o->tids)
		return mem_printf("thread %s", o->tids);
	if (o->user)
		return mem_printf("user %s", o->user);
	if (o->cpus)
		return mem_printf("CPU %s", o->cpus);
	if (o->workload && !o->all_cpus)
		return mem_strdup(o->workload[0]);
	return mem_strdup("all CPUs");
}

static int check(struct top_command *c, struct errbuf *eb)
{
	int ret;

	if (c->o.config.freq_given && c->o.config.period)
		return errbuf_set(eb, CMD_USAGE, "top: -F and -c exclude each other: by time or by count");
	if (c->json && c->stdio)
		return errbuf_set(eb, CMD_USAGE, "top: --json and --stdio exclude each other");
	ret = tui_choose("top", c->tui, c->stdio || c->json, eb);
	c->is_screen = ret > 0;
	return ret < 0 ? ret : 0;
}

static void set_up(struct top_command *c)
{
	static const uint16_t keys[] = { HIST_DSO, HIST_SYM };

	cmd_set_log_level(c->in.quiet, c->in.verbose);
	if (!c->hist.nr_keys) {
		memcpy(c->hist.keys, keys, sizeof(keys));
		c->hist.nr_keys = 2;
	}
	c->hist.children = c->o.config.callgraph != CALLGRAPH_NONE;
	c->style.max_rows = (uint32_t)c->max_rows;
	c->style.count_limit = (double)c->count_limit;
	c->style.ascii = !terminal_is_utf8();
	c->style.colour = !c->json && out_is_colourful(STDOUT_FILENO);
	c->o.config.sample_cpu |= true;
	c->o.no_build_ids = true;
	c->target = target_text(&c->o);
}

/* The recorder keeps what it has seen of files and their symbols. Where that has become much, another one takes its place: what is shown refers
 * to nothing of it. */
static int run_recorders(struct top_command *c, struct errbuf *eb)
{
	const struct session_options options = { .symbols = c->in.symbols };
	int ret;

	do {
		c->wants_restart = false;
		event_list_fini(&c->o.events);
		memset(&c->o.events, 0, sizeof(c->o.events));
		ret = record_parse_events(&c->o.events, &c->events, eb);
		if (!ret)
			ret = live_reader_run(&c->o, &options, top_read, c, eb);
		if (c->wants_restart)
			malloc_trim(0);
	} while (!ret && c->wants_restart && !c->has_quit);
	return ret;
}

static int run(struct top_command *c, struct errbuf *eb)
{
	struct top_run run = { 0 };
	int ret;

	cmd_check_cache();
	c->run = &run;
	c->pipe_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->screen_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->pipe_fd < 0 || c->screen_fd < 0)
		return errbuf_set(eb, -errno, "cannot make an eventfd: %s", strerror(errno));
	ret = run_recorders(c, eb);
	top_run_fini(&run);
	/* Ctrl-C is how it ends. */
	if (c->has_quit || (!c->o.workload && ret == 128 + SIGINT))
		ret = ret < 0 ? ret : 0;
	return ret;
}

#define TARGETS(c)                                                                                                                         \
	OPT_GROUP("Target (default: the command, or all CPUs)"), CMD_TARGET_OPTIONS(&(c)->o, 't'),                                         \
		OPT_STRING('u', "uid", &(c)->o.user, "USER", "The processes of a user (name or number)", .complete = "user"),              \
		OPT_BOOL('i', "no-inherit", &(c)->o.config.no_inherit, "Do not follow threads and processes that the target starts",       \
			 .is_set = &(c)->o.inherit_given)

#define EVENTS(c)                                                                                                                          \
	OPT_GROUP("What to sample, and how often"),                                                                                        \
		OPT_CALL_NO('e', "event", cmd_option_events, &(c)->events, "EVENT[,…]",                                                    \
			    "Events (default: cycles, or cpu-clock without a PMU)", .complete = "event"),                                  \
		OPT_CALL_NO(0, "filter", cmd_option_events, &(c)->events, "FILTER",                                                        \
			    "Only tracepoints of the -e before it whose fields match"),                                                    \
		OPT_CALL_NO('G', "cgroup", cmd_option_events, &(c)->events, "NAME[,…]",                                                    \
			    "Only tasks of this cgroup, for the events before it (with -a)"),                                              \
		OPT_CALL_NO('F', "freq", record_option_freq, &(c)->o, "HZ|max", "Samples per second (default: 4000)"),                     \
		OPT_U64('c', "count", &(c)->o.config.period, 1, INT64_MAX, "N", "One sample every N events"),                              \
		OPT_CALL_NONE('g', NULL, cmd_option_callgraph, &(c)->o, "Sample call chains by frame pointers, and show callers"),         \
		OPT_CALL_NO(0, "call-graph", cmd_option_callgraph, &(c)->o, "MODE",                                                        \
			    "Call chains: fp[,FRAMES], dwarf[,SIZE] (unwound by assay), lbr", .complete = "fp|dwarf|lbr|no"),              \
		OPT_U64(0, "max-stack", &(c)->in.max_stack, 1, 65535, "N", "Frames of a call chain that are looked at (default: 127)"),    \
		OPT_CALL_NO('m', "mmap-pages", record_option_pages, &(c)->o, "PAGES|SIZE", "Size of each CPU's ring"),                     \
		OPT_U64('r', "realtime", &(c)->o.realtime, 1, 99, "PRIORITY", "Drain the rings with this SCHED_FIFO priority"),            \
		OPT_BOOL(0, "namespaces", &(c)->o.config.namespaces, "Track namespaces of tasks"),                                         \
		OPT_BOOL(0, "all-cgroups", &(c)->o.config.cgroups, "Track cgroups"),                                                       \
		OPT_BOOL(0, "no-bpf-event", &(c)->o.config.no_bpf_event, "No records about BPF programs"),                                 \
		OPT_U64(0, "proc-map-timeout", &(c)->o.map_timeout_ms, 1, UINT32_MAX, "MSECS",                                             \
			"Time to read the maps of a running process (default: 500)")

#define ROWS(c)                                                                                                                            \
	OPT_GROUP("Rows"),                                                                                                                 \
		OPT_CALL('s', "sort", take_sort, &(c)->hist, "KEY,…",                                                                      \
			 "A row for each comm, pid, tid, cpu, dso, sym, srcline, srcfile (default: dso,sym)", .complete = SORT_WORDS),     \
		OPT_BOOL('K', "hide_kernel_symbols", &(c)->state.hides_kernel, "Leave out what runs in the kernel"),                       \
		OPT_BOOL('U', "hide_user_symbols", &(c)->state.hides_user, "Leave out what runs in user space"),                           \
		OPT_CALL(0, "comms", input_option_filter, &(c)->in, "NAME,…", "Only tasks of these names"),                                \
		OPT_CALL(0, "dsos", input_option_filter, &(c)->in, "NAME,…", "Only rows of these files"),                                  \
		OPT_CALL(0, "symbols", input_option_filter, &(c)->in, "NAME,…", "Only rows of these functions"),                           \
		OPT_BOOL('n', "show-nr-samples", &(c)->style.shows_samples, "A column with the number of samples"),                        \
		OPT_BOOL(0, "show-total-period", &(c)->style.shows_period, "A column with the sum of periods"),                            \
		OPT_CALL(0, "percent-limit", take_percent, &(c)->style.percent_limit, "PERCENT", "Hide rows below this share"),            \
		OPT_U64('f', "count-filter", &(c)->count_limit, 0, UINT32_MAX, "N", "Hide rows of fewer samples"),                         \
		OPT_U64('E', "entries", &(c)->max_rows, 1, UINT32_MAX, "N", "At most so many rows (--stdio and --json)"),                  \
		OPT_CALL('w', "column-widths", take_widths, &(c)->style, "WIDTH,…", "Make the columns of keys that wide; 0: as need be"),  \
		OPT_CALL_OPT(0, "demangle", input_option_demangle, &(c)->in, "short|full|no",                                              \
			     "Names of C++, Rust and D as people write them (default: full)", .complete = "short|full|no")

#define OUTPUT(c)                                                                                                                          \
	OPT_GROUP("Output"), OPT_CALL('d', "delay", take_delay, &(c)->state.delay, "SECONDS", "Time between refreshes (default: 2)"),      \
		OPT_BOOL('z', "zero", &(c)->state.zeroes, "Show each refresh by itself (default: older samples fade)"),                    \
		OPT_BOOL(0, "stdio", &(c)->stdio, "Print a block of text at each refresh (default where there is no terminal)"),           \
		OPT_BOOL(0, "tui", &(c)->tui, "Use the screen (default on a terminal; fails where there is none)"),                        \
		OPT_CALL('M', "disassembler-style", annotate_option_syntax, &(c)->syntax, "STYLE",                                         \
			 "Syntax of x86 in annotated functions: att (the default) or intel", .complete = "att|intel"),                     \
		OPT_BOOL(0, "json", &(c)->json, "Print a JSON object a line at each refresh (schema: assay-top(1))"),                      \
		OPT_U64(0, "refreshes", &(c)->max_refreshes, 1, UINT32_MAX, "N", "End after N refreshes"),                                 \
		OPT_U64(0, "max-memory", &(c)->max_memory_mb, 1, UINT32_MAX, "MB",                                                         \
			"Start the recorder anew where assay has become larger than that (default: 256, or twice what it needs at first)", \
			.is_set = &(c)->max_memory_given),                                                                                 \
		OPT_BOOL('q', "quiet", &(c)->in.quiet, "No messages but errors"), OPT_COUNT('v', "verbose", &(c)->in.verbose, "Say more"), \
		OPT_GROUP("Symbols"),                                                                                                      \
		OPT_STRING('k', "vmlinux", &(c)->in.symbols.vmlinux, "FILE", "Take kernel symbols from this vmlinux", .complete = "file"), \
		OPT_STRING(0, "kallsyms", &(c)->in.symbols.kallsyms, "FILE", "Take kernel symbols from this kallsyms file",                \
			   .complete = "file"),                                                                                            \
		OPT_GROUP("Accepted for perf's sake"),                                                                                     \
		OPT_ACCEPTED(0, "children", "Nothing to do: with call chains, rows count what they called"),                               \
		OPT_ACCEPTED(0, "force", "Nothing to do: no file is read"),                                                                \
		OPT_ACCEPTED(0, "demangle-kernel", "Nothing to do: kernel symbols are demangled"),                                         \
		OPT_ACCEPTED(0, "num-thread-synthesize", "Nothing to do: one thread reads /proc while the rings are drained")

int cmd_top(int argc, char **argv, struct errbuf *eb)
{
	struct top_command c = { .state.delay = DEFAULT_DELAY, .max_memory_mb = DEFAULT_MEMORY_MB, .pipe_fd = -1, .screen_fd = -1 };
	const struct option table[] = { TARGETS(&c), EVENTS(&c), ROWS(&c), OUTPUT(&c), OPT_END };
	const struct options opts = {
		.command = "top",
		.absent = perf_top_absent,
		.usage = "assay top [OPTIONS]\n"
			 "assay top [OPTIONS] [--] COMMAND [ARG…]",
		.summary = "Show where the time goes, live: functions by their share, refreshed every two seconds",
		.examples = "assay top                                 the whole system; q ends, h shows the keys\n"
			    "assay top -g -p 1234                      a process, with callers and a flame view\n"
			    "assay top --json --refreshes 3 -d 1       three lines for a script\n",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	input_init(&c.in);
	capture_options_init(&c.o);
	capture_options_set_cmdline(&c.o, NULL, argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret) {
		c.o.workload = argc ? argv : NULL;
		ret = check(&c, eb);
	}
	if (!ret) {
		set_up(&c);
		ret = run(&c, eb);
	}
	if (c.pipe_fd >= 0)
		close(c.pipe_fd);
	if (c.screen_fd >= 0)
		close(c.screen_fd);
	free(c.target);
	vec_fini(&c.events.v);
	capture_options_fini(&c.o);
	input_fini(&c.in);
	return ret;
}
