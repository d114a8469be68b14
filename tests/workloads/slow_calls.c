/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * work() takes 50 us of CPU time, but 10 ms more in one call of EVERY, for a reason that is known:
 *
 *   preempt   a thread of a higher priority ("spinner") gets the CPU and spins
 *   fault     it reads pages of a file that are in no cache
 *   lock      the mutex that it takes is held by the thread "holder", which computes once work() waits for it
 *   sleep     it sleeps
 *   spin      it computes, in long_way()
 *   recurse   no slow calls: each call has EVERY (four) more inside
 *   longjmp   one call of EVERY does not return, but jumps
 *   exit      the last call ends the process
 *
 * Prints "slow BEGIN TOOK" for each slow call, in ns as the program itself sees it, and "calls N slow N".
 *
 * usage: slow_calls REASON [CALLS [EVERY]]
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define USUAL_NS 50000
#define SLOW_NS 10000000
#define COLD_FILE "slow_calls.cold"
#define COLD_BYTES (64u << 20)
#define PAGE 4096u

static const char *reason;
static sem_t go;
static sem_t held;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile char *cold;
static uint32_t next_page;
static volatile int takes_lock;
static jmp_buf back;
volatile uint64_t sink;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

__attribute__((noinline)) void compute(uint64_t ns)
{
	uint64_t end = now_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
	/* To read this clock is a system call: a part of a long computation so small that few samples fall into it. */
	int nr = ns < SLOW_NS ? 5000 : 200000;

	do
		for (int i = 0; i < nr; i++)
			sink += (uint64_t)i;
	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end);
}

__attribute__((noinline)) void long_way(void)
{
	compute(SLOW_NS);
}

/* The first thread, which has the number of the process. */
static int first_thread_sleeps(void)
{
	char path[64], text[512] = "";
	const char *state;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)getpid());
	f = fopen(path, "r");
	if (!f)
		return 1;
	state = fgets(text, sizeof(text), f) ? strrchr(text, ')') : NULL;
	fclose(f);
	return state && state[1] == ' ' && state[2] == 'S';
}

__attribute__((noinline)) static void hold_lock(void)
{
	pthread_mutex_lock(&mutex);
	sem_post(&held);
	/* On a busy machine it may get no CPU until all of this is over, and would not wait for the lock. */
	while (!takes_lock || !first_thread_sleeps())
		usleep(100);
	compute(SLOW_NS);
	pthread_mutex_unlock(&mutex);
}

static void *helper(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, !strcmp(reason, "lock") ? "holder" : "spinner");
	for (;;) {
		while (sem_wait(&go))
			;
		if (!strcmp(reason, "lock"))
			hold_lock();
		else
			compute(SLOW_NS);
	}
	return NULL;
}

/* One CPU for all, and a helper that comes before the rest. */
static void start_helper(void)
{
	struct sched_param param = { .sched_priority = 1 };
	cpu_set_t one;
	pthread_t t;

	sem_init(&go, 0, 0);
	sem_init(&held, 0, 0);
	if (!strcmp(reason, "preempt")) {
		CPU_ZERO(&one);
		CPU_SET(sched_getcpu(), &one);
		sched_setaffinity(0, sizeof(one), &one);
	}
	pthread_create(&t, NULL, helper, NULL);
	if (!strcmp(reason, "preempt") && pthread_setschedparam(t, SCHED_FIFO, &param)) {
		fprintf(stderr, "slow_calls: no realtime priority\n");
		exit(77);
	}
}

static void make_cold_file(void)
{
	int fd = open(COLD_FILE, O_RDWR | O_CREAT | O_TRUNC, 0600);
	static char block[1 << 20];

	memset(block, 7, sizeof(block));
	for (uint32_t i = 0; i < COLD_BYTES / sizeof(block); i++)
		if (write(fd, block, sizeof(block)) != sizeof(block))
			exit(77);
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	cold = mmap(NULL, COLD_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	madvise((void *)cold, COLD_BYTES, MADV_RANDOM);
	close(fd);
}

__attribute__((noinline)) void touch_cold(void)
{
	uint64_t end = now_ns(CLOCK_MONOTONIC) + SLOW_NS;
	uint32_t least = next_page + 100; /* all of the time may be over when it gets the CPU again after the first one */

	/* Pages far apart: a disk may read some that follow. */
	while ((now_ns(CLOCK_MONOTONIC) < end || next_page < least) && next_page * 16 * PAGE < COLD_BYTES)
		sink += (uint64_t)cold[next_page++ * 16 * PAGE];
}

static void be_slow(void)
{
	if (!strcmp(reason, "preempt")) {
		sem_post(&go);
	} else if (!strcmp(reason, "lock")) {
		sem_post(&go);
		while (sem_wait(&held))
			;
		takes_lock = 1;
		pthread_mutex_lock(&mutex);
		takes_lock = 0;
		pthread_mutex_unlock(&mutex);
	} else if (!strcmp(reason, "fault")) {
		touch_cold();
	} else if (!strcmp(reason, "sleep")) {
		nanosleep(&(struct timespec){ 0, SLOW_NS }, NULL);
	} else if (!strcmp(reason, "spin")) {
		long_way();
	} else if (!strcmp(reason, "longjmp")) {
		longjmp(back, 1);
	} else if (!strcmp(reason, "exit")) {
		fflush(stdout);
		exit(3);
	}
}

__attribute__((noinline)) int work(int is_slow, int depth)
{
	compute(USUAL_NS);
	if (is_slow)
		be_slow();
	return depth ? work(0, depth - 1) + 1 : 0;
}

int main(int argc, char **argv)
{
	volatile int nr_slow = 0;
	int calls, every, depth = 0;

	reason = argc > 1 ? argv[1] : "sleep";
	calls = argc > 2 ? atoi(argv[2]) : 1000;
	every = argc > 3 ? atoi(argv[3]) : 1000;
	if (!strcmp(reason, "recurse"))
		depth = argc > 3 ? every : 4;
	if (!strcmp(reason, "preempt") || !strcmp(reason, "lock"))
		start_helper();
	if (!strcmp(reason, "fault"))
		make_cold_file();
	for (volatile int i = 1; i <= calls; i++) {
		volatile int is_slow = !strcmp(reason, "exit") ? i == calls : strcmp(reason, "recurse") && i % every == 0;
		uint64_t begin_ns = now_ns(CLOCK_MONOTONIC);

		if (!setjmp(back))
			work(is_slow, depth);
		if (is_slow)
			printf("slow %llu %llu\n", (unsigned long long)begin_ns, (unsigned long long)(now_ns(CLOCK_MONOTONIC) - begin_ns));
		nr_slow += is_slow;
	}
	printf("calls %d slow %d\n", calls, nr_slow);
	return 0;
}
