/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stacks of a process that runs: each thread is stopped for as long as it takes to copy its registers and the top of its stack, and
 * walked when it runs again. Only where the copy is not enough (a deep stack, a signal stack) it is stopped once more, and walked while it
 * stands.
 *
 * Threads are taken one after the other: their stacks are not of one moment.
 */
#ifndef ASSAY_CAPTURE_LIVE_STACK_H
#define ASSAY_CAPTURE_LIVE_STACK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/errbuf.h"
#include "kernel/proc_scan.h"
#include "session/machine.h"
#include "session/thread_stack.h"

struct live_stack_options {
	pid_t pid; /* all its threads; 0: `tid` */
	pid_t tid; /* this one only */
	uint32_t max_frames;
	bool state;	/* what each thread is doing */
	bool kernel;	/* its frames in the kernel */
	bool data_maps; /* the machine is to know maps without code, too */
};

/* How long the target was stopped. */
struct live_stack_cost {
	uint64_t nr_stops, pause_ns, longest_pause_ns;
};

struct live_stack;

/* -ESRCH, -EPERM, -ENOTSUP (a 32-bit process), with the sentence. */
int live_stack_open(struct live_stack **ls, const struct symbolizer_options *symbols, const struct live_stack_options *o,
		    struct errbuf *eb);
void live_stack_close(struct live_stack *ls);

/* Takes the stacks of all threads there are now, in the order of their ids. How many, or negative:
 * -ESRCH where the process has ended, -EPERM where none may be looked into. */
int live_stack_take(struct live_stack *ls, const struct thread_stack_sink *sink, struct errbuf *eb);

struct machine *live_stack_machine(struct live_stack *ls);
/* The process in it, whose maps are known. */
const struct task *live_stack_task(struct live_stack *ls);
pid_t live_stack_pid(const struct live_stack *ls);
struct live_stack_cost live_stack_cost(const struct live_stack *ls);

/* live_maps.c: the maps of a process that runs, in a machine; read again when an address is in none of them. */
#define LIVE_MAPS_NR_MISSES 64u

struct live_maps {
	struct machine *machine;
	pid_t pid, tid;
	struct proc_scan scan;
	struct record_sink sink;
	/* pages that were looked for in vain, by hash, each plus 1 */
	uint64_t misses[LIVE_MAPS_NR_MISSES], misses_ns;
};

/* `tid`: the thread through which they are seen; 0: any of the process. */
void live_maps_init(struct live_maps *m, struct machine *machine, pid_t pid, pid_t tid, bool data_maps);
void live_maps_fini(struct live_maps *m);
void live_maps_read(struct live_maps *m);

/* `addr` is in no map (0: nothing is missing). True where reading them again may help: an address that was looked for in vain a moment ago
 * is a number that only looks like one. */
bool live_maps_miss(struct live_maps *m, uint64_t addr);

#endif
