/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay completion bash|zsh|fish`: prints the completion script, first the tables that are written
 * into it out of the command table, then the text of the shell (completion_bash.c and so on). The
 * options are not here: the scripts ask for them (completion.h).
 */
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "cmd/cmd.h"
#include "cmd/completion.h"

/* Names that hold on every machine, where `assay list` tells none. */
static const char events[] =
	"cycles instructions cache-references cache-misses branches branch-misses bus-cycles "
	"ref-cycles cpu-clock task-clock page-faults minor-faults major-faults context-switches "
	"cpu-migrations alignment-faults emulation-faults dummy";

static void print_words_function(struct out *o)
{
	out_str(o, "_assay_words()\n{\n\tcase $1 in\n");
	for (const struct cmd *c = cmd_table(); c->name; c++) {
		if (c->words)
			out_printf(o, "\t(%s) echo '%s' ;;\n", c->name, c->words);
	}
	out_str(o, "\tesac\n}\n\n");
}

static void print_bash(struct out *o)
{
	out_str(o, "# bash completion for assay; printed by `assay completion bash`.\n"
		   "_assay_commands='");
	for (const struct cmd *c = cmd_table(); c->name; c++)
		out_printf(o, "%s%s", c == cmd_table() ? "" : " ", c->name);
	out_printf(o, "'\n_assay_events='%s'\n\n", events);
	print_words_function(o);
	out_str(o, completion_bash);
}

static void print_zsh(struct out *o)
{
	out_str(o,
		"#compdef assay\n# zsh completion for assay; printed by `assay completion zsh`.\n"
		"typeset -ga _assay_command_list=(\n");
	for (const struct cmd *c = cmd_table(); c->name; c++)
		out_printf(o, "\t'%s:%s'\n", c->name, c->summary);
	out_printf(o, ")\ntypeset -g _assay_events='%s'\n\n", events);
	print_words_function(o);
	out_str(o, completion_zsh);
}

static void print_fish(struct out *o)
{
	out_str(o, "# fish completion for assay; printed by `assay completion fish`.\n"
		   "set -g __assay_commands");
	for (const struct cmd *c = cmd_table(); c->name; c++)
		out_printf(o, " \\\n\t%s\\t'%s'", c->name, c->summary);
	out_printf(o, "\nset -g __assay_events '%s'\n\n", events);
	out_str(o, "function __assay_words\n\tswitch $argv[1]\n");
	for (const struct cmd *c = cmd_table(); c->name; c++) {
		if (c->words)
			out_printf(o, "\t\tcase %s\n\t\t\techo '%s'\n", c->name, c->words);
	}
	out_str(o, "\tend\nend\n\n");
	out_str(o, completion_fish);
}

static const struct shell {
	const char *name;
	void (*print)(struct out *o);
} shells[] = {
	{ "bash", print_bash },
	{ "zsh", print_zsh },
	{ "fish", print_fish },
};

int cmd_completion(int argc, char **argv, struct errbuf *eb)
{
	const struct option table[] = { { .kind = OPTION_END } };
	const struct options opts = {
		.command = "completion",
		.usage = "assay completion bash|zsh|fish",
		.summary = "Print the completion script for a shell",
		.examples = "  source <(assay completion bash)        # this shell only\n"
			    "  assay completion zsh > ~/.zfunc/_assay  # a directory of $fpath\n"
			    "  assay completion fish > ~/.config/fish/completions/assay.fish\n",
		.table = table,
	};
	const struct shell *shell = NULL;
	struct out o;
	int err = options_parse(&opts, &argc, &argv, eb);

	if (err)
		return cmd_options_status(err);
	for (size_t i = 0; argc == 1 && i < sizeof(shells) / sizeof(*shells); i++) {
		if (strcmp(argv[0], shells[i].name) == 0)
			shell = &shells[i];
	}
	if (!shell)
		return errbuf_set(eb, CMD_USAGE,
				  "completion: say for which shell: bash, zsh or fish");
	out_init(&o, STDOUT_FILENO);
	shell->print(&o);
	return out_fini(&o);
}
