/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The event as files have it, the tasks of a target, and the ring buffer of the BPF program.
 */
#include "capture/offcpu_feed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/offcpu.h"
#include "abi/record.h"
#include "abi/syscall_sample.h"
#include "base/clock.h"
#include "base/mem.h"
#include "capture/wall_samples.h"
#include "kernel/tracefs.h"

#define BATCH_BYTES (256u << 10)
#define RING_BYTES (16u << 20)
#define DUMP_RING_BYTES (64u << 20)
#define DUMP_BYTES 8192u	      /* of a stack, where no size is given */
#define EVENT_ID (UINT64_MAX / 3 + 1) /* above what the kernel gives out */

static bool has_dumps(const struct capture_options *o)
{
	return o->config.callgraph == CALLGRAPH_DWARF && !o->config.kernel_callchains;
}

static uint32_t dump_bytes(const struct capture_options *o)
{
	uint32_t wanted = o->config.stack_user_size ? o->config.stack_user_size : DUMP_BYTES;

	return !has_dumps(o) ? 0 : wanted < SYSCALL_STACK_MAX ? wanted : SYSCALL_STACK_MAX;
}

static void make_attr(struct attr *a, const struct capture_options *o)
{
	*a = (struct attr){
		.type = ATTR_TYPE_SOFTWARE,
		.size = ATTR_SIZE_VER7,
		.config = CONFIG_BPF_OUTPUT,
		.sample_period = 1,
		.sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR | SAMPLE_CPU | SAMPLE_PERIOD |
			       SAMPLE_CALLCHAIN,
		.read_format = READ_ID | READ_LOST,
		.flags = ATTR_SAMPLE_ID_ALL | ATTR_USE_CLOCKID | (o->config.no_inherit ? 0 : ATTR_INHERIT),
		.clockid = 1, /* CLOCK_MONOTONIC: what BPF programs can read */
	};
	if (o->config.user_callchains)
		a->flags |= ATTR_EXCLUDE_CHAIN_KERNEL;
	if (o->config.kernel_callchains || has_dumps(o))
		a->flags |= ATTR_EXCLUDE_CHAIN_USER;
	if (!has_dumps(o))
		return;
	a->sample_type |= SAMPLE_REGS_USER | SAMPLE_STACK_USER;
	a->sample_regs_user = SYSCALL_STACK_REGS;
	a->sample_stack_user = dump_bytes(o);
}

/* The code of the scheduler, by /proc/kallsyms: up to the next symbol. Where addresses are hidden, they are 0. */
static void find_schedule(struct offcpu_waits *w)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long long at, start = 0, end = UINT64_MAX;
	char line[512], name[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %*c %255s", &at, name) != 2)
			continue;
		if (!strcmp(name, "__schedule"))
			start = at;
		else if (start && at > start && at < end)
			end = at; /* they are in the order of their addresses, but for modules, which come last */
		if (start && end != UINT64_MAX)
			break;
	}
	if (f)
		fclose(f);
	w->schedule_start = start;
	w->schedule_end = start && end != UINT64_MAX ? end : start;
}

static bool has_processes(const struct capture_options *o, const struct target *t)
{
	return t->kind == TARGET_TASKS && !t->by_thread && !o->config.no_inherit;
}

static enum bpf_task_kind kind_of(const struct capture_options *o, const struct target *t, pid_t tid, pid_t workload)
{
	if (tid == workload)
		return BPF_TASK_WORKLOAD;
	for (uint32_t i = 0; i < t->scanned.ids.nr && has_processes(o, t); i++)
		if (t->scanned.ids.v[i] == tid)
			return BPF_TASK_PROCESS;
	return BPF_TASK_THREAD;
}

static int add_tasks(struct offcpu_feed *f, const struct capture_options *o, const struct target *t, pid_t workload, struct errbuf *eb)
{
	int err = 0;

	for (uint32_t i = 0; i < t->tasks.ids.nr && !err; i++)
		if (t->tasks.ids.v[i] > 0)
			err = bpf_offcpu_add_task(f->bpf, t->tasks.ids.v[i], kind_of(o, t, t->tasks.ids.v[i], workload), eb);
	return err;
}

static const uint64_t *cpus_of(const struct capture_options *o, const struct target *t, uint64_t *bits)
{
	if (!o->cpus)
		return NULL;
	memset(bits, 0, BPF_OFFCPU_CPUS / 8);
	for (uint32_t i = 0; i < t->cpus.cpus.nr; i++)
		if ((uint32_t)t->cpus.cpus.v[i] < BPF_OFFCPU_CPUS)
			bits[t->cpus.cpus.v[i] / 64] |= 1ULL << t->cpus.cpus.v[i] % 64;
	return bits;
}

