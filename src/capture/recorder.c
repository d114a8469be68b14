/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The run of a recording: workload forked, events opened, file made, workload started, rings drained until the end, file finished, summary.
 * The main thread waits for signals, the workload and the drain.
 */
#include "capture/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "capture/header_info.h"
#include "capture/wall_samples.h"
#include "symbols/kernel_symbols.h"

#define MAX_TRIES 5
#define FIFO_WAIT_NS (100 * NS_PER_MS)

static int prepare_freq(struct recorder *r)
{
	struct event_config *c = &r->o->config;
	uint64_t wish = r->o->freq_max ? UINT64_MAX : c->freq;
	bool lowered = false;
	int err;

	if (c->period)
		return 0;
	err = event_clamp_freq(wish, r->o->strict_freq, &c->freq, &lowered, r->eb);
	if (err)
		return err;
	if (r->o->freq_max)
		log_warn("sampling at the highest rate that is allowed: %llu Hz", (unsigned long long)c->freq);
	else if (lowered)
		log_warn("the kernel allows at most %llu Hz: lowered from %llu Hz; raise it with 'sysctl "
			 "kernel.perf_event_max_sample_rate=%llu', or use --strict-freq to refuse",
			 (unsigned long long)c->freq, (unsigned long long)wish, (unsigned long long)wish);
	return 0;
}

/* What only whole CPUs can be asked for. */
static int check_events(const struct recorder *r)
{
	const struct event_list *l = &r->o->events;
	bool system_wide = target_kind_of(r->o) == TARGET_CPUS;

	for (uint32_t i = 0; i < l->events.nr && !system_wide; i++) {
		const struct event_spec *spec = &l->events.v[i];

		if (spec->cgroup)
			return errbuf_set(r->eb, -EINVAL, "-G %s: events of a cgroup are recorded on whole CPUs: add -a", spec->cgroup);
		if (spec->is_uncore)
			return errbuf_set(r->eb, -EINVAL, "'%s' counts for a device, not for tasks: 'assay stat -a -e %s' counts it",
					  spec->name, spec->name);
	}
	return 0;
}

static bool has_sample_reads(const struct event_list *l)
{
	for (uint32_t i = 0; i < l->events.nr; i++)
		if (l->events.v[i].sample_read)
			return true;
	return false;
}

/* What a BPF program can drop samples of; not tracepoints. */
static bool are_clocks(const struct event_list *l)
{
	for (uint32_t i = 0; i < l->events.nr; i++)
		if (l->events.v[i].attr.type != ATTR_TYPE_SOFTWARE)
			return false;
	return true;
}

/* The kernel takes events of tasks down and up at each switch, which costs a task as much as recording the switch. Where a BPF program does
 * that, clocks are open on whole CPUs, and the program says which samples are of the target. Other events (of `latency`) are of tasks. */
static bool is_open_on_cpus(const struct recorder *r)
{
	const struct capture_options *o = r->o;

	return o->explains_waits && are_clocks(&o->events) && !o->syscalls && !o->temp_probes && target_kind_of(o) != TARGET_CPUS;
}

static const struct target *places_of(const struct recorder *r)
{
	return is_open_on_cpus(r) ? &r->all_cpus : &r->target;
}

static void prepare_config(struct recorder *r)
{
	struct event_config *c = &r->o->config;
	enum target_kind kind = is_open_on_cpus(r) ? TARGET_CPUS : target_kind_of(r->o);

	c->system_wide = kind == TARGET_CPUS;
	c->targets_workload = kind == TARGET_WORKLOAD;
	c->delayed = r->o->delay.given;
	/* A thread was named, not what it will start. */
	if (r->o->tids && !r->o->pids && !r->o->inherit_given)
		c->no_inherit = true;
	c->unwinds = !r->o->keep_stacks;
	if (!c->system_wide && !c->no_inherit && has_sample_reads(&r->o->events))
		c->no_inherited_reads = !event_inherits_reads();
	if (!r->o->events.events.nr)
		event_list_add_default(&r->o->events);
	event_list_configure(&r->o->events, c);
}

