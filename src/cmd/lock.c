/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * assay lock: who waits for locks, how long, and who ends the waiting; of the kernel's own locks, or of futexes, on which the locks of programs
 * wait. From a recording, or live.
 */
#include "base/log.h"
#include "capture/capture.h"
#include "cmd/cmd.h"
#include "cmd/input.h"
#include "cmd/pairs.h"
#include "cmd/perf_compat.h"
#include "view/lock_text.h"

#define KERNEL_FRAMES 8 /* of a stack, as perf */

struct lock_command {
	struct capture_options o;
	struct input in;
	struct lock_text text;
	bool user, by_thread, by_address, json;
	uint64_t max_stack; /* 0: not given */
	uint64_t max_rows;
	const char *key, *fields;
	enum pair_sort sort;
};

static uint32_t nr_frames(const struct lock_command *c)
{
	return c->max_stack ? (uint32_t)c->max_stack : KERNEL_FRAMES;
}

static void print(void *ctx, const struct recording *r, struct pair_sums *sums, uint32_t nr, struct out *o)
{
	const struct lock_command *c = ctx;
	struct pair_groups groups = { 0 };

	(void)r, (void)nr;
	pair_groups_make(&groups, sums, c->text.by, nr_frames(c));
	pair_groups_sort(&groups, c->sort);
	(c->json ? lock_json_print : lock_text_print)(&c->text, o, sums, &groups);
	pair_groups_fini(&groups);
}

static struct pairs_run pairs_of(struct lock_command *c)
{
	return (struct pairs_run){
		.defs = { c->user ? &pair_sum_futexes : &pair_sum_kernel_locks },
		.print = print,
		.ctx = c,
		.advice = c->user ? "'assay lock record --user' records them"
				  : "'assay lock record' records them; --user shows waits of programs, where these were recorded",
	};
}

/* Locks of programs are named by their data, and their stacks need no kernel. */
static void set_config(struct lock_command *c)
{
	struct event_config *config = &c->o.config;

	config->address = c->user;
	config->user_callchains = c->user;
	config->kernel_callchains = !c->user;
	config->max_stack = c->user ? 0 : (uint16_t)nr_frames(c);
}

static int run(struct lock_command *c, bool is_live, struct errbuf *eb)
{
	const struct session_options options = { .symbols = c->in.symbols, .user_only = c->user };
	const struct pairs_run pairs = pairs_of(c);

	set_config(c);
	return is_live ? pairs_run_live(&pairs, &c->o, &options, eb) : pairs_run_file(&pairs, &c->in, eb);
}

static int record(struct lock_command *c, struct errbuf *eb)
{
	const struct pairs_run pairs = pairs_of(c);
	int err = pairs_add_events(&pairs, &c->o, eb);

	set_config(c);
	return err ? err : capture_run(&c->o, eb);
}

/* ---- command lines ---- */

static void lock_init(struct lock_command *c, const char *group, int argc, char **argv)
{
	*c = (struct lock_command){ .sort = PAIR_SORT_TOTAL };
	input_init(&c->in);
	c->in.recorder = "assay lock record -- COMMAND";
	capture_options_init(&c->o);
	capture_options_set_cmdline(&c->o, group, argc, argv);
}

static void lock_fini(struct lock_command *c)
{
	capture_options_fini(&c->o);
	input_fini(&c->in);
}

static bool has_target(const struct lock_command *c)
{
	return c->o.workload || c->o.all_cpus || c->o.cpus || c->o.pids || c->o.tids;
}

