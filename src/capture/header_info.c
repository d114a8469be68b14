/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Copies facts of the run and the machine into the terms of perf.data's features. Fed by the kernel
 * room's host facts; the bytes are the perfdata room's business.
 */
#include "capture/header_info.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BIT(feature) (1ULL << (feature))

static uint64_t clock_now_ns(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static void set_event(struct perfdata_info *info, const struct event_fds *fds, uint32_t event)
{
	const struct event_spec *spec = &fds->list->events.v[event];
	struct perfdata_event e = { .attr = spec->attr, .name = spec->name };
	uint32_t nr = fds->first[event + 1] - fds->first[event];

	e.layout = sample_layout_of(&e.attr);
	e.ids = arena_alloc(&info->arena, (2 * (size_t)nr + 1) * sizeof(e.ids[0]));
	/* The tracker reports in the name of the first event. */
	for (uint32_t i = 0; i < fds->fds.nr; i++) {
		const struct event_fd *f = &fds->fds.v[i];

		if (f->fd >= 0 && (f->event == event || (!event && f->event == fds->list->events.nr)))
			e.ids[e.nr_ids++] = f->id;
	}
	vec_push(&info->events, e);
}

/* perf's word for a group without a name of its own. */
#define ANON_GROUP "{anon_group}"

static void set_groups(struct perfdata_info *info, const struct event_list *list)
{
	for (uint32_t i = 0; i < list->events.nr; i++) {
		const struct event_spec *spec = &list->events.v[i];
		struct perfdata_group g = { spec->group_name ? spec->group_name : ANON_GROUP, i, 0 };

		if (spec->group_leader != (int32_t)i)
			continue;
		for (uint32_t k = i; k < list->events.nr; k++)
			g.nr_members += list->events.v[k].group_leader == (int32_t)i;
		vec_push(&info->groups, g);
	}
	if (info->groups.nr)
		info->features |= BIT(FEAT_GROUP_DESC);
}

void header_info_set_events(struct perfdata_info *info, const struct event_fds *fds)
{
	for (uint32_t i = 0; i < fds->list->events.nr; i++)
		set_event(info, fds, i);
	info->features |= BIT(FEAT_EVENT_DESC);
	set_groups(info, fds->list);
}

void header_info_set_options(struct perfdata_info *info, const struct capture_options *o)
{
	info->version = ASSAY_VERSION;
	info->cmdline = o->cmdline;
	info->nr_cmdline = o->nr_cmdline;
	info->features |= BIT(FEAT_VERSION) | BIT(FEAT_CMDLINE);
	if (!o->config.has_clockid)
		return;
	info->clockid = (uint32_t)o->config.clockid;
	info->clockid_res_ns = host_clock_res_ns(o->config.clockid);
	/* One moment on both clocks: what turns recorded times into dates. */
	info->clock_ref_ns = clock_now_ns(o->config.clockid);
	info->clock_tod_ns = clock_now_ns(CLOCK_REALTIME);
	info->features |= BIT(FEAT_CLOCKID) | BIT(FEAT_CLOCK_DATA);
}

static void set_siblings(struct perfdata_info *info, const struct host *h)
{
	for (uint32_t i = 0; i < h->nr_core_siblings; i++)
		vec_push(&info->core_siblings, h->core_siblings[i]);
	for (uint32_t i = 0; i < h->nr_die_siblings; i++)
		vec_push(&info->die_siblings, h->die_siblings[i]);
	for (uint32_t i = 0; i < h->nr_thread_siblings; i++)
		vec_push(&info->thread_siblings, h->thread_siblings[i]);
	for (uint32_t i = 0; h->cpus && i < h->nrcpus_avail; i++)
		vec_push(&info->cpus,
			 ((struct perfdata_cpu){
				 .core_id = h->cpus[i].core_id, .socket_id = h->cpus[i].socket_id, .die_id = h->cpus[i].die_id }));
	if (h->nr_core_siblings && h->cpus)
		info->features |= BIT(FEAT_CPU_TOPOLOGY);
}

static void set_memory(struct perfdata_info *info, const struct host *h)
{
	for (uint32_t i = 0; i < h->nr_numa_nodes; i++) {
		const struct host_numa_node *n = &h->numa_nodes[i];

		vec_push(&info->numa_nodes,
			 ((struct perfdata_numa_node){
				 .node = n->node, .mem_total_kb = n->mem_total_kb, .mem_free_kb = n->mem_free_kb, .cpus = n->cpus }));
	}
	for (uint32_t i = 0; i < h->nr_caches; i++) {
		const struct host_cache *c = &h->caches[i];

		vec_push(&info->caches, ((struct perfdata_cache){ .level = c->level,
								  .line_size = c->line_size,
								  .sets = c->sets,
								  .ways = c->ways,
								  .type = c->type,
								  .size = c->size,
								  .cpus = c->cpus }));
	}
	for (uint32_t i = 0; i < h->nr_mem_nodes; i++) {
		const struct host_mem_node *n = &h->mem_nodes[i];

		vec_push(&info->mem_nodes, ((struct perfdata_mem_node){ .node = n->node, .nr_bits = n->nr_bits, .bitmap = n->bitmap }));
	}
	info->mem_block_size = h->mem_block_size;
	if (h->nr_numa_nodes)
		info->features |= BIT(FEAT_NUMA_TOPOLOGY);
	if (h->nr_caches)
		info->features |= BIT(FEAT_CACHE);
	if (h->nr_mem_nodes)
		info->features |= BIT(FEAT_MEM_TOPOLOGY);
}

void header_info_set_host(struct perfdata_info *info, const struct host *h)
{
	const struct {
		const char **to, *from;
		enum perfdata_feature feature;
	} strings[] = {
		{ &info->hostname, h->hostname, FEAT_HOSTNAME },
		{ &info->osrelease, h->osrelease, FEAT_OSRELEASE },
		{ &info->arch, h->arch, FEAT_ARCH },
		{ &info->cpudesc, h->cpudesc, FEAT_CPUDESC },
		{ &info->cpuid, h->cpuid, FEAT_CPUID },
	};

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		*strings[i].to = strings[i].from;
		if (strings[i].from)
			info->features |= BIT(strings[i].feature);
	}
	info->nrcpus_online = h->nrcpus_online;
	info->nrcpus_avail = h->nrcpus_avail;
	info->total_mem_kb = h->total_mem_kb;
	if (h->nrcpus_avail)
		info->features |= BIT(FEAT_NRCPUS);
	if (h->total_mem_kb)
		info->features |= BIT(FEAT_TOTAL_MEM);
	set_siblings(info, h);
	set_memory(info, h);
	for (uint32_t i = 0; i < h->nr_pmus; i++)
		vec_push(&info->pmus, ((struct perfdata_pmu){ h->pmus[i].type, h->pmus[i].name }));
	if (h->nr_pmus)
		info->features |= BIT(FEAT_PMU_MAPPINGS);
}
