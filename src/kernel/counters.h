/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counters: events opened for counting, one fd for each event and CPU or thread, and read together.
 *
 * Fed by an event list and by lists of CPUs and threads; what the numbers mean is the business of
 * model/counts.h. An event that the machine does not have is no failure: it is marked.
 */
#ifndef ASSAY_KERNEL_COUNTERS_H
#define ASSAY_KERNEL_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/errbuf.h"
#include "base/vec.h"
#include "kernel/event_open.h"
#include "kernel/event_parse.h"

/* On whom, and how. Columns of the matrix: each CPU with each thread. */
struct counters_target {
	const int32_t *cpus; /* -1 alone: wherever the threads run */
	uint32_t nr_cpus;
	const pid_t *tids; /* -1 alone: whatever runs on the CPUs */
	uint32_t nr_tids;
	bool enable_on_exec; /* the one tid is a command that waits to be executed */
	bool inherit;
	bool all_user, all_kernel;
};

struct counter_fd {
	int fd;			     /* -1: the thread was gone, or the event is not on this CPU */
	uint32_t event, cpu, thread; /* indices */
};

/* A zeroed struct is closed. */
struct counters {
	struct event_list *list;    /* borrowed; opening sets the attrs */
	VEC(struct counter_fd) fds; /* by event, then CPU, then thread */
	uint32_t *first;	    /* per event, and one more: where its fds begin in `fds` */
	uint32_t *lead;		    /* per event: who leads the group it was really opened in */
	bool *supported;	    /* per event */
	struct event_opener opener; /* its notices are for the caller to show */
	uint64_t *group_buf;	    /* room for the reading of the largest group */
	uint32_t *order;	    /* of reading: those fds that are read, by CPU */
	uint32_t nr_order;
	const int32_t *cpus; /* the target's */
	uint32_t nr_cpus;
};

/* Opens all events of the list (tool events are passed over), stopped. The soft limit of fds is
 * raised as far as needed; where the hard one is too low, -EMFILE with the numbers. Threads that
 * are gone are passed over, but -ESRCH where none is left. On failure nothing stays open. The list
 * and what `t` points to must outlive the counters. */
int counters_open(struct counters *c, struct event_list *list, const struct counters_target *t,
		  struct errbuf *eb);

/* Starts and stops all (not needed at the start with enable_on_exec). */
void counters_enable(const struct counters *c);
void counters_disable(const struct counters *c);

/* Reads all and tells each: running totals. */
typedef void counters_fn(void *ctx, const struct counter_fd *cf, const struct event_count *count);
int counters_read(struct counters *c, counters_fn *tell, void *ctx, struct errbuf *eb);

/* Does closing take long? The kernel takes some 30 ms to take down each tracepoint that nobody else
 * uses, so that hundreds last ten seconds. */
bool counters_close_slowly(const struct counters *c);

/* Closes. With `behind`, a child process does what lasts after us; call it last, with everything
 * written. */
void counters_close(struct counters *c, bool behind);

#endif
