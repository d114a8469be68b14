/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The entry: finds the command, runs it, prints the message of a failure and exits. Nothing else in assay exits or prints an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/out.h"
#include "base/pager.h"
#include "cmd/cmd.h"
#include "cmd/trace.h"

#define EXIT_USAGE 2
#define EXIT_PIPE (128 + SIGPIPE) /* what a shell shows for a reader that went away */

static void print_error(const char *text)
{
	struct out o;

	out_init(&o, STDERR_FILENO);
	out_str(&o, "assay: ");
	/* The sentence may quote a file name or a comm: hostile until escaped. */
	escape_terminal(&o, text, strlen(text));
	out_char(&o, '\n');
	out_fini(&o);
}

static int exit_status(int ret, const struct errbuf *eb)
{
	if (ret == -EPIPE)
		return EXIT_PIPE;
	if (ret == CMD_DONE)
		return 0;
	if (eb->text[0] && ret != 0)
		print_error(eb->text);
	else if (ret < 0 && ret != CMD_USAGE)
		print_error(strerror(-ret));
	if (ret == CMD_USAGE)
		return EXIT_USAGE;
	return ret < 0 ? EXIT_FAILURE : ret & 255;
}

static int run_without_command(const struct cmd_globals *g, struct errbuf *eb)
{
	bool with_options = g->build_options || g->nr_version > 1;
	char *version[] = { "version", with_options ? "--build-options" : NULL, NULL };

	if (with_options || g->nr_version)
		return cmd_version(1 + with_options, version, eb);
	cmd_print_overview(STDERR_FILENO);
	return CMD_USAGE;
}

static int run(int argc, char **argv, struct errbuf *eb)
{
	struct cmd_globals g = { 0 };
	const struct cmd *c;
	int err;

	/* A link of that name. */
	if (!strcmp(basename(argv[0]), "strace"))
		return strace_run(argc, argv, eb);
	err = cmd_parse_globals(&g, &argc, &argv, eb);
	if (err)
		return err;
	if (argc == 0 || g.nr_version || g.build_options)
		return run_without_command(&g, eb);
	if (g.no_pager)
		pager_forbid();
	c = cmd_find(argv[0]);
	if (!c)
		return cmd_unknown(argv[0], eb);
	return cmd_run(c, argc, argv, eb);
}

/* Where a standard stream is closed, the next file that is opened would take its place, and get what is printed. Opened the wrong way
 * round, the place is taken, and reading or writing there fails. */
static void fill_standard_fds(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static void on_pipe(int sig)
{
	(void)sig;
}

/* A reader that has gone is an error of the write. A handler has the effect of SIG_IGN, but is not inherited by programs that we start. */
static void catch_sigpipe(void)
{
	struct sigaction sa = { .sa_handler = on_pipe, .sa_flags = SA_RESTART }, old;

	if (!sigaction(SIGPIPE, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGPIPE, &sa, NULL);
}

int main(int argc, char **argv)
{
	struct errbuf eb = { "" };
	int status;

	fill_standard_fds();
	hash_randomize();
	catch_sigpipe();
	if (argc < 1)
		return EXIT_USAGE;
	status = exit_status(run(argc, argv, &eb), &eb);
	pager_finish();
	return status;
}
