/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Touches pages, each once: N of a private map of a file that it makes, M of anonymous memory, B of its own uninitialised data in a thread.
 *
 * usage: touch FILE N M
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PAGE 4096
#define NR_DATA 64 /* pages of known_data */

static char known_data[NR_DATA * PAGE] __attribute__((aligned(PAGE)));

static __attribute__((noinline)) void touch_file(volatile char *p, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		p[i * PAGE] = 1;
}

static __attribute__((noinline)) void touch_memory(volatile char *p, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		p[i * PAGE] = 1;
}

static __attribute__((noinline)) void touch_data(volatile char *p)
{
	for (size_t i = 0; i < NR_DATA; i++)
		p[i * PAGE] = 1;
}

static void *second_thread(void *arg)
{
	prctl(PR_SET_NAME, "toucher");
	touch_data(arg);
	return NULL;
}

static void *map(size_t nr, int flags, int fd)
{
	void *p = mmap(NULL, nr * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | flags, fd, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	madvise(p, nr * PAGE, MADV_NOHUGEPAGE);
	return p;
}

int main(int argc, char **argv)
{
	size_t nr_file = argc > 2 ? (size_t)atol(argv[2]) : 0, nr_memory = argc > 3 ? (size_t)atol(argv[3]) : 0;
	int fd = argc > 3 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	pthread_t thread;

	if (fd < 0 || ftruncate(fd, (off_t)(nr_file * PAGE))) {
		fprintf(stderr, "usage: touch FILE N M\n");
		return 1;
	}
	touch_file(map(nr_file, 0, fd), nr_file);
	touch_memory(map(nr_memory, MAP_ANONYMOUS, -1), nr_memory);
	pthread_create(&thread, NULL, second_thread, known_data);
	pthread_join(thread, NULL);
	return 0;
}
