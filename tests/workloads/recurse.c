/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth: nearly all time is in leaf(), below 40 frames of recurse(), below main(). The leaf
 * runs for tens of milliseconds at a time, so the way down and up is no part of what is sampled.
 *
 * usage: recurse [SECONDS=2 [LEVELS=40]], of CPU time
 */
#include <stdint.h>
#include <stdlib.h>

#include "workload.h"

/* A leaf without a frame of its own would hide its caller from a frame-pointer walk. */
#define KEEP_FRAME __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

static double end;

__attribute__((noinline, noclone)) uint64_t leaf(uint64_t x)
{
	KEEP_FRAME;
	for (uint64_t i = 0; i < 20000000; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

__attribute__((noinline, noclone)) uint64_t recurse(int n, uint64_t x)
{
	KEEP_FRAME;
	uint64_t r;

	if (n > 1) {
		r = recurse(n - 1, x + 1);
	} else {
		do
			x = leaf(x);
		while (cpu_time() < end);
		r = x;
	}
	__asm__ volatile("" : "+r"(r)); /* the call stays a call with a frame of its own */
	return r + (uint64_t)n;
}

int main(int argc, char **argv)
{
	end = cpu_time() + (argc > 1 ? atof(argv[1]) : 2.0);
	return recurse(argc > 2 ? atoi(argv[2]) : 40, 1) == 42;
}
