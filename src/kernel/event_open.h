/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * perf_event_open(2) with fallbacks: features that an older kernel lacks are dropped one by one, cycles become cpu-clock where there is no
 * PMU, kernel samples are left out where the policy forbids them, precision is lowered. What remains impossible becomes a message with the
 * fix. `struct event_opener` is what was learnt during one run; events opened later start from it.
 */
#ifndef ASSAY_KERNEL_EVENT_OPEN_H
#define ASSAY_KERNEL_EVENT_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/errbuf.h"
#include "kernel/event_parse.h"

/* A zeroed struct is a fresh one. */
struct event_opener {
	uint32_t lacks; /* features of attrs that the kernel lacks, by their index: applied to every attr before its first try */
	bool lacks_cloexec;
	bool nofile_raised;	/* the soft limit of fds is at the hard one */
	bool no_clock_fallback; /* set by the caller: no cpu-clock for cycles (counting) */
	char *notices;		/* what the fallbacks did, one sentence a line, each once; NULL: nothing.
			* For the caller to show (and event_opener_fini() to free) */
};
void event_opener_fini(struct event_opener *o);

/* Opens one event on one target, close-on-exec. `pid` -1: all tasks (then cpu >= 0), 0: ourselves, > 0: that task; for an event with a
 * cgroup, the fd of the cgroup (cgroup_open()), and cpu >= 0. `cpu` -1: any. `group_fd`: of the group's leader, -1: none. Returns the fd,
 * or a negative errno with its sentence. The filter is not set yet: event_set_filter().
 *
 * Fallbacks change spec->attr (and name): write the attr to a file after the last open. `first`: of this event's fds; only then may cycles
 * become cpu-clock or ":u" be added. -EMFILE: the limit was raised as far as it goes and is still too low. */
int event_open(struct event_opener *o, struct event_spec *spec, pid_t pid, int cpu, int group_fd, bool first, struct errbuf *eb);

/* event_error.c: the sentence for a failed open, with what to do about it. Returns `err`. */
int event_open_error(const struct event_spec *spec, pid_t pid, int cpu, int err, struct errbuf *eb);

/* Would the kernel open it on ourselves? 0 or a negative errno. */
int event_try(const struct attr *attr);

/* Can events whose counts are read with their samples ("{a,b}:S") follow the threads and children of a task? Linux can since 6.12. */
bool event_inherits_reads(void);

/* ioctls on an event fd; 0 or negative errno. */
int event_enable(int fd, bool on);
/* Sends the event's records into the ring mapped on `ring_fd` (same CPU, or same task). */
int event_set_output(int fd, int ring_fd);
/* Has a BPF program (an fd) run on each of its samples; children inherit it. */
int event_set_program(int fd, int program);
/* The kernel's id of the event, as in sample records. */
int event_get_id(int fd, uint64_t *id);
/* Sets the event's filter (ftrace's syntax) on an fd of it; nothing to do where it has none. */
int event_set_filter(int fd, const struct event_spec *spec, struct errbuf *eb);

/* read(2) of an event: value and, by the attr's read_format, times, id and lost; with READ_GROUP, of the whole group that it leads.
 * -ENODATA: a pinned event that has lost its place. */
struct event_reading {
	uint64_t read_format;
	size_t nr_words;
	uint64_t words[2048]; /* the kernel's limit for what one read of a group may give */
};
int event_read(int fd, uint64_t read_format, struct event_reading *r);
struct event_count {
	uint64_t value, time_enabled, time_running, id, lost;
};
/* One of them: of a group the member `id` (0: the leader). -ENOENT: it is not in there. */
int event_reading_get(const struct event_reading *r, uint64_t id, struct event_count *count);

/* The frequency to use for a wish of `freq` (UINT64_MAX: -F max): the kernel's limit where the wish is higher (*lowered). With
 * `strict`, -EINVAL and the sentence instead. */
int event_clamp_freq(uint64_t wish, bool strict, uint64_t *freq, bool *lowered, struct errbuf *eb);

#endif