/* Where every thread that was listed has ended by the time it is opened, a process that goes on has others: it is looked at again. */
static int open_events(struct recorder *r)
{
	int err;

	recorder_plan_dumps(r);
	for (int tries = 0;; tries++) {
		err = event_fds_open(&r->fds, &r->o->events, places_of(r), r->o->ring_pages, r->eb);
		if (!err && !tries && recorder_replan_dumps(r)) {
			event_fds_close(&r->fds, false);
			continue;
		}
		if (err != -ESRCH || r->target.kind != TARGET_TASKS || tries == MAX_TRIES)
			return err;
		event_fds_close(&r->fds, false);
		target_fini(&r->target);
		errbuf_clear(r->eb);
		err = target_init(&r->target, r->o, r->loop.workload.pid, r->eb);
		if (err)
			return err;
	}
}

static void add_feed(struct recorder *r, struct record_feed *feed)
{
	feed->next = r->drain.feed;
	r->drain.feed = feed;
}

/* Without it, samples are what they would be without the option. */
static void open_python(struct recorder *r)
{
	struct errbuf why = { 0 };

	if (!python_feed_open(&r->python, &why)) {
		add_feed(r, &r->python.feed);
		return;
	}
	log_warn("--python: %s. Recording goes on without the functions of Python", why.text);
	python_feed_close(&r->python);
}

/* Where the program is not allowed to see the kernel's samples, none is attached. The file says that there is the event: nothing is in it. */
static void start_python(struct recorder *r, bool enabled)
{
	struct errbuf why = { 0 };

	if (r->python.bpf && python_feed_start(&r->python, &r->fds, &r->growth, enabled, &why))
		log_warn("--python: %s. Recording goes on without the functions of Python", why.text);
}

static int open_offcpu(struct recorder *r, pid_t workload)
{
	int err = offcpu_feed_open(&r->offcpu, r->o, &r->target, workload, r->eb);

	if (err && r->o->off_cpu_may_fail) {
		log_warn("%s. Recording goes on without the time off the CPU", r->eb->text);
		errbuf_clear(r->eb);
		offcpu_feed_close(&r->offcpu);
		return 0;
	}
	add_feed(r, &r->offcpu.feed);
	return err;
}

/* What BPF programs record beside the events. */
static int open_feeds(struct recorder *r)
{
	pid_t workload = r->loop.workload.pid;
	int err = 0;

	if (r->o->syscalls) {
		err = syscall_feed_open(&r->syscalls, r->o, &r->target, workload, r->eb);
		r->o->syscalls->is_unavailable = err;
		add_feed(r, &r->syscalls.feed);
	}
	if (!err && r->o->off_cpu)
		err = open_offcpu(r, workload);
	if (!err && r->o->temp_probes) {
		err = probe_feed_open(&r->probes, r->o, &r->target, workload, r->eb);
		add_feed(r, &r->probes.feed);
	}
	if (!err && r->o->python)
		open_python(r);
	return err;
}

/* The tasks that the program records are those whose samples are kept. */
static int open_feed_of_cpus(struct recorder *r)
{
	int err = open_feeds(r);

	target_init_cpus(&r->all_cpus);
	if (!err && r->target.kind == TARGET_TASKS && r->target.by_thread)
		run_loop_watch(&r->loop, &r->target.tasks);
	else if (!err && r->target.kind == TARGET_TASKS)
		run_loop_watch_processes(&r->loop, &r->target.scanned);
	for (uint32_t i = 0; i < r->o->events.events.nr && !err; i++)
		r->o->events.events.v[i].sample_program = offcpu_feed_sample_program(&r->offcpu);
	return err;
}

static int start_feeds(struct recorder *r, bool enable_now)
{
	int err = 0;

	if (r->o->syscalls) {
		err = syscall_feed_start(&r->syscalls, r->eb);
		r->o->syscalls->is_unavailable = err;
	}
	if (!err && r->offcpu.bpf)
		err = offcpu_feed_start(&r->offcpu, enable_now, r->eb);
	if (!err && r->o->temp_probes)
		err = probe_feed_start(&r->probes, enable_now, r->eb);
	return err;
}

/* Of all tracepoints; those of samples that are no event's of the kernel are our own. */
static int collect_formats(struct recorder *r)
{
	const struct capture_options *o = r->o;
	VEC(struct own_format) own = { 0 };
	int err;

	if (o->syscalls)
		vec_push(&own, syscall_feed_format);
	if (o->off_cpu && o->explains_waits)
		vec_push(&own, wall_sample_format);
	for (uint32_t i = 0; r->probes.formats && i < o->temp_probes->places.nr; i++)
		vec_push(&own, r->probes.formats[i]);
	err = trace_formats_collect(&o->events, own.v, own.nr, &r->trace_formats, r->eb);
	vec_fini(&own);
	return err;
}

