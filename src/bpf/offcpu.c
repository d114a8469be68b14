/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Sizes the maps of offcpu.bpf.c, names the tasks, and attaches.
 */
#include "bpf/offcpu.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "bpf/event_ring.h"
#include "bpf/task_flags.h"
#include "kernel/proc_scan.h"

#ifdef HAVE_BPF
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <offcpu.skel.h> /* made at build time */

struct bpf_offcpu {
	struct offcpu_bpf *skel;
	struct event_ring ring;
	VEC(pid_t) added;
};

static void set_constants(struct offcpu_bpf *s, const struct bpf_offcpu_options *o)
{
	s->rodata->own_tgid = (unsigned)getpid();
	s->rodata->traces_all = o->all_tasks;
	s->rodata->traces_processes = o->has_processes;
	s->rodata->has_cpus = !!o->cpus;
	for (uint32_t i = 0; o->cpus && i < BPF_OFFCPU_CPUS / 64; i++)
		s->rodata->cpus[i] = o->cpus[i];
	s->rodata->has_cgroup = !!o->cgroup;
	s->rodata->follows_forks = !o->no_children;
	s->rodata->has_kernel_frames = o->has_kernel_frames;
	s->rodata->explains_waits = o->explains_waits;
	s->rodata->stack_frames = o->user_frames;
	s->rodata->stack_bytes = o->stack_bytes;
	s->rodata->wake_bytes = o->ring_bytes / 16;
	s->rodata->own_pid_ns = bpf_pid_namespace();
}

static int load(struct bpf_offcpu *b, const struct bpf_offcpu_options *o)
{
	struct offcpu_bpf *s = b->skel = offcpu_bpf__open();
	int err;

	if (!s)
		return -errno;
	set_constants(s, o);
	bpf_program__set_autoload(s->progs.on_fork, !o->no_children && !o->all_tasks);
	bpf_program__set_autoload(s->progs.on_exec, !o->all_tasks);
	bpf_program__set_autoload(s->progs.on_waking, o->explains_waits);
	bpf_program__set_autoload(s->progs.on_wakeup_new, o->explains_waits);
	bpf_program__set_autoload(s->progs.on_sample, o->explains_waits);
	bpf_program__set_autoload(s->progs.on_task_exit, !o->all_tasks);
	err = bpf_map__set_max_entries(s->maps.tasks, o->all_tasks ? 1 : bpf_pid_limit());
	if (!err)
		err = bpf_map__set_max_entries(s->maps.ring, o->ring_bytes);
	if (!err)
		err = bpf_map__set_max_entries(s->maps.stack_buffers, (uint32_t)libbpf_num_possible_cpus());
	if (!err)
		err = offcpu_bpf__load(s);
	return err ? err : event_ring_open(&b->ring, bpf_map__fd(s->maps.ring), o->ring_bytes);
}

static int set_cgroup(struct bpf_offcpu *b, int fd)
{
	uint32_t zero = 0, value = (uint32_t)fd;

	return fd < 0 ? 0 : bpf_map_update_elem(bpf_map__fd(b->skel->maps.cgroups), &zero, &value, BPF_ANY);
}

int bpf_offcpu_open(struct bpf_offcpu **out, const struct bpf_offcpu_options *o, struct errbuf *eb)
{
	struct bpf_offcpu *b;
	int err = bpf_check(eb), cgroup = -1;

	*out = NULL;
	if (!err && o->cgroup)
		cgroup = err = cgroup_open_unified(o->cgroup, eb);
	if (err < 0)
		return err;
	bpf_keep_messages();
	b = mem_zalloc(sizeof(*b));
	err = load(b, o);
	if (!err)
		err = set_cgroup(b, cgroup);
	if (cgroup >= 0)
		close(cgroup); /* the map holds it */
	if (err) {
		bpf_offcpu_close(b);
		return bpf_failed(err, eb);
	}
	*out = b;
	return 0;
}

void bpf_offcpu_close(struct bpf_offcpu *b)
{
	if (!b)
		return;
	event_ring_close(&b->ring);
	offcpu_bpf__destroy(b->skel);
	vec_fini(&b->added);
	free(b);
}

