/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth for short names: one third of the time each in Box<int>::spin, Box<char>::spin and Box<double>::spin, called from host<int>,
 * host<char> and host<double>. The names are given by hand, so that no C++ compiler is needed.
 *
 * usage: siblings [SECONDS=1], of CPU time
 */
#include <stdint.h>
#include <stdlib.h>

#include "workload.h"

/* A leaf without a frame of its own would hide its caller from a frame-pointer walk. */
#define KEEP_FRAME __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

#define SIBLING(letter)                                                                            \
	uint64_t spin_##letter(uint64_t x) __asm__("_ZN3BoxI" #letter "E4spinEm");                 \
	uint64_t host_##letter(uint64_t x) __asm__("_Z4hostI" #letter "EmT_");                     \
	__attribute__((noinline, noclone)) uint64_t spin_##letter(uint64_t x)                      \
	{                                                                                          \
		KEEP_FRAME;                                                                        \
		for (int i = 0; i < 200000; i++) {                                                 \
			x = x * 6364136223846793005u + 1442695040888963407u;                       \
			__asm__ volatile("" : "+r"(x));                                            \
		}                                                                                  \
		return x;                                                                          \
	}                                                                                          \
	__attribute__((noinline, noclone)) uint64_t host_##letter(uint64_t x)                      \
	{                                                                                          \
		KEEP_FRAME;                                                                        \
		return spin_##letter(x) + 1;                                                       \
	}
SIBLING(i)
SIBLING(c)
SIBLING(d)

int main(int argc, char **argv)
{
	double end = cpu_time() + (argc > 1 ? atof(argv[1]) : 1);
	uint64_t x = 1;

	while (cpu_time() < end)
		x = host_d(host_c(host_i(x)));
	return x == 42;
}
