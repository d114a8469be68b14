/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth: N threads named worker-0, worker-1, …, each of which spends its time in a function of
 * its own, work_0(), work_1(), … (of which there are 8; thread 8 shares work_0, and so on).
 *
 * usage: threads [N=4 [SECONDS=1]]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "workload.h"

/* A leaf without a frame of its own would hide its caller from a frame-pointer walk. */
#define KEEP_FRAME __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

static double end;

#define WORK(n)                                                                                    \
	__attribute__((noinline, noclone)) uint64_t work_##n(uint64_t x)                            \
	{                                                                                          \
		KEEP_FRAME;                                                                        \
		for (uint64_t i = 0; i < 500000; i++) {                                            \
			x = x * 6364136223846793005u + 2 * n + 1;                                  \
			__asm__ volatile("" : "+r"(x));                                            \
		}                                                                                  \
		return x;                                                                          \
	}

WORK(0)
WORK(1)
WORK(2)
WORK(3)
WORK(4)
WORK(5)
WORK(6)
WORK(7)

static uint64_t (*const work[])(uint64_t) = { work_0, work_1, work_2, work_3,
					      work_4, work_5, work_6, work_7 };

static void *run(void *arg)
{
	unsigned n = (unsigned)(uintptr_t)arg;
	uint64_t x = n;
	char name[16];

	snprintf(name, sizeof(name), "worker-%u", n);
	pthread_setname_np(pthread_self(), name);
	do
		x = work[n % 8](x);
	while (now() < end);
	return (void *)(uintptr_t)x;
}

int main(int argc, char **argv)
{
	unsigned nr = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
	pthread_t *threads = calloc(nr ? nr : 1, sizeof(*threads));

	end = now() + (argc > 2 ? atof(argv[2]) : 1.0);
	for (unsigned i = 0; i < nr; i++) {
		if (pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i) != 0) {
			perror("pthread_create");
			return 1;
		}
	}
	for (unsigned i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
