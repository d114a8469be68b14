/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Forks K short children one after the other, then K in parallel (32 alive at a time). Every child
 * works for about a millisecond in child_work(); every fourth one then executes this program anew
 * and works in exec_work(), so that tasks change their comm and their maps. Prints how many ran.
 *
 * usage: forkstorm [K=200]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A leaf without a frame of its own would hide its caller from a frame-pointer walk. */
#define KEEP_FRAME __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

#define WORK(name)                                                                                 \
	__attribute__((noinline, noclone)) uint64_t name(uint64_t x)                                \
	{                                                                                          \
		KEEP_FRAME;                                                                        \
		for (uint64_t i = 0; i < 700000; i++) {                                            \
			x = x * 6364136223846793005u + 1442695040888963407u;                       \
			__asm__ volatile("" : "+r"(x));                                            \
		}                                                                                  \
		return x;                                                                          \
	}

WORK(child_work)
WORK(exec_work)

static void start_child(int i)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("fork");
		exit(1);
	}
	if (pid > 0)
		return;
	if (child_work((uint64_t)i) == 42)
		_exit(1);
	if (i % 4 == 3)
		execl("/proc/self/exe", "forkstorm", "--child", (char *)NULL);
	_exit(i % 4 == 3);
}

static int wait_child(void)
{
	int status;

	return wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 200, alive = 0, good = 0;

	if (argc > 1 && strcmp(argv[1], "--child") == 0)
		return exec_work(1) == 42;
	for (int i = 0; i < nr; i++) {
		start_child(i);
		good += wait_child();
	}
	for (int i = 0; i < nr; i++) {
		start_child(i);
		if (++alive == 32) {
			good += wait_child();
			alive--;
		}
	}
	for (; alive; alive--)
		good += wait_child();
	printf("%d children\n", good);
	return good != 2 * nr;
}
