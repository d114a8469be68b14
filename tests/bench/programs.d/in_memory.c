/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Runs a program from a memfd: a copy that no path leads to.
 *
 * usage: in_memory PROGRAM [ARG…]
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
	int from = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1, to = memfd_create("program", MFD_CLOEXEC);

	if (from < 0 || to < 0) {
		perror("in_memory");
		return 1;
	}
	while (sendfile(to, from, NULL, 1 << 20) > 0)
		;
	fexecve(to, argv + 1, environ);
	perror("in_memory");
	return 1;
}
