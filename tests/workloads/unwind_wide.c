/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Few calls with much on the stack: 12 levels of 6 kB, more than any dump holds. For so long on a CPU, however busy it is.
 *
 * usage: unwind_wide SECONDS
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "workload.h"

static volatile uint64_t sink;

KEPT uint64_t at_level(int level, double end, uint64_t x)
{
	volatile uint64_t room[768] = { x };

	if (level) {
		x = at_level(level - 1, end, x + room[0]);
	} else {
		do
			for (int i = 0; i < 10000; i++)
				x = x * 6364136223846793005u + 1 + room[i % 768];
		while ((double)clock() / CLOCKS_PER_SEC < end);
	}
	return x + room[x % 768];
}

int main(int argc, char **argv)
{
	sink = at_level(12, argc > 1 ? atof(argv[1]) : 1.0, 1);
	return 0;
}
