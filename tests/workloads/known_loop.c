/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Known truth: counted_loop() executes four instructions a round and four around them, written in
 * assembly so that no compiler changes their number. Starting and ending the program adds some
 * hundred thousand at most. Prints nothing.
 *
 * usage: known_loop [ROUNDS=50000000]
 */
#include <stdint.h>
#include <stdlib.h>

uint64_t counted_loop(uint64_t nr_rounds);

#if defined(__x86_64__)
__asm__(".pushsection .text\n"
	".globl counted_loop\n"
	".type counted_loop, @function\n"
	".p2align 6\n"
	"counted_loop:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"1:	add $3, %rax\n"
	"	xor %rdi, %rax\n"
	"	sub $1, %rdi\n"
	"	jnz 1b\n"
	"	pop %rbp\n"
	"	ret\n"
	".size counted_loop, . - counted_loop\n"
	".popsection\n");
#elif defined(__aarch64__)
__asm__(".pushsection .text\n"
	".globl counted_loop\n"
	".type counted_loop, %function\n"
	".p2align 6\n"
	"counted_loop:\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	mov x29, sp\n"
	"1:	add x1, x1, #3\n"
	"	eor x1, x1, x0\n"
	"	subs x0, x0, #1\n"
	"	b.ne 1b\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n"
	".size counted_loop, . - counted_loop\n"
	".popsection\n");
#else
uint64_t counted_loop(uint64_t nr_rounds)
{
	while (--nr_rounds)
		__asm__ volatile("" : "+r"(nr_rounds));
	return 0;
}
#endif

int main(int argc, char **argv)
{
	long long nr_rounds = argc > 1 ? atoll(argv[1]) : 50000000;

	counted_loop(nr_rounds > 0 ? (uint64_t)nr_rounds : 1);
	return 0;
}
