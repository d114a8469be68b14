/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth: main() → storm() → raise(), whose signal's handler returns at once: a good part of the time is in the kernel, at the
 * system call by which the C library's trampoline returns from the handler.
 *
 * usage: unwind_sigreturn [SECONDS=1]
 */
#include <signal.h>
#include <stdlib.h>

#include "workload.h"

static void on_signal(int sig)
{
	(void)sig;
}

KEPT int storm(double end)
{
	int sum = 0;

	while (now() < end)
		for (int i = 0; i < 1000; i++)
			sum += raise(SIGUSR1);
	return sum;
}

int main(int argc, char **argv)
{
	signal(SIGUSR1, on_signal);
	return storm(now() + (argc > 1 ? atof(argv[1]) : 1.0)) != 0;
}