/* Everything that can fail before the workload runs and the file has its name. */
static int prepare(struct recorder *r)
{
	bool to_stdout = output_is_stdout(r->o->output);
	const struct attr *tracking;
	int err = check_events(r);

	if (!err)
		err = prepare_freq(r);
	r->loop.run_as = r->o->run_as;
	if (!err && r->o->workload)
		err = run_loop_prepare_workload(&r->loop, r->o->workload, to_stdout, r->eb);
	if (!err)
		err = target_init(&r->target, r->o, r->loop.workload.pid, r->eb);
	if (err)
		return err;
	prepare_config(r);
	recorder_size_rings(r);
	err = is_open_on_cpus(r) ? open_feed_of_cpus(r) : 0;
	if (!err)
		err = open_events(r);
	if (err)
		return err;
	tracking = &r->o->events.events.v[event_list_tracking(&r->o->events)].attr;
	tally_init(&r->tally, tracking, NULL);
	recorder_watch_chains(r);
	tally_init(&r->input_tally, tracking, NULL);
	r->tally.want_tasks = r->input_tally.want_tasks = switch_spec_is_on(&r->o->switching);
	err = is_open_on_cpus(r) ? 0 : open_feeds(r);
	if (err)
		return err;
	err = drain_init(&r->drain, &r->fds, &r->tally, r->eb);
	if (!err)
		err = recorder_start_stage(r);
	if (err)
		return err;
	/* Maps are noted as they come from the rings: a stage has them wait. */
	*(r->stage ? &r->input_tally.files : &r->tally.files) = &r->files;
	err = mapped_files_start(&r->files, places_of(r), tracking);
	if (err)
		return errbuf_set(r->eb, err, "cannot start a thread: %s", strerror(-err));
	err = collect_formats(r);
	if (err)
		return err;
	r->is_first_file = true;
	/* A FIFO waits for its reader. */
	while ((err = recording_file_open(r, r->eb)) == -ENXIO) {
		errbuf_clear(r->eb);
		run_loop_wait(&r->loop, clock_now_ns() + FIFO_WAIT_NS);
		if (r->loop.stop_signal)
			return 128 + r->loop.stop_signal;
	}
	if (!err && r->output.is_pipe && switch_spec_is_on(&r->o->switching))
		err = errbuf_set(r->eb, -EINVAL, "--switch-output needs a file, and %s is a pipe", r->o->output);
	/* A pipe has no place for what is known at the end only. */
	if (!err && r->o->ask_jvms) {
		r->jvms = jvm_maps_new(r->output.is_pipe);
		/* Maps of others are recorded, too. */
		if (r->o->explains_waits && r->target.kind != TARGET_CPUS)
			jvm_maps_limit(r->jvms, &r->target.scanned);
		(r->stage ? &r->input_tally : &r->tally)->jvms = r->jvms;
	}
	return err;
}

static void set_up_drain(struct recorder *r)
{
	r->drain.max_bytes = r->o->max_size_bytes;
	r->drain.switch_bytes = r->o->switching.size_bytes;
	r->drain.rt_priority = (int)r->o->realtime;
	r->drain.rotate = recording_file_rotate;
	r->drain.prepare = recording_file_prepare;
	r->drain.input_tally = &r->input_tally;
	r->drain.ctx = r;
	r->drain.reader = r->o->output_pipe;
}

/* Lets the workload go. Where that fails, the file has no name yet and nothing was overwritten. */
static int start_workload(struct recorder *r)
{
	int err = r->loop.workload.pid ? workload_start(&r->loop.workload, r->eb) : 0;

	if (!err)
		output_commit(&r->output);
	return err;
}

/* The order depends on the target. A workload's events wait for its exec. Tasks that run are enabled before they are read from /proc, so
 * that a library loaded meanwhile is in the rings; CPUs after that, because the scan itself would be recorded (their tracking event has
 * been on since it was opened). */
