/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From the words of the command line to what is counted: the list of events (the default set where
 * none was named), the CPUs and threads, and the empty table of counts. It opens nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "capture/counting.h"
#include "kernel/host.h"

#define SW_CPU_CLOCK 0
#define SW_TASK_CLOCK 1
#define CPU_EVENTS "/sys/bus/event_source/devices/cpu/events/"

/* What -d, -d -d and -d -d -d add. */
static const char *const detailed_events[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,"
	 "iTLB-load-misses"),
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};
#define NR_DETAILED ((int)(sizeof(detailed_events) / sizeof(detailed_events[0])))

static bool is_system_wide(const struct counting_options *o)
{
	return target_kind_of(&o->target) == TARGET_CPUS;
}

static int add_default_events(struct counting *r, struct errbuf *eb)
{
	struct event_list *l = &r->events;
	int err;

	err = event_list_parse(l, is_system_wide(r->o) ? "cpu-clock" : "task-clock", eb);
	if (!err)
		err = event_list_parse(l, "context-switches,cpu-migrations,page-faults,cycles", eb);
	/* Only where the PMU has them: elsewhere they would be noise in everybody's output. */
	if (!err && access(CPU_EVENTS "stalled-cycles-frontend", F_OK) == 0)
		err = event_list_parse(l, "stalled-cycles-frontend", eb);
	if (!err && access(CPU_EVENTS "stalled-cycles-backend", F_OK) == 0)
		err = event_list_parse(l, "stalled-cycles-backend", eb);
	if (!err)
		err = event_list_parse(l, "instructions,branches,branch-misses", eb);
	return err;
}

static int add_word(struct event_list *l, struct counting_metrics *m, const struct counting_word *w, struct errbuf *eb)
{
	int err;

	switch (w->kind) {
	case COUNT_FILTER:
		return event_list_add_filter(l, w->text, eb);
	case COUNT_CGROUP:
		return event_list_add_cgroups(l, w->text, eb);
	case COUNT_METRIC:
		return counting_metrics_add(m, l, w->text, "/sys", eb);
	default:
		/* Counting shows what there is; a row says what there is not. */
		l->allow_absent = true;
		err = event_list_parse(l, w->text, eb);
		l->allow_absent = false;
		return err;
	}
}

int counting_setup_events(struct counting *r, struct errbuf *eb)
{
	const struct counting_options *o = r->o;
	int err = 0;

	if (o->null_run)
		return 0;
	for (uint32_t i = 0; i < o->words.nr && !err; i++)
		err = add_word(&r->events, &r->metrics, &o->words.v[i], eb);
	if (!err && !r->events.events.nr)
		err = add_default_events(r, eb);
	for (int i = 0; i < o->detailed && i < NR_DETAILED && !err; i++)
		err = event_list_parse(&r->events, detailed_events[i], eb);
	return err;
}

int counting_setup_target(struct counting *r, struct errbuf *eb)
{
	const struct counting_options *o = r->o;
	int err;

	/* Threads that run already are the same ones in each run of -r. */
	if (r->target.tasks.ids.nr && r->target.kind != TARGET_WORKLOAD)
		return 0;
	target_fini(&r->target);
	err = target_init(&r->target, &o->target, r->loop.workload.pid, eb);
	if (err)
		return err;
	r->target.any_cpu = !o->target.cpus && (r->target.kind != TARGET_CPUS || o->aggr == COUNTS_PER_THREAD);
	if (r->target.kind == TARGET_CPUS && o->aggr == COUNTS_PER_THREAD) {
		r->target.tasks.ids.nr = 0;
		err = task_ids_add_all(&r->target.tasks, eb);
	}
	return err;
}

uint32_t counting_excluded(uint64_t flags)
{
	return (flags & ATTR_EXCLUDE_USER ? COUNTS_EXCLUDE_USER : 0) | (flags & ATTR_EXCLUDE_KERNEL ? COUNTS_EXCLUDE_KERNEL : 0) |
	       (flags & ATTR_EXCLUDE_HV ? COUNTS_EXCLUDE_HV : 0) | (flags & ATTR_EXCLUDE_IDLE ? COUNTS_EXCLUDE_IDLE : 0) |
	       (flags & ATTR_EXCLUDE_HOST ? COUNTS_EXCLUDE_HOST : 0);
}

static bool is_clock(const struct attr *a)
{
	return a->type == ATTR_TYPE_SOFTWARE && (a->config == SW_CPU_CLOCK || a->config == SW_TASK_CLOCK);
}

static struct counts_event describe_event(const struct counting *r, uint32_t i)
{
	static const enum counts_tool tools[] = {
		[EVENT_TOOL_NONE] = COUNTS_TOOL_NONE,
		[EVENT_TOOL_DURATION] = COUNTS_DURATION_TIME,
		[EVENT_TOOL_USER] = COUNTS_USER_TIME,
		[EVENT_TOOL_SYSTEM] = COUNTS_SYSTEM_TIME,
	};
	const struct event_spec *spec = &r->events.events.v[i];
	struct counts_event e = {
		.name = spec->name,
		.unit = spec->unit,
		.cgroup = spec->cgroup,
		.scale = spec->scale,
		.type = spec->attr.type,
		.config = spec->attr.config,
		.excluded = counting_excluded(spec->attr.flags),
		.tool = tools[spec->tool],
		.leader = spec->group_leader >= 0 ? r->event_map[spec->group_leader] : r->counts.events.nr,
		.supported = !r->fds.is_lacking[i],
		.snapshot = spec->is_snapshot,
	};

