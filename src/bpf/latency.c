/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tries the ways to see a begin and an end, the cheapest first. Each try is a load of its own: what one kernel refuses, another takes.
 */
#include "bpf/latency.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

#ifdef HAVE_BPF
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <latency.skel.h> /* made at build time */

#define KPROBE_PMU "/sys/bus/event_source/devices/kprobe"

enum way { WAY_FENTRY, WAY_KPROBE, WAY_BTF, WAY_EVENT };

struct bpf_latency {
	struct latency_bpf *skel;
	enum way way;
	struct bpf_link *links[5];
	uint32_t nr_links;
};

static void set_constants(struct latency_bpf *s, const struct bpf_latency_options *o)
{
	s->rodata->own_tgid = (unsigned)getpid();
	s->rodata->traces_all = o->all_tasks;
	s->rodata->unit_ns = o->unit_ns;
	s->rodata->own_pid_ns = bpf_pid_namespace();
	s->rodata->has_cpus = !!o->cpus;
	for (uint32_t i = 0; o->cpus && i < BPF_LATENCY_CPUS / 64; i++)
		s->rodata->cpus[i] = o->cpus[i];
	for (int side = 0; side < 2; side++)
		memcpy((void *)s->rodata->parts[side], o->events[side].parts, sizeof(o->events[side].parts));
}

/* The two programs of a way. */
static void find_programs(const struct latency_bpf *s, enum way way, struct bpf_program *programs[2])
{
	switch (way) {
	case WAY_FENTRY:
		programs[0] = s->progs.on_entry;
		programs[1] = s->progs.on_return;
		break;
	case WAY_KPROBE:
		programs[0] = s->progs.on_probe;
		programs[1] = s->progs.on_probe_return;
		break;
	case WAY_BTF:
		programs[0] = s->progs.on_from;
		programs[1] = s->progs.on_to;
		break;
	case WAY_EVENT:
		programs[0] = s->progs.on_from_event;
		programs[1] = s->progs.on_to_event;
		break;
	}
}

static int load(struct bpf_latency *b, const struct bpf_latency_options *o, struct bpf_program *programs[2])
{
	struct bpf_program *p;
	int err = 0;

	bpf_object__for_each_program(p, b->skel->obj)
	{
		bool is_of_tasks = p == b->skel->progs.on_task_exit || p == b->skel->progs.on_exec ||
				   (p == b->skel->progs.on_fork && o->follows_forks);

		bpf_program__set_autoload(p, p == programs[0] || p == programs[1] || (is_of_tasks && !o->all_tasks));
	}
	for (int i = 0; !err && i < 2 && (b->way == WAY_FENTRY || b->way == WAY_BTF); i++)
		err = bpf_program__set_attach_target(programs[i], 0, b->way == WAY_FENTRY ? o->function : o->events[i].name);
	return err ? err : latency_bpf__load(b->skel);
}

static int add_link(struct bpf_latency *b, struct bpf_link *link)
{
	if (!link)
		return -errno;
	b->links[b->nr_links++] = link;
	return 0;
}

/* What ends is looked for first: a begin that comes in between would never end. */
static int attach(struct bpf_latency *b, const struct bpf_latency_options *o, struct bpf_program *programs[2])
{
	int err = 0;

	for (int i = 1; !err && i >= 0; i--) {
		if (b->way == WAY_KPROBE)
			err = add_link(b, bpf_program__attach_kprobe(programs[i], i == 1, o->function));
		else if (b->way == WAY_EVENT)
			err = add_link(b, bpf_program__attach_tracepoint(programs[i], o->events[i].system, o->events[i].name));
		else
			err = add_link(b, bpf_program__attach(programs[i]));
	}
	if (!err && !o->all_tasks)
		err = add_link(b, bpf_program__attach(b->skel->progs.on_task_exit));
	if (!err && !o->all_tasks)
		err = add_link(b, bpf_program__attach(b->skel->progs.on_exec));
	if (!err && !o->all_tasks && o->follows_forks)
		err = add_link(b, bpf_program__attach(b->skel->progs.on_fork));
	return err;
}

static int try_way(struct bpf_latency *b, const struct bpf_latency_options *o, enum way way)
{
	struct bpf_program *programs[2] = { NULL, NULL };
	int err;

	b->way = way;
	/* Without it, libbpf would write to tracefs' kprobe_events, where probes stay if we are killed. */
	if (way == WAY_KPROBE && access(KPROBE_PMU, F_OK))
		return -ENODEV;
	b->skel = latency_bpf__open();
	if (!b->skel)
		return -errno;
	set_constants(b->skel, o);
	find_programs(b->skel, way, programs);
	err = load(b, o, programs);
	if (!err)
		err = attach(b, o, programs);
	if (!err)
		return 0;
	for (uint32_t i = 0; i < b->nr_links; i++)
		bpf_link__destroy(b->links[i]);
	b->nr_links = 0;
	latency_bpf__destroy(b->skel);
	b->skel = NULL;
	return err;
}

