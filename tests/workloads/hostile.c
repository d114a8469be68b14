/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names that attack whoever prints them: a comm with escape sequences, a thread's comm with a line
 * break, a quote and markup, and code that runs out of a file whose name has all of it. The file
 * lies in DIR (or $TMPDIR) and is removed at the end.
 *
 * usage: hostile [SECONDS=1 [DIR]]
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "workload.h"

/* A leaf without a frame of its own would hide its caller from a frame-pointer walk. */
#define KEEP_FRAME __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

#define CODE_SIZE 256 /* more than spin() needs */

static double end;

/* Refers to nothing outside itself: its bytes run wherever they lie. */
__attribute__((noinline, noclone)) uint64_t spin(uint64_t x)
{
	KEEP_FRAME;
	for (uint64_t i = 0; i < 1000000; i++)
		__asm__ volatile("" : "+r"(x));
	return x;
}

static void *run_thread(void *arg)
{
	prctl(PR_SET_NAME, "a\nb <i>'\"&;,\t");
	do
		spin(1);
	while (now() < end);
	return arg;
}

int main(int argc, char **argv)
{
	const char *dir = argc > 2 ? argv[2] : getenv("TMPDIR");
	char path[4096], code[4096] = "";
	pthread_t thread;
	uint64_t (*fn)(uint64_t);
	void *map;
	int fd;

	end = now() + (argc > 1 ? atof(argv[1]) : 1.0);
	prctl(PR_SET_NAME, "\033[31mred\033[2J");
	snprintf(path, sizeof(path), "%s/\033]0;evil\007\n<b>&'\".so", dir ? dir : "/tmp");
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0700);
	memcpy(code, (const void *)(uintptr_t)spin, CODE_SIZE);
	if (fd < 0 || write(fd, code, sizeof(code)) != sizeof(code)) {
		perror("hostile");
		return 1;
	}
	map = mmap(NULL, sizeof(code), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED || pthread_create(&thread, NULL, run_thread, NULL) != 0) {
		perror("hostile");
		unlink(path);
		return 1;
	}
	fn = (uint64_t(*)(uint64_t))(uintptr_t)map;
	do
		fn(1);
	while (now() < end);
	pthread_join(thread, NULL);
	unlink(path);
	return 0;
}
