/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth: of the CPU time, half_of_it() has 50%, third_of_it() 30% and rest_of_it() 20%. All run the same loop, bound by the latency of
 * one multiplication chain, at the same alignment; only the counts differ. No function of it is exported: stripped, it has no names.
 *
 * usage: three_shares [SECONDS=2], of CPU time
 */
#include <stdint.h>
#include <stdlib.h>

#include "workload.h"

/* A leaf without a frame of its own would hide its caller from a frame-pointer walk. */
#define KEEP_FRAME __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

#define LOOP(name)                                                                                    \
	static __attribute__((noinline, noclone, aligned(64))) uint64_t name(uint64_t x, uint64_t nr) \
	{                                                                                             \
		KEEP_FRAME;                                                                           \
		for (uint64_t i = 0; i < nr; i++) {                                                   \
			x = x * 6364136223846793005u + 1442695040888963407u;                          \
			__asm__ volatile("" : "+r"(x)); /* keeps the loop a loop */                   \
		}                                                                                     \
		return x;                                                                             \
	}

LOOP(half_of_it)
LOOP(third_of_it)
LOOP(rest_of_it)

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
		x = half_of_it(x, 5 * unit);
		x = third_of_it(x, 3 * unit);
		x = rest_of_it(x, 2 * unit);
	} while (cpu_time() < end);
	return x == 42;
}
