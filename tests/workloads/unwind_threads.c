/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth for unwinding threads without frame pointers: each runs thread_main → at_depth × N → burn, and they meet at a barrier
 * (in the kernel), so that every stack ends where clone() began it. Every second thread ends and is started anew.
 *
 * usage: unwind_threads [SECONDS=1 [THREADS=4]]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "workload.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile uint64_t sink;
static double end;

KEPT uint64_t burn(uint64_t x)
{
	for (int i = 0; i < 60000; i++) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

KEPT uint64_t at_depth(unsigned depth, uint64_t x)
{
	if (!depth) {
		x = burn(x);
		pthread_mutex_lock(&lock);
		sink += x;
		pthread_mutex_unlock(&lock);
		return x;
	}
	x = at_depth(depth - 1, x + depth);
	__asm__ volatile("" : "+r"(x)); /* no loop instead of the call */
	return x + 1;
}

KEPT void *thread_main(void *arg)
{
	unsigned nr = (unsigned)(uintptr_t)arg;
	uint64_t x = nr;
	int rounds = 0;

	do
		x = at_depth(nr % 8 + 3, x);
	while (now() < end && (nr % 2 || ++rounds < 20));
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned nr = argc > 2 ? (unsigned)atoi(argv[2]) : 4;
	pthread_t *threads = calloc(nr + 1, sizeof(*threads));

	end = now() + (argc > 1 ? atof(argv[1]) : 1.0);
	for (unsigned i = 1; i < nr; i += 2)
		pthread_create(&threads[i], NULL, thread_main, (void *)(uintptr_t)i);
	do {
		for (unsigned i = 0; i < nr; i += 2)
			pthread_create(&threads[i], NULL, thread_main, (void *)(uintptr_t)i);
		for (unsigned i = 0; i < nr; i += 2)
			pthread_join(threads[i], NULL);
	} while (now() < end);
	for (unsigned i = 1; i < nr; i += 2)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
