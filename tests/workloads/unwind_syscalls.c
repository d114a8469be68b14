/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * System calls with known callers and known times, in code without frame pointers: slow_caller() sleeps 15 ms and quick_caller() 5 ms, as often
 * as the argument says (20), and a thread writes as often, ten frames deep.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int null_fd;
static volatile int sink;

__attribute__((noinline)) static void sleep_ms(long ms)
{
	struct timespec t = { .tv_nsec = ms * 1000000 };

	nanosleep(&t, NULL);
	sink++;
}

__attribute__((noinline)) static void slow_caller(void)
{
	sleep_ms(15);
	sink++;
}

__attribute__((noinline)) static void quick_caller(void)
{
	sleep_ms(5);
	sink++;
}

__attribute__((noinline)) static int write_deep(int depth)
{
	int n = depth > 1 ? write_deep(depth - 1) : (int)write(null_fd, "deep", 4);

	sink++;
	return n + 1;
}

__attribute__((noinline)) static void *thread_body(void *arg)
{
	for (int i = 0; i < *(int *)arg; i++)
		sink += write_deep(10);
	return NULL;
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 20;
	pthread_t thread;

	null_fd = open("/dev/null", O_WRONLY);
	pthread_create(&thread, NULL, thread_body, &nr);
	for (int i = 0; i < nr; i++) {
		slow_caller();
		quick_caller();
	}
	pthread_join(thread, NULL);
	return 0;
}
