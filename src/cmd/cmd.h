/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a subcommand is, and what it returns to main.c.
 *
 * A subcommand parses its options, connects modules and prints. It never exits and never prints an error: that goes into the errbuf, and
 * main.c prints it once. What it returns becomes the exit status:
 *
 *   0, CMD_DONE        0 (CMD_DONE: --help was shown)
 *   n > 0              n & 255: the workload's own status. What is in the errbuf is printed, too
 *   CMD_USAGE          2: a mistake in the command line
 *   -EPIPE             141, silently: the reader of our output has gone (`assay script | head`). Code that starts another program gives it
 *                      SIGPIPE's default back (POSIX_SPAWN_SETSIGDEF)
 *   another -errno     1, with the message, or the errno's text where there is none
 *
 * A command that shows what it could and then fails flushes its output before it returns.
 */
#ifndef ASSAY_CMD_CMD_H
#define ASSAY_CMD_CMD_H

#include <errno.h>
#include <stddef.h>

#include "base/errbuf.h"
#include "base/options.h"

#define CMD_USAGE (-100000) /* no errno reaches these */
#define CMD_DONE (-100001)

/* argv[0] is the command's name. */
typedef int cmd_fn(int argc, char **argv, struct errbuf *eb);

struct cmd {
	const char *name;
	cmd_fn *run;
	const char *summary; /* one line for `assay --help`, no full stop */
	const char *words;   /* completion hint for its words, as in struct option's `complete` */
	/* Commands of the second level (`assay cache verify`), each with its own options; NULL: none. `run` is then what the command does
	 * without one, and NULL where one is needed. */
	const struct cmd *commands;
};

/* Every command, in the order that help shows them: name, function, line for `assay --help` (no full stop), completion hint for its words
 * (as in struct option's `complete`). A GROUP has commands of the second level, in a table of its own (`assay cache verify`); with a hint it
 * takes words itself, too, and only its first one can be such a command (`assay trace record`). */
#define CMD_ALL(ONE, GROUP)                                                                                                                \
	ONE("profile", cmd_profile, "Profile a program, show the answer, write a page of it", "command")                                   \
	ONE("record", cmd_record, "Run a command, or watch the machine, and write a profile", "command")                                   \
	ONE("stat", cmd_stat, "Run a command, or watch the machine, and count events", "command")                                          \
	ONE("top", cmd_top, "Show where the time goes, live", "command")                                                                   \
	GROUP("trace", trace_run, "Show system calls as they are made", trace_commands, "command")                                         \
	GROUP("ftrace", ftrace_trace, "Trace functions of the kernel, and show how long they take", ftrace_commands, "command")            \
	GROUP("lock", lock_contention, "Show who waits for locks, how long, and for whom", lock_commands, NULL)                            \
	GROUP("kwork", kwork_report, "Show how long interrupts and work of the kernel take", kwork_commands, NULL)                         \
	GROUP("kmem", kmem_stat, "Show who allocates memory in the kernel, and what is wasted", kmem_commands, NULL)                       \
	GROUP("sched", sched_summary, "Show which tasks ran where, and how long they waited for a CPU", sched_commands, NULL)              \
	GROUP("timechart", timechart_run, "Draw what tasks and CPUs did over time", timechart_commands, "file")                            \
	GROUP("wall", wall_run, "Divide the elapsed time of threads into running and waiting", wall_commands, "command")                   \
	ONE("latency", cmd_latency, "Show how long calls take, and why the slow ones are slow", "event")                                   \
	ONE("report", cmd_report, "Read a profile and show where the time went", "file")                                                   \
	ONE("annotate", cmd_annotate, "Read a profile and show which instructions took the time", "file")                                  \
	ONE("flame", cmd_flame, "Read a profile or folded stacks and draw a flame graph", "files")                                         \
	ONE("view", cmd_view, "Write a profile as a page: time line, flame graph, tables", "file")                                         \
	ONE("heatmap", cmd_heatmap, "Draw latencies of event pairs, or samples, over time", "file")                                        \
	ONE("diff", cmd_diff, "Read profiles and show what changed between them", "files")                                                 \
	ONE("script", cmd_script, "Read a profile and print every sample as text", "file")                                                 \
	ONE("export", cmd_export, "Write a profile in the format of another tool", "file")                                                 \
	ONE("import", cmd_import, "Turn a profile of another tool into a perf.data", "file")                                               \
	ONE("inject", cmd_inject, "Copy a profile with generated code as files, or with build-ids", "file")                                \
	ONE("probe", cmd_probe, "Define probes in programs and the kernel, show where they can be", NULL)                                  \
	ONE("list", cmd_list, "List the events that this machine can count", "event")                                                      \
	ONE("evlist", cmd_evlist, "List the events of a profile", "file")                                                                  \
	ONE("stack", cmd_stack, "Print the stacks of a running process or a core file", NULL)                                              \
	ONE("doctor", cmd_doctor, "Check what this machine allows, before recording", NULL)                                                \
	GROUP("cache", cache_list, "Show, verify or clear the symbol index", cache_commands, NULL)                                         \
	ONE("config", cmd_config, "Show or change the configuration", NULL)                                                                \
	ONE("version", cmd_version, "Show the version and what this build can do", NULL)                                                   \
	ONE("help", cmd_help, "Show the manual page of a command, or in a pipe its options", "cmd")                                        \
	ONE("completion", cmd_completion, "Print the completion script for a shell", "bash|zsh|fish")

