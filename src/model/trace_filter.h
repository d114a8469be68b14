/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which traced calls are shown: by number, task, descriptor, path, result and time. What the kernel can choose cheaply (tasks, numbers) it
 * chooses; this is asked of every call that arrives.
 */
#ifndef ASSAY_MODEL_TRACE_FILTER_H
#define ASSAY_MODEL_TRACE_FILTER_H

#include "abi/syscall_set.h"
#include "base/errbuf.h"
#include "base/vec.h"
#include "model/syscall_log.h"

/* How a call ended, by bit; strace's names of them. TRACE_UNAVAILABLE: it has a result, but nothing of it is known; never here. */
enum trace_status {
	TRACE_SUCCESSFUL = 1,
	TRACE_FAILED = 2,
	TRACE_UNFINISHED = 4,
	TRACE_UNAVAILABLE = 8,
	TRACE_DETACHED = 16,
	TRACE_ANY_STATUS = 31,
};

struct trace_ids { /* a VEC */
	int32_t *v;
	uint32_t nr, cap;
};

/* Zeroed with statuses set to TRACE_ANY_STATUS, it passes everything. */
struct trace_filter {
	struct syscall_set set;
	uint32_t statuses;
	uint64_t min_duration_ns;
	uint64_t min_size; /* bytes that were read or written */
	struct trace_ids pids;
	struct trace_ids tids;
	struct trace_ids fds;
	struct trace_ids errors; /* positive */
	VEC(const char *) comms; /* globs; borrowed */
	VEC(const char *) paths; /* globs; borrowed */
	VEC(char *) exact_paths; /* malloc'd */
};

void trace_filter_init(struct trace_filter *f);
void trace_filter_fini(struct trace_filter *f);

/* Lists with commas between. -EINVAL with a sentence. */
int trace_filter_add_ids(struct trace_ids *ids, const char *list, const char *what, struct errbuf *eb);
int trace_filter_add_errors(struct trace_filter *f, const char *list, int (*error_of)(const char *name), struct errbuf *eb);
/* "successful", "failed", "unfinished", "unavailable", "detached", "all", "none"; "!" in front of the list: all others. */
int trace_filter_set_statuses(struct trace_filter *f, const char *list, struct errbuf *eb);

/* Whether it looks at paths or descriptors: then all calls that open and close have to be traced. */
static inline bool trace_filter_has_paths(const struct trace_filter *f)
{
	return f->paths.nr || f->exact_paths.nr;
}
/* Whether it looks at anything but the call's number. */
bool trace_filter_is_needed(const struct trace_filter *f);

/* By what is known when a call begins. Signals and ends of tasks are asked for their task. */
bool trace_filter_begins(const struct trace_filter *f, struct syscall_log *l, const struct traced *t, const char *comm);
/* By its result. */
bool trace_filter_ends(const struct trace_filter *f, const struct traced *t);

#endif
