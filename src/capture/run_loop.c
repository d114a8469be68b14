/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/run_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"

#define LOOK_MS 50	    /* for tasks without a pidfd */
#define PIDFDS_MAX 256	    /* beyond, /proc is looked at: poll(2) is linear, too */
#define PIDFD_THREAD O_EXCL /* Linux 6.9 */

/* Two pipes: one lets the child go, the other (close-on-exec) brings back the errno of a failed exec, so that a mistyped name is reported
 * before any file is touched. The child has no fds of ours, and the signal mask and dispositions that we were started with (signals that we
 * catch are the default again after the exec, those that were ignored still are). */
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

/* Groups first: who has given up the user may not change them. */
static int become(const struct user_credentials *as)
{
	if (setgroups((size_t)as->nr_groups, as->groups) || setresgid(as->gid, as->gid, as->gid) || setresuid(as->uid, as->uid, as->uid))
		return errno;
	return 0;
}

/* Never returns. There is one thread before and after the fork: the calls need not be safe in handlers. */
static void __attribute__((noreturn)) run_child(char **argv, const struct user_credentials *as, int go_fd, int exec_fd,
						const sigset_t *mask, bool quiet_stdout, bool chld_ignored)
{
	char go;
	int err = 0;

	prctl(PR_SET_NAME, WORKLOAD_COMM);
	if (chld_ignored)
		signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (io_read(go_fd, &go, 1) != 1)
		_exit(EXIT_NOT_RUNNABLE); /* the recording did not come about */
	if (quiet_stdout && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		err = errno;
	if (!err && as)
		err = become(as);
	if (!err)
		err = execute(argv);
	io_write(exec_fd, &err, sizeof(err), NULL);
	_exit(err == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUNNABLE);
}

int workload_prepare(struct workload *w, char **argv, const struct user_credentials *as, const sigset_t *mask, bool quiet_stdout,
		     struct errbuf *eb)
{
	int go[2] = { -1, -1 }, exec[2] = { -1, -1 };
	struct sigaction old;
	pid_t pid = -1;
	int err = 0;

	memset(w, 0, sizeof(*w));
	w->go_fd = w->exec_fd = -1;
	/* Where it is ignored, the end of the child and its status are lost. */
	w->chld_ignored = !sigaction(SIGCHLD, NULL, &old) && old.sa_handler == SIG_IGN;
	if (w->chld_ignored)
		signal(SIGCHLD, SIG_DFL);
	if (pipe2(go, O_CLOEXEC) || pipe2(exec, O_CLOEXEC) || (pid = fork()) < 0)
		err = errbuf_set(eb, -errno, "cannot start %s: %s", argv[0], strerror(errno));
	if (!err && !pid) {
		close(go[1]);
		close(exec[0]);
		run_child(argv, as, go[0], exec[1], mask, quiet_stdout, w->chld_ignored);
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
	/* ECHILD: it was reaped elsewhere; it is gone all the same. */
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

static void on_signal(int sig)
{
	(void)sig;
}

/* Like SIG_IGN, but a command that we start does not inherit it. */
static void disregard(int sig)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, old;

	if (!sigaction(sig, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(sig, &sa, NULL);
}

int run_loop_init(struct run_loop *l, void (*on_usr2)(void *ctx), void *ctx, struct errbuf *eb)
{
	struct sigaction old;
	sigset_t set;

	memset(l, 0, sizeof(*l));
	l->notice_fd = -1;
	l->on_usr2 = on_usr2;
	l->ctx = ctx;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	/* Under nohup it stays ignored. */
	if (sigaction(SIGHUP, NULL, &old) || old.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	/* A shell without job control ignores it in what it starts with `&`; a kill -INT still means us. */
	l->int_ignored = !sigaction(SIGINT, NULL, &old) && old.sa_handler == SIG_IGN;
	if (on_usr2)
		sigaddset(&set, SIGUSR2);
	else
		disregard(SIGUSR2);
	disregard(SIGXFSZ); /* write(2) says EFBIG */
	sigprocmask(SIG_BLOCK, &set, &l->old_mask);
	l->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	l->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signal_fd < 0 || l->timer_fd < 0)
		return errbuf_set(eb, -errno, "cannot wait for signals and timers: %s", strerror(errno));
	return 0;
}

void run_loop_fini(struct run_loop *l)
{
	workload_fini(&l->workload);
	run_loop_watch(l, NULL);
	if (l->signal_fd >= 0) {
		run_loop_take_signals(l);
		close(l->signal_fd);
	}
	if (l->timer_fd >= 0)
		close(l->timer_fd);
	l->timer_fd = l->signal_fd = -1;
	sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
}

int run_loop_prepare_workload(struct run_loop *l, char **argv, bool quiet_stdout, struct errbuf *eb)
{
	workload_fini(&l->workload);
	return workload_prepare(&l->workload, argv, l->run_as, &l->old_mask, quiet_stdout, eb);
}

static void watch(struct run_loop *l, const struct task_ids *tasks, unsigned flags)
{
	for (uint32_t i = 0; i < l->pidfds.nr; i++)
		close(l->pidfds.v[i]);
	vec_fini(&l->pidfds);
	l->watched = tasks;
	l->must_look = tasks && tasks->ids.nr > PIDFDS_MAX;
	for (uint32_t i = 0; tasks && i < tasks->ids.nr && !l->must_look; i++) {
		long fd = syscall(SYS_pidfd_open, tasks->ids.v[i], flags);

		if (fd < 0 && flags)
			fd = syscall(SYS_pidfd_open, tasks->ids.v[i], 0);
		if (fd >= 0)
			vec_push(&l->pidfds, (int)fd);
		else if (errno != ESRCH)
			l->must_look = true;
	}
}

void run_loop_watch(struct run_loop *l, const struct task_ids *tasks)
{
	watch(l, tasks, PIDFD_THREAD);
}

void run_loop_watch_processes(struct run_loop *l, const struct task_ids *pids)
{
	watch(l, pids, 0);
}

void run_loop_set_ticks(struct run_loop *l, uint64_t start_ns, uint64_t interval_ns)
{
	uint64_t first = start_ns + interval_ns;
	struct itimerspec when = { 0 };

	if (interval_ns) {
		when.it_interval.tv_sec = (time_t)(interval_ns / NS_PER_SEC);
		when.it_interval.tv_nsec = (long)(interval_ns % NS_PER_SEC);
		when.it_value.tv_sec = (time_t)(first / NS_PER_SEC);
		when.it_value.tv_nsec = (long)(first % NS_PER_SEC);
	}
	timerfd_settime(l->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

static void take_stop(struct run_loop *l, const struct signalfd_siginfo *si)
{
	int sig = (int)si->ssi_signo;

	if (!l->stop_signal)
		l->stop_signal = sig;
	atomic_fetch_add(&l->nr_stops, 1);
	if (sig == SIGINT && l->int_ignored)
		sig = SIGTERM; /* one that the workload hears */
	if (si->ssi_code != SI_KERNEL)
		workload_signal(&l->workload, sig);
}

void run_loop_take_signals(struct run_loop *l)
{
	struct signalfd_siginfo si;

	while (read(l->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGUSR2)
			l->on_usr2(l->ctx);
		else if (si.ssi_signo != SIGCHLD)
			take_stop(l, &si);
	}
	workload_reap(&l->workload);
}

/* Milliseconds for poll(2), rounded up so that it never ends early and spins. */
static int timeout_of(const struct run_loop *l, uint64_t deadline_ns)
{
	uint64_t now = clock_now_ns();
	uint64_t ms = UINT64_MAX;

	if (deadline_ns)
		ms = deadline_ns > now ? (deadline_ns - now + NS_PER_MS - 1) / NS_PER_MS : 0;
	if (l->must_look && ms > LOOK_MS)
		ms = LOOK_MS;
	return ms == UINT64_MAX ? -1 : ms > 3600000 ? 3600000 : (int)ms;
}

/* Forgets the pidfds of those that ended. */
static void drop_ended(struct run_loop *l, const struct pollfd *fds)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < l->pidfds.nr; i++) {
		if (fds[i].revents)
			close(l->pidfds.v[i]);
		else
			l->pidfds.v[nr++] = l->pidfds.v[i];
	}
	l->pidfds.nr = nr;
}

void run_loop_wait(struct run_loop *l, uint64_t deadline_ns)
{
	struct pollfd fds[3 + PIDFDS_MAX] = {
		{ .fd = l->timer_fd, .events = POLLIN },
		{ .fd = l->signal_fd, .events = POLLIN },
		{ .fd = l->notice_fd, .events = POLLIN },
	};

	for (uint32_t i = 0; i < l->pidfds.nr; i++)
		fds[3 + i] = (struct pollfd){ .fd = l->pidfds.v[i], .events = POLLIN };
	if (poll(fds, 3 + l->pidfds.nr, timeout_of(l, deadline_ns)) > 0)
		drop_ended(l, &fds[3]);
	run_loop_take_signals(l);
}

static bool any_lives(const struct task_ids *tasks)
{
	char path[64];

	for (uint32_t i = 0; i < tasks->ids.nr; i++) {
		snprintf(path, sizeof(path), "/proc/%d", tasks->ids.v[i]);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

bool run_loop_has_ended(const struct run_loop *l)
{
	unsigned nr_stops = atomic_load(&l->nr_stops);

	if (l->workload.pid)
		return l->workload.ended || nr_stops > 1;
	if (nr_stops || !l->watched)
		return nr_stops;
	return l->must_look ? !any_lives(l->watched) : !l->pidfds.nr;
}

enum run_event run_loop_next(struct run_loop *l, uint64_t deadline_ns, uint64_t *nr_ticks)
{
	run_loop_take_signals(l);
	for (;; run_loop_wait(l, deadline_ns)) {
		if (run_loop_has_ended(l))
			return RUN_ENDED;
		if (read(l->timer_fd, nr_ticks, sizeof(*nr_ticks)) == sizeof(*nr_ticks))
			return RUN_TICK;
		if (deadline_ns && clock_now_ns() >= deadline_ns)
			return RUN_DEADLINE;
	}
}

int run_loop_status(const struct run_loop *l)
{
	if (l->workload.pid && l->workload.ended)
		return workload_status(&l->workload);
	return l->stop_signal ? 128 + l->stop_signal : 0;
}
