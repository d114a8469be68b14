/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth: two contexts (makecontext, swapcontext) take turns; nearly all time is in burn(), called by turn(), called by
 * context_main(), which nobody called: its stack was made by hand and ends there.
 *
 * usage: unwind_contexts [SECONDS=1]
 */
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#include "workload.h"

#define STACK_BYTES 65536

static ucontext_t main_context, contexts[2];
static double end;
static volatile uint64_t sum;

KEPT void burn(void)
{
	for (int i = 0; i < 200000; i++)
		sum = sum * 3 + 1;
}

KEPT void turn(int id)
{
	while (cpu_time() < end) {
		burn();
		swapcontext(&contexts[id], &contexts[!id]);
	}
}

static void context_main(int id)
{
	turn(id);
	swapcontext(&contexts[id], &main_context);
}

int main(int argc, char **argv)
{
	end = cpu_time() + (argc > 1 ? atof(argv[1]) : 1.0);
	for (int i = 0; i < 2; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = malloc(STACK_BYTES);
		contexts[i].uc_stack.ss_size = STACK_BYTES;
		contexts[i].uc_link = &main_context;
		makecontext(&contexts[i], (void (*)(void))context_main, 1, i);
	}
	swapcontext(&main_context, &contexts[0]);
	return 0;
}
