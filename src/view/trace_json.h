/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Traced calls, signals and ends of tasks as JSON, an object on a line each.
 */
#ifndef ASSAY_VIEW_TRACE_JSON_H
#define ASSAY_VIEW_TRACE_JSON_H

#include "base/out.h"
#include "model/syscall_log.h"
#include "session/machine.h"
#include "view/syscall_text.h"
#include "view/trace_stack.h"

struct trace_json {
	struct out *o;
	struct out text; /* in memory: what becomes a string */
	const struct machine *machine;
	struct syscall_log *log;
	struct trace_stack *stacks;
	struct syscall_text_options syscalls;
	const struct task *task; /* of the line at hand */
};

void trace_json_init(struct trace_json *t, struct out *o, const struct machine *m, struct syscall_log *log, struct trace_stack *stacks);
/* `stack`: of `stacks`, or STACK_NONE. */
void trace_json_line(struct trace_json *t, const struct traced *what, uint32_t stack);
/* An event that is no system call. */
void trace_json_event(struct trace_json *t, const struct recording *r, const struct session_record *sr, uint32_t stack);
void trace_json_fini(struct trace_json *t);

#endif
