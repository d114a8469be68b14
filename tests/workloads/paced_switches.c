/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Two processes on one CPU that pass a byte to and fro through pipes, RATE switches a second: as many in each millisecond, then a sleep until
 * the next. Prints "SWITCHES WALL-NS CPU-NS LATE": of both processes, and how many milliseconds were not done in time.
 *
 * usage: paced_switches [RATE=100000 [SECONDS=1 [CPU=0]]]
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t cpu_ns(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000u + (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000u;
}

static void pass_back(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
		;
	_exit(0);
}

int main(int argc, char **argv)
{
	int rate = argc > 1 ? atoi(argv[1]) : 100000, seconds = argc > 2 ? atoi(argv[2]) : 1;
	uint64_t start, next, switches = 0, late = 0;
	int there[2], back[2];
	char byte = 0;
	cpu_set_t set;
	pid_t child;

	CPU_ZERO(&set);
	CPU_SET(argc > 3 ? atoi(argv[3]) : 0, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || pipe(there) || pipe(back))
		return 1;
	child = fork();
	if (!child) {
		close(there[1]);
		close(back[0]);
		pass_back(there[0], back[1]);
	}
	start = next = now();
	for (int ms = 0; ms < 1000 * seconds; ms++) {
		struct timespec t;

		for (int i = 0; i < rate / 2000; i++, switches += 2)
			if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
				return 1;
		next += 1000000;
		t = (struct timespec){ (time_t)(next / 1000000000u), (long)(next % 1000000000u) };
		late += now() > next;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	}
	start = now() - start;
	close(there[1]);
	waitpid(child, NULL, 0);
	printf("%llu %llu %llu %llu\n", (unsigned long long)switches, (unsigned long long)start,
	       (unsigned long long)(cpu_ns(RUSAGE_SELF) + cpu_ns(RUSAGE_CHILDREN)), (unsigned long long)late);
	return 0;
}
