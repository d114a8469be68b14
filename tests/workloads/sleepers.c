/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * N threads that mostly sleep: each wakes every 20 ms and works for a moment in sleeper_work().
 * Prints "ready" once all run.
 *
 * usage: sleepers [N=300 [SECONDS=5]]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "workload.h"

static double end;

__attribute__((noinline, noclone)) uint64_t sleeper_work(uint64_t x)
{
	for (uint64_t i = 0; i < 20000; i++) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static void *run(void *arg)
{
	const struct timespec pause = { 0, 20000000 };
	uint64_t x = (uintptr_t)arg;

	while (now() < end) {
		x = sleeper_work(x);
		nanosleep(&pause, NULL);
	}
	return (void *)(uintptr_t)x;
}

int main(int argc, char **argv)
{
	unsigned nr = argc > 1 ? (unsigned)atoi(argv[1]) : 300;
	pthread_t *threads = calloc(nr ? nr : 1, sizeof(*threads));

	end = now() + (argc > 2 ? atof(argv[2]) : 5.0);
	for (unsigned i = 0; i < nr; i++) {
		if (pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i) != 0) {
			perror("pthread_create");
			return 1;
		}
	}
	puts("ready");
	fflush(stdout);
	for (unsigned i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
