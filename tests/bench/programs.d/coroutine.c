/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sixteen coroutines of makecontext() that take turns.
 *
 * usage: coroutine ROUNDS
 */
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#define KEPT __attribute__((noinline, noclone))
#define NR 16
#define STACK (1 << 16)

static ucontext_t main_context, contexts[NR];
static long rounds = 1000;
static volatile uint64_t sink;

KEPT uint64_t burn(uint64_t x)
{
	for (int i = 0; i < 3000; i++) {
		x = x * 6364136223846793005u + 1;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

KEPT uint64_t step(int who, int depth)
{
	return (depth ? step(who, depth - 1) : burn((uint64_t)who)) + 1;
}

static void coroutine(int who)
{
	for (long i = 0; i < rounds; i++) {
		sink += step(who, who);
		swapcontext(&contexts[who], &main_context);
	}
}

int main(int argc, char **argv)
{
	rounds = argc > 1 ? atol(argv[1]) : 1000;
	for (int i = 0; i < NR; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = malloc(STACK);
		contexts[i].uc_stack.ss_size = STACK;
		contexts[i].uc_link = &main_context;
		makecontext(&contexts[i], (void (*)(void))(uintptr_t)coroutine, 1, i);
	}
	for (long n = 0; n < rounds; n++)
		for (int i = 0; i < NR; i++)
			swapcontext(&main_context, &contexts[i]);
	return 0;
}
