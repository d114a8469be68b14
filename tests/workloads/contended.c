/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A mutex that is fought for, with known times: a thread called "waiter" waits ROUNDS times for `known_lock` in wait_for_lock(), and each time
 * "holder" keeps it for at least HOLD_MS after the other has begun to wait, in hold_lock(). Prints the lock's address, the number of
 * waits, and the nanoseconds that the waiter measured for all of them.
 *
 * usage: contended [ROUNDS=10 [HOLD_MS=20]]
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int nr_held, nr_waited;
static int nr_rounds = 10, hold_ms = 20;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The C library writes 2 where somebody waits, before it calls the kernel. */
static int has_waiter(void)
{
	return *(volatile int *)&known_lock == 2;
}

__attribute__((noinline, noclone)) static void hold_lock(int round)
{
	const struct timespec pause = { hold_ms / 1000, hold_ms % 1000 * 1000000L };

	pthread_mutex_lock(&known_lock);
	atomic_store(&nr_held, round);
	while (!has_waiter())
		sched_yield();
	nanosleep(&pause, NULL);
	pthread_mutex_unlock(&known_lock);
	__asm__ volatile("");
}

__attribute__((noinline, noclone)) static void wait_for_lock(void)
{
	pthread_mutex_lock(&known_lock);
	__asm__ volatile("");
}

static void *hold(void *arg)
{
	(void)arg;
	pthread_setname_np(pthread_self(), "holder");
	for (int i = 1; i <= nr_rounds; i++) {
		hold_lock(i);
		while (atomic_load(&nr_waited) < i)
			usleep(100);
	}
	return NULL;
}

static void *wait_often(void *arg)
{
	uint64_t *total_ns = arg;

	pthread_setname_np(pthread_self(), "waiter");
	for (int i = 1; i <= nr_rounds; i++) {
		uint64_t start_ns;

		while (atomic_load(&nr_held) < i)
			usleep(100);
		start_ns = now_ns();
		wait_for_lock();
		*total_ns += now_ns() - start_ns;
		pthread_mutex_unlock(&known_lock);
		atomic_store(&nr_waited, i);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t holder, waiter;
	uint64_t total_ns = 0;

	nr_rounds = argc > 1 ? atoi(argv[1]) : nr_rounds;
	hold_ms = argc > 2 ? atoi(argv[2]) : hold_ms;
	if (pthread_create(&holder, NULL, hold, NULL) || pthread_create(&waiter, NULL, wait_often, &total_ns)) {
		perror("pthread_create");
		return 1;
	}
	pthread_join(waiter, NULL);
	pthread_join(holder, NULL);
	printf("%lx %d %llu\n", (unsigned long)&known_lock, nr_rounds, (unsigned long long)total_ns);
	return 0;
}
