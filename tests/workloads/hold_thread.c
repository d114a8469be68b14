/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stops one thread of another program, and that one only, until it is killed itself: hold_thread TID. Prints "held" when the thread stands.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

int main(int argc, char **argv)
{
	pid_t tid = argc > 1 ? (pid_t)atoi(argv[1]) : 0;
	sigset_t term;
	int status, sig;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) || waitpid(tid, &status, __WALL) != tid) {
		fprintf(stderr, "hold_thread: %d: %s\n", (int)tid, strerror(errno));
		return 1;
	}
	puts("held");
	fflush(stdout);
	sigwait(&term, &sig);
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	return 0;
}
