/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Maps and unmaps executable memory N times: N munmap calls and one of the loader's, and as many
 * records about maps.
 *
 * usage: maps [N=100000]
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	size_t nr = argc > 1 ? (size_t)atol(argv[1]) : 100000;

	for (size_t i = 0; i < nr; i++) {
		void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED || munmap(p, 4096)) {
			perror("mmap");
			return 1;
		}
	}
	return 0;
}
