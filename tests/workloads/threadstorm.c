/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Starts K short threads, at most 64 alive at a time; each gives itself a name, works for about a
 * quarter of a millisecond in storm_work(), and ends. Prints how many ran.
 *
 * usage: threadstorm [K=1000]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A leaf without a frame of its own would hide its caller from a frame-pointer walk. */
#define KEEP_FRAME __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

#define NR_ALIVE 64

__attribute__((noinline, noclone)) uint64_t storm_work(uint64_t x)
{
	KEEP_FRAME;
	for (uint64_t i = 0; i < 200000; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

static void *run(void *arg)
{
	char name[16];

	snprintf(name, sizeof(name), "storm-%u", (unsigned)(uintptr_t)arg);
	pthread_setname_np(pthread_self(), name);
	return (void *)(uintptr_t)storm_work((uintptr_t)arg);
}

int main(int argc, char **argv)
{
	unsigned nr = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
	pthread_t alive[NR_ALIVE];

	for (unsigned i = 0; i < nr; i++) {
		if (i >= NR_ALIVE)
			pthread_join(alive[i % NR_ALIVE], NULL);
		if (pthread_create(&alive[i % NR_ALIVE], NULL, run, (void *)(uintptr_t)i) != 0) {
			perror("pthread_create");
			return 1;
		}
	}
	for (unsigned i = 0; i < (nr < NR_ALIVE ? nr : NR_ALIVE); i++)
		pthread_join(alive[i], NULL);
	printf("%u threads\n", nr);
	return 0;
}
