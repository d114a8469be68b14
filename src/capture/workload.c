/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Starting the command. Two pipes: one lets the child go, the other (close-on-exec) brings back the
 * errno of a failed exec, so that a mistyped name is told before any file is touched. The child
 * sees the world as if we were not there: no fds of ours, the signal mask and dispositions we were
 * started with (signals that we catch for our own sake are the default again after the exec, those
 * that were ignored still are). It knows nothing of events.
 */
#include "capture/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"

#define EXIT_NOT_FOUND 127
#define EXIT_NOT_RUNNABLE 126

/* Is a command of this name in any directory of PATH that we may look into? */
static bool is_in_path(const char *name)
{
	const char *dir = getenv("PATH");

	while (dir && *dir) {
		size_t len = strcspn(dir, ":");
		char path[PATH_MAX];

		if (snprintf(path, sizeof(path), "%.*s/%s", len ? (int)len : 1, len ? dir : ".", name) < (int)sizeof(path) &&
		    !access(path, F_OK))
			return true;
		dir += len + (dir[len] == ':');
	}
	return false;
}

/* Returns the errno of a failed exec. */
static int execute(char **argv)
{
	execvp(argv[0], argv);
	/* A directory of PATH that we may not search is no command that we may not execute. */
	if (errno == EACCES && !strchr(argv[0], '/') && !is_in_path(argv[0]))
		return ENOENT;
	return errno;
}

/* Never returns. There is one thread before and after the fork: the calls need not be safe in
 * handlers. */
static void __attribute__((noreturn))
run_child(char **argv, int go_fd, int exec_fd, const sigset_t *mask, bool quiet_stdout, bool chld_ignored)
{
	char go;
	int err;

	prctl(PR_SET_NAME, WORKLOAD_COMM);
	if (chld_ignored)
		signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (io_read(go_fd, &go, 1) != 1)
		_exit(EXIT_NOT_RUNNABLE); /* the recording did not come about */
	if (quiet_stdout && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		err = errno;
	else
		err = execute(argv);
	io_write(exec_fd, &err, sizeof(err), NULL);
	_exit(err == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUNNABLE);
}

int workload_prepare(struct workload *w, char **argv, const sigset_t *mask, bool quiet_stdout, struct errbuf *eb)
{
	int go[2] = { -1, -1 }, exec[2] = { -1, -1 };
	struct sigaction old;
	pid_t pid = -1;
	int err = 0;

	memset(w, 0, sizeof(*w));
	w->go_fd = w->exec_fd = -1;
	/* Where it is ignored, nobody tells that the child has ended, nor how. */
	w->chld_ignored = !sigaction(SIGCHLD, NULL, &old) && old.sa_handler == SIG_IGN;
	if (w->chld_ignored)
		signal(SIGCHLD, SIG_DFL);
	if (pipe2(go, O_CLOEXEC) || pipe2(exec, O_CLOEXEC) || (pid = fork()) < 0)
		err = errbuf_set(eb, -errno, "cannot start %s: %s", argv[0], strerror(errno));
	if (!err && !pid) {
		close(go[1]);
		close(exec[0]);
		run_child(argv, go[0], exec[1], mask, quiet_stdout, w->chld_ignored);
	}
	if (go[0] >= 0)
		close(go[0]);
	if (exec[1] >= 0)
		close(exec[1]);
	if (err) {
		if (go[1] >= 0)
			close(go[1]);
		if (exec[0] >= 0)
			close(exec[0]);
		return err;
	}
	w->pid = pid;
	w->name = argv[0];
	w->go_fd = go[1];
	w->exec_fd = exec[0];
	return 0;
}

int workload_start(struct workload *w, struct errbuf *eb)
{
	int child_err = 0;
	ssize_t n;

	io_write(w->go_fd, "", 1, NULL); /* a child that was killed meanwhile shows below */
	close(w->go_fd);
	w->go_fd = -1;
	n = io_read(w->exec_fd, &child_err, sizeof(child_err));
	close(w->exec_fd);
	w->exec_fd = -1;
	if (n != sizeof(child_err))
		return 0;
	workload_wait(w);
	errbuf_set(eb, -child_err, "%s: %s", w->name, strerror(child_err));
	return child_err == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUNNABLE;
}

bool workload_reap(struct workload *w)
{
	pid_t got;

	if (!w->pid || w->ended)
		return w->ended;
	got = waitpid(w->pid, &w->wait_status, WNOHANG);
	/* ECHILD: somebody else has reaped it; it is gone all the same. */
	w->ended = got == w->pid || (got < 0 && errno == ECHILD);
	return w->ended;
}

void workload_wait(struct workload *w)
{
	pid_t got;

	if (!w->pid || w->ended)
		return;
	do
		got = waitpid(w->pid, &w->wait_status, 0);
	while (got < 0 && errno == EINTR);
	w->ended = true;
}

void workload_signal(const struct workload *w, int sig)
{
	if (w->pid && !w->ended)
		kill(w->pid, sig);
}

int workload_status(const struct workload *w)
{
	if (!w->ended)
		return 0;
	if (WIFSIGNALED(w->wait_status))
		return 128 + WTERMSIG(w->wait_status);
	return WEXITSTATUS(w->wait_status);
}

void workload_fini(struct workload *w)
{
	if (!w->pid)
		return;
	if (w->go_fd >= 0) {
		close(w->go_fd);
		w->go_fd = -1;
		workload_wait(w);
	}
	if (w->exec_fd >= 0)
		close(w->exec_fd);
	w->exec_fd = -1;
}
