/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth for unwinding through signal frames: main → interrupted() waits for a timer in plain code, in memcpy() and in system
 * calls by turns; its handler (on_timer → in_handler) burns for a while, with `altstack` on a stack of its own. Then touch() faults,
 * which on_fault() mends and burns too: there the interrupted address is the first byte of an instruction that did not run.
 *
 * usage: unwind_signals [SECONDS=1 [altstack]]
 */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "workload.h"

static volatile uint64_t sink;
static volatile sig_atomic_t fired;
static char big[2][1 << 15];
static char *page;
static long page_size;

KEPT uint64_t burn(uint64_t x, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

KEPT uint64_t in_handler(uint64_t x)
{
	return burn(x, 300000) + 1;
}

KEPT void on_timer(int sig)
{
	fired = 1;
	sink += in_handler((uint64_t)sig) + 1;
}

KEPT void on_fault(int sig, siginfo_t *si, void *context)
{
	(void)si, (void)context;
	sink += in_handler((uint64_t)sig) + 1;
	mprotect(page, (size_t)page_size, PROT_READ | PROT_WRITE);
}

KEPT uint64_t touch(uint64_t x)
{
	mprotect(page, (size_t)page_size, PROT_NONE);
	*(volatile char *)page = (char)x;
	return x + 1;
}

static void set_timer(void)
{
	const struct itimerval soon = { { 0, 0 }, { 0, 400 } };

	fired = 0;
	setitimer(ITIMER_REAL, &soon, NULL);
}

KEPT uint64_t interrupted(uint64_t x)
{
	set_timer();
	while (!fired)
		x = burn(x, 10000) + 1;
	set_timer();
	for (int i = 0; !fired; i++)
		memcpy(big[i & 1], big[!(i & 1)], sizeof(big[0]));
	set_timer();
	while (!fired)
		x += (uint64_t)getppid();
	return touch(x) + 1;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? atof(argv[1]) : 1.0);
	struct sigaction timer = { .sa_handler = on_timer, .sa_flags = SA_RESTART };
	struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_RESTART };
	stack_t own = { .ss_size = 1 << 16 };

	page_size = sysconf(_SC_PAGESIZE);
	page = mmap(NULL, (size_t)page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (argc > 2 && !strcmp(argv[2], "altstack")) {
		own.ss_sp = malloc(own.ss_size);
		sigaltstack(&own, NULL);
		timer.sa_flags |= SA_ONSTACK;
	}
	sigaction(SIGALRM, &timer, NULL);
	sigaction(SIGSEGV, &fault, NULL);
	do
		sink += interrupted(sink);
	while (now() < end);
	return 0;
}
