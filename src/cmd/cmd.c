/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of subcommands and the look-up by name. Help and completion read the same table, so a
 * command exists everywhere or nowhere. Knows nothing of what the commands do.
 */
#include "cmd/cmd.h"

#include <string.h>

#include "base/suggest.h"
#include "cmd/perf_commands.h"

static const struct cmd table[] = {
	{ "record", cmd_record, "Run a command, or watch the machine, and write a profile",
	  "command" },
	{ "stat", cmd_stat, "Run a command, or watch the machine, and count events", "command" },
	{ "report", cmd_report, "Read a profile and show where the time went", "file" },
	{ "flame", cmd_flame, "Read a profile or folded stacks and draw a flame graph", "files" },
	{ "heatmap", cmd_heatmap, "Draw latencies of event pairs, or samples, over time", "file" },
	{ "diff", cmd_diff, "Read profiles and show what changed between them", "files" },
	{ "script", cmd_script, "Read a profile and print every sample as text", "file" },
	{ "export", cmd_export, "Write a profile in the format of another tool", "file" },
	{ "import", cmd_import, "Turn a profile of another tool into a perf.data", "file" },
	{ "list", cmd_list, "List the events that this machine can count", "event" },
	{ "evlist", cmd_evlist, "List the events of a profile", "file" },
	{ "stack", cmd_stack, "Print the stacks of a running process or a core file", NULL },
	{ "doctor", cmd_doctor, "Check what this machine allows, before recording", NULL },
	{ "cache", cmd_cache, "Show, verify or clear the symbol index", "list|verify|clear|dir" },
	{ "version", cmd_version, "Show the version and what this build can do", NULL },
	{ "help", cmd_help, "Show the manual page of a command, or in a pipe its options", "cmd" },
	{ "completion", cmd_completion, "Print the completion script for a shell",
	  "bash|zsh|fish" },
	{ NULL, NULL, NULL, NULL },
};

const struct cmd *cmd_table(void)
{
	return table;
}

const struct cmd *cmd_find(const char *name)
{
	for (const struct cmd *c = table; c->name; c++) {
		if (strcmp(c->name, name) == 0)
			return c;
	}
	return NULL;
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
