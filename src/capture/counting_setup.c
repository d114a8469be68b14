/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * From options to what is counted: the list of events (the default set where none was named; those that metrics need), the CPUs and
 * threads, and the empty table of counts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "capture/counting.h"
#include "capture/header_info.h"
#include "kernel/pmu.h"

#define SW_CPU_CLOCK 0
#define SW_TASK_CLOCK 1
#define CPU_EVENTS "/sys/bus/event_source/devices/cpu/events/"

/* What -d, -d -d and -d -d -d add. */
static const char *const detailed_events[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses"),
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
	/* Only where the PMU has them: elsewhere they would be noise in the output. */
	if (!err && access(CPU_EVENTS "stalled-cycles-frontend", F_OK) == 0)
		err = event_list_parse(l, "stalled-cycles-frontend", eb);
	if (!err && access(CPU_EVENTS "stalled-cycles-backend", F_OK) == 0)
		err = event_list_parse(l, "stalled-cycles-backend", eb);
	if (!err)
		err = event_list_parse(l, "instructions,branches,branch-misses", eb);
	return err;
}

static int add_word(struct event_list *l, struct counting_metrics *m, const struct event_word *w, struct errbuf *eb)
{
	int err;

	switch (w->kind) {
	case WORD_FILTER:
		return event_list_add_filter(l, w->text, eb);
	case WORD_CGROUP:
		return event_list_add_cgroups(l, w->text, eb);
	case WORD_METRIC:
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
	for (uint32_t i = 0; i < o->words.v.nr && !err; i++)
		err = add_word(&r->events, &r->metrics, &o->words.v.v[i], eb);
	if (!err && !r->events.events.nr && !o->target.temp_probes)
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

/* Metrics refer to events of the list; rows are those of the counts. */
static void add_metrics(struct counting *r)
{
	for (uint32_t i = 0; i < r->metrics.uses.nr; i++)
		r->metrics.uses.v[i].first_event = r->event_map[r->metrics.uses.v[i].first_event];
	r->counts.uses = r->metrics.uses.v;
	r->counts.nr_uses = r->metrics.uses.nr;
}

/* The words of a file: nothing is expanded, and a broken list counts up to where it breaks. */
static bool list_has(const char *list, int32_t cpu)
{
	while (*list) {
		char *end;
		long first = strtol(list, &end, 10), last = first;

		if (end == list)
			return false;
		if (*end == '-') {
			list = end + 1;
			last = strtol(list, &end, 10);
			if (end == list)
				return false;
		}
		if (cpu >= first && cpu <= last)
			return true;
		if (*end != ',')
			return false;
		list = end + 1;
	}
	return false;
}

static int32_t node_of(const struct perfdata_info *host, int32_t cpu)
{
	int32_t node = 0; /* a kernel without NUMA: all is one node */

	for (uint32_t i = 0; i < host->numa_nodes.nr; i++)
		if (list_has(host->numa_nodes.v[i].cpus, cpu))
			node = (int32_t)host->numa_nodes.v[i].node;
	return node;
}

/* Older files and kernels have no dies; without a topology there is one of everything. */
struct counts_cpu counting_place_cpu(const struct perfdata_info *host, int32_t cpu)
{
	struct perfdata_cpu at = cpu >= 0 && (uint32_t)cpu < host->cpus.nr ? host->cpus.v[cpu] : (struct perfdata_cpu){ -1, -1, -1 };

	if (cpu < 0)
		return (struct counts_cpu){ cpu, -1, -1, -1, -1 };
	return (struct counts_cpu){
		.cpu = cpu,
		.core = at.core_id < 0 ? cpu : at.core_id,
		.die = at.die_id < 0 ? 0 : at.die_id,
		.socket = at.socket_id < 0 ? 0 : at.socket_id,
		.node = node_of(host, cpu),
	};
}

static void add_cpus(struct counting *r)
{
	enum counts_aggr aggr = r->o->aggr;
	struct perfdata_info host;

	perfdata_info_init(&host);
	/* Reading the topology takes longer than `true` does: only where rows need it. */
	if (aggr != COUNTS_GLOBAL && aggr != COUNTS_PER_THREAD)
		header_info_set_host(&host);
	for (uint32_t i = 0; i < r->target.cpus.cpus.nr && !r->target.any_cpu; i++) {
		struct counts_cpu c = counting_place_cpu(&host, (int32_t)r->target.cpus.cpus.v[i]);

		counts_add_cpu(&r->counts, &c);
	}
	perfdata_info_fini(&host);
}

static void add_threads(struct counting *r)
{
	const struct task_ids *tasks = &r->target.tasks;

	for (uint32_t i = 0; i < tasks->ids.nr; i++) {
		char comm[64] = "";

		if (r->o->aggr == COUNTS_PER_THREAD)
			proc_read_comm(tasks->ids.v[i], comm, sizeof(comm));
		counts_add_thread(&r->counts, tasks->ids.v[i], comm[0] ? comm : NULL);
	}
}

/* Probes of --temp are rows of their own, behind the events. */
static void add_probes(struct counting *r)
{
	const struct temp_probes *t = r->o->target.temp_probes;

	r->first_probe = r->counts.events.nr;
	for (uint32_t i = 0; t && i < t->names.nr; i++) {
		struct counts_event e = {
			.name = t->names.v[i], .scale = 1, .type = ATTR_TYPE_TRACEPOINT, .leader = r->counts.events.nr, .supported = true
		};

		counts_add_event(&r->counts, &e);
	}
}

void counting_setup_counts(struct counting *r)
{
	counts_init(&r->counts, r->o->aggr);
	r->counts.no_scale = r->o->no_scale;
	add_events(r);
	add_probes(r);
	add_metrics(r);
	add_cpus(r);
	add_threads(r);
	counts_start(&r->counts);
}

/* Slots of a cycle, from Arm's PMUs: S in formulas. 0: unknown. */
static double read_slots(const char *sysfs, const struct pmu *pmu)
{
	char text[32] = "";
	char *path = mem_printf("%s/bus/event_source/devices/%s/caps/slots", sysfs, pmu->name);

	io_read_line(path, text, sizeof(text));
	free(path);
	return (double)strtoull(text, NULL, 0);
}

static int lacks_pmu(const struct metric_def *d, const char *sysfs, struct errbuf *eb)
{
	return errbuf_set(eb, -ENOENT,
			  "metric '%s' needs hardware counters (%s), and this machine shows no PMU of its CPUs in "
			  "%s/bus/event_source/devices; virtual machines often have none",
			  d->name, d->needs ? d->needs : d->events, sysfs);
}

/* The definition to take for `d->name`: `d` or a later one of that name. */
static int choose(const struct metric_def **found, const struct metric_def *d, const struct pmu *pmu, const char *sysfs, struct errbuf *eb)
{
	const char *name = d->name, *missing = NULL;
	size_t len = 0;

	*found = d;
	if (d->needs && !*d->needs)
		return 0;
	if (!pmu)
		return lacks_pmu(d, sysfs, eb);
	if (!d->needs)
		return 0;
	for (; d->name; d++) {
		size_t this_len;
		const char *this;

		if (strcmp(d->name, name))
			continue;
		this = pmu_find_missing(pmu, d->needs, &this_len);
		*found = d;
		if (!this)
			return 0;
		if (!missing) {
			missing = this;
			len = this_len;
		}
	}
	return errbuf_set(eb, -ENOENT,
			  "metric '%s' cannot be had here: the PMU %s has no event '%.*s' in %s/bus/"
			  "event_source/devices/%s/events, nor those of its other definitions",
			  name, pmu->name, (int)len, missing, sysfs, pmu->name);
}

static uint32_t count_words(const char *text)
{
	uint32_t nr = 1;

	for (; *text; text++)
		nr += *text == ',';
	return nr;
}

static int add_use(struct counting_metrics *m, struct event_list *list, const struct metric_def *d, double slots, const char *sysfs,
		   struct errbuf *eb)
{
	struct metric_use u = { .def = d, .first_event = list->events.nr, .slots = slots };
	struct event_sources sources = event_sources_live;
	int err;

	sources.sysfs = sysfs;

	for (uint32_t i = 0; i < m->uses.nr; i++) {
		if (m->uses.v[i].def == d)
			return 0; /* named twice */
		if (!strcmp(m->uses.v[i].def->events, d->events)) {
			u.first_event = m->uses.v[i].first_event;
			vec_push(&m->uses, u);
			return 0;
		}
	}
	err = event_list_parse_from(list, d->events, &sources, eb);
	if (err)
		return err;
	if (list->events.nr - u.first_event != count_words(d->events))
		return errbuf_set(eb, -ENOTSUP, "metric '%s' cannot be computed on a machine with several kinds of CPUs: count %s with -e",
				  d->name, d->events);
	vec_push(&m->uses, u);
	return 0;
}

static bool is_first_of_name(const struct metric_def *d)
{
	for (const struct metric_def *p = metric_defs(); p != d; p++)
		if (!strcmp(p->name, d->name))
			return false;
	return true;
}

static int add_name(struct counting_metrics *m, struct event_list *list, const char *name, const struct pmu *pmu, const char *sysfs,
		    struct errbuf *eb)
{
	double slots = pmu ? read_slots(sysfs, pmu) : 0;
	bool any = false;
	int err = 0;

	for (const struct metric_def *d = metric_defs(); d->name && !err; d++) {
		const struct metric_def *chosen;

		if (!metric_def_is(d, name) || !is_first_of_name(d))
			continue;
		any = true;
		err = choose(&chosen, d, pmu, sysfs, eb);
		if (!err)
			err = add_use(m, list, chosen, slots, sysfs, eb);
	}
	return any ? err : metric_unknown(name, eb);
}

int counting_metrics_add(struct counting_metrics *m, struct event_list *list, const char *text, const char *sysfs, struct errbuf *eb)
{
	char *words = mem_strdup(text), *save = NULL;
	struct pmu_set set = { 0 };
	const struct pmu *pmu;
	int err = 0;

	pmu_set_init(&set, sysfs);
	pmu = pmu_set_find_core(&set, NULL);
	for (char *w = strtok_r(words, ", ", &save); w && !err; w = strtok_r(NULL, ", ", &save))
		err = add_name(m, list, w, pmu, sysfs, eb);
	if (!err && !m->uses.nr)
		err = errbuf_set(eb, -EINVAL, "-M needs the name of a metric; `assay list metric` shows them");
	pmu_set_fini(&set);
	free(words);
	return err;
}

void counting_metrics_fini(struct counting_metrics *m)
{
	vec_fini(&m->uses);
}
