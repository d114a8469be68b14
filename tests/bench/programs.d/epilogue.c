/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Most of the time in the epilogues of small functions that save every register, called by functions whose frames are found through
 * the frame pointer: where it was popped already, its slot lies just below the stack pointer.
 *
 * usage: epilogue ROUNDS
 */
#include <alloca.h>
#include <stdint.h>
#include <stdlib.h>

#define KEPT __attribute__((noinline, noclone))

KEPT uint64_t leaf(uint64_t x)
{
#if defined(__x86_64__)
	__asm__ volatile("" : "+r"(x)::"rbx", "rbp", "r12", "r13", "r14", "r15");
#else
	__asm__ volatile("" : "+r"(x)::"x19", "x20", "x21", "x22", "x23", "x24");
#endif
	return x + 1;
}

KEPT uint64_t caller(uint64_t x, long rounds)
{
	volatile char *room = alloca((size_t)(x % 64) + 16); /* the frame is found through the frame pointer */

	room[0] = 1;
	for (long i = 0; i < rounds; i++)
		x = leaf(x);
	return x + (uint64_t)room[0];
}

int main(int argc, char **argv)
{
	uint64_t x = 1;

	for (long i = argc > 1 ? atol(argv[1]) : 1000; i > 0; i--)
		x = caller(x, 1000);
	return x == 42;
}
