/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the records of a session to lines and sums: the filter is asked, and one of three shapes writes what passes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/trace.h"
#include "kernel/tasks.h"
#include "model/syscall_log.h"
#include "view/trace_event.h"
#include "view/trace_json.h"
#include "view/trace_summary.h"
#include "view/trace_text.h"

struct shower {
	struct trace_command *c;
	struct session *session;
	struct syscall_log log;
	struct out o;
	struct trace_text text;
	struct trace_strace strace;
	struct trace_json json;
	bool is_own;	/* all that is traced was started here */
	bool has_asked; /* what processes have open */
	char comm[64];	/* of a task that is not traced */
	struct errbuf *eb;
	int err; /* of a file of -ff */
};

/* ---- what the kernel says of descriptors ---- */

static bool read_fd_path(void *ctx, int32_t pid, int fd, char *path, size_t size)
{
	const struct shower *s = ctx;
	char link[64];
	ssize_t len;

	/* What the command was started with is ours. What became of it since is known by its calls, /proc may be ahead of them. */
	if (s->is_own && fd >= 0 && !(fcntl(fd, F_GETFD) & FD_CLOEXEC))
		pid = getpid();
	if (fd == SYSCALL_CWD)
		snprintf(link, sizeof(link), "/proc/%d/cwd", pid);
	else
		snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, fd);
	len = readlink(link, path, size - 1);
	if (len <= 0)
		return false;
	path[len] = 0;
	return true;
}

static char *resolve_links(const char *path)
{
	/* These lead to files of the process that asks, which is not the one that opened them. */
	if (!strncmp(path, "/proc/", 6) || !strncmp(path, "/dev/fd", 7) || !strncmp(path, "/dev/std", 8))
		return NULL;
	return realpath(path, NULL);
}

/* What a process that runs has open: asked for when tracing begins, because it may have ended when its first line is written. */
static void ask_open_files(struct shower *s, int32_t pid)
{
	const struct task task = { .pid = pid, .tid = pid };
	char path[64];
	const struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir)))
		if (*e->d_name != '.')
			syscall_log_path(&s->log, &task, atoi(e->d_name));
	if (dir)
		closedir(dir);
	syscall_log_path(&s->log, &task, SYSCALL_CWD);
}

static void ask_all_open_files(struct shower *s)
{
	const struct trace_command *c = s->c;
	bool are_shown = c->shape != TRACE_SHAPE_STRACE || c->strace.syscalls.show_fds || trace_filter_has_paths(&c->filter);
	struct task_ids ids = { 0 };
	struct errbuf eb = { 0 };

	s->has_asked = true;
	/* Where calls that open and close are not traced, a path is asked for when it is shown. */
	if (!s->log.read_fd || s->log.is_partial || !are_shown || c->summary_only)
		return;
	if (c->o.pids)
		task_ids_parse(&ids, c->o.pids, "-p", &eb);
	if (c->o.tids)
		task_ids_parse(&ids, c->o.tids, "-t", &eb);
	for (uint32_t i = 0; i < ids.ids.nr; i++) {
		pid_t pid = task_find_process(ids.ids.v[i]);

		if (pid > 0)
			ask_open_files(s, pid);
	}
	task_ids_fini(&ids);
}

/* ---- sums ---- */

void trace_sums_init(struct trace_command *c)
{
	bool is_total = c->shape == TRACE_SHAPE_STRACE || (c->summary_mode && !strcmp(c->summary_mode, "total"));

	syscall_sums_init(&c->sums, syscall_native_abi(), is_total);
}

void trace_print_summary(struct trace_command *c, struct out *o)
{
	const struct trace_summary_options opts = { .has_histograms = c->histograms, .has_errors = c->errno_summary };

	syscall_sums_sort(&c->sums);
	if (c->shape == TRACE_SHAPE_STRACE)
		strace_summary_text(o, &c->sums, &c->strace_summary);
	else
		trace_summary_text(o, &c->sums, &opts);
	syscall_sums_fini(&c->sums);
}

static void add_to_sums(struct shower *s, const struct traced *t)
{
	bool is_32 = t->call.abi == SYSCALL_I386 && s->log.abi != SYSCALL_I386;

	syscall_sums_add_call(&s->c->sums, t->task->pid, t->task->tid, machine_comm(&s->session->machine, t->task),
			      t->call.nr | (is_32 ? SYSCALL_NR_32 : 0), t->start_ns ? t->end_ns - t->start_ns : 0,
			      -syscall_error(&t->call));
}

/* ---- lines ---- */

/* -ff: FILE.TID */
int trace_cannot_write(const struct trace_command *c, int err, struct errbuf *eb)
{
	/* A reader that has seen enough is no failure. */
	if (err == -EPIPE)
		return err;
	return errbuf_set(eb, err, "cannot write %s: %s", c->output ? c->output : "to standard output", strerror(-err));
}

