/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth: nearly all time is in popped(), called by outer(), called by main(). popped() has given its caller's registers back and
 * still loops in front of its return, so that on x86_64 the slots that its call frame information names lie below the stack pointer. The
 * frame of outer() is found by one of these registers.
 *
 * usage: unwind_epilogue [SECONDS=1]
 */
#include <stdlib.h>

#include "workload.h"

void popped(void);

#ifdef __x86_64__
__asm__(".text\n"
	".globl popped\n"
	".type popped, @function\n"
	"popped:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset rbp, 0\n"
	"	push %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset rbx, 0\n"
	"	mov $77, %ebp\n"
	"	mov $78, %ebx\n"
	"	pop %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rbp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	mov $100000, %ecx\n"
	"1:	dec %ecx\n"
	"	jnz 1b\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size popped, . - popped\n");
#else
KEPT void popped(void)
{
	for (volatile int i = 0; i < 20000; i++)
		;
}
#endif

/* Room whose size the compiler does not know: the frame is found by the frame pointer. */
KEPT void outer(size_t size, double end)
{
	volatile char *room = __builtin_alloca(size);

	room[0] = 1;
	while (now() < end)
		for (int i = 0; i < 100; i++)
			popped();
	room[0] = 2;
}

int main(int argc, char **argv)
{
	outer((size_t)argc * 16, now() + (argc > 1 ? atof(argv[1]) : 1.0));
	return 0;
}