#define CMD_DECLARE_ONE(name, run, summary, words) cmd_fn run;
#define CMD_DECLARE_GROUP(name, run, summary, commands, words)                                                                             \
	cmd_fn run;                                                                                                                        \
	extern const struct cmd commands[];
CMD_ALL(CMD_DECLARE_ONE, CMD_DECLARE_GROUP)

/* CMD_ALL as a table; ends with a NULL name. */
const struct cmd *cmd_table(void);
/* NULL where there is none of that name. */
const struct cmd *cmd_find(const char *name);
/* Runs it, or the command of the second level that a word names. argv[0] is its name. */
int cmd_run(const struct cmd *c, int argc, char **argv, struct errbuf *eb);
/* "there is no command 'recrd'; did you mean 'record'?": fills `eb`, returns CMD_USAGE. */
int cmd_unknown(const char *name, struct errbuf *eb);

/* Warns where the symbol index is refused because another user could have put it there: everything works without it, but slower. */
void cmd_check_cache(void);

/* Of what is shown live: records that were lost on the way. */
void cmd_warn_lost(uint64_t nr_lost);

/* -q and -v. */
void cmd_set_log_level(bool quiet, int verbose);

/* options_parse(); where it is not 0, the command returns what this gives. */
int cmd_parse(const struct options *opts, int *argc, char ***argv, struct errbuf *eb);

/* The options before the command word, and the page that `assay --help` prints. */
struct cmd_globals {
	int nr_version; /* -v: version; -vv: build options too */
	bool build_options;
	bool no_pager;
};
int cmd_parse_globals(struct cmd_globals *g, int *argc, char ***argv, struct errbuf *eb);
int cmd_print_overview(int fd);

/* A script of completion/, embedded at build time. It knows no command and no option by name: completion.c prints the commands before it,
 * and the options are asked for when Tab is pressed, from `assay CMD --completion-helper`, which prints a line per option of its table:
 *
 *	-x<TAB>--long<TAB>ARG<TAB>hint<TAB>help<TAB>--no-long
 *
 * (fields may be empty). So the scripts are never out of date. Hints are struct option's `complete`. */
struct completion_script {
	const char *name; /* "assay.bash" */
	const char *text;
	size_t len;
};
extern const struct completion_script completion_scripts[]; /* ends with a NULL name */

/* -p, -t and -C: checks the syntax, keeps the text. `ctx` is the `const char *` that takes it. */
option_call_fn cmd_option_tasks, cmd_option_cpus;
/* The target of a struct capture_options; `tid` is the letter of --tid, 0 where the command needs -t for something else. */
#define CMD_TARGET_OPTIONS(o, tid)                                                                                                         \
	OPT_BOOL('a', "all-cpus", &(o)->all_cpus, "Everything on all CPUs"),                                                               \
		OPT_CALL_NO('C', "cpu", cmd_option_cpus, &(o)->cpus, "LIST", "Only these CPUs (0-3,7)"),                                   \
		OPT_CALL_NO('p', "pid", cmd_option_tasks, &(o)->pids, "PID[,PID…]", "Running processes, all their threads",                \
			    .complete = "pid"),                                                                                            \
		OPT_CALL_NO(tid, "tid", cmd_option_tasks, &(o)->tids, "TID[,TID…]", "Running threads", .complete = "pid")
/* Of recorders that take all CPUs, or some: `o` is their struct capture_options, `in` the struct input with -q and -v. */
#define CMD_ALL_CPUS_OPTIONS(o, in)                                                                                                        \
	OPT_ACCEPTED('a', "all-cpus", "Nothing to do: all CPUs are recorded"),                                                             \
		OPT_CALL('C', "cpu", cmd_option_cpus, &(o)->cpus, "LIST", "Only these CPUs (0-3,7)"),                                      \
		OPT_STRING('o', "output", &(o)->output, "FILE|-", "Output file, or - for a pipe (default: perf.data)",                     \
			   .complete = "file"),                                                                                            \
		OPT_BOOL('q', "quiet", &(in)->quiet, "No messages but errors"), OPT_COUNT('v', "verbose", &(in)->verbose, "Say more")
/* -e, --filter and -G of both; `ctx` is the struct event_words. */
option_call_fn cmd_option_events;
/* -g and --call-graph; `ctx` is the struct capture_options. */
option_call_fn cmd_option_callgraph;

#endif
