/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/run_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"

#define NS_PER_SEC 1000000000ull
#define NS_PER_MS 1000000ull
#define LOOK_MS 50	    /* for tasks without a pidfd */
#define PIDFDS_MAX 256	    /* beyond, /proc is looked at: poll(2) is linear, too */
#define PIDFD_THREAD O_EXCL /* Linux 6.9 */

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
	return workload_prepare(&l->workload, argv, &l->old_mask, quiet_stdout, eb);
}

void run_loop_watch(struct run_loop *l, const struct task_ids *tasks)
{
	for (uint32_t i = 0; i < l->pidfds.nr; i++)
		close(l->pidfds.v[i]);
	vec_fini(&l->pidfds);
	l->watched = tasks;
	l->must_look = tasks && tasks->ids.nr > PIDFDS_MAX;
	for (uint32_t i = 0; tasks && i < tasks->ids.nr && !l->must_look; i++) {
		long fd = syscall(SYS_pidfd_open, tasks->ids.v[i], PIDFD_THREAD);

		if (fd < 0)
			fd = syscall(SYS_pidfd_open, tasks->ids.v[i], 0);
		if (fd >= 0)
			vec_push(&l->pidfds, (int)fd);
		else if (errno != ESRCH)
			l->must_look = true;
	}
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
