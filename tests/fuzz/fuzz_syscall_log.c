/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Any samples of system calls, forks and ends of tasks, as a file may have them, joined to calls and written as lines, in both shapes. Besides
 * the sanitizers, what must hold is checked here: calls end after they begin, their memory is that of arguments, lines print.
 *
 * Input: options u8; then records: kind u8 (a call of BPF, sys_enter, sys_exit, fork, exit), task u8, time u8, size u16, raw bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "model/syscall_log.h"
#include "view/trace_text.h"

#define NR_TASKS 16
#define MAX_TEXT (64u << 20)

enum {
	OPTION_STRACE = 1,
	OPTION_LIVE = 2,
	OPTION_PARTIAL = 4,
	OPTION_CWD = 8,
	OPTION_OTHER_ARCH = 16,
	OPTION_ENTERS = 32,
	OPTION_DETAILS = 64
};

static bool made_up_path(void *ctx, int32_t pid, int fd, char *path, size_t size)
{
	(void)ctx;
	memset(path, 'a', size);
	path[0] = '/';
	path[(uint32_t)(pid * 7 + fd) % size] = 0;
	return fd % 3;
}

static void add_event(struct perfdata_info *info, const char *name)
{
	struct perfdata_event e = { .name = name, .attr = { .type = ATTR_TYPE_TRACEPOINT, .size = ATTR_SIZE_VER7 } };

	vec_push(&info->events, e);
}

static void check_traced(const struct traced *t)
{
	if (t->start_ns > t->end_ns || t->call.nr_memory > sizeof(t->call.memory) / sizeof(t->call.memory[0]))
		abort();
	for (uint32_t i = 0; i < t->call.nr_memory; i++)
		if (t->call.memory[i].arg >= SYSCALL_MAX_ARGS)
			abort();
}

static void check_prints(struct out *o)
{
	for (size_t i = 0; i < o->len; i++)
		if (((uint8_t)o->buf[i] < 0x20 && o->buf[i] != '\n') || (uint8_t)o->buf[i] > 0x7e)
			abort();
	o->len = 0;
}

struct fuzzed {
	struct machine machine;
	struct syscall_log log;
	struct trace_text text;
	struct out o;
	struct traced t;
	struct syscall_text_options details; /* with fd_file; or zeroed */
	uint64_t now_ns;
};

static bool file_of_fd(void *ctx, int fd, struct syscall_file *file)
{
	struct fuzzed *f = ctx;

	return f->t.task && syscall_log_file(&f->log, f->t.task, fd, file);
}

static const char *path_in_log(void *ctx, int fd)
{
	struct fuzzed *f = ctx;

	return f->t.task ? syscall_log_path(&f->log, f->t.task, fd) : NULL;
}

/* Descriptors that were described are written with all that is known of them. */
static void take(struct fuzzed *f, struct session_record *sr)
{
	if (!syscall_log_take(&f->log, sr, &f->t))
		return;
	check_traced(&f->t);
	trace_text_line(&f->text, &f->t);
	check_prints(&f->o);
	syscall_log_apply(&f->log, &f->t);
	if (f->details.fd_file && f->t.kind == TRACED_CALL) {
		syscall_text_call(&f->o, &f->t.call, &f->details);
		check_prints(&f->o);
	}
}

static void sample(struct fuzzed *f, uint32_t event, uint32_t task, const void *raw, size_t size)
{
	const struct record_header h = { .type = RECORD_SAMPLE, .size = sizeof(h) };
	struct session_record sr = { .header = &h, .event = (int32_t)event, .time_ns = f->now_ns };
	void *copy = malloc(size ? size : 1); /* of exactly its size */

	if (!copy)
		abort();
	memcpy(copy, raw, size);
	sr.task = task_table_get(&f->machine.tasks, (int32_t)(1 + task / 4 * 4), (int32_t)(1 + task));
	sr.rec.header = &h;
	sr.rec.sample.raw = copy;
	sr.rec.sample.raw_size = (uint32_t)size;
	take(f, &sr);
	free(copy);
}

static void task_record(struct fuzzed *f, bool is_fork, uint32_t task, uint32_t parent)
{
	const struct record_header h = { .type = is_fork ? RECORD_FORK : RECORD_EXIT, .size = sizeof(h) };
	struct session_record sr = { .header = &h, .event = 0, .time_ns = f->now_ns };

	sr.rec.header = &h;
	sr.rec.task.pid = 1 + task / 4 * 4;
	sr.rec.task.tid = 1 + task;
	sr.rec.task.ppid = 1 + parent / 4 * 4;
	sr.rec.task.ptid = 1 + parent;
	sr.task = task_table_get(&f->machine.tasks, (int32_t)sr.rec.task.pid, (int32_t)sr.rec.task.tid);
	take(f, &sr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct symbolizer_options symbols = { 0 };
	struct bytes b = bytes_of(data, size, false);
	uint8_t options = bytes_u8(&b);
	struct perfdata_info info;
	struct recording recording = { .info = &info };
	struct fuzzed *f = calloc(1, sizeof(*f));

	if (!f)
		abort();
	perfdata_info_init(&info);
	add_event(&info, "assay:sys_call");
	add_event(&info, "raw_syscalls:sys_enter");
	add_event(&info, "raw_syscalls:sys_exit");
	info.arch = options & OPTION_OTHER_ARCH ? "aarch64" : "x86_64";
	machine_init(&f->machine, &symbols);
	syscall_log_init(&f->log, &recording);
	f->log.read_fd = options & OPTION_LIVE ? made_up_path : NULL;
	f->log.is_partial = options & OPTION_PARTIAL;
	f->log.has_enters = options & OPTION_ENTERS;
	f->log.cwd = options & OPTION_CWD ? "/where/it/was" : NULL;
	out_init(&f->o, -1);
	trace_text_init(&f->text, &f->o, &f->machine, &f->log, options & OPTION_STRACE ? SYSCALL_STRACE : SYSCALL_PERF);
	if (options & OPTION_DETAILS) {
		f->details = f->text.syscalls;
		f->details.show_fds = SYSCALL_FD_ALL;
		f->details.fd_file = file_of_fd;
		f->details.fd_path = path_in_log;
		f->details.ctx = f;
	}
	f->now_ns = 1000;
	while (!b.failed && bytes_left(&b)) {
		uint8_t kind = bytes_u8(&b) % 5, task = bytes_u8(&b) % NR_TASKS;
		uint16_t raw_size;
		const void *raw;

		f->now_ns += bytes_u8(&b);
		raw_size = bytes_u16(&b);
		if (kind >= 3) {
			task_record(f, kind == 3, task, raw_size % NR_TASKS);
			continue;
		}
		raw = bytes_take(&b, raw_size);
		if (raw)
			sample(f, kind, task, raw, raw_size);
	}
	out_fini(&f->o);
	syscall_log_fini(&f->log);
	machine_fini(&f->machine);
	perfdata_info_fini(&info);
	free(f);
	return 0;
}
