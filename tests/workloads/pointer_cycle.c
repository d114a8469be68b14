/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A frame pointer that leads back to itself, as in code that keeps something else in that register. What the kernel makes of it: the real
 * place, then one or two addresses over and over up to its limit. Which they are is the argument:
 *	call	a return address: main() called turn_round(), which never calls main()
 *	data	no code at all: an empty list, whose first element is itself
 *	pair	two of them in turn: a return address and one of data
 *
 * usage: pointer_cycle [SECONDS=1 [call|data|pair]], of CPU time
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "workload.h"

/* The frame pointer and the return address of a frame. */
static uintptr_t frames[2][2];

#if defined(__x86_64__)
#define SPIN_WITH(pointer)                                                                                          \
	__asm__ volatile("push %%rbp\n\tmov %0, %%rbp\n\tmov $100000000, %%rcx\n1:\tdec %%rcx\n\tjnz 1b\n\tpop %%rbp" \
			 :                                                                                          \
			 : "r"(pointer)                                                                             \
			 : "rcx", "cc", "memory")
#else
#define SPIN_WITH(pointer)                                                                                             \
	__asm__ volatile("mov x10, x29\n\tmov x29, %0\n\tldr x9, =100000000\n1:\tsubs x9, x9, #1\n\tb.ne 1b\n\tmov x29, x10" \
			 :                                                                                             \
			 : "r"(pointer)                                                                                \
			 : "x9", "x10", "cc", "memory")
#endif

KEPT void turn_round(const char *kind)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0), data = (uintptr_t)&frames;
	int is_pair = strcmp(kind, "pair") == 0;

	frames[0][0] = (uintptr_t)&frames[is_pair];
	frames[0][1] = strcmp(kind, "data") == 0 ? data : caller;
	frames[1][0] = (uintptr_t)&frames[0];
	frames[1][1] = data;
	SPIN_WITH(frames[0]);
}

int main(int argc, char **argv)
{
	double end = cpu_time() + (argc > 1 ? atof(argv[1]) : 1.0);

	do
		turn_round(argc > 2 ? argv[2] : "call");
	while (cpu_time() < end);
	return 0;
}
