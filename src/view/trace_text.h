/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Traced calls, signals and ends of tasks as lines, in perf trace's shape or in strace's. Pure: times and tasks are given.
 */
#ifndef ASSAY_VIEW_TRACE_TEXT_H
#define ASSAY_VIEW_TRACE_TEXT_H

#include "base/out.h"
#include "model/syscall_log.h"
#include "session/machine.h"
#include "view/syscall_text.h"

enum trace_clock { TRACE_RELATIVE, TRACE_ABSOLUTE, TRACE_NONE, TRACE_OF_DAY, TRACE_OF_DAY_US, TRACE_EPOCH, TRACE_SINCE_LAST };

/* In strace's shape: never; always, as in its files ("1234  "); on lines that come while several tasks are alive ("[pid  1234] "). */
enum trace_tasks { TRACE_NO_TASKS, TRACE_ALL_TASKS, TRACE_SEVERAL_TASKS };

struct trace_text {
	struct out *o;
	const struct machine *machine;
	struct syscall_log *log;
	struct syscall_text_options syscalls;
	struct syscall_text_found found[SYSCALL_TEXT_FOUND];
	enum trace_clock clock;
	int64_t wall_offset_ns; /* CLOCK_REALTIME less the clock of the records */
	uint64_t first_ns, last_ns;
	bool shows_cpu;
	enum trace_tasks shows_tasks; /* in perf's shape always */
	bool shows_duration;	      /* strace -T */
	bool shows_exits;	      /* "+++ exited with 0 +++" */
	const struct task *task;      /* of the line at hand */
};

void trace_text_init(struct trace_text *t, struct out *o, const struct machine *m, struct syscall_log *log, enum syscall_shape shape);
void trace_text_line(struct trace_text *t, const struct traced *what);
/* The beginning of a line of something else, which took no time: time and task. */
void trace_text_head(struct trace_text *t, const struct traced *what);

#endif
