/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Touches N fresh pages of memory, so that there are N page faults and a few.
 *
 * usage: faults [N=100000]
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	size_t nr = argc > 1 ? (size_t)atol(argv[1]) : 100000;
	char *p = mmap(NULL, nr * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	madvise(p, nr * 4096, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < nr; i++)
		p[i * 4096] = 1;
	return 0;
}
