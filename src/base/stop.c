/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/stop.h"

#include <stddef.h>

volatile sig_atomic_t stop_signal;

static void stop_handle(int sig)
{
	if (!stop_signal)
		stop_signal = sig;
}

void stop_install(void)
{
	struct sigaction sa = { .sa_handler = stop_handle };
	struct sigaction old;

	sigemptyset(&sa.sa_mask);
	/* Also where they are ignored, as SIGINT in what a shell without job control starts with `&`: kill -INT must end a recording. */
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	if (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &sa, NULL);
}
