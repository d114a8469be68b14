/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Works half in signal handlers and half in what they interrupt: plain code, memcpy and system calls.
 *
 * usage: signals ROUNDS [altstack]
 */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))

static volatile uint64_t sink;
static char big[2][1 << 12];

KEPT uint64_t burn(uint64_t x)
{
	for (int i = 0; i < 10000; i++) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

KEPT void on_signal(int sig)
{
	sink += burn((uint64_t)sig) + 1;
}

KEPT uint64_t interrupted(uint64_t x)
{
	x = burn(x) + 1;
	raise(SIGUSR1);
	for (int i = 0; i < 20; i++)
		memcpy(big[i & 1], big[!(i & 1)], sizeof(big[0]));
	kill(getpid(), SIGUSR2);
	return x + 1;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	stack_t own = { .ss_size = 1 << 16 };

	if (argc > 2 && !strcmp(argv[2], "altstack")) {
		own.ss_sp = malloc(own.ss_size);
		sigaltstack(&own, NULL);
		action.sa_flags = SA_ONSTACK;
	}
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	for (long i = argc > 1 ? atol(argv[1]) : 1000; i > 0; i--)
		sink += interrupted(sink);
	return 0;
}
