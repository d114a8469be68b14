/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The pager is a child of ours and not the reverse, so that the shell sees our exit status. A signal that ends us must not give the terminal
 * back to the shell while the pager still draws on it: the handler waits, then dies of the same signal. From the moment that the pager may
 * draw, a signal is either blocked or finds the handler and the pager's pid.
 */
#include "base/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

#define MAX_WORDS 32

/* Standard output exists once, and a handler is given nothing: hence these. */
static volatile sig_atomic_t pager_pid;
static bool is_forbidden;

static const int ending[] = { SIGINT, SIGHUP, SIGTERM, SIGQUIT };

void pager_forbid(void)
{
	is_forbidden = true;
}

static const char *chosen(void)
{
	const char *pager = getenv("ASSAY_PAGER");

	if (!pager)
		pager = getenv("PAGER");
	return pager ? pager : "less";
}

static void wait_for_pager(void)
{
	while (waitpid((pid_t)pager_pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	pager_pid = 0;
}

static void on_end(int sig)
{
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	if (pager_pid)
		wait_for_pager();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Only signals that would have ended us: those that the caller ignores stay ignored. */
static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_end }, old;

	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		if (!sigaction(ending[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(ending[i], &sa, NULL);
}

static void block_signals(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

/* By blanks; there is no shell. */
static int split(char *text, char **words)
{
	char *rest = NULL;
	int nr = 0;

	for (char *w = strtok_r(text, " \t", &rest); w && nr < MAX_WORDS - 1; w = strtok_r(NULL, " \t", &rest))
		words[nr++] = w;
	words[nr] = NULL;
	return nr;
}

static int spawn(char **words, int input, const sigset_t *mask)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t defaults;
	pid_t pid;
	int err;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	posix_spawnattr_setsigmask(&attr, mask);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	err = posix_spawnp(&pid, words[0], &actions, &attr, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	if (!err)
		pager_pid = pid;
	return err;
}

void pager_start(void)
{
	char *words[MAX_WORDS], *text;
	sigset_t mask;
	int ends[2], err;

	if (is_forbidden || pager_pid || !isatty(STDOUT_FILENO))
		return;
	text = mem_strdup(chosen());
	if (split(text, words) && strcmp(words[0], "cat") != 0 && !pipe2(ends, O_CLOEXEC)) {
		block_signals(&mask);
		err = spawn(words, ends[0], &mask);
		if (!err) {
			/* A message that comes late would be drawn over. */
			if (isatty(STDERR_FILENO))
				dup2(ends[1], STDERR_FILENO);
			dup2(ends[1], STDOUT_FILENO);
			catch_signals();
		} else {
			log_debug("no pager: %s: %s", words[0], strerror(err));
		}
		sigprocmask(SIG_SETMASK, &mask, NULL);
		close(ends[0]);
		close(ends[1]);
	}
	is_forbidden = true;
	free(text);
}

void pager_finish(void)
{
	if (!pager_pid)
		return;
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	wait_for_pager();
}
