/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Runs programs one after the other, as a shell would, without a shell of the distribution: a comparison with perf would meet its stripped
 * code by chance. Fails where a program fails.
 *
 * usage: in_turn PROGRAM ARGUMENT [PROGRAM ARGUMENT …]
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(char *program, char *argument)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execl(program, program, argument, (char *)NULL);
		perror(program);
		_exit(127);
	}
	return pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2) {
		if (run(argv[i], argv[i + 1]))
			return 1;
	}
	return argc < 3 || argc % 2 == 0;
}
