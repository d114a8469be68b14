/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines of traced calls.
 */
#include "view/trace_text.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/escape.h"

#define PERF_RESULT_COLUMN 70 /* where perf puts the result, counted from the call's name */
#define STRACE_RESULT_COLUMN 40

static const char *path_of_fd(void *ctx, int fd)
{
	struct trace_text *t = ctx;

	return syscall_log_path(t->log, t->task, fd);
}

void trace_text_init(struct trace_text *t, struct out *o, const struct machine *m, struct syscall_log *log, enum syscall_shape shape)
{
	memset(t, 0, sizeof(*t));
	t->o = o;
	t->machine = m;
	t->log = log;
	t->syscalls.shape = shape;
	t->syscalls.max_string = 32;
	t->syscalls.show_fds = shape == SYSCALL_PERF;
	t->syscalls.fd_path = path_of_fd;
	t->syscalls.ctx = t;
	t->syscalls.found = t->found;
	t->clock = shape == SYSCALL_PERF ? TRACE_RELATIVE : TRACE_NONE;
	t->shows_tasks = TRACE_ALL_TASKS;
	t->shows_exits = shape == SYSCALL_STRACE;
}

/* "12.345", three digits of a thousandth, `width` columns in all. */
static void put_ms(struct out *o, uint64_t ns, int width)
{
	uint64_t us = ns / 1000;

	out_u64(o, us / 1000, width - 4);
	out_char(o, '.');
	out_last_digits(out_room(o, 3), (uint32_t)(us % 1000), 3);
	out_advance(o, 3);
}

static void put_of_day(struct trace_text *t, uint64_t at_ns, bool has_us)
{
	uint64_t ns = at_ns + (uint64_t)t->wall_offset_ns;
	time_t s = (time_t)(ns / NS_PER_SEC);
	struct tm tm;

	localtime_r(&s, &tm);
	out_printf(t->o, has_us ? "%02d:%02d:%02d.%06u " : "%02d:%02d:%02d ", tm.tm_hour, tm.tm_min, tm.tm_sec,
		   (unsigned)(ns % NS_PER_SEC / 1000));
}

static void put_time(struct trace_text *t, uint64_t at_ns)
{
	uint64_t ns = at_ns + (uint64_t)t->wall_offset_ns;

	switch (t->clock) {
	case TRACE_RELATIVE:
	case TRACE_ABSOLUTE:
		/* A line is written when its call ends: others may have begun before the first one. */
		if (t->clock == TRACE_RELATIVE && at_ns < t->first_ns)
			out_printf(t->o, "%10.3f", -(double)(t->first_ns - at_ns) / 1e6);
		else
			put_ms(t->o, t->clock == TRACE_ABSOLUTE ? at_ns : at_ns - t->first_ns, 10);
		out_char(t->o, ' ');
		break;
	case TRACE_OF_DAY:
	case TRACE_OF_DAY_US:
		put_of_day(t, at_ns, t->clock == TRACE_OF_DAY_US);
		break;
	case TRACE_EPOCH:
		out_printf(t->o, "%llu.%06u ", (unsigned long long)(ns / NS_PER_SEC), (unsigned)(ns % NS_PER_SEC / 1000));
		break;
	case TRACE_SINCE_LAST:
		ns = t->last_ns && at_ns > t->last_ns ? at_ns - t->last_ns : 0;
		out_printf(t->o, "%6llu.%06u ", (unsigned long long)(ns / NS_PER_SEC), (unsigned)(ns % NS_PER_SEC / 1000));
		break;
	default:
		break;
	}
	t->last_ns = at_ns;
}

/* A thread that nothing is known of but its calls (":1234") has the name of its process. */
static const char *comm_of(const struct trace_text *t, const struct task *task)
{
	const char *comm = machine_comm(t->machine, task);

	return *comm == ':' && task->leader ? machine_comm(t->machine, task->leader) : comm;
}

static void put_task(struct trace_text *t, const struct traced *what)
{
	const char *comm;

	if (t->syscalls.shape == SYSCALL_STRACE) {
		if (t->shows_tasks == TRACE_ALL_TASKS)
			out_printf(t->o, "%-5d ", what->task->tid);
		else if (t->shows_tasks == TRACE_SEVERAL_TASKS && t->log->nr_live > 1)
			out_printf(t->o, "[pid %5d] ", what->task->tid);
		return;
	}
	comm = comm_of(t, what->task);
	escape_terminal(t->o, comm, strlen(comm));
	out_char(t->o, '/');
	out_u64(t->o, (uint64_t)what->task->tid, 0);
	out_char(t->o, ' ');
}

