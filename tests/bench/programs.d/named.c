/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program or a library (-DLIBRARY) whose functions carry NAME: three quarters of the time in NAME_hot(), the rest in NAME_cool().
 * PADDING bytes in front give two builds different addresses: names of the wrong file are wrong names.
 *
 * usage: named ROUNDS
 */
#include <stdint.h>
#include <stdlib.h>

#define KEPT __attribute__((noinline, noclone))
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define F(name) JOIN(NAME, name)
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

uint64_t F(_work)(long rounds);

/* Functions in front, so that an address in one build is another function's, or no function, in the other. */
__asm__(".text\n.globl in_front\n.type in_front, %function\nin_front:\n.skip " TEXT(PADDING) ", 0\n.size in_front, " TEXT(PADDING) "\n");

KEPT static uint64_t burn(uint64_t x, long n)
{
	for (long i = 0; i < n; i++) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

KEPT uint64_t F(_hot)(uint64_t x)
{
	return burn(x, 30000) + 1;
}

KEPT uint64_t F(_cool)(uint64_t x)
{
	return burn(x, 10000) + 1;
}

KEPT uint64_t F(_work)(long rounds)
{
	uint64_t x = 1;

	for (long i = 0; i < rounds; i++)
		x = F(_cool)(F(_hot)(x));
	return x;
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	return F(_work)(argc > 1 ? atol(argv[1]) : 1000) == 42;
}
#endif
