/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * For comparing builds: parse() has 30% of the work, hash() 20%, sort() 15%, five others the rest, below three callers. The work is a number of
 * rounds, not a time, and the same in every run. Built with -DSLOWER=15, parse() takes 1.5 times as long; with -DEXTRA there is a function more,
 * with -DFEWER one less.
 *
 * usage: diff_work [ROUNDS=400]
 */
#include <stdint.h>
#include <stdlib.h>

/* A leaf without a frame of its own would hide its caller from a frame-pointer walk. */
#define KEEP_FRAME __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

#ifndef SLOWER
#define SLOWER 10 /* tenths */
#endif

#define WORK(name, share)                                                                          \
	__attribute__((noinline, noclone, aligned(64))) uint64_t name(uint64_t x, uint64_t unit)    \
	{                                                                                          \
		KEEP_FRAME;                                                                        \
		for (uint64_t i = 0; i < (share) * unit; i++) {                                    \
			x = x * 6364136223846793005u + 1442695040888963407u;                       \
			__asm__ volatile("" : "+r"(x)); /* keeps the loop a loop */                \
		}                                                                                  \
		return x;                                                                          \
	}

WORK(parse, 30 * SLOWER / 10)
WORK(hash, 20)
WORK(sort, 15)
WORK(lookup, 12)
WORK(format, 9)
WORK(copy, 7)
WORK(compress, 4)
WORK(check, 3)
#ifdef EXTRA
WORK(added, 8)
#endif

#define CALLER __attribute__((noinline, noclone)) uint64_t

CALLER read_input(uint64_t x, uint64_t unit)
{
	KEEP_FRAME;
	x = parse(x, unit);
	x = check(x, unit);
	return x + 1;
}

CALLER work(uint64_t x, uint64_t unit)
{
	KEEP_FRAME;
	x = hash(x, unit);
	x = sort(x, unit);
	x = lookup(x, unit);
#ifdef EXTRA
	x = added(x, unit);
#endif
	return x + 1;
}

CALLER write_output(uint64_t x, uint64_t unit)
{
	KEEP_FRAME;
	x = format(x, unit);
	x = copy(x, unit);
#ifndef FEWER
	x = compress(x, unit);
#endif
	return x + 1;
}

int main(int argc, char **argv)
{
	uint64_t nr_rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 400, x = 1, rng = 88172645463325252u;

	while (nr_rounds--) {
		uint64_t unit;

		/* of varying length, so that no sampling period falls into step with them */
		rng ^= rng << 13;
		rng ^= rng >> 7;
		rng ^= rng << 17;
		unit = 5000 + rng % 5000;
		x = read_input(x, unit);
		x = work(x, unit);
		x = write_output(x, unit);
	}
	return x == 42;
}
