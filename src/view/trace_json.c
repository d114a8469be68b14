/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The keys of an object. Times are whole nanoseconds and values of arguments are strings of hexadecimal digits: numbers of JSON readers are
 * often doubles.
 */
#include "view/trace_json.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "view/chain_json.h"

static const char *path_of_fd(void *ctx, int fd)
{
	struct trace_json *t = ctx;

	return syscall_log_path(t->log, t->task, fd);
}

void trace_json_init(struct trace_json *t, struct out *o, const struct machine *m, struct syscall_log *log, struct trace_stack *stacks)
{
	memset(t, 0, sizeof(*t));
	t->o = o;
	t->machine = m;
	t->log = log;
	t->stacks = stacks;
	t->syscalls =
		(struct syscall_text_options){ .shape = SYSCALL_STRACE, .max_string = 32, .show_fds = 1, .fd_path = path_of_fd, .ctx = t };
	out_init(&t->text, -1);
}

void trace_json_fini(struct trace_json *t)
{
	out_fini(&t->text);
}

static void put_text(struct trace_json *t, struct json *j, const char *key)
{
	json_key(j, key);
	json_str_len(j, t->text.buf, t->text.len);
	t->text.len = 0;
}

static void put_args(struct trace_json *t, struct json *j, const struct syscall_call *c)
{
	uint32_t nr = syscall_text_nr_args(c, &t->syscalls);

	json_put_array(j, "args");
	for (uint32_t i = 0; i < nr; i++) {
		json_object(j);
		if (c->def)
			json_put_str(j, "name", c->def->args[i].name);
		syscall_text_arg(&t->text, c, i, &t->syscalls);
		put_text(t, j, "text");
		json_put_hex(j, "value", c->args[i]);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_call(struct trace_json *t, struct json *j, const struct traced *what)
{
	const struct syscall_call *c = &what->call;
	int error = syscall_error(c);
	char name[32];

	if (!c->def)
		snprintf(name, sizeof(name), "syscall_%#x", c->nr);
	json_put_str(j, "name", c->def ? c->def->name : name);
	json_put_u64(j, "nr", c->nr);
	if (c->abi == SYSCALL_I386 && t->log->abi != SYSCALL_I386)
		json_put_bool(j, "is_32_bit", true);
	put_args(t, j, c);
	if (what->began_before)
		json_put_bool(j, "began_before", true);
	if (what->is_pending)
		json_put_bool(j, "is_pending", true);
	if (what->is_pending && what->start_ns)
		json_put_u64(j, "duration_ns", what->end_ns - what->start_ns);
	if (!c->has_ended)
		return;
	/* What the arguments were before, the result is now. */
	if (syscall_log_makes_fd(t->log, what))
		syscall_log_apply(t->log, what);
	json_put_i64(j, "result", c->result);
	json_put_str_or_null(j, "errno", error ? syscall_error_name(error) : NULL);
	syscall_text_result(&t->text, c, &t->syscalls);
	put_text(t, j, "result_text");
	if (what->start_ns)
		json_put_u64(j, "duration_ns", what->end_ns - what->start_ns);
}

static void put_signal_name(struct json *j, const char *key, int sig)
{
	char name[32];

	if (sigabbrev_np(sig))
		snprintf(name, sizeof(name), "SIG%s", sigabbrev_np(sig));
	else
		snprintf(name, sizeof(name), "SIG_%d", sig);
	json_put_str(j, key, name);
}

static void put_end(struct json *j, const struct traced *what)
{
	int status = what->status;

	if (what->superseded_by)
		json_put_i64(j, "superseded_by", what->superseded_by);
	else if (status & 0x7f)
		put_signal_name(j, "killed_by", status & 0x7f);
	else
		json_put_i64(j, "status", status >> 8 & 0xff);
}

static void begin(struct trace_json *t, struct json *j, const char *event, const struct traced *what)
{
	t->task = what->task;
	json_init(j, t->o, false);
	json_object(j);
	json_put_str(j, "event", event);
	json_put_u64(j, "time_ns", what->start_ns ? what->start_ns : what->end_ns);
	json_put_i64(j, "pid", what->task->pid);
	json_put_i64(j, "tid", what->task->tid);
	json_put_str(j, "comm", machine_comm(t->machine, what->task));
	if (what->cpu != UINT32_MAX)
		json_put_u64(j, "cpu", what->cpu);
}

static void end(struct trace_json *t, struct json *j, uint32_t stack)
{
	if (stack != STACK_NONE) {
		json_put_array(j, "chain");
		chain_json_stack(j, &t->stacks->profile, stack, t->stacks->max_frames ? t->stacks->max_frames : UINT32_MAX);
		json_array_end(j);
	}
	json_object_end(j);
	out_char(t->o, '\n');
}

void trace_json_event(struct trace_json *t, const struct recording *r, const struct session_record *sr, uint32_t stack)
{
	const struct perfdata_event *event = &r->info->events.v[sr->event];
	const struct traced what = { .task = sr->task, .end_ns = sr->time_ns, .cpu = sr->rec.sample.cpu };
	const char *text = recording_trace_text(r, sr);
	struct json j;

	begin(t, &j, event->name, &what);
	if (event->attr.sample_type & SAMPLE_ADDR && event->attr.type == ATTR_TYPE_SOFTWARE)
		json_put_hex(&j, "addr", sr->rec.sample.addr);
	if (event->attr.sample_type & SAMPLE_IP)
		json_put_hex(&j, "ip", sr->rec.sample.ip);
	if (text)
		json_put_str(&j, "text", text);
	end(t, &j, stack);
}

void trace_json_line(struct trace_json *t, const struct traced *what, uint32_t stack)
{
	static const char *const events[] = { [TRACED_CALL] = "call", [TRACED_SIGNAL] = "signal", [TRACED_EXIT] = "exit" };
	struct json j;

	if (what->kind == TRACED_ENTER)
		return;
	begin(t, &j, events[what->kind], what);
	if (what->kind == TRACED_CALL)
		put_call(t, &j, what);
	else if (what->kind == TRACED_SIGNAL)
		put_signal_name(&j, "signal", what->signal);
	else
		put_end(&j, what);
	end(t, &j, stack);
}