int bpf_offcpu_add_task(struct bpf_offcpu *b, pid_t tid, enum bpf_task_kind kind, struct errbuf *eb)
{
	uint32_t id = (uint32_t)tid, flags = TASK_TRACED;

	if (kind == BPF_TASK_WORKLOAD)
		flags |= TASK_AWAITS_EXEC;
	else if (kind == BPF_TASK_PROCESS)
		flags |= TASK_ALL_THREADS;
	if (bpf_map_update_elem(bpf_map__fd(b->skel->maps.tasks), &id, &flags, BPF_ANY))
		return errbuf_set(eb, -errno, "cannot trace task %d: %s", tid, strerror(errno));
	vec_push(&b->added, tid);
	return 0;
}

/* Tasks that ended before the programs were there to see it: their numbers may be another's soon. */
static void forget_ended(struct bpf_offcpu *b)
{
	for (uint32_t i = 0, none = 0; i < b->added.nr; i++) {
		uint32_t id = (uint32_t)b->added.v[i];

		if (kill(b->added.v[i], 0) && errno == ESRCH)
			bpf_map_update_elem(bpf_map__fd(b->skel->maps.tasks), &id, &none, BPF_ANY);
	}
}

int bpf_offcpu_attach(struct bpf_offcpu *b, struct errbuf *eb)
{
	int err = offcpu_bpf__attach(b->skel);

	if (!err)
		forget_ended(b);
	return err ? bpf_failed(err, eb) : 0;
}

void bpf_offcpu_detach(struct bpf_offcpu *b)
{
	offcpu_bpf__detach(b->skel);
}

void bpf_offcpu_enable(struct bpf_offcpu *b, bool on)
{
	__atomic_store_n(&b->skel->bss->is_enabled, on, __ATOMIC_RELAXED);
}

int bpf_offcpu_sample_program(const struct bpf_offcpu *b)
{
	return bpf_program__fd(b->skel->progs.on_sample);
}

int bpf_offcpu_fd(const struct bpf_offcpu *b)
{
	return b->ring.wake_fd;
}

int bpf_offcpu_consume(struct bpf_offcpu *b, int (*record)(void *ctx, void *data, size_t size), void *ctx)
{
	return event_ring_consume(&b->ring, record, ctx);
}

uint64_t bpf_offcpu_dropped(const struct bpf_offcpu *b)
{
	return __atomic_load_n(&b->skel->bss->nr_dropped, __ATOMIC_RELAXED);
}
#else
int bpf_offcpu_open(struct bpf_offcpu **b, const struct bpf_offcpu_options *o, struct errbuf *eb)
{
	(void)o;
	*b = NULL;
	return bpf_check(eb);
}

void bpf_offcpu_close(struct bpf_offcpu *b)
{
	(void)b;
}

int bpf_offcpu_add_task(struct bpf_offcpu *b, pid_t tid, enum bpf_task_kind kind, struct errbuf *eb)
{
	(void)b, (void)tid, (void)kind;
	return bpf_check(eb);
}

int bpf_offcpu_attach(struct bpf_offcpu *b, struct errbuf *eb)
{
	(void)b;
	return bpf_check(eb);
}

void bpf_offcpu_detach(struct bpf_offcpu *b)
{
	(void)b;
}

void bpf_offcpu_enable(struct bpf_offcpu *b, bool on)
{
	(void)b, (void)on;
}

int bpf_offcpu_sample_program(const struct bpf_offcpu *b)
{
	(void)b;
	return 0;
}

int bpf_offcpu_fd(const struct bpf_offcpu *b)
{
	(void)b;
	return -1;
}

int bpf_offcpu_consume(struct bpf_offcpu *b, int (*record)(void *ctx, void *data, size_t size), void *ctx)
{
	(void)b, (void)record, (void)ctx;
	return 0;
}

uint64_t bpf_offcpu_dropped(const struct bpf_offcpu *b)
{
	(void)b;
	return 0;
}
#endif
