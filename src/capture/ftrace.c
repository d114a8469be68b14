/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Signals wait in the run loop from before the instance exists until it is gone, so that every end but that by SIGKILL passes through here.
 */
#include "capture/ftrace.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/log.h"
#include "bpf/loader.h"
#include "capture/run_loop.h"
#include "capture/target.h"
#include "kernel/trace_functions.h"
#include "kernel/trace_instance.h"

#define LOOK_EVERY_NS (100 * NS_PER_MS)
#define READ_BYTES (64u << 10)
#define READS_AT_ONCE 256 /* then signals are looked at */

struct ftrace_run {
	const struct ftrace_options *o;
	const char *tracer;
	struct run_loop loop;
	struct target target;
	struct trace_instance instance;
	int pipe_fd;
	int (*text)(void *ctx, const char *data, size_t size);
	void *ctx;
	struct errbuf *eb;
	char buf[READ_BYTES];
};

void ftrace_options_init(struct ftrace_options *o)
{
	*o = (struct ftrace_options){ 0 };
	capture_options_init(&o->target);
}

void ftrace_options_fini(struct ftrace_options *o)
{
	vec_fini(&o->trace.v);
	vec_fini(&o->notrace.v);
	vec_fini(&o->graph.v);
	vec_fini(&o->nograph.v);
	capture_options_fini(&o->target);
}

/* ---- settings ---- */

static bool is_graph(const struct ftrace_run *r)
{
	return !strcmp(r->tracer, "function_graph");
}

static int choose_tracer(struct ftrace_run *r)
{
	struct errbuf why;
	int err;

	r->tracer = r->o->tracer ? r->o->tracer : "function_graph";
	errbuf_clear(&why);
	err = trace_instance_choose(&r->instance, r->tracer, &why);
	if (err == -ENOTSUP && !r->o->tracer) {
		r->tracer = "function";
		err = trace_instance_choose(&r->instance, r->tracer, r->eb);
	} else if (err) {
		errbuf_set(r->eb, err, "%s", why.text);
	}
	return err;
}

static int add_functions(struct ftrace_run *r, const char *file, const struct ftrace_words *words)
{
	for (uint32_t i = 0; i < words->v.nr; i++) {
		const char *word = words->v.v[i];
		int err = trace_instance_add(&r->instance, file, word, r->eb);

		if (err == -EINVAL || err == -ENOENT)
			return trace_function_unknown(r->instance.root, word, r->eb);
		if (err == -EPERM || err == -EACCES)
			return trace_functions_refused(err, word, r->eb);
		if (err)
			return errbuf_set(r->eb, err, "cannot write '%s' to %s: %s", word, file, strerror(-err));
	}
	return 0;
}

static int set_functions(struct ftrace_run *r)
{
	int err = add_functions(r, "set_ftrace_filter", &r->o->trace);

	if (!err)
		err = add_functions(r, "set_ftrace_notrace", &r->o->notrace);
	if (!err)
		err = add_functions(r, "set_graph_function", &r->o->graph);
	return err ? err : add_functions(r, "set_graph_notrace", &r->o->nograph);
}

static int add_task(struct ftrace_run *r, const char *file, pid_t tid)
{
	char text[16];
	int err;

	snprintf(text, sizeof(text), "%d", tid);
	err = trace_instance_add(&r->instance, file, text, r->eb);
	if (err == -EPERM || err == -EACCES)
		return trace_functions_refused(err, file, r->eb);
	return err && err != -ESRCH ? errbuf_set(r->eb, err, "cannot write %d to %s: %s", tid, file, strerror(-err)) : 0;
}

/* Everything but ourselves, who would trace the reading of what was traced; or these tasks. */
static int set_tasks(struct ftrace_run *r)
{
	struct errbuf *eb = r->eb, ignored;
	int err = 0;

	if (r->target.kind == TARGET_CPUS) {
		errbuf_clear(&ignored);
		r->eb = &ignored; /* Linux 5.8 has it */
		add_task(r, "set_ftrace_notrace_pid", getpid());
		r->eb = eb;
		return 0;
	}
	if (bpf_pid_namespace())
		return errbuf_set(
			eb, -ENOTSUP,
			"the kernel's tracers know tasks by the numbers of the first PID namespace, and this is another one: run it "
			"outside, or trace all tasks with -a");
	for (uint32_t i = 0; !err && i < r->target.tasks.ids.nr; i++)
		err = add_task(r, "set_ftrace_pid", r->target.tasks.ids.v[i]);
	if (!err && r->o->inherit)
		err = trace_instance_set(&r->instance, "options/function-fork", "1", eb);
	return err;
}

