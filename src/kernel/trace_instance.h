/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A tracefs instance of our own (instances/assay-PID-START, START being when the process was started): a tracer with buffer, filters and switches that
 * nothing else looks at. What the kernel has only once, for all instances, is changed in tracefs' own directory and put back (trace_saved.h):
 * some filters, options of tracers, and before Linux 6.11 the function_graph tracer itself.
 *
 * trace_instance_close() leaves tracefs as it was found. What a process that was killed left behind, the next trace_instance_open() removes.
 */
#ifndef ASSAY_KERNEL_TRACE_INSTANCE_H
#define ASSAY_KERNEL_TRACE_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/errbuf.h"
#include "kernel/trace_saved.h"

struct trace_instance {
	const char *root; /* of tracefs */
	char *dir;	  /* NULL: there is none */
	bool is_in_root;  /* the tracer works in tracefs' own directory */
	int hold_fd;
	struct trace_saved saved;
};

/* Repairs what others left, then makes the instance, with its tracing switched off. To be closed after a failure, too. A zeroed struct can be
 * closed. */
int trace_instance_open(struct trace_instance *t, struct errbuf *eb);
/* 0, or -errno with the sentence: what could not be put back. */
int trace_instance_close(struct trace_instance *t, struct errbuf *eb);

/* Where the tracer works from now on: in the instance if the kernel can, else in tracefs' own directory, if that is not in use. -ENOTSUP with the
 * sentence: the kernel has no such tracer. Before anything is set. */
int trace_instance_choose(struct trace_instance *t, const char *tracer, struct errbuf *eb);
/* The directory where it works. */
const char *trace_instance_dir(const struct trace_instance *t);

/* Sets a value where the tracer works. What the kernel has but once is saved first. -ENOENT without a sentence where there is no such file. */
int trace_instance_set(struct trace_instance *t, const char *file, const char *value, struct errbuf *eb);
/* Adds to a list, which is empty before the first; a negative errno without a sentence comes from the kernel (-EINVAL: no such function). */
int trace_instance_add(struct trace_instance *t, const char *file, const char *value, struct errbuf *eb);
/* Selects the tracer; explains a refusal. */
int trace_instance_set_tracer(struct trace_instance *t, const char *tracer, struct errbuf *eb);
int trace_instance_switch(struct trace_instance *t, bool on, struct errbuf *eb);
/* Its trace_pipe, not blocking: fd or -errno. */
int trace_instance_open_pipe(struct trace_instance *t, struct errbuf *eb);

/* Removes instances of processes that are gone, and puts back what they had changed; says so. */
void trace_instances_repair(const char *root);
/* Whether a name is that of such an instance; its process. For tests, too. */
bool trace_instance_parse_name(const char *name, pid_t *pid, unsigned long long *start, bool *is_copy);

#endif