/* Programs by type see no fields; events of system calls have no type of their own. */
static bool can_use_types(const struct bpf_latency_options *o)
{
	for (int side = 0; side < 2; side++) {
		if (!strcmp(o->events[side].system, "syscalls"))
			return false;
		for (int i = 0; i < LATENCY_KEY_PARTS; i++)
			if (o->events[side].parts[i].kind == LATENCY_KEY_FIELD)
				return false;
	}
	return true;
}

int bpf_latency_open(struct bpf_latency **out, const struct bpf_latency_options *o, struct errbuf *eb)
{
	bool has_first = o->function || can_use_types(o);
	struct bpf_latency *b;
	int err = bpf_check(eb);

	*out = NULL;
	if (err)
		return err;
	b = mem_zalloc(sizeof(*b));
	bpf_keep_messages();
	err = has_first ? try_way(b, o, o->function ? WAY_FENTRY : WAY_BTF) : -ENOTSUP;
	if (err) {
		bpf_keep_messages();
		err = try_way(b, o, o->function ? WAY_KPROBE : WAY_EVENT);
	}
	if (err) {
		bpf_latency_close(b);
		return err == -ENODEV && o->function
			       ? errbuf_set(
					 eb, err,
					 "the kernel lets BPF programs neither see entry and return of '%s' (fentry, fexit) nor has it kprobes",
					 o->function)
			       : bpf_failed(err, eb);
	}
	*out = b;
	log_info("measuring by BPF: %s", bpf_latency_way(b));
	return 0;
}

void bpf_latency_close(struct bpf_latency *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->nr_links; i++)
		bpf_link__destroy(b->links[i]);
	latency_bpf__destroy(b->skel);
	free(b);
}

int bpf_latency_add_task(struct bpf_latency *b, pid_t tid, enum bpf_task_kind kind, struct errbuf *eb)
{
	uint32_t id = (uint32_t)tid, state = kind == BPF_TASK_WORKLOAD ? LATENCY_TASK_AWAITS_EXEC : LATENCY_TASK_MEASURED;

	if (bpf_map_update_elem(bpf_map__fd(b->skel->maps.tasks), &id, &state, BPF_ANY))
		return errbuf_set(eb, -errno, "cannot measure task %d: %s", tid, strerror(errno));
	return 0;
}

void bpf_latency_enable(struct bpf_latency *b, bool on)
{
	__atomic_store_n(&b->skel->bss->is_enabled, on, __ATOMIC_RELAXED);
}

const char *bpf_latency_way(const struct bpf_latency *b)
{
	static const char *const names[] = { "fentry and fexit", "kprobe and kretprobe", "tracepoints by type", "tracepoints with fields" };

	return names[b->way];
}

int bpf_latency_read(struct bpf_latency *b, void (*each)(void *ctx, const struct latency_figures *f), void *ctx, struct errbuf *eb)
{
	int nr_cpus = libbpf_num_possible_cpus();
	struct latency_figures *all = nr_cpus > 0 ? mem_zalloc((size_t)nr_cpus * sizeof(*all)) : NULL;
	uint32_t zero = 0;
	int err = all ? bpf_map_lookup_elem(bpf_map__fd(b->skel->maps.figures), &zero, all) : nr_cpus;

	if (err)
		err = errbuf_set(eb, err, "cannot read what was measured: %s", strerror(-err));
	for (int i = 0; !err && i < nr_cpus; i++)
		each(ctx, &all[i]);
	free(all);
	return err;
}
#else
int bpf_latency_open(struct bpf_latency **b, const struct bpf_latency_options *o, struct errbuf *eb)
{
	(void)o;
	*b = NULL;
	return bpf_check(eb);
}

void bpf_latency_close(struct bpf_latency *b)
{
	(void)b;
}

int bpf_latency_add_task(struct bpf_latency *b, pid_t tid, enum bpf_task_kind kind, struct errbuf *eb)
{
	(void)b, (void)tid, (void)kind;
	return bpf_check(eb);
}

void bpf_latency_enable(struct bpf_latency *b, bool on)
{
	(void)b, (void)on;
}

const char *bpf_latency_way(const struct bpf_latency *b)
{
	(void)b;
	return "";
}

int bpf_latency_read(struct bpf_latency *b, void (*each)(void *ctx, const struct latency_figures *f), void *ctx, struct errbuf *eb)
{
	(void)b, (void)each, (void)ctx;
	return bpf_check(eb);
}
#endif
