/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth: nearly all time is in leaf(), below LEVELS + 1 frames of down(), of 16 bytes each on x86_64, below main(). 10,000 of them
 * are more than the kernel can dump.
 *
 * usage: unwind_deep [SECONDS=1 [LEVELS=10000]]
 */
#include <stdlib.h>

#include "workload.h"

static double end;
static volatile unsigned long sum;

KEPT void leaf(void)
{
	while (now() < end)
		for (int i = 0; i < 100000; i++)
			sum = sum * 3 + 1;
}

KEPT unsigned long down(unsigned n)
{
	if (n == 0) {
		leaf();
		return 1;
	}
	return down(n - 1) + sum; /* no tail call */
}

int main(int argc, char **argv)
{
	end = now() + (argc > 1 ? atof(argv[1]) : 1.0);
	return down(argc > 2 ? (unsigned)atoi(argv[2]) : 10000) == 77;
}