static int start(struct recorder *r)
{
	bool enable_now = !r->o->delay.given;
	int err;

	set_up_drain(r);
	err = start_feeds(r, enable_now);
	if (err)
		return err;
	start_python(r, enable_now);
	/* Nothing can fail for want of a command: killed during a long scan, no file of another name is left over. */
	if (!r->loop.workload.pid)
		output_commit(&r->output);
	switch (r->target.kind) {
	case TARGET_WORKLOAD:
		if (is_open_on_cpus(r))
			event_fds_enable(&r->fds, true, true);
		err = start_workload(r);
		return err ? err : recording_file_begin(r);
	case TARGET_TASKS:
		if (enable_now)
			event_fds_enable(&r->fds, true, true);
		err = recording_file_begin(r);
		return err ? err : start_workload(r);
	default:
		err = recording_file_begin(r);
		if (!err && enable_now)
			event_fds_enable(&r->fds, true, true);
		return err ? err : start_workload(r);
	}
}

/* What the clock has to do: -D's steps, --switch-output=TIME and the end. */
struct schedule {
	uint64_t start_ns;
	uint32_t next_step;
	uint64_t next_switch_ns; /* 0: none */
	uint64_t end_ns;	 /* 0: none */
};

/* Does what is due, and returns when the next is; 0: never. */
static uint64_t schedule_run(struct schedule *s, struct recorder *r)
{
	const struct delay_plan *d = &r->o->delay;
	uint64_t now = clock_now_ns(), next = 0;

	while (d->given && s->next_step < d->steps.nr) {
		const struct delay_step *step = &d->steps.v[s->next_step];

		next = s->start_ns + step->at_ms * NS_PER_MS;
		if (next > now)
			break;
		event_fds_enable(&r->fds, step->enable, false);
		stack_growth_enable(&r->growth, step->enable);
		offcpu_feed_enable(&r->offcpu, step->enable);
		probe_feed_enable(&r->probes, step->enable);
		python_feed_enable(&r->python, step->enable);
		log_info("events %s", step->enable ? "enabled" : "disabled");
		s->next_step++;
		next = 0;
	}
	if (s->next_switch_ns && s->next_switch_ns <= now) {
		drain_switch(&r->drain);
		s->next_switch_ns += r->o->switching.every_s * NS_PER_SEC;
	}
	if (s->next_switch_ns && (!next || s->next_switch_ns < next))
		next = s->next_switch_ns;
	if (s->end_ns && (!next || s->end_ns < next))
		next = s->end_ns;
	return next;
}

static void on_usr2(void *ctx)
{
	struct recorder *r = ctx;

	drain_switch(&r->drain);
}

/* True: there is nothing more to record. */
static bool is_over(struct recorder *r)
{
	unsigned reports = drain_take_reports(&r->drain);

	if (r->loop.stop_signal || run_loop_has_ended(&r->loop))
		return true;
	if (reports & (DRAIN_FAILED | DRAIN_FULL))
		return true;
	return (reports & DRAIN_GONE) && r->target.kind == TARGET_TASKS;
}

static void main_loop(struct recorder *r)
{
	struct schedule s = { .start_ns = clock_now_ns() };

	if (r->o->duration_ms)
		s.end_ns = s.start_ns + r->o->duration_ms * NS_PER_MS;
	if (r->o->switching.every_s)
		s.next_switch_ns = s.start_ns + r->o->switching.every_s * NS_PER_SEC;
	run_loop_take_signals(&r->loop);
	while (!is_over(r) && !(s.end_ns && clock_now_ns() >= s.end_ns))
		run_loop_wait(&r->loop, schedule_run(&s, r));
}

/* Whatever the reason was, the workload runs to its end, unless a second signal asks to stop. */
static void await_workload(struct recorder *r)
{
	r->loop.notice_fd = -1;
	while (r->loop.workload.pid && !run_loop_has_ended(&r->loop))
		run_loop_wait(&r->loop, 0);
	if (r->loop.workload.pid && !r->loop.workload.ended)
		log_warn("%s has not ended: it runs on, unrecorded", r->loop.workload.name);
}

/* The drain may wait for a reader; further signals are passed on to it. */
static void await_drain(struct recorder *r)
{
	drain_ask_stop(&r->drain);
	while (!(drain_take_reports(&r->drain) & DRAIN_ENDED)) {
		/* Unwinding the backlog may take long: a second signal ends it. */
		if (atomic_load(&r->loop.nr_stops) > 1)
			drain_abandon(&r->drain);
		run_loop_wait(&r->loop, 0);
	}
	drain_stop(&r->drain);
}

