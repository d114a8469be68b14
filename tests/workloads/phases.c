/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth: serial_phase() uses SERIAL seconds of CPU time in one thread, then parallel_phase() uses PARALLEL seconds in each of N threads
 * that start together.
 *
 * usage: phases [SERIAL=0.4 [PARALLEL=0.2 [N=2]]]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "workload.h"

#define MAX_THREADS 64

static double parallel_s = 0.2;
static pthread_barrier_t together;

#define PHASE(name)                                                                                \
	KEPT static uint64_t name(uint64_t x)                                                      \
	{                                                                                          \
		for (int i = 0; i < 500000; i++) {                                                 \
			x = x * 6364136223846793005u + 1;                                          \
			__asm__ volatile("" : "+r"(x));                                            \
		}                                                                                  \
		return x;                                                                          \
	}

PHASE(serial_phase)
PHASE(parallel_phase)

static void spend(uint64_t (*phase)(uint64_t), double seconds)
{
	double end = cpu_time() + seconds;
	uint64_t x = 1;

	while (cpu_time() < end)
		x = phase(x);
}

static void *run(void *arg)
{
	pthread_barrier_wait(&together);
	spend(parallel_phase, parallel_s);
	return arg;
}

int main(int argc, char **argv)
{
	double serial_s = argc > 1 ? atof(argv[1]) : 0.4;
	int nr = argc > 3 ? atoi(argv[3]) : 2;
	pthread_t threads[MAX_THREADS];

	if (argc > 2)
		parallel_s = atof(argv[2]);
	if (nr < 1 || nr > MAX_THREADS)
		return 2;
	spend(serial_phase, serial_s);
	pthread_barrier_init(&together, NULL, (unsigned)nr);
	for (int i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, run, NULL))
			return 1;
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
