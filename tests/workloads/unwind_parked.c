/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Threads that stand still at known places, for `stack`: in nested functions with one of them inlined, in a signal handler, and in
 * a handler on a stack of its own behind a deep recursion. Says "ready" when all of them do.
 *
 * usage: unwind_parked [THREADS=4] | unwind_parked spawn FIFO
 *   spawn: waits in posix_spawn() until somebody opens the FIFO, which no signal ends
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEEP __asm__ volatile("" : : : "memory") /* no tail calls */

static atomic_int nr_parked;

static inline __attribute__((always_inline)) void park_inlined(void)
{
	nr_parked++;
	for (;;)
		pause();
}

__attribute__((noinline)) void park_leaf(int n)
{
	char room[64];

	memset(room, n, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	park_inlined();
	KEEP;
}

__attribute__((noinline)) void park_middle(int n)
{
	park_leaf(n + 1);
	KEEP;
}

static void handler(int sig)
{
	park_middle(sig);
	KEEP;
}

__attribute__((noinline)) void dig(int n)
{
	char room[100];

	memset(room, n, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	if (n)
		dig(n - 1);
	else
		raise(SIGUSR2);
	KEEP;
}

static void *plain_thread(void *arg)
{
	park_middle((int)(long)arg);
	KEEP;
	return NULL;
}

static void *handler_thread(void *arg)
{
	raise(SIGUSR1);
	KEEP;
	return arg;
}

static void *altstack_thread(void *arg)
{
	stack_t ss = { .ss_sp = malloc(65536), .ss_size = 65536 };

	sigaltstack(&ss, NULL);
	dig(200);
	KEEP;
	return arg;
}

extern char **environ;

static int spawn(const char *fifo)
{
	char *argv[] = { "true", NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, fifo, O_RDONLY, 0);
	puts("ready");
	fflush(stdout);
	return posix_spawnp(&pid, "true", &actions, NULL, argv, environ);
}

int main(int argc, char **argv)
{
	struct sigaction usual = { .sa_handler = handler }, apart = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	void *(*const kinds[])(void *) = { plain_thread, handler_thread, altstack_thread };
	int nr = argc > 1 ? atoi(argv[1]) : 4;

	if (argc > 2)
		return spawn(argv[2]);
	sigaction(SIGUSR1, &usual, NULL);
	sigaction(SIGUSR2, &apart, NULL);
	for (int i = 0; i < nr - 1; i++) {
		pthread_t t;

		pthread_create(&t, NULL, kinds[i < 3 ? i : 0], (void *)(long)i);
	}
	while (nr_parked < nr - 1)
		usleep(1000);
	puts("ready");
	fflush(stdout);
	park_middle(nr);
	KEEP;
	return 0;
}