static struct out *open_task(void *ctx, int tid, bool has_lines)
{
	struct shower *s = ctx;
	char *path = mem_printf("%s.%d", s->c->output, tid);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (s->c->appends || has_lines ? O_APPEND : O_TRUNC), 0666);
	struct out *o = NULL;

	if (fd >= 0) {
		o = mem_zalloc(sizeof(*o));
		out_init(o, fd);
	} else if (!s->err) {
		s->err = errbuf_set(s->eb, -errno, "cannot create %s: %s", path, strerror(errno));
	}
	free(path);
	return o;
}

static void close_task(void *ctx, struct out *o)
{
	struct shower *s = ctx;
	int fd = o->fd, err = out_fini(o);

	if (err && !s->err)
		s->err = errbuf_set(s->eb, err, "cannot write %s.*: %s", s->c->output, strerror(-err));
	close(fd);
	free(o);
}

static int64_t wall_offset(const struct perfdata_info *info, bool is_live)
{
	struct timespec wall, records;

	if (!is_live)
		return (int64_t)(info->clock_tod_ns - info->clock_ref_ns);
	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_MONOTONIC, &records);
	return (int64_t)(wall.tv_sec - records.tv_sec) * (int64_t)NS_PER_SEC + wall.tv_nsec - records.tv_nsec;
}

static bool has_several_targets(const struct trace_command *c)
{
	return (c->o.tids && (c->o.workload || strchr(c->o.tids, ','))) || c->input;
}

static const char *comm_of_tid(void *ctx, int tid)
{
	struct shower *s = ctx;
	const struct task *task = task_table_find(&s->session->machine.tasks, tid);
	char path[64];
	FILE *f;

	if (task || !s->log.read_fd)
		return task ? machine_comm(&s->session->machine, task) : NULL;
	/* A task that is not traced, but runs. */
	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	f = fopen(path, "re");
	if (!f)
		return NULL;
	if (!fgets(s->comm, sizeof(s->comm), f))
		s->comm[0] = 0;
	fclose(f);
	s->comm[strcspn(s->comm, "\n")] = 0;
	return s->comm[0] ? s->comm : NULL;
}

static void start_strace(struct shower *s, int out_fd, bool is_live)
{
	struct strace_options opts = s->c->strace;

	opts.wall_offset_ns = wall_offset(s->session->recording.info, is_live);
	opts.is_whole = !s->log.has_enters;
	if (s->c->separate || (s->c->no_inherit && !has_several_targets(s->c)))
		opts.tasks = STRACE_NO_TASKS;
	else if (!is_live || out_fd != STDERR_FILENO)
		opts.tasks = STRACE_ALL_TASKS;
	else
		opts.tasks = STRACE_SEVERAL_TASKS;
	opts.shows_attached &= is_live && out_fd == STDERR_FILENO && !s->c->separate;
	opts.own_tid = getpid();
	opts.comm_of = comm_of_tid;
	opts.comm_ctx = s;
	if (s->c->separate) {
		opts.open_task = open_task;
		opts.close_task = close_task;
		opts.ctx = s;
	}
	trace_strace_init(&s->strace, &opts, &s->o, &s->log);
}

static void start_text(struct shower *s, int out_fd)
{
	const struct trace_command *c = s->c;

	trace_text_init(&s->text, &s->o, &s->session->machine, &s->log, SYSCALL_PERF);
	if (c->data_bytes != TRACE_DATA_NOT_GIVEN)
		s->text.syscalls.max_string = (uint32_t)c->data_bytes;
	s->text.shows_cpu = c->show_cpu;
	if (c->absolute_times)
		s->text.clock = TRACE_ABSOLUTE;
	s->text.syscalls.is_coloured = c->colour == TRACE_COLOUR_ALWAYS || (c->colour == TRACE_COLOUR_AUTO && out_is_colourful(out_fd));
}

static void start_json(struct shower *s)
{
	trace_json_init(&s->json, &s->o, &s->session->machine, &s->log, &s->c->stacks);
	if (s->c->data_bytes != TRACE_DATA_NOT_GIVEN)
		s->json.syscalls.max_string = (uint32_t)s->c->data_bytes;
}

static void put_line(struct shower *s, const struct traced *t, uint32_t stack)
{
	struct out *o = &s->o;

	if (s->c->shape == TRACE_SHAPE_STRACE)
		o = trace_strace_take(&s->strace, t);
	else if (s->c->shape == TRACE_SHAPE_JSON)
		trace_json_line(&s->json, t, stack);
	else
		trace_text_line(&s->text, t);
	/* Below the line of a call. */
	if (stack != STACK_NONE && o && s->c->shape != TRACE_SHAPE_JSON)
		trace_stack_put(&s->c->stacks, o, stack);
}

