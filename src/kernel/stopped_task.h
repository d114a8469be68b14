/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stopping a thread for a moment, to read its registers and its memory; and what a thread is doing, as far as the kernel shows without
 * stopping it.
 *
 * A thread is seized and interrupted, never sent a signal, so that it goes on exactly where it was: a process that job control had stopped
 * stays stopped, a pending signal is delivered. When we are killed meanwhile the kernel lets go of it in the same way.
 */
#ifndef ASSAY_KERNEL_STOPPED_TASK_H
#define ASSAY_KERNEL_STOPPED_TASK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/errbuf.h"
#include "base/vec.h"

#define STOPPED_TASK_MAX_REGS 512

struct stopped_task {
	pid_t tid;
	int signal;	     /* was about to be delivered, and will be */
	bool by_job_control; /* it is one of a stopped process, and will stay so */
	uint64_t stopped_ns; /* CLOCK_MONOTONIC, when it had stopped */
	/* NT_PRSTATUS as the kernel has it: user_regs_struct (x86_64), user_pt_regs (arm64) */
	uint32_t regs_size;
	uint8_t regs[STOPPED_TASK_MAX_REGS] __attribute__((aligned(16)));
};

/* Stops threads of one process, one after the other. For one thread of ours: what it seized only it can let go. */
struct task_stopper {
	pid_t reader; /* the task through which memory is read: a main thread that has ended shows none */
	int mem_fd;   /* /proc/TID/mem, where the quick way is closed; -1: not opened */
	bool use_mem;
	sigset_t saved_mask;
	VEC(pid_t) pending; /* seized and asked to stop, but still running */
	/* counted: how long threads were stopped */
	uint64_t nr_stops, pause_ns, longest_pause_ns;
};

void task_stopper_init(struct task_stopper *s, pid_t pid);
/* Lets go of everything. */
void task_stopper_fini(struct task_stopper *s);

/* Stops a thread. -ESRCH: it is gone; -ETIMEDOUT: it does not stop (it waits in the kernel for something that no signal ends), and is let
 * go as soon as it does; -EPERM with a sentence that says what forbids it. */
int task_stopper_stop(struct task_stopper *s, pid_t tid, uint64_t timeout_ns, struct stopped_task *t, struct errbuf *eb);
void task_stopper_resume(struct task_stopper *s, const struct stopped_task *t);

/* Many at once, because on a busy machine each has to wait for a CPU before it can stop: all are asked to, and as each has stopped `visit` is
 * called and it goes on. results[i] is what task_stopper_stop() would have returned; `eb` has the first sentence. */
#define TASK_STOPPER_MAX_BATCH 16
struct stop_visitor {
	void (*visit)(void *ctx, uint32_t i, const struct stopped_task *t);
	void *ctx;
};
void task_stopper_visit(struct task_stopper *s, const pid_t *tids, int *results, uint32_t nr, uint64_t timeout_ns,
			const struct stop_visitor *v, struct errbuf *eb);
/* Lets go of threads that stopped too late. Quick; to be called now and then. */
void task_stopper_reap(struct task_stopper *s);

/* Memory of the process, stopped or not: how many bytes from `addr` on could be read. */
size_t task_stopper_read(struct task_stopper *s, uint64_t addr, void *buf, size_t size);

struct task_state {
	pid_t tid, pid, ppid, tracer; /* tracer 0: none */
	char state;		      /* as ps shows it: R S D T t Z X I; 0: unknown */
	bool is_kernel;		      /* a thread of the kernel: it has no user stack */
	char comm[64];
	/* From here on only after task_state_read_wait(). */
	bool in_call;	  /* inside the system call `nr` */
	bool place_known; /* pc and sp are */
	int32_t nr;
	uint64_t args[6];
	uint64_t pc, sp;
	char wchan[64]; /* the function of the kernel it sleeps in; "" unknown */
};

/* Reads what everyone may see of a thread of `pid` (0: not known). -ESRCH where it is gone. */
int task_state_read(struct task_state *t, pid_t pid, pid_t tid);
/* Adds where it waits; what may not be seen stays unknown. Not for a thread that we stopped. */
void task_state_read_wait(struct task_state *t);

/* "sleeping in read(3</run/fifo>)", "running", "uninterruptible in openat() at nfs_wait_bit"; malloc'd, unescaped. */
char *task_state_text(const struct task_state *t);
/* The kernel's own stack of a thread, innermost first, one "function+0x1/0x2" a line; malloc'd. NULL where we may not see it (it needs
 * root) or there is none. */
char *task_state_kernel_stack(const struct task_state *t);

#endif