static int lock_record(int argc, char **argv, struct errbuf *eb)
{
	struct lock_command c;
	const struct option table[] = {
		OPT_GROUP("Target (default: the command, or all CPUs)"),
		CMD_TARGET_OPTIONS(&c.o, 0),
		OPT_GROUP("What to record, and output"),
		OPT_BOOL(0, "user", &c.user, "Futexes, on which locks of programs wait (default: locks of the kernel)"),
		OPT_STRING('o', "output", &c.o.output, "FILE|-", "Output file, or - for a pipe (default: perf.data)", .complete = "file"),
		OPT_BOOL('q', "quiet", &c.in.quiet, "No messages but errors"),
		OPT_COUNT('v', "verbose", &c.in.verbose, "Say more"),
		OPT_END,
	};
	const struct options opts = {
		.command = "lock record",
		.usage = "assay lock record [OPTIONS] [--] COMMAND [ARG…]",
		.summary = "Record waits for locks into perf.data, for lock contention, script and heatmap",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	lock_init(&c, "lock", argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret) {
		cmd_set_log_level(c.in.quiet, c.in.verbose);
		c.o.workload = argc ? argv : NULL;
		ret = record(&c, eb);
	}
	lock_fini(&c);
	return ret;
}

/* Options that say nothing together, and what others mean. */
static int set_up(struct lock_command *c, struct errbuf *eb)
{
	int err = 0;

	if (c->in.path && has_target(c))
		return errbuf_set(eb, CMD_USAGE, "lock: -i reads a recording: no target can be given beside it");
	if (c->by_thread && c->by_address)
		return errbuf_set(eb, CMD_USAGE, "lock: -t and -l exclude each other");
	if (c->max_stack && (c->by_thread || c->by_address))
		return errbuf_set(eb, CMD_USAGE, "lock: --max-stack tells callers apart: it has no meaning with %s",
				  c->by_thread ? "-t" : "-l");
	if (c->json && c->fields)
		return errbuf_set(eb, CMD_USAGE, "lock: --json has all columns: leave out -F");
	c->text.by = c->by_thread ? PAIR_GROUPS_BY_TASK : c->by_address ? PAIR_GROUPS_BY_OBJECT : PAIR_GROUPS_BY_CALLER;
	c->text.max_rows = c->max_rows;
	c->text.shows_stacks = c->in.verbose;
	c->text.shows_wakers = c->user;
	if (c->key)
		err = lock_text_find_column(c->key, "-k", &c->sort, eb);
	if (!err)
		err = lock_text_set_columns(&c->text, c->fields ? c->fields : "contended,wait_total,wait_max,avg_wait", "-F", eb);
	if (err)
		return CMD_USAGE;
	lock_text_add_column(&c->text, c->sort);
	return 0;
}

int lock_contention(int argc, char **argv, struct errbuf *eb)
{
	struct lock_command c;
	const struct option table[] = {
		OPT_GROUP("Target (default: read perf.data)"),
		CMD_TARGET_OPTIONS(&c.o, 0),
		OPT_STRING('i', "input", &c.in.path, "FILE", "Read a recording (- is stdin; default perf.data)", .complete = "file"),
		OPT_GROUP("What to show"),
		OPT_BOOL(0, "user", &c.user, "Futexes, on which locks of programs wait (default: locks of the kernel)"),
		OPT_BOOL('t', "threads", &c.by_thread, "A row for each thread that waited (default: for each caller)"),
		OPT_BOOL('l', "lock-addr", &c.by_address, "A row for each lock"),
		OPT_STRING('k', "key", &c.key, "COLUMN", "Sort by this column (default: wait_total)",
			   .complete = "contended|wait_total|wait_max|wait_min|avg_wait"),
		OPT_STRING('F', "field", &c.fields, "COLUMN[,…]", "Which columns: contended, wait_total, wait_max, wait_min, avg_wait"),
		OPT_U64('E', "entries", &c.max_rows, 1, UINT32_MAX, "N", "At most so many rows"),
		OPT_U64(0, "max-stack", &c.max_stack, 1, UINT16_MAX, "N", "Frames that distinguish two callers (default: 8)"),
		OPT_BOOL('j', "json", &c.json, "Print JSON, with stacks"),
		OPT_COUNT('v', "verbose", &c.in.verbose, "With the stack of each row"),
		OPT_BOOL('q', "quiet", &c.in.quiet, "No warnings"),
		OPT_BOOL('f', "force", &c.in.force, "Read a file that another user owns"),
		OPT_GROUP("Symbols"),
		OPT_STRING(0, "symfs", &c.in.symbols.symfs, "DIR", "Look for binaries below DIR", .complete = "file"),
		OPT_STRING(0, "vmlinux", &c.in.symbols.vmlinux, "FILE", "Take kernel symbols from this vmlinux", .complete = "file"),
		OPT_STRING(0, "kallsyms", &c.in.symbols.kallsyms, "FILE", "Take kernel symbols from this kallsyms file",
			   .complete = "file"),
		OPT_END,
	};
	const struct options opts = {
		.command = "lock contention",
		.absent = perf_lock_absent,
		.usage = "assay lock contention [OPTIONS] [--] COMMAND [ARG…]\n"
			 "assay lock contention [OPTIONS] -a|-p PID|--tid TID\n"
			 "assay lock contention [OPTIONS] [-i FILE]",
		.summary = "Show who waits for locks, how long, and who ended the waiting",
		.examples = "assay lock contention --user -- ./app        where a program waits for its own locks\n"
			    "assay lock contention --user -l -p 1234      which locks of a process are waited for, until Ctrl-C\n"
			    "assay lock contention -a -- sleep 10         locks of the kernel\n",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};
	int ret;

	lock_init(&c, NULL, argc, argv);
	ret = cmd_parse(&opts, &argc, &argv, eb);
	if (!ret) {
		cmd_set_log_level(c.in.quiet, c.in.verbose);
		c.o.workload = argc ? argv : NULL;
		ret = set_up(&c, eb);
	}
	if (!ret)
		ret = run(&c, has_target(&c), eb);
	lock_fini(&c);
	return ret;
}

const struct cmd lock_commands[] = {
	{ "record", lock_record, "Record waits into a file", "command", NULL },
	{ "contention", lock_contention, "Show who waits, how long, and for whom", "command", NULL },
	{ "report", lock_contention, "The same as contention", "command", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};