static void put_cpu(struct trace_text *t, uint32_t cpu)
{
	out_char(t->o, '[');
	if (cpu == UINT32_MAX) {
		out_str(t->o, "---");
	} else {
		out_last_digits(out_room(t->o, 3), cpu, 3);
		out_advance(t->o, 3);
	}
	out_str(t->o, "] ");
}

/* "     1.037 ( 0.029 ms): ls/3058 " */
static void put_head(struct trace_text *t, const struct traced *what, bool took_time)
{
	uint64_t at_ns = what->start_ns ? what->start_ns : what->end_ns;

	if (!t->first_ns)
		t->first_ns = at_ns;
	if (t->syscalls.shape == SYSCALL_STRACE) {
		put_task(t, what);
		put_time(t, at_ns);
		return;
	}
	put_time(t, at_ns);
	if (took_time) {
		/* Of a call that began before, the time since then is not all. */
		out_str(t->o, what->began_before ? "(>" : "(");
		put_ms(t->o, what->end_ns - what->start_ns, what->began_before ? 5 : 6);
		out_str(t->o, " ms): ");
	} else {
		out_str(t->o, "(         ): ");
	}
	if (t->shows_cpu) {
		put_cpu(t, what->cpu);
	}
	put_task(t, what);
}

void trace_text_head(struct trace_text *t, const struct traced *what)
{
	t->task = what->task;
	put_head(t, what, false);
}

static void put_call(struct trace_text *t, const struct traced *what)
{
	bool is_strace = t->syscalls.shape == SYSCALL_STRACE;
	size_t begin = t->o->len, len;
	int column = is_strace ? STRACE_RESULT_COLUMN : PERF_RESULT_COLUMN;

	put_head(t, what, (what->call.has_ended || what->is_pending) && what->start_ns);
	/* strace counts from the beginning of the line. */
	if (!is_strace)
		begin = t->o->len;
	syscall_text_call(t->o, &what->call, &t->syscalls);
	len = t->o->len - begin - (t->syscalls.is_coloured ? SYSCALL_COLOUR_BYTES : 0);
	if (!what->call.has_ended && !what->is_pending && !is_strace) {
		out_char(t->o, '\n');
		return;
	}
	if (len < (size_t)column - 1)
		out_spaces(t->o, column - 1 - (int)len);
	out_str(t->o, " = ");
	syscall_text_result(t->o, &what->call, &t->syscalls);
	if (what->is_pending)
		out_str(t->o, " <unfinished>");
	if (t->shows_duration && what->call.has_ended) {
		uint64_t ns = what->end_ns - what->start_ns;

		out_printf(t->o, " <%llu.%06u>", (unsigned long long)(ns / NS_PER_SEC), (unsigned)(ns % NS_PER_SEC / 1000));
	}
	out_char(t->o, '\n');
}

static void put_exit(struct trace_text *t, const struct traced *what)
{
	put_head(t, what, false);
	if (what->status & 0x7f)
		out_printf(t->o, "+++ killed by %s%s +++\n", sigabbrev_np(what->status & 0x7f) ? "SIG" : "",
			   sigabbrev_np(what->status & 0x7f) ? sigabbrev_np(what->status & 0x7f) : "a signal");
	else
		out_printf(t->o, "+++ exited with %d +++\n", what->status >> 8 & 0xff);
}

void trace_text_line(struct trace_text *t, const struct traced *what)
{
	t->task = what->task;
	if (what->kind == TRACED_CALL) {
		put_call(t, what);
	} else if (what->kind == TRACED_EXIT && t->shows_exits) {
		put_exit(t, what);
	} else if (what->kind == TRACED_SIGNAL && (what->signal != SIGKILL || (what->call.nr_memory && what->call.memory[0].size))) {
		/* Where another signal ends a process, the kernel delivers SIGKILL to its threads: their end says which it was. */
		put_head(t, what, false);
		syscall_text_signal(t->o, what->signal, what->call.nr_memory ? &what->call.memory[0] : NULL, &t->syscalls);
		out_char(t->o, '\n');
	}
}
