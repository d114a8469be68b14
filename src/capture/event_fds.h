/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The open events of a live command: every event on every CPU and task of the target (and of its own PMU). To sample, there is one ring per
 * CPU into which all that happens on that CPU goes; to count, there is none, and an event that the machine does not have is marked, not an
 * error.
 */
#ifndef ASSAY_CAPTURE_EVENT_FDS_H
#define ASSAY_CAPTURE_EVENT_FDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/errbuf.h"
#include "base/vec.h"
#include "capture/target.h"
#include "kernel/event_open.h"
#include "kernel/event_parse.h"
#include "kernel/ring.h"

/* A thread with a table of file descriptors of its own. The limit of open files counts per table, so that a recorder of
 * hundreds of threads holds its events in several of them where one is too small. */
struct fd_holder;

/* Starts the thread. Its table begins with copies of the `nr` fds in `keep` (ascending), under the same numbers. */
int fd_holder_new(struct fd_holder **h, const int *keep, uint32_t nr, struct errbuf *eb);
/* Runs job(ctx) in the thread and waits for it: fds that it opens live there, and only jobs can use them. May be called from several
 * threads. */
void fd_holder_run(struct fd_holder *h, void (*job)(void *ctx), void *ctx);
/* Ends the thread; its fds are closed. */
void fd_holder_free(struct fd_holder *h);

struct event_fd {
	int fd;		 /* -1: its task was gone, or the event is not on this CPU */
	uint32_t event;	 /* index into the list; one behind it: the tracker */
	uint32_t cpu;	 /* index into the target's CPUs and into rings; 0 where tasks are counted wherever they run */
	uint32_t task;	 /* index into the target's tasks */
	uint32_t holder; /* 0: in our own table; n: in that of parts.v[n - 1] */
	bool has_count;
	uint64_t id;		  /* to count: of members of groups alone */
	struct event_count count; /* after event_fds_read() */
	uint64_t lost_told;	  /* of count.lost, what was written to a file already */
};

/* Fds among [from, to) live in a holder's table, not in ours. */
struct event_fds_part {
	struct fd_holder *holder;
	uint32_t from, to;
};

struct event_cgroup {
	const char *name; /* the event's */
	int fd;
};

/* A zeroed struct is an empty set. */
struct event_fds {
	struct event_list *list;
	const struct target *target;
	bool is_counting;
	struct event_opener opener; /* its notices are for the caller to show */
	struct event_spec tracker;  /* tracks maps and tasks in place of the list's first event */
	bool has_tracker;	    /* false: an event of the list does, as its attr says */
	VEC(struct event_fd) fds;   /* by event, CPU, task, open or not */
	uint32_t *first;	    /* per event, and one more: where its fds begin */
	uint32_t *lead;		    /* per event: the leader of the group it was really opened in; itself */
	bool *is_opened;	    /* per event: one of its fds is there */
	bool *is_lacking;	    /* per event: the machine does not have it */
	VEC(struct event_fds_part) parts;
	struct ring *rings;			/* one for each CPU of the target; rings[cpu].fd carries it */
	uint32_t nr_rings;			/* 0: counting */
	uint32_t ring_pages_wished, ring_pages; /* ring_pages: of the smallest */
	uint32_t nr_open;
	uint32_t nr_vanished;		  /* opens on tasks that were gone by then */
	uint32_t nr_vanished_tasks;	  /* of those, tasks of which nothing is open */
	VEC(struct event_cgroup) cgroups; /* of -G, open until event_fds_close() */
};

/* Opens everything to sample, into rings. The list's attrs are configured; fallbacks may change them (see event_open()). List and target
 * must outlive the set. On failure the set is half-built: event_fds_close() it. */
int event_fds_open(struct event_fds *s, struct event_list *list, const struct target *target, uint32_t ring_pages, struct errbuf *eb);
/* The same to count, stopped. Tool events are passed over; so are tasks that are gone, but -ESRCH where none is left. The soft limit of fds
 * is raised as far as needed; where the hard one is too low, -EMFILE with the numbers. */
int event_fds_open_counting(struct event_fds *s, struct event_list *list, const struct target *target, struct errbuf *eb);
/* With `behind`, a child process does what lasts after us; call it last, with everything written. */
void event_fds_close(struct event_fds *s, bool behind);
/* Does closing take long? The kernel takes some 30 ms to take down each tracepoint that nothing else uses, so that hundreds last ten
 * seconds. */
bool event_fds_close_slowly(const struct event_fds *s);

/* What an fd is of: an event of the list, or the tracker. */
const struct event_spec *event_fds_spec(const struct event_fds *s, const struct event_fd *f);
/* Does it only track? Then what it loses are no samples. */
bool event_fds_tracks_only(const struct event_fds *s, const struct event_fd *f);

/* A group starts and stops with its leader. `tracking_too`: also a dummy event that only tracks maps and tasks; without it, that one is
 * left as it is. */
void event_fds_enable(struct event_fds *s, bool enable, bool tracking_too);
/* Has a BPF program (an fd) run on all samples but those of tracepoints, which have none to run on. */
int event_fds_set_program(struct event_fds *s, int program, struct errbuf *eb);
/* Reads every event's count and losses into its `count`; those that could not be read (a pinned counter that lost its place) have none.
 * Returns the first failure, after which the rest was read all the same. */
int event_fds_read(struct event_fds *s, struct errbuf *eb);
/* An fd that wakes with the ring of a CPU and whose tasks still live; -1 where there is none in our own table. `after`: the fd that was
 * found dead, or -1. */
int event_fds_find_waker(const struct event_fds *s, uint32_t cpu, int after);
/* Does any task of the target (or a child of it) still live? */
bool event_fds_alive(struct event_fds *s);

#endif
