/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Lines that begin and end apart.
 */
#include "view/trace_strace.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/escape.h"

static const char *path_of_fd(void *ctx, int fd)
{
	struct trace_strace *t = ctx;

	return syscall_log_path(t->log, t->task, fd);
}

static bool file_of_fd(void *ctx, int fd, struct syscall_file *f)
{
	struct trace_strace *t = ctx;

	return syscall_log_file(t->log, t->task, fd, f);
}

static const char *comm_of(void *ctx, int tid)
{
	struct trace_strace *t = ctx;

	return t->opts.comm_of ? t->opts.comm_of(t->opts.comm_ctx, tid) : NULL;
}

void strace_options_init(struct strace_options *opts)
{
	*opts = (struct strace_options){
		.syscalls = { .shape = SYSCALL_STRACE, .max_string = STRACE_STRING },
		.shows_exits = true,
		.shows_mode = true,
		.result_column = STRACE_COLUMN,
		.relative_digits = 6,
		.duration_digits = 6,
	};
}

void trace_strace_init(struct trace_strace *t, const struct strace_options *opts, struct out *o, struct syscall_log *log)
{
	memset(t, 0, sizeof(*t));
	t->opts = *opts;
	t->opts.syscalls.fd_path = path_of_fd;
	t->opts.syscalls.fd_file = file_of_fd;
	t->opts.syscalls.task_comm = comm_of;
	t->opts.syscalls.ctx = t;
	t->opts.syscalls.found = t->found;
	t->o = o;
	t->log = log;
	t->open = STRACE_NO_TASK;
	out_init(&t->line, -1);
}

static uint32_t task_of(struct trace_strace *t, int32_t tid)
{
	uint64_t h = hash_u64((uint32_t)tid);
	uint32_t i = HINDEX_FIND(&t->task_index, h, id, t->tasks.v[id].tid == tid);

	if (i == HINDEX_NONE) {
		i = t->tasks.nr;
		hindex_add(&t->task_index, h, i);
		vec_push(&t->tasks, ((struct strace_task){ .tid = tid }));
	}
	if (t->opts.open_task && !t->tasks.v[i].o)
		t->tasks.v[i].o = t->opts.open_task(t->opts.ctx, tid, t->tasks.v[i].was_open);
	return i;
}

/* Appends what was written into t->line to the task's output. */
static void put(struct trace_strace *t, uint32_t task)
{
	struct out *o = t->opts.open_task ? t->tasks.v[task].o : t->o;

	t->tasks.v[task].column += (uint32_t)t->line.len;
	if (o)
		out_mem(o, t->line.buf, t->line.len);
	t->line.len = 0;
}

/* ---- the head of a line ---- */

/* Behind the seconds. */
static void put_fraction(struct trace_strace *t, uint64_t ns, uint8_t digits)
{
	uint64_t fraction = ns % NS_PER_SEC;

	for (uint8_t i = digits; i < 9; i++)
		fraction /= 10;
	if (digits)
		out_printf(&t->line, ".%0*llu", digits, (unsigned long long)fraction);
}

