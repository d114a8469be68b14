/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of subcommands, the look-up by name, and commands in two levels. Help and completion read the same table, so a command exists
 * everywhere or nowhere. Knows nothing of what the commands do.
 */
#include "cmd/cmd.h"
#include "cmd/configured.h"

#include "base/log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "capture/capture.h"
#include "cmd/perf_compat.h"
#include "kernel/cpus.h"
#include "kernel/tasks.h"

#define ONE(name, run, summary, words) { name, run, summary, words, NULL },
#define GROUP(name, run, summary, commands, words) { name, run, summary, words, commands },
static const struct cmd table[] = { CMD_ALL(ONE, GROUP){ NULL, NULL, NULL, NULL, NULL } };
#undef ONE
#undef GROUP

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

static int run_configured(const struct cmd *c, int argc, char **argv, struct errbuf *eb)
{
	struct configured_words w;
	int ret;

	configured_words_init(&w, c->name, argc, argv);
	ret = c->run(w.argc, w.argv, eb);
	if (ret == CMD_USAGE)
		configured_words_explain(&w, eb);
	configured_words_fini(&w);
	return ret;
}

int cmd_run(const struct cmd *c, int argc, char **argv, struct errbuf *eb)
{
	const struct cmd *sub = NULL;

	if (c->commands && !c->words)
		sub = take_command(c, argv);
	else if (c->commands && argc > 1)
		sub = find_in(c->commands, argv[1]);
	if (!c->commands)
		return run_configured(c, argc, argv, eb);
	if (c->words && !sub)
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

int cmd_parse(const struct options *opts, int *argc, char ***argv, struct errbuf *eb)
{
	int err = options_parse(opts, argc, argv, eb);

	return err == OPTIONS_HELP_SHOWN ? CMD_DONE : err == -EINVAL ? CMD_USAGE : err;
}

int cmd_unknown(const char *name, struct errbuf *eb)
{
	const struct perf_word *absent = perf_command_find(name);
	struct suggest s;

	if (absent)
		return errbuf_set(eb, CMD_USAGE, "perf's command '%s' is not in this version of assay%s%s", name,
				  absent->instead ? ": " : "; 'assay --help' lists what is", absent->instead ? absent->instead : "");
	suggest_init(&s, name);
	for (const struct cmd *c = table; c->name; c++)
		suggest_offer(&s, c->name);
	if (s.best)
		return errbuf_set(eb, CMD_USAGE, "there is no command '%s'; did you mean '%s'? 'assay --help' lists all", name, s.best);
	return errbuf_set(eb, CMD_USAGE, "there is no command '%s'; 'assay --help' lists all", name);
}

void cmd_warn_lost(uint64_t nr_lost)
{
	if (nr_lost)
		log_warn("%llu records are missing: they came faster than they could be read", (unsigned long long)nr_lost);
}

void cmd_set_log_level(bool quiet, int verbose)
{
	if (quiet)
		log_level = LOG_QUIET;
	else if (verbose)
		log_level = verbose > 1 ? LOG_DEBUG : LOG_VERBOSE;
}

int cmd_option_tasks(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct task_ids ids = { 0 };
	const char **slot = ctx;
	int err = 0;

	*slot = negated ? NULL : arg;
	if (!negated)
		err = task_ids_parse(&ids, arg, opt->short_name == 'p' ? "-p" : opt->short_name ? "-t" : "--tid", eb);
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

int cmd_option_events(const struct option *opt, void *ctx, const char *arg, bool negated, struct errbuf *eb)
{
	struct event_words *w = ctx;
	char letter = opt->short_name;

	(void)eb;
	if (negated)
		w->v.nr = 0;
	else
		vec_push(&w->v, ((struct event_word){ letter == 'e' ? WORD_EVENT : letter == 'G' ? WORD_CGROUP : WORD_FILTER, arg }));
	return 0;
}