/* As hexadecimal words of 32 bits, the highest first. */
static int set_cpus(struct ftrace_run *r)
{
	const struct cpu_list *l = &r->target.cpus;
	uint32_t nr_words = l->cpus.v[l->cpus.nr - 1] / 32 + 1;
	char *text = mem_alloc(nr_words * 9 + 1), *p = text;
	int err;

	for (uint32_t w = nr_words; w-- > 0;) {
		uint32_t mask = 0;

		for (uint32_t i = 0; i < l->cpus.nr; i++)
			if (l->cpus.v[i] / 32 == w)
				mask |= UINT32_C(1) << l->cpus.v[i] % 32;
		p += sprintf(p, "%08x%s", mask, w ? "," : "");
	}
	err = trace_instance_set(&r->instance, "tracing_cpumask", text, r->eb);
	free(text);
	return err;
}

static int set_number(struct ftrace_run *r, const char *file, uint64_t value)
{
	char text[24];
	int err;

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	err = trace_instance_set(&r->instance, file, text, r->eb);
	return err == -ENOENT ? errbuf_set(r->eb, err, "this kernel has no tracefs file %s, which this needs", file) : err;
}

/* `is_wanted` because of an option, not as the usual value: then it has to be there. */
static int set_flag(struct ftrace_run *r, const char *name, bool on, bool is_wanted)
{
	char file[TRACE_FILE_MAX];
	int err;

	snprintf(file, sizeof(file), "options/%s", name);
	err = trace_instance_set(&r->instance, file, on ? "1" : "0", r->eb);
	if (err != -ENOENT)
		return err;
	return is_wanted ? errbuf_set(r->eb, err, "the tracer '%s' of this kernel has no option '%s': it is older", r->tracer, name) : 0;
}

static int set_flags(struct ftrace_run *r)
{
	const struct ftrace_options *o = r->o;
	const struct {
		bool of_graph;
		const char *name;
		bool on;
		bool is_wanted;
	} flags[] = {
		{ false, "func_stack_trace", o->has_stacks, o->has_stacks },
		{ false, "irq-info", o->has_irq_info, o->has_irq_info },
		{ true, "funcgraph-cpu", true, false },
		{ true, "funcgraph-duration", true, false },
		{ true, "funcgraph-overhead", true, false },
		{ true, "funcgraph-proc", o->is_verbose, false },
		{ true, "funcgraph-abstime", o->is_verbose, false },
		{ true, "funcgraph-tail", o->has_tail, o->has_tail },
		{ true, "funcgraph-irqs", !o->no_irqs, o->no_irqs },
		{ true, "sleep-time", !o->no_sleep_time, o->no_sleep_time },
		{ true, "funcgraph-args", o->has_args, o->has_args },
		{ true, "funcgraph-retval", o->has_retval || o->has_retval_hex, o->has_retval || o->has_retval_hex },
		{ true, "funcgraph-retval-hex", o->has_retval_hex, o->has_retval_hex },
		{ true, "funcgraph-retaddr", o->has_retaddr, o->has_retaddr },
	};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].of_graph == is_graph(r))
			err = set_flag(r, flags[i].name, flags[i].on, flags[i].is_wanted);
	return err;
}

static int configure(struct ftrace_run *r)
{
	const struct ftrace_options *o = r->o;
	int err = choose_tracer(r);

	if (!err)
		err = set_functions(r);
	if (!err)
		err = set_tasks(r);
	if (!err && o->target.cpus)
		err = set_cpus(r);
	if (!err && o->buffer_kb)
		err = set_number(r, "buffer_size_kb", o->buffer_kb);
	if (!err)
		err = set_flags(r);
	if (!err && o->max_depth)
		err = set_number(r, "max_graph_depth", o->max_depth);
	if (!err && o->thresh_us)
		err = set_number(r, "tracing_thresh", o->thresh_us);
	if (!err)
		err = trace_instance_set_tracer(&r->instance, r->tracer, r->eb);
	if (!err && !o->tracer && !is_graph(r))
		log_warn("this kernel has no tracer 'function_graph': functions are traced without their durations");
	return err;
}

