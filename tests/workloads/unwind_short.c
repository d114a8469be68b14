/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Threads one after the other, each for a tenth of a second, at the bottom of a deep stack: who
 * looks for deep stacks has little time to find them.
 *
 * usage: unwind_short [THREADS=30 [LEVELS=600]]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "workload.h"

static int levels = 600;
static volatile uint64_t sink;

KEPT uint64_t burn(uint64_t x)
{
	for (int i = 0; i < 60000; i++) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

KEPT uint64_t at_depth(int depth, double end, uint64_t x)
{
	volatile uint64_t room[4] = { x };

	if (depth) {
		x = at_depth(depth - 1, end, x + room[0]);
	} else {
		do
			x = burn(x);
		while (cpu_time() < end);
	}
	return x + room[0];
}

KEPT void *thread_main(void *arg)
{
	sink = at_depth(levels, cpu_time() + 0.1, (uint64_t)(uintptr_t)arg);
	return NULL;
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 30;

	if (argc > 2)
		levels = atoi(argv[2]);
	for (int i = 0; i < nr; i++) {
		pthread_t t;

		pthread_create(&t, NULL, thread_main, NULL);
		pthread_join(t, NULL);
	}
	return 0;
}
