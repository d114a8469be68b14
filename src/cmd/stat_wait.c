/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What stat waits for, all in one poll(2): signals (through a signalfd, so that nothing happens in
 * a handler), ticks of a timer with absolute times (so that intervals do not drift), the end of
 * processes (pidfds). It knows nothing of counters.
 */
#include "cmd/stat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define NS_PER_SEC 1000000000ull
#define NS_PER_MS 1000000ull
#define LOOK_MS 50	    /* for tasks without a pidfd */
#define PIDFDS_MAX 256	    /* beyond, /proc is looked at: poll(2) is linear, too */
#define PIDFD_THREAD O_EXCL /* Linux 6.9 */

int stat_wait_init(struct stat_wait *w, struct errbuf *eb)
{
	struct sigaction old;
	sigset_t set;

	memset(w, 0, sizeof(*w));
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	/* Under nohup it stays ignored. */
	if (sigaction(SIGHUP, NULL, &old) || old.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	/* In what a shell without job control starts with `&`, the command does not hear it. */
	w->int_ignored = !sigaction(SIGINT, NULL, &old) && old.sa_handler == SIG_IGN;
	sigprocmask(SIG_BLOCK, &set, &w->old_mask);
	w->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	w->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->signal_fd < 0 || w->timer_fd < 0)
		return errbuf_set(eb, -errno, "cannot wait for signals and timers: %s",
				  strerror(errno));
	return 0;
}

void stat_wait_unwatch(struct stat_wait *w)
{
	for (uint32_t i = 0; i < w->pidfds.nr; i++)
		close(w->pidfds.v[i]);
	vec_fini(&w->pidfds);
	w->must_look = false;
	w->tasks = NULL;
}

void stat_wait_fini(struct stat_wait *w)
{
	stat_wait_unwatch(w);
	if (w->timer_fd > 0)
		close(w->timer_fd);
	if (w->signal_fd > 0)
		close(w->signal_fd);
	w->timer_fd = w->signal_fd = 0;
}

static bool task_is_alive(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", tid);
	return access(path, F_OK) == 0;
}

void stat_wait_watch(struct stat_wait *w, const struct task_ids *tasks)
{
	w->tasks = tasks;
	w->must_look = tasks->ids.nr > PIDFDS_MAX;
	for (uint32_t i = 0; i < tasks->ids.nr && !w->must_look; i++) {
		long fd = syscall(SYS_pidfd_open, tasks->ids.v[i], PIDFD_THREAD);

		if (fd < 0)
			fd = syscall(SYS_pidfd_open, tasks->ids.v[i], 0);
		if (fd >= 0)
			vec_push(&w->pidfds, (int)fd);
		else if (errno != ESRCH)
			w->must_look = true;
	}
}

static bool watched_are_gone(const struct stat_wait *w)
{
	for (uint32_t i = 0; i < w->tasks->ids.nr; i++)
		if (task_is_alive(w->tasks->ids.v[i]))
			return false;
	return true;
}

void stat_wait_set_ticks(struct stat_wait *w, uint64_t start_ns, uint64_t interval_ns)
{
	uint64_t first = start_ns + interval_ns;
	struct itimerspec when = { 0 };

	if (interval_ns) {
		when.it_interval.tv_sec = (time_t)(interval_ns / NS_PER_SEC);
		when.it_interval.tv_nsec = (long)(interval_ns % NS_PER_SEC);
		when.it_value.tv_sec = (time_t)(first / NS_PER_SEC);
		when.it_value.tv_nsec = (long)(first % NS_PER_SEC);
	}
	timerfd_settime(w->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

/* The terminal sends a signal to the command as well; anybody else only to us. */
static void take_stop(struct stat_wait *w, struct workload *workload,
		      const struct signalfd_siginfo *si)
{
	int sig = (int)si->ssi_signo;

	if (!w->stop_signal)
		w->stop_signal = sig;
	w->nr_stops++;
	if (sig == SIGINT && w->int_ignored)
		sig = SIGTERM; /* one that the command hears */
	if (workload && si->ssi_code != SI_KERNEL)
		workload_signal(workload, sig);
}

static void take_signals(struct stat_wait *w, struct workload *workload)
{
	struct signalfd_siginfo si;

	while (read(w->signal_fd, &si, sizeof(si)) == sizeof(si))
		if (si.ssi_signo != SIGCHLD)
			take_stop(w, workload, &si);
}

/* Milliseconds for poll(2), rounded up so that it never ends early and spins. */
static int timeout_of(const struct stat_wait *w, uint64_t deadline_ns)
{
	uint64_t now = clock_now_ns();
	uint64_t ms = UINT64_MAX;

	if (deadline_ns)
		ms = deadline_ns > now ? (deadline_ns - now + NS_PER_MS - 1) / NS_PER_MS : 0;
	if (w->must_look && ms > LOOK_MS)
		ms = LOOK_MS;
	return ms == UINT64_MAX ? -1 : ms > 3600000 ? 3600000 : (int)ms;
}

/* Forgets the pidfds of those that ended. */
static void drop_ended(struct stat_wait *w, const struct pollfd *fds)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < w->pidfds.nr; i++) {
		if (fds[i].revents)
			close(w->pidfds.v[i]);
		else
			w->pidfds.v[nr++] = w->pidfds.v[i];
	}
	w->pidfds.nr = nr;
}

static bool has_ended(struct stat_wait *w, struct workload *workload)
{
	if (workload && workload->pid)
		return workload_reap(workload) || w->nr_stops > 1;
	if (w->nr_stops)
		return true;
	if (!w->tasks)
		return false;
	return w->must_look ? watched_are_gone(w) : !w->pidfds.nr;
}

enum stat_event_kind stat_wait_next(struct stat_wait *w, struct workload *workload,
				    uint64_t deadline_ns, uint64_t *nr_ticks)
{
	struct pollfd fds[2 + PIDFDS_MAX] = {
		{ .fd = w->timer_fd, .events = POLLIN },
		{ .fd = w->signal_fd, .events = POLLIN },
	};

	for (;;) {
		take_signals(w, workload);
		if (has_ended(w, workload))
			return STAT_ENDED;
		if (read(w->timer_fd, nr_ticks, sizeof(*nr_ticks)) == sizeof(*nr_ticks))
			return STAT_TICK;
		if (deadline_ns && clock_now_ns() >= deadline_ns)
			return STAT_DEADLINE;
		for (uint32_t i = 0; i < w->pidfds.nr; i++)
			fds[2 + i] = (struct pollfd){ .fd = w->pidfds.v[i], .events = POLLIN };
		if (poll(fds, 2 + w->pidfds.nr, timeout_of(w, deadline_ns)) > 0)
			drop_ended(w, &fds[2]);
	}
}
