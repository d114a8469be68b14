/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program in versions: all of its time goes to one function, whose name (NAME) and code (FACTOR) are the compiler's arguments. With
 * LIBRARY the function is that of a library that is compiled from the same file. The work is counted by the clock: argv[1] milliseconds.
 */
#include <stdlib.h>
#include <time.h>

#if !defined(NAME) && !defined(LIBRARY)
#define NAME version_one
#define FACTOR 7
#endif

volatile unsigned long sum;

#ifdef LIBRARY
void work(unsigned long ms);
#endif

#ifdef NAME
__attribute__((noinline)) static void NAME(unsigned long ms)
{
	struct timespec t;

	do {
		for (unsigned long i = 0; i < 100000; i++)
			sum += i * FACTOR;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while ((unsigned long)t.tv_sec * 1000 + (unsigned long)t.tv_nsec / 1000000 < ms);
}

__attribute__((noinline)) void work(unsigned long ms);
__attribute__((noinline)) void work(unsigned long ms)
{
	NAME(ms);
	sum++;
}
#endif

#ifndef SHARED
int main(int argc, char **argv)
{
	work(argc > 1 ? strtoul(argv[1], NULL, 10) : 100);
	return sum == 0;
}
#endif
