/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Burns one CPU in burn(), called by outer(), called by main().
 *
 * usage: burn [SECONDS=1 [EXIT_STATUS=0]], of CPU time
 */
#include <stdint.h>
#include <stdlib.h>

#include "workload.h"

/* A leaf without a frame of its own would hide its caller from a frame-pointer walk. */
#define KEEP_FRAME __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

__attribute__((noinline, noclone)) uint64_t burn(uint64_t x)
{
	KEEP_FRAME;
	for (uint64_t i = 0; i < 1000000; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

__attribute__((noinline, noclone)) uint64_t outer(double end)
{
	KEEP_FRAME;
	uint64_t x = 1;

	do
		x = burn(x);
	while (cpu_time() < end);
	return x;
}

int main(int argc, char **argv)
{
	uint64_t x = outer(cpu_time() + (argc > 1 ? atof(argv[1]) : 1.0));

	return argc > 2 ? atoi(argv[2]) : x == 42;
}
