/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The command that is recorded: forked first, so that events can be opened on it, and executed when
 * they are.
 */
#ifndef ASSAY_CAPTURE_WORKLOAD_H
#define ASSAY_CAPTURE_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/errbuf.h"

#define WORKLOAD_COMM "assay-exec" /* its name until it is executed */

/* A zeroed struct is no workload. */
struct workload {
	pid_t pid;	  /* 0: none */
	const char *name; /* argv[0] */
	int go_fd;	  /* closing it unwritten tells the child to give up; -1: started */
	int exec_fd;	  /* tells the errno of a failed exec, or its end: executed */
	bool ended;
	bool chld_ignored; /* SIGCHLD was, when we were started: so it is in the child, not in us */
	int wait_status;   /* as waitpid() has it, once ended */
};

/* Forks the child, which waits. `mask`: the signal mask it gets; `quiet_stdout`: its stdout goes
 * where our stderr goes, because ours carries the recording. */
int workload_prepare(struct workload *w, char **argv, const sigset_t *mask, bool quiet_stdout, struct errbuf *eb);
/* Lets it go and waits until it is executed. 0; or 127 (not found) / 126 (cannot be executed) with
 * the sentence, as shells and env(1) have it; or a negative errno. */
int workload_start(struct workload *w, struct errbuf *eb);
/* Has it ended? Never blocks. */
bool workload_reap(struct workload *w);
void workload_signal(const struct workload *w, int sig);
/* Blocks until it ended. */
void workload_wait(struct workload *w);
/* Exit code, or 128 + signal. */
int workload_status(const struct workload *w);
/* Ends a child that was not started; a running one is left alone. */
void workload_fini(struct workload *w);

#endif
