/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Signals of a recording. They come through a signalfd that the main thread reads, so that nothing
 * happens inside a handler. The first one that asks to stop ends the recording in good order; the
 * second one ends whatever we would still wait for: the command, or the reader of a pipe.
 */
#include "capture/recorder.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define WAIT_MS 100
#define PATIENCE_MS 1000 /* with a reader that takes nothing, once we are told to stop */

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

int recorder_signals_init(struct recorder *r)
{
	struct sigaction old;
	sigset_t set;

	r->main_thread = pthread_self();
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	/* Under nohup it stays ignored. */
	if (sigaction(SIGHUP, NULL, &old) || old.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	/* A shell without job control ignores it in what it starts with `&`; a kill -INT still
	 * means us. */
	r->int_ignored = !sigaction(SIGINT, NULL, &old) && old.sa_handler == SIG_IGN;
	if (r->o->switching.on_signal)
		sigaddset(&set, SIGUSR2);
	else
		disregard(SIGUSR2);
	disregard(SIGXFSZ); /* write(2) says EFBIG */
	sigprocmask(SIG_BLOCK, &set, &r->old_mask);
	r->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r->signal_fd < 0)
		return errbuf_set(r->eb, -errno, "cannot wait for signals: %s", strerror(errno));
	return 0;
}

/* A signal that asks to stop. The terminal sends it to the workload as well; anybody else only to
 * us. */
static void take_stop(struct recorder *r, const struct signalfd_siginfo *si)
{
	int sig = (int)si->ssi_signo;

	if (!r->stop_signal)
		r->stop_signal = sig;
	atomic_fetch_add(&r->nr_stops, 1);
	if (sig == SIGINT && r->int_ignored)
		sig = SIGTERM; /* one that the workload hears */
	if (si->ssi_code != SI_KERNEL)
		workload_signal(&r->workload, sig);
}

void recorder_take_signals(struct recorder *r)
{
	struct signalfd_siginfo si;

	while (read(r->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD)
			workload_reap(&r->workload);
		else if (si.ssi_signo == SIGUSR2)
			drain_switch(&r->drain);
		else
			take_stop(r, &si);
	}
}

int recorder_await_reader(void *ctx, int fd)
{
	struct recorder *r = ctx;
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	bool is_main = pthread_equal(pthread_self(), r->main_thread);
	int idle_ms = 0;

	while (poll(&p, 1, WAIT_MS) <= 0) {
		unsigned nr_stops;

		if (is_main)
			recorder_take_signals(r);
		nr_stops = atomic_load(&r->nr_stops);
		if (nr_stops)
			idle_ms += WAIT_MS;
		if (nr_stops > 1 || idle_ms >= PATIENCE_MS)
			return -ETIMEDOUT;
	}
	return 0; /* or an error, which the write will tell */
}

int recorder_await_fifo(struct recorder *r)
{
	struct pollfd p = { .fd = r->signal_fd, .events = POLLIN };

	poll(&p, 1, WAIT_MS);
	recorder_take_signals(r);
	if (r->stop_signal)
		return 128 + r->stop_signal;
	return 0;
}
