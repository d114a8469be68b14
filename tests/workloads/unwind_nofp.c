/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth for unwinding without frame pointers (-O2): main → even → odd → even … DEPTH calls deep, each with a frame of another
 * size (one of variable size), down to leaf(), which burns in plain code, in libc's hand-written memory functions, in qsort() calling
 * back, and in the kernel.
 *
 * usage: unwind_nofp [SECONDS=1 [DEPTH=20]]
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "workload.h"

static char big[2][1 << 16];
static uint32_t numbers[512];
static volatile uint64_t sink;
static double end;

KEPT uint64_t burn(uint64_t x)
{
	for (int i = 0; i < 40000; i++) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

KEPT int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

KEPT uint64_t leaf(uint64_t x)
{
	x = burn(x);
	for (int i = 0; i < 8; i++) {
		memcpy(big[i & 1], big[!(i & 1)], sizeof(big[0]) - (x & 63));
		x += strlen(memset(big[0], 'a' + (int)(x & 7), sizeof(big[0]) - 1));
		x += (uint64_t)(uintptr_t)memchr(big[0], 'z', sizeof(big[0]));
	}
	for (unsigned i = 0; i < 512; i++)
		numbers[i] = (uint32_t)(x = x * 2862933555777941757u + 3037000493u);
	qsort(numbers, 512, sizeof(*numbers), by_value);
	for (int i = 0; i < 30; i++)
		x += (uint64_t)getppid();
	return x + numbers[7];
}

KEPT uint64_t odd(unsigned depth, uint64_t x);

KEPT uint64_t even(unsigned depth, uint64_t x)
{
	volatile char room[100];

	room[depth % 100] = (char)x;
	if (!depth)
		return leaf(x) + (uint64_t)room[0];
	return odd(depth - 1, x + 1) * 3 + (uint64_t)room[depth % 100];
}

/* A frame whose size only it knows. */
KEPT uint64_t odd(unsigned depth, uint64_t x)
{
	volatile char *room = __builtin_alloca(16 + depth % 7 * 24);

	room[0] = (char)x;
	if (!depth)
		return leaf(x) + (uint64_t)room[0];
	return even(depth - 1, x + 2) * 5 + (uint64_t)room[0];
}

int main(int argc, char **argv)
{
	unsigned depth = argc > 2 ? (unsigned)atoi(argv[2]) : 20;

	end = now() + (argc > 1 ? atof(argv[1]) : 1.0);
	do
		sink += even(depth, sink);
	while (now() < end);
	return 0;
}
