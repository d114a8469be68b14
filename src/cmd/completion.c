/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay completion bash|zsh`: prints the completion script. The commands are written into it from
 * the command table; the options are asked for when the person presses Tab, from
 * `assay CMD --completion-helper`, which prints one line per option out of its table:
 *
 *	-x<TAB>--long<TAB>ARG<TAB>hint<TAB>help
 *
 * (fields may be empty). So the scripts know no option by name and are never out of date.
 */
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "cmd/cmd.h"

/* clang-format off */
/* Completes $cur by a hint: the one vocabulary of struct option's `complete`. */
static const char bash_body[] =
"# The last of a list with commas, of these kinds; what bash cut off at a colon stands in $colon.\n"
"_assay_list()\n"
"{\n"
"	local typed=$colon$cur list='' text name\n"
"	local -a names\n"
"	[[ $typed == *,* ]] && list=${typed%,*},\n"
"	text=$(\"${COMP_WORDS[0]}\" list --raw-dump \"$@\" 2>/dev/null)\n"
"	# not compgen -W, which would expand the names like commands\n"
"	read -ra names <<<\"${text:-$_assay_events}\"\n"
"	for name in \"${names[@]}\"; do\n"
"		name=$list$name\n"
"		[[ $name == \"$typed\"* ]] && COMPREPLY+=(\"${name#\"$colon\"}\")\n"
"	done\n"
"}\n"
"\n"
"_assay_hint()\n"
"{\n"
"	case $1 in\n"
"	file | dir) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
"	command) COMPREPLY=($(compgen -c -- \"$cur\")) ;;\n"
"	cmd) COMPREPLY=($(compgen -W \"$_assay_commands\" -- \"$cur\")) ;;\n"
"	pid) COMPREPLY=($(cd /proc && compgen -W \"$(echo [0-9]*)\" -- \"$cur\")) ;;\n"
"	user) COMPREPLY=($(compgen -u -- \"$cur\")) ;;\n"
"	event) _assay_list hw sw cache pmu tracepoint pfm ;;\n"
"	metric) _assay_list metric metricgroup ;;\n"
"	*'|'*)\n"
"		local list=\n"
"		[[ $cur == *,* ]] && list=${cur%,*},\n"
"		COMPREPLY=($(compgen -P \"$list\" -W \"${1//|/ }\" -- \"${cur##*,}\")) ;;\n"
"	esac\n"
"}\n"
"\n"
"_assay()\n"
"{\n"
"	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
"	local cmd='' i short long arg hint help options='' want='' words=0 skip='' colon=''\n"
"	COMPREPLY=()\n"
"	# bash splits --name=value at the equals sign\n"
"	if [[ $cur == '=' ]]; then\n"
"		cur=''\n"
"	elif [[ $prev == '=' && COMP_CWORD -ge 2 ]]; then\n"
"		prev=${COMP_WORDS[COMP_CWORD-2]}\n"
"	# and names of tracepoints at the colon\n"
"	elif [[ $cur == ':' && COMP_CWORD -ge 2 ]]; then\n"
"		colon=$prev: cur='' prev=${COMP_WORDS[COMP_CWORD-2]}\n"
"	elif [[ $prev == ':' && COMP_CWORD -ge 3 ]]; then\n"
"		colon=${COMP_WORDS[COMP_CWORD-2]}: prev=${COMP_WORDS[COMP_CWORD-3]}\n"
"	fi\n"
"	for ((i = 1; i < COMP_CWORD; i++)); do\n"
"		if [[ ${COMP_WORDS[i]} != -* ]]; then\n"
"			cmd=${COMP_WORDS[i]}\n"
"			break\n"
"		fi\n"
"	done\n"
"	if [[ -z $cmd ]]; then\n"
"		if [[ $cur == -* ]]; then\n"
"			COMPREPLY=($(compgen -W '--help --version --build-options' -- \"$cur\"))\n"
"		else\n"
"			_assay_hint cmd\n"
"		fi\n"
"		return\n"
"	fi\n"
"	local -A takes=()\n"
"	while IFS=$'\\x1f' read -r short long arg hint help; do\n"
"		options+=\" $short $long\"\n"
"		if [[ -n $arg ]]; then\n"
"			[[ -n $short ]] && takes[$short]=${hint:--}\n"
"			[[ -n $long ]] && takes[$long]=${hint:--}\n"
"		fi\n"
"	done <<<\"$(\"${COMP_WORDS[0]}\" \"$cmd\" --completion-helper 2>/dev/null | tr '\\t' '\\037')\"\n"
"	# the first word that is neither an option nor its argument begins a workload\n"
"	for ((i++; i < COMP_CWORD; i++)); do\n"
"		if [[ ${COMP_WORDS[i]} == ':' ]]; then\n"
"			skip=1\n"
"		elif [[ -n $skip ]]; then\n"
"			skip=''\n"
"			[[ ${COMP_WORDS[i]} == '=' ]] && skip=1\n"
"		elif [[ ${COMP_WORDS[i]} == -- ]]; then\n"
"			words=$((i + 1))\n"
"			break\n"
"		elif [[ ${COMP_WORDS[i]} == -* ]]; then\n"
"			[[ -n ${takes[${COMP_WORDS[i]}]} ]] && skip=1\n"
"		else\n"
"			words=$i\n"
"			break\n"
"		fi\n"
"	done\n"
"	want=$(_assay_words \"$cmd\")\n"
"	if [[ $want == command && $words -gt 0 && COMP_CWORD -ge words ]]; then\n"
"		if declare -F _command_offset >/dev/null; then\n"
"			_command_offset \"$words\"\n"
"		elif ((COMP_CWORD == words)); then\n"
"			_assay_hint command\n"
"		else\n"
"			_assay_hint file\n"
"		fi\n"
"	elif [[ -n ${takes[$prev]} ]]; then\n"
"		_assay_hint \"${takes[$prev]}\"\n"
"	elif [[ $cur == -* ]]; then\n"
"		COMPREPLY=($(compgen -W \"$options --help\" -- \"$cur\"))\n"
"	else\n"
"		_assay_hint \"$want\"\n"
"	fi\n"
"}\n"
"\n"
"complete -F _assay assay\n";

static const char zsh_body[] =
"_assay_list()\n"
"{\n"
"	local names=$($words[1] list --raw-dump $@ 2>/dev/null)\n"
"	compset -P '*,'\n"
"	compadd -- ${=names:-$_assay_events}\n"
"}\n"
"\n"
"_assay_hint()\n"
"{\n"
"	case $1 in\n"
"	(file) _files ;;\n"
"	(dir) _files -/ ;;\n"
"	(command) _command_names -e ;;\n"
"	(cmd) _describe -t commands command _assay_command_list ;;\n"
"	(pid) _pids ;;\n"
"	(user) _users ;;\n"
"	(event) _assay_list hw sw cache pmu tracepoint pfm ;;\n"
"	(metric) _assay_list metric metricgroup ;;\n"
"	(*\\|*) compset -P '*,'; compadd -- ${(s:|:)1} ;;\n"
"	(*) return 1 ;;\n"
"	esac\n"
"}\n"
"\n"
"_assay()\n"
"{\n"
"	local cmd='' line skip='' want i=2 first=0\n"
"	local -a fields options\n"
"	local -A takes\n"
"	while ((i < CURRENT)) && [[ $words[i] == -* ]]; do ((i++)); done\n"
"	((i < CURRENT)) && cmd=$words[i]\n"
"	if [[ -z $cmd ]]; then\n"
"		if [[ $words[CURRENT] == -* ]]; then\n"
"			compadd -- --help --version --build-options\n"
"		else\n"
"			_assay_hint cmd\n"
"		fi\n"
"		return\n"
"	fi\n"
"	options=('--help:show the options')\n"
"	for line in ${(f)\"$($words[1] $cmd --completion-helper 2>/dev/null)\"}; do\n"
"		fields=(\"${(@s:\t:)line}\")\n"
"		for name in $fields[1] $fields[2]; do\n"
"			[[ -z $name ]] && continue\n"
"			options+=(\"$name:$fields[5]\")\n"
"			[[ -n $fields[3] ]] && takes[$name]=${fields[4]:--}\n"
"		done\n"
"	done\n"
"	for ((i++; i < CURRENT; i++)); do\n"
"		if [[ -n $skip ]]; then\n"
"			skip=''\n"
"		elif [[ $words[i] == -- ]]; then\n"
"			first=$((i + 1))\n"
"			break\n"
"		elif [[ $words[i] == -* ]]; then\n"
"			[[ -n $takes[$words[i]] ]] && skip=1\n"
"		else\n"
"			first=$i\n"
"			break\n"
"		fi\n"
"	done\n"
"	want=$(_assay_words $cmd)\n"
"	if [[ $want == command ]] && ((first > 0 && CURRENT >= first)); then\n"
"		shift $((first - 1)) words\n"
"		((CURRENT -= first - 1))\n"
"		_normal\n"
"	elif [[ $words[CURRENT] == --*=* ]] && compset -P '*='; then\n"
"		_assay_hint \"$takes[${IPREFIX%=}]\"\n"
"	elif [[ -n $skip ]]; then\n"
"		_assay_hint \"$takes[$words[CURRENT-1]]\"\n"
"	elif [[ $words[CURRENT] == -* ]]; then\n"
"		_describe -t options option options\n"
"	else\n"
"		_assay_hint \"$want\"\n"
"	fi\n"
"}\n"
"\n"
"if [[ $funcstack[1] == _assay ]]; then\n"
"	_assay \"$@\"\n"
"else\n"
"	compdef _assay assay\n"
"fi\n";

/* clang-format on */

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
	out_str(o, bash_body);
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
	out_str(o, zsh_body);
}

int cmd_completion(int argc, char **argv, struct errbuf *eb)
{
	const struct option table[] = { { .kind = OPTION_END } };
	const struct options opts = {
		.command = "completion",
		.usage = "assay completion bash|zsh",
		.summary = "Print the completion script for a shell",
		.examples = "  source <(assay completion bash)        # this shell only\n"
			    "  assay completion zsh > ~/.zfunc/_assay  # a directory of $fpath\n",
		.table = table,
	};
	struct out o;
	bool bash;
	int err = options_parse(&opts, &argc, &argv, eb);

	if (err)
		return cmd_options_status(err);
	bash = argc == 1 && strcmp(argv[0], "bash") == 0;
	if (argc != 1 || (!bash && strcmp(argv[0], "zsh") != 0))
		return errbuf_set(eb, CMD_USAGE, "completion: say for which shell: bash or zsh");
	out_init(&o, STDOUT_FILENO);
	if (bash)
		print_bash(&o);
	else
		print_zsh(&o);
	return out_fini(&o);
}
