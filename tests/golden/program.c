// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program of the stored recordings. It needs no libc, so that its stacks and names depend on this file alone. Shares of
 * CPU time: search 60%, render 30%, recurse 10%; one child process, named "helper", does half of the work.
 */
#define NOINLINE __attribute__((noinline))

static long system_call(long number, long a, long b, long c, long d)
{
	long result;
	register long r10 __asm__("r10") = d;
	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return result;
}

static volatile unsigned long sum;

static inline __attribute__((always_inline)) void mix(unsigned long i)
{
	sum = sum * 31 + i;
}

/* A C++ name, to be demangled. */
NOINLINE void search(unsigned long n) __asm__("_ZN4shop6Basket6searchERKSt6vectorIiSaIiEE");
void search(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		mix(i);
}

NOINLINE static void render(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		mix(~i);
}

NOINLINE static void recurse(unsigned long n, int depth)
{
	if (depth)
		recurse(n, depth - 1);
	else
		for (unsigned long i = 0; i < n; i++)
			mix(i ^ n);
	__asm__ volatile(""); /* no tail call */
}

NOINLINE static void handle_request(unsigned long n)
{
	search(6 * n);
	render(3 * n);
	recurse(n, 5);
}

/* Pages that are touched for the first time: page faults. */
static char pages[1 << 20];

NOINLINE static void touch_pages(void)
{
	for (unsigned long i = 0; i < sizeof(pages); i += 65536)
		((volatile char *)pages)[i] = 1;
}

NOINLINE static void pause_ms(long ms)
{
	long interval[2] = {0, ms * 1000000};
	system_call(230, 1, 0, (long)interval, 0); /* clock_nanosleep */
}

__attribute__((used)) static void run(void)
{
	long child = system_call(57, 0, 0, 0, 0); /* fork */
	if (!child)
		system_call(157, 15, (long)"helper", 0, 0); /* prctl(PR_SET_NAME) */
	touch_pages();
	for (int i = 0; i < 10; i++) {
		handle_request(ROUNDS);
		pause_ms(i % 3 + 1);
	}
	if (child)
		system_call(61, child, 0, 0, 0); /* wait4 */
	system_call(231, 0, 0, 0, 0); /* exit_group */
}

__asm__(".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	xor %ebp, %ebp\n"
	"	and $-16, %rsp\n"
	"	call run\n"
	"	hlt\n"
	"	.cfi_endproc\n"
	".size _start, . - _start\n");
