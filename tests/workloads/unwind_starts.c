/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Time in each kind of beginning, a quarter each: main(), a thread, a child of vfork() and one of posix_spawn(). Built with any C library.
 * The last two are this program again: `unwind_starts SECONDS main`.
 *
 * usage: unwind_starts [SECONDS=1 [main]]
 */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

extern char **environ;

KEPT void turn_round(double seconds)
{
	double end = cpu_time() + seconds;

	while (cpu_time() < end)
		for (int i = 0; i < 100000; i++)
			__asm__ volatile("");
}

static void *run_thread(void *seconds)
{
	turn_round(*(double *)seconds);
	return NULL;
}

int main(int argc, char **argv)
{
	double quarter = (argc > 1 ? atof(argv[1]) : 1.0) / 4;
	char text[32], *child[] = { argv[0], text, "main", NULL };
	pthread_t thread;
	pid_t pid;

	turn_round(quarter);
	if (argc > 2)
		return 0;
	if (pthread_create(&thread, NULL, run_thread, &quarter) == 0)
		pthread_join(thread, NULL);
	snprintf(text, sizeof(text), "%g", quarter * 4);
	pid = vfork();
	if (pid == 0) {
		execv("/proc/self/exe", child);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, child, environ) == 0)
		waitpid(pid, NULL, 0);
	return 0;
}
