/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Functions whose names are work for whoever prints them: a C++ template with commas in its arguments and one that the
 * symbol table calls an object; and a comm with a comma. Two thirds of the time are spent in the first of them.
 *
 * usage: names [SECONDS=1], of CPU time
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "workload.h"

#define KEEP_FRAME __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

/* op<unsigned char, 5>() */
uint64_t template_op(uint64_t x) __asm__("_Z2opIhLi5EEvv");
uint64_t code_object(uint64_t x);

__attribute__((noinline, noclone)) uint64_t template_op(uint64_t x)
{
	KEEP_FRAME;
	for (uint64_t i = 0; i < 2000000; i++)
		__asm__ volatile("" : "+r"(x));
	return x;
}

/* Code in assembler that forgets to say it is a function. */
#if defined(__x86_64__)
#define LOOP "1: dec %rdi\n jnz 1b\n ret\n"
#else
#define LOOP "1: subs x0, x0, #1\n b.ne 1b\n ret\n"
#endif
__asm__(".text\n.globl code_object\n.type code_object, %object\ncode_object:\n" LOOP ".size code_object, .-code_object\n");

int main(int argc, char **argv)
{
	double end = cpu_time() + (argc > 1 ? atof(argv[1]) : 1.0);

	prctl(PR_SET_NAME, "one,two");
	do {
		template_op(1);
		code_object(1000000);
	} while (cpu_time() < end);
	return 0;
}
