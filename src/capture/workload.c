/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Starting the command. Two pipes: one lets the child go, the other (close-on-exec) brings back the
 * errno of a failed exec, so that a mistyped name is told before any file is touched. The child
 * sees the world as if we were not there: no fds of ours, the signal mask and dispositions we were
 * started with. It knows nothing of events.
 */
#include "capture/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"

#define EXIT_NOT_FOUND 127
#define EXIT_NOT_RUNNABLE 126

/* Never returns. Only calls that are safe after fork(). */
static void __attribute__((noreturn))
run_child(char **argv, int go_fd, int exec_fd, const sigset_t *mask, bool quiet_stdout)
{
	/* Those that this program ignores for its own sake: a command expects the default. */
	static const int ignored_by_us[] = { SIGPIPE, SIGXFSZ, SIGUSR2 };
	char go;
	int err;

	prctl(PR_SET_NAME, WORKLOAD_COMM);
	for (size_t i = 0; i < sizeof(ignored_by_us) / sizeof(ignored_by_us[0]); i++)
		signal(ignored_by_us[i], SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (io_read(go_fd, &go, 1) != 1)
		_exit(EXIT_NOT_RUNNABLE); /* the recording did not come about */
	if (quiet_stdout && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		err = errno;
	else
		err = (execvp(argv[0], argv), errno);
	io_write(exec_fd, &err, sizeof(err), NULL);
	_exit(err == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUNNABLE);
}

int workload_prepare(struct workload *w, char **argv, const sigset_t *mask, bool quiet_stdout,
		     struct errbuf *eb)
{
	int go[2] = { -1, -1 }, exec[2] = { -1, -1 };
	pid_t pid = -1;
	int err = 0;

	memset(w, 0, sizeof(*w));
	w->go_fd = w->exec_fd = -1;
	if (pipe2(go, O_CLOEXEC) || pipe2(exec, O_CLOEXEC) || (pid = fork()) < 0)
		err = errbuf_set(eb, -errno, "cannot start %s: %s", argv[0], strerror(errno));
	if (!err && !pid) {
		close(go[1]);
		close(exec[0]);
		run_child(argv, go[0], exec[1], mask, quiet_stdout);
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
	if (w->pid && !w->ended && waitpid(w->pid, &w->wait_status, WNOHANG) == w->pid)
		w->ended = true;
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
