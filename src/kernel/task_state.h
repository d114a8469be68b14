/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a thread is doing, as far as the kernel tells without stopping it: running, or asleep in
 * which call and on what. Read from /proc; names in it are hostile.
 */
#ifndef ASSAY_KERNEL_TASK_STATE_H
#define ASSAY_KERNEL_TASK_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct task_state {
	pid_t tid, pid, ppid, tracer; /* tracer 0: nobody traces it */
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

/* "sleeping in read(3</run/fifo>)", "running", "uninterruptible in openat() at nfs_wait_bit";
 * malloc'd, unescaped. */
char *task_state_text(const struct task_state *t);
/* The kernel's own stack of a thread, innermost first, one "function+0x1/0x2" a line; malloc'd.
 * NULL where we may not see it (it needs root) or there is none. */
char *task_state_kernel_stack(const struct task_state *t);

#endif
