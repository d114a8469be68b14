/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A just-in-time compiler in small: code in memory that no file stands behind, named in /tmp/perf-PID.map as jitted_loop. Prints the path of
 * that map and leaves it there: whoever reads the profile needs it, and whoever started this removes it.
 *
 * usage: jit [SECONDS=1 [twice]]     twice: the code is in memory that is mapped once to be written and once to be run, as of .NET and Erlang
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workload.h"

#define CODE_SIZE 256 /* more than spin() needs */

/* Refers to nothing outside itself: its bytes run wherever they lie. */
__attribute__((noinline, noclone)) uint64_t spin(uint64_t x)
{
	for (uint64_t i = 0; i < 1000000; i++)
		__asm__ volatile("" : "+r"(x));
	return x;
}

/* Where the code is written; `run` is where it runs. */
static void *map_code(int is_twice, void **run)
{
	void *write;
	int fd;

	if (!is_twice)
		return *run = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fd = memfd_create("code", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 4096))
		return MAP_FAILED;
	write = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	*run = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	return *run == MAP_FAILED ? MAP_FAILED : write;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? atof(argv[1]) : 1.0);
	void *code = NULL, *written = map_code(argc > 2 && !strcmp(argv[2], "twice"), &code);
	uint64_t (*fn)(uint64_t) = (uint64_t(*)(uint64_t))(uintptr_t)code;
	char path[64];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "wx");
	if (written == MAP_FAILED || !map) {
		perror("jit");
		return 1;
	}
	memcpy(written, (const void *)(uintptr_t)spin, CODE_SIZE);
	__builtin___clear_cache((char *)code, (char *)code + CODE_SIZE);
	fprintf(map, "%lx %x jitted_loop, of one\n", (unsigned long)(uintptr_t)code, CODE_SIZE);
	fclose(map);
	puts(path);
	do
		fn(1);
	while (now() < end);
	return 0;
}
