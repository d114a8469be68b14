/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth for inlined functions in C: twice() and once() have fold() inlined, and that mix(), at several places; caller() calls from
 * inside an inlined function. Names of C are the same in the debug information and in the symbol table.
 *
 * usage: inlined [SECONDS=1]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define INLINED static inline __attribute__((always_inline))
/* perf mixes up what was inlined into functions that touch each other: these do not. */
#define KEPT __attribute__((noinline, noclone, aligned(64)))

INLINED unsigned long mix(unsigned long x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15;
	return x ^ x >> 29;
}

INLINED unsigned long fold(unsigned long x)
{
	for (int i = 0; i < 8; i++)
		x = mix(x + i);
	return x;
}

/* Calls nobody: compilers give it no frame, so that its caller is missing in chains by frame pointer, and theirs is not. */
KEPT unsigned long last(unsigned long x)
{
	return fold(x) ^ x;
}

KEPT unsigned long twice(unsigned long x)
{
	return fold(x) + fold(~last(x));
}

KEPT unsigned long once(unsigned long x)
{
	return fold(x) ^ mix(x);
}

/* The call is in the middle of what is inlined: a caller with inlined functions around it. */
INLINED unsigned long by_way(unsigned long x)
{
	return twice(x) + once(x + 1);
}

KEPT unsigned long caller(unsigned long x)
{
	return by_way(x) ^ by_way(x * 3);
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
	unsigned long x = 1;

	while (clock() < end)
		for (int i = 0; i < 100000; i++)
			x += caller(x);
	printf("%lu\n", x);
	return 0;
}