static void end_lines(struct shower *s)
{
	if (s->c->shape == TRACE_SHAPE_STRACE)
		trace_strace_fini(&s->strace);
	else if (s->c->shape == TRACE_SHAPE_JSON)
		trace_json_fini(&s->json);
}

/* ---- records ---- */

static bool is_in_time(const struct trace_command *c, const struct traced *t)
{
	uint64_t at_ns = t->start_ns ? t->start_ns : t->end_ns;

	for (uint32_t i = 0; i < c->in.filter.times.nr; i++)
		if (at_ns >= c->in.filter.times.v[i].from_ns && at_ns <= c->in.filter.times.v[i].to_ns)
			return true;
	return !c->in.filter.times.nr;
}

static bool is_wanted(struct shower *s, const struct traced *t)
{
	/* A recording has signals for the other shapes; perf trace shows none. */
	if (s->c->shape == TRACE_SHAPE_PERF && t->kind == TRACED_SIGNAL)
		return false;
	return trace_filter_begins(&s->c->filter, &s->log, t, machine_comm(&s->session->machine, t->task)) &&
	       trace_filter_ends(&s->c->filter, t) && is_in_time(s->c, t);
}

/* strace shows what a new descriptor stands for behind the result; arguments were written before the call. */
static bool is_applied_first(struct shower *s, const struct traced *t)
{
	return s->log.has_enters && t->kind == TRACED_CALL && t->call.def && (t->nr_files == 2 || syscall_log_makes_fd(&s->log, t));
}

static void show(struct shower *s, const struct traced *t, uint32_t stack)
{
	if (!s->c->summary_only)
		put_line(s, t, stack);
	/* A call without a result, as that of a task that ends by it, is in no sum, as in those of the kernel. */
	if (t->kind == TRACED_CALL && trace_has_summary(s->c) && t->call.has_ended)
		add_to_sums(s, t);
	s->c->nr_shown += t->kind == TRACED_CALL;
}

static void take(struct shower *s, const struct session_record *sr, const struct traced *t)
{
	uint32_t stack = t->kind == TRACED_CALL ? trace_stack_of(&s->c->stacks, sr) : STACK_NONE;
	bool wanted = is_wanted(s, t) && (t->kind != TRACED_CALL || trace_stack_depth(&s->c->stacks, stack) >= s->c->min_stack);
	bool first = is_applied_first(s, t);

	if (first)
		syscall_log_apply(&s->log, t);
	if (wanted)
		show(s, t, stack);
	if (!first && t->kind != TRACED_ENTER)
		syscall_log_apply(&s->log, t);
}

/* Its stack is below it, as those of calls are. strace knows no events. */
static void show_event(struct shower *s, const struct session_record *sr)
{
	const struct traced what = { .kind = TRACED_EXIT, .task = sr->task, .end_ns = sr->time_ns };
	uint32_t stack = STACK_NONE;
	bool is_added;

	if (s->c->shape == TRACE_SHAPE_STRACE || !is_wanted(s, &what))
		return;
	/* Sums have their own. */
	if (!s->c->summary_only || s->c->min_stack) {
		trace_stack_trim(&s->c->stacks);
		stack = trace_stack_has(sr) ? trace_stack_of(&s->c->stacks, sr) : STACK_NONE;
	}
	if (trace_stack_depth(&s->c->stacks, stack) < s->c->min_stack)
		return;
	is_added = trace_faults_add(s->c, s->session, sr);
	if (s->c->summary_only) {
		s->c->nr_shown += is_added;
		return;
	}
	s->c->nr_shown++;
	if (s->c->shape == TRACE_SHAPE_JSON) {
		trace_json_event(&s->json, &s->session->recording, sr, stack);
		return;
	}
	trace_event_line(&s->text, &s->c->stacks.profile, sr);
	if (stack != STACK_NONE)
		trace_stack_put(&s->c->stacks, &s->o, stack);
}

static bool is_call(const struct shower *s, const struct session_record *sr)
{
	return sr->event == s->log.call_event || sr->event == s->log.enter_event || sr->event == s->log.exit_event;
}

/* False: it is no matter of system calls that are shown. */
static bool see_event(struct shower *s, const struct session_record *sr, const struct traced *t, bool is_there)
{
	enum trace_events_verdict v;

	if (sr->header->type != RECORD_SAMPLE)
		return is_there;
	v = trace_events_see(&s->c->events, &s->session->recording, sr, is_call(s, sr));
	if (v == TRACE_EVENT_SHOWN)
		show_event(s, sr);
	if (v == TRACE_EVENT_HIDDEN && is_there && t->kind != TRACED_ENTER)
		syscall_log_apply(&s->log, t);
	return is_there && v == TRACE_EVENT_CALL;
}