/* -G: that of all events, or none. */
static int find_cgroup(const struct capture_options *o, const char **cgroup, struct errbuf *eb)
{
	*cgroup = NULL;
	for (uint32_t i = 0; i < o->events.events.nr; i++) {
		const char *of = o->events.events.v[i].cgroup;

		if (!of)
			continue;
		if (*cgroup && strcmp(*cgroup, of))
			return errbuf_set(eb, -EINVAL, "--off-cpu records one cgroup at a time: give -G one name, not %s and %s", *cgroup,
					  of);
		*cgroup = of;
	}
	return 0;
}

static int take_event(void *ctx, void *data, size_t size)
{
	struct offcpu_feed *f = ctx;

	if (f->explains_waits)
		f->len += wall_samples_put(f->feed.event_id, f->waits.has_dumps, &f->feed.layout, data, size, f->buf + f->len);
	else
		f->len += offcpu_waits_take(&f->waits, data, size, f->buf + f->len);
	return f->len < BATCH_BYTES ? 0 : -EAGAIN;
}

/* Of no task. */
static void put_limit(struct offcpu_feed *f, uint64_t time_ns)
{
	struct wall_own_event own = { .e = { .kind = WALL_SAMPLE_LIMIT, .call = OFFCPU_NO_CALL, .time_ns = time_ns } };

	f->len += wall_samples_put_own(f->feed.event_id, f->waits.has_dumps, &own, f->buf + f->len);
}

/* False: there are more. */
static bool put_waiting(struct offcpu_feed *f)
{
	for (; f->nr_put < f->waiting.v.nr; f->nr_put++) {
		if (f->len >= BATCH_BYTES)
			return false;
		f->len += wall_samples_put_own(f->feed.event_id, f->waits.has_dumps, &f->waiting.v.v[f->nr_put], f->buf + f->len);
	}
	return true;
}

/* What was dropped meanwhile, as the kernel's rings say it. */
static void put_losses(struct offcpu_feed *f)
{
	uint64_t nr = bpf_offcpu_dropped(f->bpf);
	struct record_header h = { .type = RECORD_LOST };
	struct record rec = { .header = &h, .id = { .id = f->feed.event_id } };
	int64_t size;

	if (nr == f->nr_dropped)
		return;
	rec.lost = (struct record_lost){ .id = f->feed.event_id, .lost = nr - f->nr_dropped };
	size = record_encode(&rec, &f->feed.layout, f->buf + f->len, OFFCPU_SAMPLE_MAX);
	if (size > 0)
		f->len += (size_t)size;
	f->nr_dropped = nr;
}

static size_t take(struct record_feed *feed, const uint8_t **records)
{
	struct offcpu_feed *f = (struct offcpu_feed *)feed;
	uint64_t stopped_at_ns = atomic_load(&f->stopped_at_ns);
	size_t n;

	f->len = 0;
	/* Other events may be in it still: what is open is known when it is empty. */
	if (put_waiting(f) && !bpf_offcpu_consume(f->bpf, take_event, f) && stopped_at_ns) {
		while (f->len < BATCH_BYTES && (n = offcpu_waits_end(&f->waits, stopped_at_ns, f->buf + f->len)))
			f->len += n;
		if (f->target && !f->is_end_put)
			put_limit(f, stopped_at_ns);
		f->is_end_put = true;
	}
	/* What is dumped is another each time. */
	if (!f->waits.has_dumps)
		f->len = offcpu_merge(&f->merge, f->buf, f->len);
	put_losses(f);
	*records = f->buf;
	return f->len;
}

static size_t merge(struct record_feed *feed, uint8_t *records, size_t size)
{
	struct offcpu_feed *f = (struct offcpu_feed *)feed;

	return offcpu_merge(&f->merge, records, size);
}

static void ignore_event(void *ctx, const char *system, const char *name, uint64_t id)
{
	(void)ctx, (void)system, (void)name, (void)id;
}

