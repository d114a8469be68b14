/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Traced calls, signals and ends of tasks as strace writes them: a call's line begins when it is made, and where another task writes
 * meanwhile, it is cut (" <unfinished ...>") and goes on in a line of its own ("<... read resumed>"). Pure: times and tasks are given.
 */
#ifndef ASSAY_VIEW_TRACE_STRACE_H
#define ASSAY_VIEW_TRACE_STRACE_H

#include "abi/syscall_set.h"
#include "base/hash.h"
#include "base/out.h"
#include "base/vec.h"
#include "model/syscall_log.h"
#include "view/syscall_text.h"

enum strace_clock { STRACE_NO_TIME, STRACE_TIME_OF_DAY, STRACE_EPOCH };
/* "1234  ", as in its files; "[pid  1234] " on lines that come while several tasks are alive. */
enum strace_tasks { STRACE_NO_TASKS, STRACE_ALL_TASKS, STRACE_SEVERAL_TASKS };

#define STRACE_FDS 1024

/* Descriptors whose bytes are dumped. */
struct strace_fds {
	uint64_t bits[STRACE_FDS / 64];
	bool others; /* those beyond */
};

struct strace_options {
	struct syscall_text_options syscalls; /* fd_path and ctx are set by trace_strace_init() */
	enum strace_clock clock;	      /* -t, -tt, -ttt */
	bool has_relative;		      /* -r */
	/* Digits behind the point: 0, 3, 6 or 9. */
	uint8_t clock_digits, relative_digits, duration_digits;
	int64_t wall_offset_ns; /* CLOCK_REALTIME less the clock of the records */
	enum strace_tasks tasks;
	bool shows_duration; /* -T */
	bool shows_numbers;  /* -n */
	bool shows_exits;    /* "+++ exited with 0 +++" */
	bool shows_mode;     /* "[ Process PID=1 runs in 32 bit mode. ]" */
	bool shows_attached; /* "strace: Process 1 attached" */
	int32_t own_tid;     /* what it started is attached from the beginning */
	/* A line is written when its call has ended, whole: whether it is wanted is known then only (-z, -e status=). */
	bool is_whole;
	uint32_t result_column;			    /* -a */
	uint64_t hidden_signals;		    /* by bit, of signal 1 the lowest */
	const char *(*comm_of)(void *ctx, int tid); /* -Y; with comm_ctx */
	void *comm_ctx;
	struct syscall_set raw;	  /* -e raw= */
	struct strace_fds reads;  /* -e read= */
	struct strace_fds writes; /* -e write= */
	bool has_dumps;		  /* one of them was given */
	/* -ff: where the lines of a task go; NULL: all to the one. A task that has ended is closed. */
	struct out *(*open_task)(void *ctx, int tid, bool has_lines);
	void (*close_task)(void *ctx, struct out *o);
	void *ctx;
};

struct strace_task {
	int32_t tid;
	struct out *o;	    /* with open_task */
	bool was_open;	    /* its file has lines: a thread that executes a program goes on under the id of the first one */
	bool has_begun;	    /* its call, and the line of it */
	bool is_superseded; /* the call was begun by another thread, which executes a program */
	bool is_known;	    /* a line was written */
	uint32_t first_arg; /* that the rest of the line starts at */
	uint32_t column;    /* of its line */
	bool is_32;
	uint32_t nr; /* of the last call */
};

struct trace_strace {
	struct syscall_text_found found[SYSCALL_TEXT_FOUND];
	struct strace_options opts;
	struct out *o;
	struct out line; /* in memory: what is being appended */
	struct syscall_log *log;
	uint64_t last_ns;
	uint32_t open; /* in `tasks`: whose line is not at its end; STRACE_NO_TASK */
	VEC(struct strace_task) tasks;
	struct hindex task_index;
	const struct task *task; /* of the line at hand */
};

#define STRACE_NO_TASK UINT32_MAX
#define STRACE_COLUMN 40
#define STRACE_STRING 32

void strace_options_init(struct strace_options *opts);
void trace_strace_init(struct trace_strace *t, const struct strace_options *opts, struct out *o, struct syscall_log *log);
/* Returns where its line is, or NULL. */
struct out *trace_strace_take(struct trace_strace *t, const struct traced *what);
/* Ends the line that is open: its call goes on, but nothing more is seen of it. */
void trace_strace_fini(struct trace_strace *t);

#endif
