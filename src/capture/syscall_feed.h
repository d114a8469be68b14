/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * System calls as a source of records beside the rings of events: the ring buffer of a BPF program, emptied by the drain.
 */
#ifndef ASSAY_CAPTURE_SYSCALL_FEED_H
#define ASSAY_CAPTURE_SYSCALL_FEED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/syscall_set.h"
#include "base/errbuf.h"
#include "bpf/syscalls.h"
#include "capture/header_info.h"
#include "capture/record_feed.h"
#include "capture/syscall_cut.h"
#include "capture/target.h"
#include "perfdata/info.h"

#define SYSCALL_EVENT "assay:sys_call"
#define SYSCALL_FEED_RING_BYTES (16u << 20)
#define SYSCALL_FEED_STACK_RING_BYTES (64u << 20)
#define SYSCALL_FEED_STACK_BYTES 8192u /* of a stack, where no size is given */

/* Which calls are traced, and how much of each. */
struct syscall_tracing {
	const struct syscall_set *set; /* NULL: all */
	bool no_children;
	const char *cgroup; /* only its tasks; NULL: all */
	bool by_cgroup;	    /* sums are of cgroups */
	bool has_signals;
	bool has_entries; /* records also when calls begin: for lines that other tasks interrupt */
	bool has_files;	  /* what descriptors stand for */
	bool only_failed, only_succeeded;
	uint64_t min_duration_ns;
	const struct syscall_set *kept; /* calls that pass whatever their result and duration are; NULL: none */
	uint32_t max_data;		/* bytes of a buffer */
	bool is_unavailable;		/* set by the run: it failed because BPF cannot be used; nothing was started */
};

/* A zeroed struct is closed. */
struct syscall_feed {
	struct record_feed feed;  /* the first */
	struct bpf_syscalls *bpf; /* NULL: not open */
	uint64_t nr_dropped;	  /* that were reported by records */
	bool has_stacks;	  /* records are samples already */
	uint8_t *buf;
	size_t len;
	/* Besides the ring buffer: what comes in front of it, and what behind it once that is complete. */
	struct syscall_cut first, last;
	atomic_bool is_last_complete;
	const struct syscall_tracing *tracing;
};

/* The CPUs of -C by bit, in `bits` of BPF_SYSCALLS_CPUS; NULL where all are meant. */
const uint64_t *syscall_feed_cpus(const struct capture_options *o, const struct target *target, uint64_t *bits);

/* Of -p and -u: threads that nothing is known of yet are traced, too. */
bool syscall_feed_has_processes(const struct syscall_tracing *t, const struct target *target);
/* `f`: has the calls that they are in; NULL: nothing. */
int syscall_feed_add_tasks(struct bpf_syscalls *b, const struct syscall_tracing *t, const struct target *target, pid_t workload,
			   struct syscall_feed *f, struct errbuf *eb);

/* Loads the program and names the tasks of the target, or none where it is the whole machine. `workload`: a process that waits to be
 * executed, whose calls before that are our own; 0: none. */
int syscall_feed_open(struct syscall_feed *f, const struct capture_options *co, const struct target *target, pid_t workload,
		      struct errbuf *eb);
/* From here on calls are recorded. */
int syscall_feed_start(struct syscall_feed *f, struct errbuf *eb);
void syscall_feed_stop(struct syscall_feed *f);
void syscall_feed_close(struct syscall_feed *f);

/* How the raw bytes of its samples are laid out. */
extern const struct own_format syscall_feed_format;

#endif
