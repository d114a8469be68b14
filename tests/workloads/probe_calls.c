/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * probe_calls [N]: calls take() N times (10) in the first thread, in two others and in a child; prints how often that is in all and where its
 * record is. What take() is given, and returns, is known: see main() and expected values in tests/live/probe*.sh.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct record {
	int64_t number;
	uint16_t half;
	int8_t small;
	char text[16];
};

static struct record record = { -5, 40000, -3, "in the record" };
static int nr_calls;

/* Arguments in registers, and a record behind a pointer. */
__attribute__((noinline)) long take(int number, const char *text, struct record *r)
{
	/* keeps it from being a leaf, and the arguments from being dropped */
	__asm__ volatile("" : "+r"(number), "+r"(text), "+r"(r)::"memory");
	return number * 2 + r->half + (text[0] == 'x');
}

static void *run(void *arg)
{
	long sum = 0;

	for (int i = 0; i < nr_calls; i++)
		sum += take(i, arg, &record);
	return (void *)sum;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	pid_t child;

	nr_calls = argc > 1 ? atoi(argv[1]) : 10;
	printf("passes %d record %p\n", 4 * nr_calls, (void *)&record);
	fflush(stdout);
	run("first");
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, "thread");
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	child = fork();
	if (!child) {
		run("child");
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}