/* Records until it is over; afterwards r->fail_err says what went wrong. */
static void record(struct recorder *r)
{
	int err = drain_start(&r->drain, &r->file_eb);

	/* From here on the drain may read it. */
	if (err) {
		r->fail_err = err;
		return;
	}
	r->loop.notice_fd = r->drain.report_fd;
	main_loop(r);
	event_fds_enable(&r->fds, false, true);
	syscall_feed_stop(&r->syscalls);
	offcpu_feed_stop(&r->offcpu);
	probe_feed_stop(&r->probes);
	python_feed_stop(&r->python);
	stack_growth_enable(&r->growth, false);
	/* While they live: what stops us may stop them, too. */
	jvm_maps_finish(r->jvms);
	await_drain(r);
	r->nr_dropped += recorder_count_unwritten(r);
	r->fail_err = r->drain.err;
	/* After a failure the file's end counts them. */
	if (!r->fail_err && atomic_load(&r->drain.abandon_wanted)) {
		r->nr_abandoned = r->drain.nr_abandoned;
		r->nr_dropped += r->nr_abandoned;
	}
}

/* No command runs or could be run, and no file has its name. */
static bool is_nothing_done(const struct recorder *r)
{
	if (r->loop.workload.pid)
		return r->loop.workload.go_fd >= 0 || r->loop.workload.ended;
	return !r->output.is_own;
}

static int run(struct recorder *r)
{
	int err = prepare(r);

	if (err)
		return err;
	err = start(r);
	if (err && is_nothing_done(r))
		return err < 0 ? errbuf_set(r->eb, err, "%s: %s", r->o->output, strerror(-err)) : err;
	r->fail_err = err;
	if (!err) {
		recorder_tell_openings(r);
		record(r);
	} else {
		event_fds_enable(&r->fds, false, true);
	}
	if (r->fail_err)
		recorder_tell_failure(r);
	err = recording_file_finish(r, &r->file_eb);
	if (!r->fail_err)
		r->fail_err = err;
	recorder_tell_summary(r);
	if (r->tally.nr_kernel_samples)
		kernel_symbols_keep();
	await_workload(r);
	/* Nothing waits for it any more. The next recording then compiles nothing while samples come. */
	if (r->stage)
		dso_table_keep_unwind(&r->stage->stream.session->machine.dsos);
	if (r->fail_err)
		return recorder_fail_sentence(r);
	return run_loop_status(&r->loop);
}

static void recorder_fini(struct recorder *r)
{
	drain_stop(&r->drain);
	recorder_fini_stage(r); /* it wakes the drain as long as it runs */
	drain_fini(&r->drain);
	syscall_feed_close(&r->syscalls);
	offcpu_feed_close(&r->offcpu);
	probe_feed_close(&r->probes);
	python_feed_close(&r->python);
	writer_free(r->writer);
	output_close(&r->output);
	if (r->has_info)
		perfdata_info_fini(&r->info);
	out_fini(&r->trace_formats);
	tally_fini(&r->tally);
	tally_fini(&r->input_tally);
	mapped_files_fini(&r->files);
	if (r->o->kept_jvms)
		*r->o->kept_jvms = r->jvms;
	else
		jvm_maps_free(r->jvms);
	vec_fini(&r->opening);
	event_fds_close(&r->fds, false);
	target_fini(&r->target);
	target_fini(&r->all_cpus);
	for (uint32_t i = 0; i < r->stamped.nr; i++)
		free(r->stamped.v[i]);
	vec_fini(&r->stamped);
	free(r->last_name);
	free(r->kept_name);
	run_loop_fini(&r->loop);
}

int capture_run(struct capture_options *o, struct errbuf *eb)
{
	struct recorder r = { .o = o, .eb = eb, .main_thread = pthread_self() };
	int ret = run_loop_init(&r.loop, o->switching.on_signal ? on_usr2 : NULL, &r, eb);

	out_init(&r.trace_formats, -1);
	mapped_files_init(&r.files);
	r.output.fd = -1;
	if (!ret)
		ret = run(&r);
	recorder_fini(&r);
	return ret;
}
