/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * counted WHAT N: does exactly N of it, beside what starting a program costs.
 *	faults		touches N pages for the first time
 *	switches	sleeps N times, so that it is switched out N times
 *	calls		N getppid system calls
 *	threads		N threads one after the other, each with 100 getppid calls
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void *call(void *arg)
{
	for (long i = (long)arg; i > 0; i--)
		syscall(SYS_getppid);
	return NULL;
}

static void touch(long n)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(p, n * page, MADV_NOHUGEPAGE);
	for (long i = 0; i < n; i++)
		((volatile char *)p)[i * page] = 1;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "faults"))
		touch(n);
	else if (!strcmp(argv[1], "calls"))
		call((void *)n);
	else
		for (long i = 0; i < n; i++) {
			struct timespec ts = { 0, 1000000 };
			pthread_t t;

			if (!strcmp(argv[1], "switches")) {
				nanosleep(&ts, NULL);
			} else {
				pthread_create(&t, NULL, call, (void *)100);
				pthread_join(t, NULL);
			}
		}
	return 0;
}