static int take_all(struct shower *s)
{
	struct session_record sr;
	struct traced t = { 0 };
	bool is_there;
	int ret;

	while ((ret = session_next(s->session, &sr, s->eb)) > 0) {
		/* The programs are attached then: what is opened and closed from here on, calls say. */
		if (!s->has_asked && (sr.header->type == RECORD_FINISHED_ROUND || sr.header->type == RECORD_SAMPLE))
			ask_all_open_files(s);
		/* At the end of a batch the reader sees what there is. */
		if (sr.header->type == RECORD_FINISHED_ROUND && (ret = out_flush(&s->o))) {
			trace_cannot_write(s->c, ret, s->eb);
			break;
		}
		is_there = syscall_log_take(&s->log, &sr, &t);
		if ((!is_there || t.kind == TRACED_ENTER) && sr.header->type == RECORD_SAMPLE && sr.event == s->log.call_event && sr.task &&
		    trace_stack_has(&sr))
			trace_stack_keep(&s->c->stacks, &sr);
		if (see_event(s, &sr, &t, is_there))
			take(s, &sr, &t);
		if (s->err)
			return s->err;
		if (s->o.error || (s->c->max_events && s->c->nr_shown == s->c->max_events))
			break;
	}
	return ret;
}

/* What the log is asked for, and what it has to find out. */
static void start_log(struct shower *s, char *cwd, bool is_live)
{
	const struct trace_command *c = s->c;
	bool kernel_chooses = c->tracing.set || c->tracing.only_failed || c->tracing.only_succeeded || c->tracing.min_duration_ns;

	syscall_log_init(&s->log, &s->session->recording);
	if (is_live)
		s->log.read_fd = read_fd_path;
	else
		open_files_limit(&s->log.files, s->session->source->present_bytes);
	s->log.read_fd_ctx = s;
	s->log.cwd = cwd;
	s->log.is_partial = is_live && c->o.syscalls && kernel_chooses && !c->follows_files;
	s->log.has_enters = is_live && c->shape == TRACE_SHAPE_STRACE && !c->summary_only && !trace_asks_results(c);
	/* strace shows what the kernel says is open. */
	if (is_live && c->shape == TRACE_SHAPE_STRACE)
		s->log.resolve = resolve_links;
}

static void say_losses(const struct shower *s, bool is_live)
{
	cmd_warn_lost(recording_lost(&s->session->recording));
	if (s->log.files.work.is_exhausted)
		log_warn("paths of descriptors are left out from some call on: following them through all forks and execs takes too long");
	if (s->log.nr_unpaired && !is_live)
		log_info("%llu calls began before they were recorded", (unsigned long long)s->log.nr_unpaired);
}

int trace_show(struct trace_command *c, struct session *session, int out_fd, bool is_live, struct errbuf *eb)
{
	struct shower s = { .c = c, .session = session, .eb = eb };
	const struct capture_options *t = &c->o;
	char *cwd;
	int ret, err;

	s.is_own = is_live && t->workload && !t->all_cpus && !t->cpus && !t->pids && !t->tids && !t->user;
	cwd = s.is_own ? getcwd(NULL, 0) : NULL;

	out_init(&s.o, out_fd);
	start_log(&s, cwd, is_live);
	trace_stack_init(&c->stacks, &session->machine, &session->recording,
			 c->shape == TRACE_SHAPE_STRACE ? SYSCALL_STRACE : SYSCALL_PERF);
	c->stacks.max_frames = (uint32_t)c->max_stack;
	if (c->counts_cpu && trace_has_summary(c))
		log_warn(
			"times of the sums are from the beginning to the end of calls, as with -w: only -c without filters by result or path "
			"counts the time on a CPU");
	trace_sums_init(c);
	if (c->shape == TRACE_SHAPE_STRACE)
		start_strace(&s, out_fd, is_live);
	else if (c->shape == TRACE_SHAPE_JSON)
		start_json(&s);
	else
		start_text(&s, out_fd);
	ret = trace_faults_start(c, session, eb);
	ret = ret ? ret : take_all(&s);
	end_lines(&s);
	c->sums.abi = s.log.abi;
	if (trace_has_summary(c) && (!c->fault_profile || trace_events_has_calls(&c->events)))
		trace_print_summary(c, &s.o);
	trace_faults_print(c, &s.o);
	err = out_fini(&s.o);
	say_losses(&s, is_live);
	syscall_log_fini(&s.log);
	trace_stack_fini(&c->stacks);
	free(cwd);
	return ret < 0 ? ret : err ? trace_cannot_write(c, err, eb) : 0;
}
