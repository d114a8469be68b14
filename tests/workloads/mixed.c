/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Syscalls (read_zero: reads of /dev/zero), page faults (touch_pages: fresh memory, written once a
 * page and given back) and plain work (user_work), in turns: user and kernel stacks, and several
 * software events that count.
 *
 * usage: mixed [SECONDS=1], of CPU time
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workload.h"

/* A leaf without a frame of its own would hide its caller from a frame-pointer walk. */
#define KEEP_FRAME __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

#define NR_PAGES 256

__attribute__((noinline, noclone)) uint64_t user_work(uint64_t x)
{
	KEEP_FRAME;
	for (uint64_t i = 0; i < 300000; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

__attribute__((noinline, noclone)) int read_zero(int fd)
{
	KEEP_FRAME;
	static char buf[65536];
	int sum = 0;

	for (int i = 0; i < 200; i++)
		sum += read(fd, buf, sizeof(buf)) > 0;
	return sum;
}

__attribute__((noinline, noclone)) int touch_pages(void)
{
	KEEP_FRAME;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, NR_PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		return 0;
	for (size_t i = 0; i < NR_PAGES; i++)
		p[i * page] = 1;
	munmap(p, NR_PAGES * page);
	return NR_PAGES;
}

int main(int argc, char **argv)
{
	double end = cpu_time() + (argc > 1 ? atof(argv[1]) : 1.0);
	int fd = open("/dev/zero", O_RDONLY), sum = 0;
	uint64_t x = 1;

	if (fd < 0) {
		perror("/dev/zero");
		return 1;
	}
	do {
		x = user_work(x);
		sum += read_zero(fd);
		sum += touch_pages();
	} while (cpu_time() < end);
	return x == 42 && sum == 0;
}
