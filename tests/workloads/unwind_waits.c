/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Threads that wait in known functions for times that they measure themselves, by the clock around each wait: "NAME TID WAITED-NS FUNCTION"
 * each, at the end. Built without frame pointers.
 *
 *   sleeper   10 sleeps of 30 ms in wait_in_sleep()
 *   locked    a mutex that is held for 200 ms, in wait_for_lock()
 *   reader    a byte of a pipe that comes after 250 ms, in wait_for_byte()
 *   writer    writes a file and has it go to the disk 20 times, in wait_for_disk(); waits may be short, and are not all of that time
 *   spinner   runs for 300 ms of CPU time in spin(); prints that
 *
 * usage: unwind_waits [FILE=waits.tmp]
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ull
#define NOINLINE __attribute__((noinline, noclone))

static int pipe_fds[2];
static const char *file = "waits.tmp";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void rest(uint64_t ns)
{
	struct timespec t = { 0, (long)ns };

	nanosleep(&t, NULL);
}

NOINLINE uint64_t wait_in_sleep(void)
{
	uint64_t start = now(CLOCK_MONOTONIC);

	rest(30 * MS);
	return now(CLOCK_MONOTONIC) - start;
}

NOINLINE uint64_t wait_for_lock(void)
{
	uint64_t start = now(CLOCK_MONOTONIC), end;

	pthread_mutex_lock(&lock);
	end = now(CLOCK_MONOTONIC);
	pthread_mutex_unlock(&lock);
	return end - start;
}

NOINLINE uint64_t wait_for_byte(void)
{
	uint64_t start = now(CLOCK_MONOTONIC);
	char byte;

	if (read(pipe_fds[0], &byte, 1) != 1)
		return 0;
	return now(CLOCK_MONOTONIC) - start;
}

NOINLINE uint64_t wait_for_disk(int fd)
{
	uint64_t start = now(CLOCK_MONOTONIC);

	if (pwrite(fd, &start, sizeof(start), 0) != sizeof(start) || fsync(fd))
		return 0;
	return now(CLOCK_MONOTONIC) - start;
}

NOINLINE uint64_t spin(void)
{
	while (now(CLOCK_THREAD_CPUTIME_ID) < 300 * MS)
		;
	return now(CLOCK_THREAD_CPUTIME_ID);
}

static void report(const char *name, uint64_t ns, const char *function)
{
	printf("%s %ld %llu %s\n", name, syscall(SYS_gettid), (unsigned long long)ns, function);
	fflush(stdout);
}

static void *sleeper(void *arg)
{
	uint64_t sum = 0;

	prctl(PR_SET_NAME, "sleeper");
	for (int i = 0; i < 10; i++)
		sum += wait_in_sleep();
	report("sleeper", sum, "wait_in_sleep");
	return arg;
}

static void *locked(void *arg)
{
	prctl(PR_SET_NAME, "locked");
	report("locked", wait_for_lock(), "wait_for_lock");
	return arg;
}

static void *reader(void *arg)
{
	prctl(PR_SET_NAME, "reader");
	report("reader", wait_for_byte(), "wait_for_byte");
	return arg;
}

static void *writer(void *arg)
{
	int fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	uint64_t sum = 0;

	prctl(PR_SET_NAME, "writer");
	for (int i = 0; i < 20 && fd >= 0; i++)
		sum += wait_for_disk(fd);
	unlink(file);
	report("writer", sum, "wait_for_disk");
	return arg;
}

static void *spinner(void *arg)
{
	prctl(PR_SET_NAME, "spinner");
	report("spinner", spin(), "spin");
	return arg;
}

int main(int argc, char **argv)
{
	void *(*const bodies[])(void *) = { sleeper, locked, reader, writer, spinner };
	pthread_t threads[5];

	if (argc > 1)
		file = argv[1];
	if (pipe2(pipe_fds, O_CLOEXEC))
		return 1;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 5; i++)
		pthread_create(&threads[i], NULL, bodies[i], NULL);
	rest(200 * MS);
	pthread_mutex_unlock(&lock);
	rest(50 * MS);
	if (write(pipe_fds[1], "", 1) != 1)
		return 1;
	for (int i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
