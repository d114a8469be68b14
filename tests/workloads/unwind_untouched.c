/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth: all time is in untouched_big(), called by a thread, with a frame of several pages of which only the lowest was written to.
 * The kernel dumps stacks up to the first page that is not there: the return address is above it.
 *
 * usage: unwind_untouched [SECONDS=0.5]
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "workload.h"

#define STACK_BYTES (1u << 20)

static double seconds = 0.5;
static volatile unsigned long sum;

KEPT void untouched_big(void)
{
	char room[40000];
	double until = now() + seconds;

	room[0] = 1;
	__asm__ volatile("" : : "r"(room) : "memory");
	while (now() < until)
		for (unsigned long i = 0; i < 100000; i++)
			sum += i;
}

KEPT void *untouched_thread(void *arg)
{
	untouched_big();
	__asm__ volatile("" : : : "memory");
	return arg;
}

int main(int argc, char **argv)
{
	void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	if (argc > 1)
		seconds = atof(argv[1]);
	if (stack == MAP_FAILED)
		return 1;
	madvise(stack, STACK_BYTES, MADV_NOHUGEPAGE);
	pthread_attr_init(&attr);
	if (pthread_attr_setstack(&attr, stack, STACK_BYTES) || pthread_create(&thread, &attr, untouched_thread, NULL))
		return 1;
	pthread_join(thread, NULL);
	return 0;
}
