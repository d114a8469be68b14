/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay completion bash|zsh|fish`: prints the completion script, first the tables that come from the table of commands, then
 * the file of the shell (completion/). The options are not here: the scripts ask for them (cmd.h).
 */
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "cmd/cmd.h"

/* Names that every machine has, for where `assay list` prints none. */
static const char events[] = "cycles instructions cache-references cache-misses branches branch-misses bus-cycles "
			     "ref-cycles cpu-clock task-clock page-faults minor-faults major-faults context-switches "
			     "cpu-migrations alignment-faults emulation-faults dummy";

/* "list verify clear dir" */
static void print_names(struct out *o, const struct cmd *commands)
{
	for (const struct cmd *c = commands; c->name; c++)
		out_printf(o, "%s%s", c == commands ? "" : " ", c->name);
}

/* Two functions of the shell, of a command's name, or of "cache verify": the hint for its words, and its commands of the second level.
 * `row` is a case with both. */
static void print_functions(struct out *o, const char *head, const char *row, const char *tail)
{
	out_printf(o, head, "words");
	for (const struct cmd *c = cmd_table(); c->name; c++) {
		if (c->words)
			out_printf(o, row, c->name, "", "", c->words);
		for (const struct cmd *sub = c->commands; sub && sub->name; sub++)
			if (sub->words)
				out_printf(o, row, c->name, " ", sub->name, sub->words);
	}
	out_str(o, tail);
	out_printf(o, head, "subcommands");
	for (const struct cmd *c = cmd_table(); c->name; c++) {
		struct out names;

		if (!c->commands)
			continue;
		out_init(&names, -1);
		print_names(&names, c->commands);
		out_char(&names, 0);
		out_printf(o, row, c->name, "", "", names.buf);
		out_fini(&names);
	}
	out_str(o, tail);
}

static void print_bash(struct out *o)
{
	out_str(o, "# bash completion for assay; printed by `assay completion bash`.\n_assay_commands='");
	print_names(o, cmd_table());
	out_printf(o, "'\n_assay_events='%s'\n\n", events);
	print_functions(o, "_assay_%s()\n{\n\tcase $1 in\n", "\t('%s%s%s') echo '%s' ;;\n", "\tesac\n}\n\n");
}

static void print_zsh(struct out *o)
{
	out_str(o, "#compdef assay\n# zsh completion for assay; printed by `assay completion zsh`.\n"
		   "typeset -ga _assay_command_list=(\n");
	for (const struct cmd *c = cmd_table(); c->name; c++)
		out_printf(o, "\t'%s:%s'\n", c->name, c->summary);
	out_printf(o, ")\ntypeset -g _assay_events='%s'\n\n", events);
	print_functions(o, "_assay_%s()\n{\n\tcase $1 in\n", "\t('%s%s%s') echo '%s' ;;\n", "\tesac\n}\n\n");
}

static void print_fish(struct out *o)
{
	out_str(o, "# fish completion for assay; printed by `assay completion fish`.\nset -g __assay_commands");
	for (const struct cmd *c = cmd_table(); c->name; c++)
		out_printf(o, " \\\n\t%s\\t'%s'", c->name, c->summary);
	out_printf(o, "\nset -g __assay_events '%s'\n\n", events);
	print_functions(o, "function __assay_%s\n\tswitch \"$argv[1]\"\n", "\t\tcase '%s%s%s'\n\t\t\techo '%s'\n", "\tend\nend\n\n");
}

static const struct shell {
	const char *name, *script;
	void (*print_tables)(struct out *o);
} shells[] = {
	{ "bash", "assay.bash", print_bash },
	{ "zsh", "assay.zsh", print_zsh },
	{ "fish", "assay.fish", print_fish },
};

static void print_script(struct out *o, const struct shell *shell)
{
	const struct completion_script *s = completion_scripts;

	while (strcmp(s->name, shell->script) != 0)
		s++;
	shell->print_tables(o);
	out_mem(o, s->text, s->len);
}

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
	int err = cmd_parse(&opts, &argc, &argv, eb);

	if (err)
		return err;
	for (size_t i = 0; argc == 1 && i < sizeof(shells) / sizeof(*shells); i++) {
		if (strcmp(argv[0], shells[i].name) == 0)
			shell = &shells[i];
	}
	if (!shell)
		return errbuf_set(eb, CMD_USAGE, "completion: say for which shell: bash, zsh or fish");
	out_init(&o, STDOUT_FILENO);
	print_script(&o, shell);
	return out_fini(&o);
}