/* ---- the run ---- */

/* Hands on what is there; `all`: to the end. 0, or a negative errno. */
static int drain(struct ftrace_run *r, bool all)
{
	for (int i = 0; all || i < READS_AT_ONCE; i++) {
		ssize_t n = read(r->pipe_fd, r->buf, sizeof(r->buf));
		int err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 && (!n || errno == EAGAIN))
			return 0;
		if (n < 0)
			return errbuf_set(r->eb, -errno, "cannot read %s/trace_pipe: %s", trace_instance_dir(&r->instance),
					  strerror(errno));
		err = r->text(r->ctx, r->buf, (size_t)n);
		if (err)
			return err;
	}
	return 0;
}

/* The headings of the columns, which trace_pipe has not. */
static int put_head(struct ftrace_run *r)
{
	char path[PATH_MAX], *text;
	size_t size;
	int err;

	snprintf(path, sizeof(path), "%s/trace", trace_instance_dir(&r->instance));
	err = io_read_file(path, READ_BYTES, &text, &size);
	if (err)
		return errbuf_set(r->eb, err, "cannot read %s: %s", path, strerror(-err));
	err = r->text(r->ctx, text, size);
	free(text);
	return err;
}

/* `delay_end_ns`: tracing is switched on then; 0: it is on. */
static int follow(struct ftrace_run *r, uint64_t delay_end_ns)
{
	int err = 0;

	r->loop.notice_fd = r->pipe_fd;
	run_loop_take_signals(&r->loop);
	while (!err && !run_loop_has_ended(&r->loop)) {
		uint64_t next = clock_now_ns() + LOOK_EVERY_NS;

		run_loop_wait(&r->loop, delay_end_ns && delay_end_ns < next ? delay_end_ns : next);
		if (delay_end_ns && clock_now_ns() >= delay_end_ns) {
			delay_end_ns = 0;
			err = trace_instance_switch(&r->instance, true, r->eb);
		}
		if (!err)
			err = drain(r, false);
	}
	return err;
}

static int run(struct ftrace_run *r)
{
	const struct capture_options *target = &r->o->target;
	int err = 0, switch_err;

	if (target->workload)
		err = run_loop_prepare_workload(&r->loop, target->workload, false, r->eb);
	if (!err)
		err = target_init(&r->target, target, r->loop.workload.pid, r->eb);
	if (!err)
		err = trace_instance_open(&r->instance, r->eb);
	if (!err)
		err = configure(r);
	if (!err)
		err = put_head(r);
	if (!err)
		r->pipe_fd = err = trace_instance_open_pipe(&r->instance, r->eb);
	if (err < 0)
		return err;
	err = r->o->delay_ms ? 0 : trace_instance_switch(&r->instance, true, r->eb);
	if (!err && r->loop.workload.pid)
		err = workload_start(&r->loop.workload, r->eb);
	if (err)
		return err;
	if (r->target.kind == TARGET_TASKS && !r->loop.workload.pid)
		run_loop_watch(&r->loop, &r->target.tasks);
	err = follow(r, r->o->delay_ms ? clock_now_ns() + r->o->delay_ms * NS_PER_MS : 0);
	switch_err = trace_instance_switch(&r->instance, false, r->eb);
	if (!err)
		err = switch_err ? switch_err : drain(r, true);
	return err ? err : run_loop_status(&r->loop);
}

int ftrace_run(const struct ftrace_options *o, int (*text)(void *ctx, const char *data, size_t size), void *ctx, struct errbuf *eb)
{
	struct ftrace_run *r = mem_zalloc(sizeof(*r));
	int ret, err;

	r->o = o;
	r->text = text;
	r->ctx = ctx;
	r->eb = eb;
	r->pipe_fd = -1;
	ret = run_loop_init(&r->loop, NULL, NULL, eb);
	if (!ret)
		ret = run(r);
	if (r->pipe_fd >= 0)
		close(r->pipe_fd);
	err = trace_instance_close(&r->instance, eb);
	target_fini(&r->target);
	run_loop_fini(&r->loop);
	free(r);
	return err && ret >= 0 ? err : ret;
}
