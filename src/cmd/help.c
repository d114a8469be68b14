/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * `assay help`, `assay --help` and the options before the command word. On a terminal the manual page is shown, where there is one.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out.h"
#include "cmd/cmd.h"

#define OVERVIEW_USAGE "assay [--version] [--help] COMMAND [ARG…]"

int cmd_print_overview(int fd)
{
	struct out o;

	out_init(&o, fd);
	out_str(&o, "Usage: " OVERVIEW_USAGE "\n\n"
		    "A Linux profiler: it speaks perf's command lines and perf.data.\n\n"
		    "Commands:\n");
	for (const struct cmd *c = cmd_table(); c->name; c++)
		out_printf(&o, "  %-12s %s\n", c->name, c->summary);
	out_str(&o, "\nOptions:\n"
		    "  -h, --help          show this page\n"
		    "  -v, --version       show the version; -vv shows what was compiled in too\n"
		    "      --build-options show what was compiled in\n"
		    "      --no-pager      print to the terminal itself\n"
		    "\n'assay COMMAND --help' shows the options of a command, 'assay help COMMAND' its\n"
		    "manual page. To begin:\n\n"
		    "  assay profile -- ./app                        the answer, and a page of it\n"
		    "  assay record --call-graph dwarf -- ./app      a recording\n"
		    "  assay report                                  to look at it\n");
	return out_fini(&o);
}

int cmd_parse_globals(struct cmd_globals *g, int *argc, char ***argv, struct errbuf *eb)
{
	const struct option table[] = {
		OPT_COUNT('v', "version", &g->nr_version, "show the version"),
		OPT_BOOL(0, "build-options", &g->build_options, "show what was compiled in"),
		OPT_BOOL(0, "no-pager", &g->no_pager, "print to the terminal itself"),
		OPT_END,
	};
	const struct options opts = {
		.command = "",
		.usage = OVERVIEW_USAGE,
		.summary = "A Linux profiler",
		.table = table,
		.flags = OPTIONS_STOP_AT_WORD,
	};

	/* The overview lists commands, which an option table does not know. */
	if (*argc > 1 && (strcmp((*argv)[1], "--help") == 0 || strcmp((*argv)[1], "-h") == 0)) {
		int err = cmd_print_overview(STDOUT_FILENO);

		return err ? err : CMD_DONE;
	}
	return cmd_parse(&opts, argc, argv, eb);
}

/* True where `man` showed the page. Its complaint about a missing page is not for the person. */
static bool show_manual(const char *page)
{
	char *const args[] = { "man", (char *)page, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t defaults;
	pid_t pid;
	int status = -1, err;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	err = posix_spawnp(&pid, "man", &actions, &attr, args, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	if (err)
		return false;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* `sub`: of the second level, which the manual page of its command describes; may be NULL. */
static int help_on(const char *name, const char *sub, struct errbuf *eb)
{
	const struct cmd *c = name ? cmd_find(name) : NULL;
	char *args[] = { (char *)name, (char *)(sub ? sub : "--help"), sub ? "--help" : NULL, NULL };

	if (name && !c)
		return cmd_unknown(name, eb);
	if (isatty(STDOUT_FILENO)) {
		char *page = name ? mem_printf("assay-%s", name) : mem_strdup("assay");
		bool shown = show_manual(page);

		free(page);
		if (shown)
			return 0;
	}
	return c ? cmd_run(c, sub ? 3 : 2, args, eb) : cmd_print_overview(STDOUT_FILENO);
}

int cmd_help(int argc, char **argv, struct errbuf *eb)
{
	const struct option table[] = { { .kind = OPTION_END } };
	const struct options opts = {
		.command = "help",
		.usage = "assay help [COMMAND]",
		.summary = "Show the manual page of a command; in a pipe, or where it is not installed, "
			   "its options",
		.table = table,
	};
	int err = cmd_parse(&opts, &argc, &argv, eb);

	if (err)
		return err;
	if (argc > 2 || (argc == 2 && cmd_find(argv[0]) && !cmd_find(argv[0])->commands))
		return errbuf_set(eb, CMD_USAGE, "help takes one command");
	return help_on(argc ? argv[0] : NULL, argc > 1 ? argv[1] : NULL, eb);
}