	if (!e.unit && is_clock(&spec->attr) && !spec->tool) {
		e.unit = "msec";
		e.scale = 1e-6;
	}
	if (spec->tool) {
		e.unit = "ns";
		e.has_no_times = spec->tool != EVENT_TOOL_DURATION && !r->loop.workload.pid;
	}
	return e;
}

/* Is it another PMU's part of the event before it, which is shown as one? */
static bool is_merged_with_last(const struct event_list *l, uint32_t i)
{
	const struct event_spec *now = &l->events.v[i], *last = i ? &l->events.v[i - 1] : NULL;

	return last && now->is_merged && last->is_merged && now->column == last->column && !strcmp(now->name, last->name);
}

static void add_events(struct counting *r)
{
	uint32_t nr = r->events.events.nr;

	r->event_map = mem_alloc((size_t)nr * sizeof(r->event_map[0]) + 1);
	for (uint32_t i = 0; i < nr; i++) {
		const struct event_spec *spec = &r->events.events.v[i];
		struct counts_event e;
		char *name = NULL;

		if (!r->o->no_merge && is_merged_with_last(&r->events, i)) {
			r->event_map[i] = r->event_map[i - 1];
			r->counts.events.v[r->event_map[i]].supported |= !r->fds.is_lacking[i];
			continue;
		}
		r->event_map[i] = r->counts.events.nr;
		e = describe_event(r, i);
		/* Which of the PMUs it is, is the only difference between its rows. */
		if (r->o->no_merge && spec->is_merged && spec->pmu)
			e.name = name = mem_printf("%s [%s]", spec->name, spec->pmu);
		counts_add_event(&r->counts, &e);
		free(name);
	}
}

/* Metrics speak of events of the list; rows are those of the counts. */
static void add_metrics(struct counting *r)
{
	for (uint32_t i = 0; i < r->metrics.uses.nr; i++)
		r->metrics.uses.v[i].first_event = r->event_map[r->metrics.uses.v[i].first_event];
	r->counts.uses = r->metrics.uses.v;
	r->counts.nr_uses = r->metrics.uses.nr;
}

static int32_t node_of(const struct host *h, int32_t cpu)
{
	for (uint32_t i = 0; i < h->nr_numa_nodes; i++) {
		struct cpu_list l = { 0 };
		bool has = !cpu_list_parse(&l, h->numa_nodes[i].cpus, NULL) && cpu_list_has(&l, (uint32_t)cpu);

		cpu_list_fini(&l);
		if (has)
			return (int32_t)h->numa_nodes[i].node;
	}
	return 0; /* a kernel without NUMA: all is one node */
}

static struct counts_cpu describe_cpu(const struct host *h, int32_t cpu)
{
	struct counts_cpu c = { cpu, -1, -1, -1, -1 };

	if (cpu < 0 || (uint32_t)cpu >= h->nrcpus_avail)
		return c;
	c.core = h->cpus[cpu].core_id;
	c.die = h->cpus[cpu].die_id < 0 ? 0 : h->cpus[cpu].die_id; /* older kernels say none */
	c.socket = h->cpus[cpu].socket_id;
	c.node = node_of(h, cpu);
	return c;
}

static void add_cpus(struct counting *r)
{
	enum counts_aggr aggr = r->o->aggr;
	struct host h = { 0 };

	/* Reading the machine's shape takes longer than `true` does: only where rows need it. */
	if (aggr != COUNTS_GLOBAL && aggr != COUNTS_PER_THREAD)
		host_init(&h);
	for (uint32_t i = 0; i < r->target.cpus.cpus.nr && !r->target.any_cpu; i++) {
		struct counts_cpu c = describe_cpu(&h, (int32_t)r->target.cpus.cpus.v[i]);

		counts_add_cpu(&r->counts, &c);
	}
	if (h.nrcpus_avail)
		host_fini(&h);
}

static void add_threads(struct counting *r)
{
	const struct task_ids *tasks = &r->target.tasks;

	for (uint32_t i = 0; i < tasks->ids.nr; i++) {
		char path[64], comm[64] = "";

		snprintf(path, sizeof(path), "/proc/%d/comm", tasks->ids.v[i]);
		if (r->o->aggr == COUNTS_PER_THREAD)
			io_read_line(path, comm, sizeof(comm));
		counts_add_thread(&r->counts, tasks->ids.v[i], comm[0] ? comm : NULL);
	}
}

void counting_setup_counts(struct counting *r)
{
	counts_init(&r->counts, r->o->aggr);
	r->counts.no_scale = r->o->no_scale;
	add_events(r);
	add_metrics(r);
	add_cpus(r);
	add_threads(r);
	counts_start(&r->counts);
}
