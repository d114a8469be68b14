/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth: of the CPU time, seventy() has 70% and thirty() 30%. Both run the same loop, bound by
 * the latency of one multiplication chain, at the same alignment; only the counts differ, 7 to 3 in
 * every round. Rounds are a few milliseconds or less and of varying length, so that no sampling
 * period falls into step with them.
 *
 * usage: seventy_thirty [SECONDS=2], of CPU time
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "workload.h"

/* A leaf without a frame of its own would hide its caller from a frame-pointer walk. */
#define KEEP_FRAME __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

#define LOOP(name)                                                                                 \
	__attribute__((noinline, noclone, aligned(64))) uint64_t name(uint64_t x, uint64_t nr)      \
	{                                                                                          \
		KEEP_FRAME;                                                                        \
		for (uint64_t i = 0; i < nr; i++) {                                                \
			x = x * 6364136223846793005u + 1442695040888963407u;                       \
			__asm__ volatile("" : "+r"(x)); /* keeps the loop a loop */                \
		}                                                                                  \
		return x;                                                                          \
	}

LOOP(seventy)
LOOP(thirty)

int main(int argc, char **argv)
{
	double end = cpu_time() + (argc > 1 ? atof(argv[1]) : 2.0);
	uint64_t x = 1, rng = 88172645463325252u;

	do {
		uint64_t unit;

		rng ^= rng << 13;
		rng ^= rng >> 7;
		rng ^= rng << 17;
		unit = 50000 + rng % 100000;
		x = seventy(x, 7 * unit);
		x = thirty(x, 3 * unit);
	} while (cpu_time() < end);
	return x == 42;
}
