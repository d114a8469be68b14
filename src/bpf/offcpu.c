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
#include "bpf/cpu_rings.h"
#include "bpf/event_ring.h"
#include "bpf/task_flags.h"
#include "kernel/proc_scan.h"

#ifdef HAVE_BPF
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <offcpu.skel.h> /* made at build time */

#define CPU_RING_BYTES_MIN (256u << 10)
#define SPARE_RING_BYTES (256u << 10) /* beside those of the CPUs: what they cannot take */
/* Programs can write to them in order there (cpu_rings.bpf.h). */
#if defined(__x86_64__)
#define HAS_CPU_RINGS true
#else
#define HAS_CPU_RINGS false
#endif

struct bpf_offcpu {
	struct offcpu_bpf *skel;
	struct event_ring ring;
	struct cpu_rings cpu_rings; /* beside it, or closed */
	VEC(pid_t) added;
};

/* The kernel bounds the values of maps, before Linux 6.2 to 4 MB. */
static bool can_be_value(size_t size)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, sizeof(uint32_t), (uint32_t)size, 1, NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Of the data of the ring of a CPU; 0: there are none. A share of what is wanted, and some milliseconds of switches at least. */
static size_t cpu_ring_bytes(const struct bpf_offcpu_options *o)
{
	size_t share = o->ring_bytes / (size_t)libbpf_num_possible_cpus(), size = CPU_RING_BYTES_MIN;

	if (!HAS_CPU_RINGS || !o->explains_waits || o->stack_bytes)
		return 0;
	while (2 * size <= share)
		size *= 2;
	while (size > CPU_RING_BYTES_MIN && !can_be_value(cpu_rings_value_size(size)))
		size /= 2;
	return size;
}

static void set_constants(struct offcpu_bpf *s, const struct bpf_offcpu_options *o, size_t cpu_bytes)
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
	s->rodata->cpu_ring_mask = cpu_bytes ? cpu_bytes - 1 : 0;
	s->rodata->cpu_ring_wake = cpu_bytes / 16;
	s->rodata->own_pid_ns = bpf_pid_namespace();
}

static int set_sizes(struct offcpu_bpf *s, const struct bpf_offcpu_options *o, uint32_t ring_bytes, size_t cpu_bytes)
{
	uint32_t nr_cpus = (uint32_t)libbpf_num_possible_cpus();
	int err = bpf_map__set_max_entries(s->maps.tasks, o->all_tasks ? 1 : bpf_pid_limit());

	if (!err)
		err = bpf_map__set_max_entries(s->maps.ring, ring_bytes);
	if (!err)
		err = bpf_map__set_max_entries(s->maps.stack_buffers, nr_cpus);
	if (!err && cpu_bytes)
		err = bpf_map__set_max_entries(s->maps.cpu_rings, nr_cpus);
	if (!err && cpu_bytes)
		err = bpf_map__set_value_size(s->maps.cpu_rings, (uint32_t)cpu_rings_value_size(cpu_bytes));
	return err;
}

static int load(struct bpf_offcpu *b, const struct bpf_offcpu_options *o)
{
	size_t cpu_bytes = cpu_ring_bytes(o);
	uint32_t ring_bytes = cpu_bytes ? SPARE_RING_BYTES : o->ring_bytes;
	struct offcpu_bpf *s = b->skel = offcpu_bpf__open();
	int err;

	if (!s)
		return -errno;
	set_constants(s, o, cpu_bytes);
	bpf_program__set_autoload(s->progs.on_fork, !o->no_children && !o->all_tasks);
	bpf_program__set_autoload(s->progs.on_exec, !o->all_tasks);
	bpf_program__set_autoload(s->progs.on_waking, o->explains_waits);
	bpf_program__set_autoload(s->progs.on_wakeup_new, o->explains_waits);
	bpf_program__set_autoload(s->progs.on_sample, o->explains_waits);
	bpf_program__set_autoload(s->progs.on_task_exit, !o->all_tasks);
	err = set_sizes(s, o, ring_bytes, cpu_bytes);
	if (!err)
		err = offcpu_bpf__load(s);
	if (!err && cpu_bytes)
		err = cpu_rings_open(&b->cpu_rings, bpf_map__fd(s->maps.cpu_rings), bpf_map__max_entries(s->maps.cpu_rings), cpu_bytes);
	return err ? err : event_ring_open(&b->ring, bpf_map__fd(s->maps.ring), ring_bytes);
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
	cpu_rings_close(&b->cpu_rings);
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

size_t bpf_offcpu_ring_bytes(const struct bpf_offcpu *b)
{
	return b->ring.size + b->cpu_rings.nr * b->cpu_rings.size;
}

int bpf_offcpu_consume(struct bpf_offcpu *b, int (*record)(void *ctx, void *data, size_t size), void *ctx)
{
	/* First what forgets wake-ups: one for what comes meanwhile is kept. */
	int nr = event_ring_consume(&b->ring, record, ctx);

	return nr + cpu_rings_consume(&b->cpu_rings, record, ctx);
}

uint64_t bpf_offcpu_dropped(const struct bpf_offcpu *b)
{
	return __atomic_load_n(&b->skel->bss->nr_dropped, __ATOMIC_RELAXED) + cpu_rings_dropped(&b->cpu_rings);
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

size_t bpf_offcpu_ring_bytes(const struct bpf_offcpu *b)
{
	(void)b;
	return 0;
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
