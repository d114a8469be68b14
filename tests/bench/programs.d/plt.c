/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A fifth of the time in the stub of a library's function (-DLIBRARY: the library). Linked by lld, stubs have no unwind table: the
 * caller is where the stack pointer says, not where the frame pointer does.
 *
 * usage: plt ROUNDS
 */
#include <stdlib.h>

long tiny(long x);

#ifdef LIBRARY
long tiny(long x)
{
	return x + 1;
}
#else
__attribute__((noinline)) long caller(long rounds)
{
	long x = 0;

	for (long i = 0; i < rounds; i++)
		x = tiny(x);
	return x + 1;
}

__attribute__((noinline)) long outer(long rounds)
{
	return caller(rounds) + 1;
}

int main(int argc, char **argv)
{
	return outer(argc > 1 ? atol(argv[1]) : 1000) == 42;
}
#endif
