/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The run loop of every live command: it starts the workload and waits, in one poll(2), for signals (through a signalfd, so that nothing
 * happens inside a handler), a timer, a deadline, the end of the workload or of running tasks (pidfds), and one fd of the client's.
 *
 * Clients call it, it does not call them: each phase of a client is a loop around run_loop_wait() or run_loop_next().
 *
 * Stopping: the first signal asks a workload to end, the second ends the wait for it. The terminal sends signals to the workload as well;
 * others are passed on.
 */
#ifndef ASSAY_CAPTURE_RUN_LOOP_H
#define ASSAY_CAPTURE_RUN_LOOP_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/errbuf.h"
#include "base/vec.h"
#include "kernel/tasks.h"

/* The command that is measured: forked first, so that events can be opened on it, and executed when they are. */
#define WORKLOAD_COMM "assay-exec" /* its name until it is executed */

/* A zeroed struct is no workload. */
struct workload {
	pid_t pid;	  /* 0: none */
	const char *name; /* argv[0] */
	int go_fd;	  /* closed unwritten: the child gives up; -1: started */
	int exec_fd;	  /* the errno of a failed exec; end of file: executed */
	bool ended;
	bool chld_ignored; /* SIGCHLD was, when we were started: so it is in the child, not in us */
	int wait_status;   /* as waitpid() has it, once ended */
};

/* Forks the child, which waits. `as`: what it runs as; NULL: as we do. `mask`: the signal mask it gets; `quiet_stdout`: its stdout goes where our stderr goes, because ours
 * carries the recording. */
int workload_prepare(struct workload *w, char **argv, const struct user_credentials *as, const sigset_t *mask, bool quiet_stdout,
		     struct errbuf *eb);
/* Lets it go and waits until it is executed. 0; or 127 (not found) / 126 (cannot be executed) with the sentence, as shells and env(1) have
 * it; or a negative errno. */
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

struct run_loop {
	struct workload workload;
	const struct user_credentials *run_as; /* of the workload; NULL: as we do */
	int notice_fd;			       /* the client's: ends a wait when it is readable; -1: none */
	void (*on_usr2)(void *ctx);
	void *ctx;

	sigset_t old_mask; /* for programs that are started */
	int signal_fd, timer_fd;
	bool int_ignored;     /* SIGINT was, when we were started: so it is in the workload */
	int stop_signal;      /* the first; 0: none */
	atomic_uint nr_stops; /* any thread may look at it */
	const struct task_ids *watched;
	VEC(int) pidfds;
	bool must_look; /* some had no pidfd: look at /proc from time to time */
};

/* From here on signals wait in a queue. Threads inherit the mask. `on_usr2`: called for SIGUSR2; NULL: it has no effect. To be finished
 * after a failure, too. */
int run_loop_init(struct run_loop *l, void (*on_usr2)(void *ctx), void *ctx, struct errbuf *eb);
/* Restores the mask; a signal that has come too late to matter is dropped. */
void run_loop_fini(struct run_loop *l);

/* Forks the workload, which waits for workload_start(). One of an earlier run is forgotten. */
int run_loop_prepare_workload(struct run_loop *l, char **argv, bool quiet_stdout, struct errbuf *eb);
/* The end of all these tasks (borrowed) is an end; NULL: no longer. */
void run_loop_watch(struct run_loop *l, const struct task_ids *tasks);
/* Same, of processes: one whose first thread has ended lives as long as others of its threads. */
void run_loop_watch_processes(struct run_loop *l, const struct task_ids *pids);
/* Ticks every `interval_ns` from `start_ns` (CLOCK_MONOTONIC) on, so that they do not drift; 0: none. */
void run_loop_set_ticks(struct run_loop *l, uint64_t start_ns, uint64_t interval_ns);

/* Takes the signals that came, and the workload's end. Never blocks. */
void run_loop_take_signals(struct run_loop *l);
/* Waits until something happened or until `deadline_ns` (0: none), and takes signals. */
void run_loop_wait(struct run_loop *l, uint64_t deadline_ns);
/* The workload ended, or did not at the second signal; without one: a signal asked to stop, or all watched tasks ended. */
bool run_loop_has_ended(const struct run_loop *l);

enum run_event { RUN_TICK, RUN_DEADLINE, RUN_ENDED };
/* Waits for the next. *nr_ticks: how many were due. */
enum run_event run_loop_next(struct run_loop *l, uint64_t deadline_ns, uint64_t *nr_ticks);

/* The exit status: the workload's where it ended, else 128 + the signal that stopped us, or 0. */
int run_loop_status(const struct run_loop *l);

#endif