/* What can be had without BPF, by those who may read tracepoints. */
static int add_remedy(int err, bool explains_waits, struct errbuf *eb)
{
	struct errbuf why = *eb, ignored;

	errbuf_clear(&ignored);
	errbuf_clear(eb);
	if (tracefs_find_events("sched", "sched_switch", ignore_event, NULL, &ignored))
		return errbuf_set(eb, err, explains_waits ? "%s" : "--off-cpu: %s", why.text);
	if (explains_waits)
		return errbuf_set(eb, err, "%s. With --no-bpf, tracepoints of all CPUs are recorded instead", why.text);
	return errbuf_set(eb, err,
			  "--off-cpu: %s. Without BPF, 'assay record -e sched:sched_switch -g' samples where tasks leave their CPU",
			  why.text);
}

int offcpu_feed_open(struct offcpu_feed *f, const struct capture_options *co, const struct target *target, pid_t workload,
		     struct errbuf *eb)
{
	bool has_no_stacks = co->explains_waits && co->config.callgraph == CALLGRAPH_NONE;
	uint64_t cpus[BPF_OFFCPU_CPUS / 64];
	struct bpf_offcpu_options o = {
		.all_tasks = target->kind == TARGET_CPUS,
		.cpus = cpus_of(co, target, cpus),
		.has_processes = has_processes(co, target),
		.no_children = co->config.no_inherit,
		.has_kernel_frames = !co->config.user_callchains && !co->explains_waits,
		.explains_waits = co->explains_waits,
		.user_frames = co->config.kernel_callchains || has_dumps(co) || has_no_stacks ? 0 : OFFCPU_FRAMES,
		.stack_bytes = dump_bytes(co),
		.ring_bytes = has_dumps(co) ? DUMP_RING_BYTES : RING_BYTES,
	};
	int err = find_cgroup(co, &o.cgroup, eb);

	if (err)
		return err;
	err = bpf_offcpu_open(&f->bpf, &o, eb);
	if (err)
		return add_remedy(err, co->explains_waits, eb);
	make_attr(&f->feed.attr, co);
	if (co->explains_waits)
		wall_samples_make_attr(&f->feed.attr);
	f->feed.layout = sample_layout_of(&f->feed.attr);
	f->feed.event_id = EVENT_ID;
	f->feed.ring_bytes = (uint32_t)bpf_offcpu_ring_bytes(f->bpf);
	f->feed.wake_fd = bpf_offcpu_fd(f->bpf);
	f->feed.name = co->explains_waits ? WALL_SAMPLE_NAME : OFFCPU_EVENT_NAME;
	f->explains_waits = co->explains_waits;
	f->target = co->explains_waits && target->kind != TARGET_WORKLOAD ? target : NULL;
	f->feed.take = take;
	f->feed.merge = merge;
	f->merge.event_id = EVENT_ID;
	f->merge.thresh_ns = co->off_cpu_thresh_ms * NS_PER_MS;
	f->waits.event_id = EVENT_ID;
	f->waits.has_dumps = has_dumps(co);
	if (o.has_kernel_frames)
		find_schedule(&f->waits);
	f->buf = mem_alloc(BATCH_BYTES + 3 * OFFCPU_SAMPLE_MAX);
	return add_tasks(f, co, target, workload, eb);
}

int offcpu_feed_start(struct offcpu_feed *f, bool enabled, struct errbuf *eb)
{
	int err = bpf_offcpu_attach(f->bpf, eb);

	offcpu_feed_enable(f, enabled);
	if (err)
		return add_remedy(err, f->explains_waits, eb);
	if (enabled && f->target) {
		vec_push(&f->waiting.v, ((struct wall_own_event){
						.e = { .kind = WALL_SAMPLE_LIMIT, .call = OFFCPU_NO_CALL, .time_ns = clock_now_ns() } }));
		if (f->target->kind == TARGET_TASKS)
			wall_waiting_find(&f->waiting, &f->target->tasks);
	}
	return 0;
}

void offcpu_feed_enable(struct offcpu_feed *f, bool on)
{
	if (f->bpf)
		bpf_offcpu_enable(f->bpf, on);
}

int offcpu_feed_sample_program(const struct offcpu_feed *f)
{
	return bpf_offcpu_sample_program(f->bpf);
}

void offcpu_feed_stop(struct offcpu_feed *f)
{
	if (!f->bpf)
		return;
	bpf_offcpu_enable(f->bpf, false);
	bpf_offcpu_detach(f->bpf);
	atomic_store(&f->stopped_at_ns, clock_now_ns());
}

void offcpu_feed_close(struct offcpu_feed *f)
{
	bpf_offcpu_close(f->bpf);
	offcpu_waits_fini(&f->waits);
	offcpu_merge_fini(&f->merge);
	vec_fini(&f->waiting.v);
	free(f->buf);
	memset(f, 0, sizeof(*f));
}
