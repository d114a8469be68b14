/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Runs a command and writes how long it took, and the CPU time of it and of what it started, in seconds: "WALL CPU". What a recorder
 * that runs this used beyond that CPU time is its own.
 *
 * usage: stopwatch FILE COMMAND [ARG…]
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double start = now(), cpu = 0;
	struct rusage usage;
	int status = 1;
	pid_t pid;
	FILE *out;

	if (argc < 3)
		return 2;
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	start = now() - start;
	for (int who = 0; who < 2; who++) {
		getrusage(who ? RUSAGE_SELF : RUSAGE_CHILDREN, &usage);
		cpu += seconds(usage.ru_utime) + seconds(usage.ru_stime);
	}
	out = fopen(argv[1], "w");
	if (!out || fprintf(out, "%.6f %.6f\n", start, cpu) < 0 || fclose(out)) {
		perror(argv[1]);
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
