/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A run of one of the kernel's function tracers, in an instance of our own: settings, the target, the run loop, and the text of trace_pipe.
 */
#ifndef ASSAY_CAPTURE_FTRACE_H
#define ASSAY_CAPTURE_FTRACE_H

#include "capture/capture.h"

struct ftrace_words {
	VEC(const char *) v;
};

struct ftrace_options {
	struct capture_options target;
	const char *tracer; /* "function", "function_graph"; NULL: the latter, or the former where the kernel has no other */
	/* Functions, or patterns of them. */
	struct ftrace_words trace, notrace, graph, nograph;
	bool inherit; /* what the tasks start, too */
	uint64_t delay_ms;
	uint64_t buffer_kb; /* of each CPU; 0: the kernel's default */

	/* of function */
	bool has_stacks, has_irq_info;

	/* of function_graph */
	bool no_sleep_time, no_irqs, is_verbose, has_tail, has_args, has_retval, has_retval_hex, has_retaddr;
	uint64_t thresh_us;
	uint64_t max_depth;
};

void ftrace_options_init(struct ftrace_options *o);
void ftrace_options_fini(struct ftrace_options *o);

/* Runs until the target ends or a signal comes. `text` gets what the tracer prints, in pieces; a negative errno of it ends the run. tracefs is as it was
 * before, however this returns. The result is that of capture_run(). */
int ftrace_run(const struct ftrace_options *o, int (*text)(void *ctx, const char *data, size_t size), void *ctx, struct errbuf *eb);

#endif
