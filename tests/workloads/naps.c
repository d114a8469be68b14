/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Threads of known behaviour for the scheduler's views, which say at their end what the kernel counted for them:
 * "NAME TID RUN-NS SLEPT-NS VOLUNTARY PREEMPTED" each. SLEPT is by the clock around the sleeps, so that it includes what was waited for a CPU
 * afterwards.
 *
 *   spinner   runs all the time
 *   napper    40 times: runs 1 ms, sleeps 4 ms
 *   reader    waits in a pipe for a byte that comes after 150 ms
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000u

static int pipe_fds[2];

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void spin(uint64_t ns)
{
	uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void report(const char *name, uint64_t slept_ns)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	printf("%s %ld %llu %llu %ld %ld\n", name, syscall(SYS_gettid), (unsigned long long)now(CLOCK_THREAD_CPUTIME_ID),
	       (unsigned long long)slept_ns, u.ru_nvcsw, u.ru_nivcsw);
	fflush(stdout);
}

static void *spinner(void *arg)
{
	prctl(PR_SET_NAME, "spinner");
	spin(200 * MS);
	report("spinner", 0);
	return arg;
}

static void *napper(void *arg)
{
	const struct timespec nap = { .tv_nsec = 4 * MS };
	uint64_t slept_ns = 0;

	prctl(PR_SET_NAME, "napper");
	for (int i = 0; i < 40; i++) {
		uint64_t begin;

		spin(MS);
		begin = now(CLOCK_MONOTONIC);
		nanosleep(&nap, NULL);
		slept_ns += now(CLOCK_MONOTONIC) - begin;
	}
	report("napper", slept_ns);
	return arg;
}

static void *reader(void *arg)
{
	uint64_t begin;
	char byte;

	prctl(PR_SET_NAME, "reader");
	begin = now(CLOCK_MONOTONIC);
	if (read(pipe_fds[0], &byte, 1) != 1)
		return arg;
	report("reader", now(CLOCK_MONOTONIC) - begin);
	return arg;
}

int main(void)
{
	static void *(*const bodies[])(void *) = { spinner, napper, reader };
	pthread_t threads[3];

	if (pipe(pipe_fds))
		return 1;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, bodies[i], NULL);
	usleep(150000);
	if (write(pipe_fds[1], "x", 1) != 1)
		return 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
