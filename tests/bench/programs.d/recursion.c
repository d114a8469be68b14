/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Works at the bottom of a deep recursion, in one thread or in many that live for a short time only.
 *
 * usage: recursion DEPTH ROUNDS [THREADS]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define KEPT __attribute__((noinline, noclone))
#define MAX_THREADS 64

static int depth = 100;
static long rounds = 1000;

KEPT uint64_t burn(uint64_t x)
{
	for (int i = 0; i < 10000; i++) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

KEPT uint64_t bottom(void)
{
	uint64_t x = 1;

	for (long i = 0; i < rounds; i++)
		x = burn(x) + 1;
	return x;
}

KEPT uint64_t down(int n)
{
	uint64_t x = n ? down(n - 1) : bottom();

	__asm__ volatile("" : "+r"(x)); /* not a tail call, not a loop */
	return x + 1;
}

static void *thread_main(void *arg)
{
	(void)arg;
	return (void *)(uintptr_t)down(depth);
}

int main(int argc, char **argv)
{
	int nr = argc > 3 ? atoi(argv[3]) : 0;
	pthread_t threads[MAX_THREADS];

	if (argc > 2) {
		depth = atoi(argv[1]);
		rounds = atol(argv[2]);
	}
	if (!nr)
		return down(depth) == 42;
	nr = nr < MAX_THREADS ? nr : MAX_THREADS;
	for (int i = 0; i < nr; i++)
		pthread_create(&threads[i], NULL, thread_main, NULL);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