static void put_of_day(struct trace_strace *t, uint64_t at_ns)
{
	uint64_t ns = at_ns + (uint64_t)t->opts.wall_offset_ns;
	time_t s = (time_t)(ns / NS_PER_SEC);
	struct tm tm;

	if (t->opts.clock == STRACE_EPOCH) {
		out_printf(&t->line, "%lld", (long long)s);
	} else {
		localtime_r(&s, &tm);
		out_printf(&t->line, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
	}
	put_fraction(t, ns, t->opts.clock_digits);
	out_char(&t->line, ' ');
}

static void put_since_last(struct trace_strace *t, uint64_t at_ns)
{
	uint64_t ns = t->last_ns && at_ns > t->last_ns ? at_ns - t->last_ns : 0;
	bool has_both = t->opts.clock != STRACE_NO_TIME;

	out_printf(&t->line, "%s%6llu", has_both ? "(+" : "", (unsigned long long)(ns / NS_PER_SEC));
	put_fraction(t, ns, t->opts.relative_digits);
	out_str(&t->line, has_both ? ") " : " ");
	t->last_ns = at_ns;
}

/* Cuts the line that is open, so that another can begin. */
static void cut_line(struct trace_strace *t)
{
	if (t->open == STRACE_NO_TASK)
		return;
	out_str(&t->line, " <unfinished ...>\n");
	put(t, t->open);
	t->open = STRACE_NO_TASK;
}

static void say_attached(struct trace_strace *t, uint32_t task)
{
	/* Of those that were there before, no fork was seen. */
	bool was_started = t->task->ppid > 0 && t->task->ppid != t->opts.own_tid;

	if (!t->tasks.v[task].is_known && t->opts.shows_attached && was_started) {
		out_printf(&t->line, "strace: Process %d attached\n", t->tasks.v[task].tid);
		put(t, task);
	}
	t->tasks.v[task].is_known = true;
}

static void put_comm(struct trace_strace *t, int32_t tid)
{
	const char *comm = t->opts.syscalls.show_comms ? comm_of(t, tid) : NULL;

	if (!comm)
		return;
	out_char(&t->line, '<');
	escape_terminal_str(&t->line, comm);
	out_char(&t->line, '>');
}

/* Like "%-5d ", on every line of a file. */
static void put_tid(struct trace_strace *t, int32_t tid)
{
	size_t begin = t->line.len;

	out_u64(&t->line, (uint32_t)tid, 0);
	put_comm(t, tid);
	out_spaces(&t->line, t->line.len - begin < 5 ? 6 - (int)(t->line.len - begin) : 1);
}

static void put_pid(struct trace_strace *t, int32_t tid)
{
	out_printf(&t->line, "[pid %5d", tid);
	put_comm(t, tid);
	out_mem(&t->line, "] ", 2);
}

static void begin_line(struct trace_strace *t, uint32_t task, uint64_t at_ns)
{
	/* With -ff each task has lines of its own. */
	if (!t->opts.open_task)
		cut_line(t);
	say_attached(t, task);
	t->tasks.v[task].column = 0;
	if (t->opts.tasks == STRACE_ALL_TASKS)
		put_tid(t, t->tasks.v[task].tid);
	else if (t->opts.tasks == STRACE_SEVERAL_TASKS && t->log->nr_live > 1)
		put_pid(t, t->tasks.v[task].tid);
	if (t->opts.clock != STRACE_NO_TIME)
		put_of_day(t, at_ns);
	if (t->opts.has_relative)
		put_since_last(t, at_ns);
	if (t->opts.shows_numbers)
		out_printf(&t->line, "[%4u] ", t->tasks.v[task].nr);
}

/* ---- calls ---- */

static void say_mode(struct trace_strace *t, uint32_t task, const struct traced *what)
{
	bool is_32 = what->call.abi == SYSCALL_I386 && t->log->abi != SYSCALL_I386;

	if (is_32 == t->tasks.v[task].is_32)
		return;
	t->tasks.v[task].is_32 = is_32;
	if (!t->opts.shows_mode)
		return;
	if (!t->opts.open_task)
		cut_line(t);
	out_printf(&t->line, "[ Process PID=%d runs in %d bit mode. ]\n", t->tasks.v[task].tid, is_32 ? 32 : 64);
	put(t, task);
}

static void begin_call(struct trace_strace *t, uint32_t task, const struct traced *what)
{
	say_mode(t, task, what);
	t->tasks.v[task].nr = what->call.nr;
	begin_line(t, task, what->start_ns ? what->start_ns : what->end_ns);
	t->tasks.v[task].first_arg = syscall_text_begin(&t->line, &what->call, &t->opts.syscalls);
	put(t, task);
	t->tasks.v[task].has_begun = true;
	t->open = t->opts.open_task ? STRACE_NO_TASK : task;
}

static void resume_call(struct trace_strace *t, uint32_t task, const struct traced *what)
{
	begin_line(t, task, what->end_ns);
	out_printf(&t->line, "<... %s resumed>", what->call.def ? what->call.def->name : "?");
	put(t, task);
}

static bool has_fd(const struct strace_fds *s, uint64_t fd)
{
	return fd < STRACE_FDS ? s->bits[fd / 64] >> fd % 64 & 1 : s->others;
}

static bool is_dumped(const struct trace_strace *t, const struct syscall_call *c)
{
	const struct syscall_def *def = c->def;

	if (!def || !def->nr_args || def->args[0].kind != SYSCALL_ARG_FD || syscall_error(c))
		return false;
	for (uint32_t i = 1; i < def->nr_args; i++) {
		const struct syscall_arg *a = &def->args[i];

		if (a->kind == SYSCALL_ARG_BYTES || (a->kind == SYSCALL_ARG_STRUCT && a->type == SYSCALL_TYPE_IOVEC))
			return has_fd(a->direction == SYSCALL_IN ? &t->opts.writes : &t->opts.reads, c->args[0]);
	}
	return false;
}

static void end_call(struct trace_strace *t, uint32_t task, const struct traced *what)
{
	uint64_t took_ns = what->start_ns ? what->end_ns - what->start_ns : 0;
	uint32_t to = t->opts.result_column ? t->opts.result_column - 1 : 0, column;

	syscall_text_rest(&t->line, &what->call, t->tasks.v[task].first_arg, &t->opts.syscalls);
	column = t->tasks.v[task].column + (uint32_t)t->line.len;
	if (column < to)
		out_spaces(&t->line, (int)(to - column));
	out_str(&t->line, " = ");
	if (t->opts.is_whole && syscall_log_makes_fd(t->log, what))
		syscall_log_apply(t->log, what);
	syscall_text_result(&t->line, &what->call, &t->opts.syscalls);
	if (t->opts.shows_duration && what->call.has_ended) {
		out_printf(&t->line, " <%llu", (unsigned long long)(took_ns / NS_PER_SEC));
		put_fraction(t, took_ns, t->opts.duration_digits);
		out_char(&t->line, '>');
	}
	out_char(&t->line, '\n');
	if (is_dumped(t, &what->call))
		syscall_text_dump(&t->line, &what->call, &t->opts.syscalls);
	put(t, task);
	t->tasks.v[task].has_begun = t->tasks.v[task].is_superseded = false;
	t->open = STRACE_NO_TASK;
}

/* Tracing ends in the middle of it. A line that another one has cut is complete. */
static void detach_call(struct trace_strace *t, uint32_t task, const struct traced *what)
{
	bool is_cut = t->tasks.v[task].has_begun && t->open != task && !t->opts.open_task;

	if (!t->tasks.v[task].has_begun)
		begin_call(t, task, what);
	t->tasks.v[task].has_begun = false;
	if (is_cut)
		return;
	out_str(&t->line, " <detached ...>\n");
	put(t, task);
	t->open = STRACE_NO_TASK;
}

static void take_call(struct trace_strace *t, uint32_t task, const struct traced *what)
{
	if (what->is_pending) {
		detach_call(t, task, what);
		return;
	}
	if (!t->tasks.v[task].has_begun)
		begin_call(t, task, what);
	else if (t->tasks.v[task].is_superseded || (t->open != task && !t->opts.open_task))
		resume_call(t, task, what);
	end_call(t, task, what);
}

/* ---- signals and ends ---- */

static void take_signal(struct trace_strace *t, uint32_t task, const struct traced *what)
{
	const struct syscall_memory *info = what->call.nr_memory ? &what->call.memory[0] : NULL;

	/* Where another signal ends a process, the kernel delivers SIGKILL to its threads: their end says which it was. */
	if (what->signal == SIGKILL && !(info && info->size))
		return;
	if (what->signal >= 1 && what->signal <= 64 && t->opts.hidden_signals >> (what->signal - 1) & 1)
		return;
	begin_line(t, task, what->end_ns);
	syscall_text_signal(&t->line, what->signal, info, &t->opts.syscalls);
	out_char(&t->line, '\n');
	put(t, task);
}

/* The call of the other thread goes on under this number. */
static void supersede(struct trace_strace *t, uint32_t task, const struct traced *what)
{
	uint32_t by = task_of(t, what->superseded_by);
	struct strace_task *from = &t->tasks.v[by], *to = &t->tasks.v[task];

	begin_line(t, task, what->end_ns);
	out_printf(&t->line, "+++ superseded by execve in pid %d +++\n", what->superseded_by);
	put(t, task);
	to->has_begun = to->is_superseded = from->has_begun;
	to->nr = from->nr;
	to->first_arg = from->first_arg;
	if (t->opts.open_task && from->has_begun) {
		out_printf(&t->line, " <pid changed to %d ...>\n", to->tid);
		put(t, by);
	}
	from->has_begun = false;
}

static void take_exit(struct trace_strace *t, uint32_t task, const struct traced *what)
{
	int sig = what->status & 0x7f;
	const char *name = sig ? sigabbrev_np(sig) : NULL;

	if (what->superseded_by) {
		supersede(t, task, what);
		return;
	}
	if (sig || t->opts.shows_exits) {
		begin_line(t, task, what->end_ns);
		if (name)
			out_printf(&t->line, "+++ killed by SIG%s%s +++\n", name, what->status & 0x80 ? " (core dumped)" : "");
		else if (sig)
			out_printf(&t->line, "+++ killed by SIG_%d +++\n", sig);
		else
			out_printf(&t->line, "+++ exited with %d +++\n", what->status >> 8 & 0xff);
		put(t, task);
	}
	if (t->opts.close_task && t->tasks.v[task].o)
		t->opts.close_task(t->opts.ctx, t->tasks.v[task].o);
	t->tasks.v[task] = (struct strace_task){ .tid = what->task->tid, .was_open = true };
}

/* A string on a page that was not there yet is read when the call ends: the line waits for it. */
static bool is_complete(const struct syscall_call *c)
{
	for (uint32_t i = 0; i < c->nr_memory; i++)
		if (c->memory[i].has_failed)
			return false;
	return true;
}

/* The end of its call was lost: what comes now belongs to another one. */
static void forget_begun(struct trace_strace *t, uint32_t task)
{
	if (t->opts.open_task || t->open == task) {
		out_str(&t->line, " <unfinished ...>\n");
		put(t, task);
		t->open = STRACE_NO_TASK;
	}
	t->tasks.v[task].has_begun = false;
}

struct out *trace_strace_take(struct trace_strace *t, const struct traced *what)
{
	uint32_t task = task_of(t, what->task->tid);

	t->task = what->task;
	t->opts.syscalls.raw = (what->kind == TRACED_CALL || what->kind == TRACED_ENTER) && t->opts.raw.is_chosen &&
			       syscall_set_has(&t->opts.raw, what->call.abi, what->call.nr);
	switch (what->kind) {
	case TRACED_ENTER:
		if (t->tasks.v[task].has_begun)
			forget_begun(t, task);
		if (!t->opts.is_whole && is_complete(&what->call))
			begin_call(t, task, what);
		break;
	case TRACED_CALL:
		if (t->tasks.v[task].has_begun && t->tasks.v[task].nr != what->call.nr)
			forget_begun(t, task);
		take_call(t, task, what);
		break;
	case TRACED_SIGNAL:
		take_signal(t, task, what);
		break;
	case TRACED_EXIT:
		take_exit(t, task, what);
		break;
	}
	return t->opts.open_task ? t->tasks.v[task].o : t->o;
}

void trace_strace_fini(struct trace_strace *t)
{
	if (t->open != STRACE_NO_TASK) {
		out_str(&t->line, " <detached ...>\n");
		put(t, t->open);
	}
	for (uint32_t i = 0; i < t->tasks.nr; i++)
		if (t->opts.close_task && t->tasks.v[i].o)
			t->opts.close_task(t->opts.ctx, t->tasks.v[i].o);
	vec_fini(&t->tasks);
	hindex_fini(&t->task_index);
	out_fini(&t->line);
}
