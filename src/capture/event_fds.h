/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The open events of a recording: every event on every thread and CPU of the target (and of its own
 * PMU), and one ring per CPU into which all that happens on that CPU goes.
 */
#ifndef ASSAY_CAPTURE_EVENT_FDS_H
#define ASSAY_CAPTURE_EVENT_FDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/errbuf.h"
#include "base/vec.h"
#include "capture/fd_holder.h"
#include "capture/target.h"
#include "kernel/event_open.h"
#include "kernel/event_parse.h"
#include "kernel/ring.h"
#include "kernel/tracking.h"

struct event_fd {
	int fd; /* -1: not open */
	uint32_t event; /* index into the list; one behind it: the tracker */
	uint32_t cpu;  /* index into the target's CPUs and into rings */
	uint32_t task; /* index into the target's tasks */
	uint64_t id;
	struct event_count count; /* after event_fds_read() */
	uint64_t lost_told;	  /* of count.lost, what a file has been told already */
};

/* Fds [from, to) live in a holder's table, not in ours. */
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
	struct event_opener opener;
	struct event_spec tracker; /* tracks maps and tasks in place of the list's first event */
	bool has_tracker;	   /* false: an event of the list does, as its attr says */
	VEC(struct event_fd) fds; /* first the carriers of the rings, then by event, CPU, task */
	uint32_t nr_own;	  /* of them, those in our own table come first */
	VEC(struct event_fds_part) parts;
	struct ring *rings; /* one for each CPU of the target */
	uint32_t nr_rings;
	uint32_t ring_pages_wished, ring_pages; /* ring_pages: of the smallest */
	bool *is_opened;			/* by event: one of its fds is there */
	uint32_t nr_vanished_tasks;		/* of those, tasks of which nothing is open */
	uint32_t nr_vanished;			/* opens on tasks that were gone by then */
	VEC(struct event_cgroup) cgroups;	/* of -G, open until event_fds_close() */
};

/* Opens everything. The list's attrs are configured; fallbacks may change them (see event_open()).
 * On failure the set is half-built: event_fds_close() it. */
int event_fds_open(struct event_fds *s, struct event_list *list, const struct target *target,
		   uint32_t ring_pages, struct errbuf *eb);
void event_fds_close(struct event_fds *s);

/* For qsort() of pointers: by event, CPU, task. A holder's fds come last in the set but not so, and
 * that order is perf's. */
int event_fd_compare(const void *a, const void *b);
/* What an fd is of: an event of the list, or the tracker. */
const struct event_spec *event_fds_spec(const struct event_fds *s, const struct event_fd *f);
/* Does it only track? Then what it loses are no samples. */
bool event_fds_tracks_only(const struct event_fds *s, const struct event_fd *f);

/* `tracking_too`: also a dummy event that only tracks maps and tasks; without it, that one is left
 * as it is. */
void event_fds_enable(struct event_fds *s, bool enable, bool tracking_too);
/* Reads every event's count and losses into its `count`. */
void event_fds_read(struct event_fds *s);
/* An fd that wakes with the ring of a CPU and whose tasks still live; -1 where there is none in our
 * own table. `after`: the fd that was found dead, or -1. */
int event_fds_find_waker(const struct event_fds *s, uint32_t cpu, int after);
/* Does any task of the target (or a child of it) still live? */
bool event_fds_alive(struct event_fds *s);

#endif
