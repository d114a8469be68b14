/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The run of `trace -s`: the program is attached, the run loop waits, and figures are read: those of tasks that ended while it runs,
 * the others at the end.
 */
#include "capture/syscall_counting.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "capture/run_loop.h"
#include "capture/target.h"
#include "kernel/proc_scan.h"

#define RING_BYTES (4u << 20)
#define LOOK_EVERY_NS (200 * NS_PER_MS)

struct counting_run {
	struct capture_options *o;
	struct run_loop loop;
	struct target target;
	struct bpf_syscalls *bpf;
	struct syscall_sums *sums;
	struct errbuf *eb;
};

static int add_figures(void *ctx, void *data, size_t size)
{
	struct counting_run *r = ctx;

	if (size >= sizeof(struct syscall_figures))
		syscall_sums_add_figures(r->sums, data);
	return 0;
}

static int open_program(struct counting_run *r, const struct syscall_counting *c)
{
	const struct syscall_tracing *t = r->o->syscalls;
	uint64_t cpus[BPF_SYSCALLS_CPUS / 64];
	const struct bpf_syscalls_options o = {
		.set = t->set,
		.all_tasks = r->target.kind == TARGET_CPUS,
		.cpus = syscall_feed_cpus(r->o, &r->target, cpus),
		.has_processes = syscall_feed_has_processes(t, &r->target),
		.no_children = t->no_children,
		.cgroup = t->cgroup,
		.by_cgroup = t->by_cgroup,
		.keeps_figures = true,
		.has_histogram = c->has_histograms,
		.counts_cpu = c->counts_cpu,
		.ring_bytes = RING_BYTES,
	};
	int err = bpf_syscalls_open(&r->bpf, &o, r->eb);

	r->o->syscalls->is_unavailable = err;

	if (!err)
		err = syscall_feed_add_tasks(r->bpf, t, &r->target, r->loop.workload.pid, NULL, r->eb);
	if (!err) {
		err = bpf_syscalls_attach(r->bpf, NULL, NULL, r->eb);
		r->o->syscalls->is_unavailable = err;
	}
	return err;
}

static void read_rest(struct counting_run *r, struct syscall_counting *c)
{
	const struct syscall_figures *f;
	struct bpf_syscalls_losses l;
	uint32_t i = 0;

	bpf_syscalls_consume(r->bpf, add_figures, r);
	while ((f = bpf_syscalls_figures(r->bpf, &i))) {
		struct syscall_figures copy = *f;

		proc_read_comm((pid_t)copy.tid, copy.comm, sizeof(copy.comm));
		syscall_sums_add_figures(r->sums, &copy);
	}
	for (uint32_t k = 0; k < r->sums->tasks.nr && r->sums->is_by_cgroup; k++)
		r->sums->tasks.v[k].name = cgroup_unified_path(r->sums->tasks.v[k].key);
	l = bpf_syscalls_losses(r->bpf);
	c->nr_uncounted = l.nr_uncounted;
	if (l.nr_dropped)
		log_warn("%llu sums of tasks that ended are missing: there was no room for them", (unsigned long long)l.nr_dropped);
	if (l.nr_uncounted)
		log_warn("%llu calls are not counted: there was no room for more sums", (unsigned long long)l.nr_uncounted);
	if (l.nr_untraced)
		log_warn("some tasks are not counted: there is no room for more at a time");
}

static int run(struct counting_run *r, struct syscall_counting *c)
{
	int err = 0;

	r->loop.run_as = r->o->run_as;
	if (r->o->workload)
		err = run_loop_prepare_workload(&r->loop, r->o->workload, false, r->eb);
	if (!err)
		err = target_init(&r->target, r->o, r->loop.workload.pid, r->eb);
	if (!err)
		err = open_program(r, c);
	if (!err && r->loop.workload.pid)
		err = workload_start(&r->loop.workload, r->eb);
	if (err)
		return err;
	if (r->target.kind == TARGET_TASKS && !r->loop.workload.pid)
		run_loop_watch(&r->loop, &r->target.tasks);
	run_loop_take_signals(&r->loop);
	r->loop.notice_fd = bpf_syscalls_fd(r->bpf);
	while (!run_loop_has_ended(&r->loop)) {
		run_loop_wait(&r->loop, clock_now_ns() + LOOK_EVERY_NS);
		bpf_syscalls_consume(r->bpf, add_figures, r);
	}
	bpf_syscalls_detach(r->bpf);
	read_rest(r, c);
	return run_loop_status(&r->loop);
}

int syscall_counting_run(struct capture_options *o, struct syscall_counting *c, struct syscall_sums *sums, struct errbuf *eb)
{
	struct counting_run r = { .o = o, .sums = sums, .eb = eb };
	int ret = run_loop_init(&r.loop, NULL, NULL, eb);

	if (!ret)
		ret = run(&r, c);
	bpf_syscalls_close(r.bpf);
	target_fini(&r.target);
	run_loop_fini(&r.loop);
	return ret;
}
