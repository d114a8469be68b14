/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A process whose main thread has ended: a thread of it burns time for SECONDS.
 *
 * usage: headless [SECONDS=1]
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

static double seconds = 1;

static __attribute__((noinline)) void headless_burn(void)
{
	for (volatile int i = 0; i < 100000; i++)
		;
}

static void *run(void *arg)
{
	double end = now() + seconds;

	(void)arg;
	while (now() < end)
		headless_burn();
	_exit(0);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1)
		seconds = atof(argv[1]);
	if (pthread_create(&thread, NULL, run, NULL))
		return 1;
	pthread_exit(NULL);
}
