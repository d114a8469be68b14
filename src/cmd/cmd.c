/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of subcommands, the look-up by name, and commands in two levels. Help and completion read the same table, so a command exists
 * everywhere or nowhere. Knows nothing of what the commands do.
 */
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "cmd/perf_compat.h"
#include "kernel/cpus.h"
#include "kernel/tasks.h"

static const struct cmd table[] = {
	{ "record", cmd_record, "Run a command, or watch the machine, and write a profile",
	  "command", NULL },
	{ "stat", cmd_stat, "Run a command, or watch the machine, and count events", "command", NULL },
	{ "report", cmd_report, "Read a profile and show where the time went", "file", NULL },
	{ "flame", cmd_flame, "Read a profile or folded stacks and draw a flame graph", "files", NULL },
	{ "heatmap", cmd_heatmap, "Draw latencies of event pairs, or samples, over time", "file", NULL },
	{ "diff", cmd_diff, "Read profiles and show what changed between them", "files", NULL },
	{ "script", cmd_script, "Read a profile and print every sample as text", "file", NULL },
	{ "export", cmd_export, "Write a profile in the format of another tool", "file", NULL },
	{ "import", cmd_import, "Turn a profile of another tool into a perf.data", "file", NULL },
	{ "list", cmd_list, "List the events that this machine can count", "event", NULL },
	{ "evlist", cmd_evlist, "List the events of a profile", "file", NULL },
	{ "stack", cmd_stack, "Print the stacks of a running process or a core file", NULL, NULL },
	{ "doctor", cmd_doctor, "Check what this machine allows, before recording", NULL, NULL },
	{ "cache", cache_list, "Show, verify or clear the symbol index", NULL, cache_commands },
	{ "version", cmd_version, "Show the version and what this build can do", NULL, NULL },
	{ "help", cmd_help, "Show the manual page of a command, or in a pipe its options", "cmd", NULL },
	{ "completion", cmd_completion, "Print the completion script for a shell",
	  "bash|zsh|fish", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

const struct cmd *cmd_table(void)
{
	return table;
}

static const struct cmd *find_in(const struct cmd *commands, const char *name)
{
	for (const struct cmd *c = commands; c->name; c++) {
		if (strcmp(c->name, name) == 0)
			return c;
	}
	return NULL;
}

const struct cmd *cmd_find(const char *name)
{
	return find_in(table, name);
}

static int print_group(const struct cmd *group, int fd)
{
	struct out o;

	out_init(&o, fd);
	out_printf(&o, "Usage: assay %s %sCOMMAND%s [OPTIONS] [ARG…]\n\n%s.\n\nCommands:\n", group->name, group->run ? "[" : "",
		   group->run ? "]" : "", group->summary);
	for (const struct cmd *c = group->commands; c->name; c++)
		out_printf(&o, "  %-12s %s%s\n", c->name, c->summary, c->run == group->run ? " (without a command: this)" : "");
	out_printf(&o, "\n'assay %s COMMAND --help' shows the options of a command.\n", group->name);
	return out_fini(&o);
}

static int unknown_in_group(const struct cmd *group, const char *word, struct errbuf *eb)
{
	char names[256];
	struct suggest s;
	size_t len = 0;

	suggest_init(&s, word);
	for (const struct cmd *c = group->commands; c->name; c++) {
		suggest_offer(&s, c->name);
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "", c->name);
	}
	if (s.best)
		return errbuf_set(eb, CMD_USAGE, "%s: unknown command '%s'; did you mean '%s'?", group->name, word, s.best);
	return errbuf_set(eb, CMD_USAGE, "%s: unknown command '%s' (%s)", group->name, word, names);
}

/* The first word that names a command of the group becomes argv[1]: options may precede it. */
static const struct cmd *take_command(const struct cmd *group, char **argv)
{
	for (char **a = argv + 1; *a && strcmp(*a, "--") != 0; a++) {
		const struct cmd *c = find_in(group->commands, *a);
		char *word = *a;

		if (!c)
			continue;
		memmove(argv + 2, argv + 1, (size_t)(a - argv - 1) * sizeof(*argv));
		argv[1] = word;
		return c;
	}
	return NULL;
}

int cmd_run(const struct cmd *c, int argc, char **argv, struct errbuf *eb)
{
	const struct cmd *sub = c->commands ? take_command(c, argv) : NULL;

	if (!c->commands)
		return c->run(argc, argv, eb);
	if (sub)
		return sub->run(argc - 1, argv + 1, eb);
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return print_group(c, STDOUT_FILENO);
	if (argc > 1 && argv[1][0] != '-')
		return unknown_in_group(c, argv[1], eb);
	if (c->run)
		return c->run(argc, argv, eb);
	print_group(c, STDERR_FILENO);
	return CMD_USAGE;
}

int cmd_unknown(const char *name, struct errbuf *eb)
{
	const struct perf_command *absent = perf_command_find(name);
	struct suggest s;

	if (absent)
		return errbuf_set(eb, CMD_USAGE,
				  "perf's command '%s' is not in this version of assay%s%s", name,
				  absent->instead ? ": " : "; 'assay --help' lists what is",
				  absent->instead ? absent->instead : "");
	suggest_init(&s, name);
	for (const struct cmd *c = table; c->name; c++)
		suggest_offer(&s, c->name);
	if (s.best)
		return errbuf_set(
			eb, CMD_USAGE,
			"there is no command '%s'; did you mean '%s'? 'assay --help' lists all",
			name, s.best);
	return errbuf_set(eb, CMD_USAGE, "there is no command '%s'; 'assay --help' lists all",
			  name);
}

int cmd_option_tasks(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct task_ids ids = { 0 };
	const char **slot = ctx;
	int err = 0;

	*slot = negated ? NULL : arg;
	if (!negated)
		err = task_ids_parse(&ids, arg, opt->short_name == 'p' ? "-p" : "-t", eb);
	task_ids_fini(&ids);
	return err;
}

int cmd_option_cpus(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct cpu_list l = { 0 };
	const char **slot = ctx;
	int err = 0;

	(void)opt;
	*slot = negated ? NULL : arg;
	if (!negated)
		err = cpu_list_parse(&l, arg, eb);
	cpu_list_fini(&l);
	return err;
}
