/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which CPUs share a core, a die, a package and a cache. sysfs repeats each list for every CPU in
 * it; a list is read for its first CPU only, so that the cost grows with cores and caches, not with
 * CPUs squared.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "kernel/cpus.h"
#include "kernel/host_read.h"

#define CPU_PATH "/sys/devices/system/cpu/cpu%u/"
#define CACHES_MAX 16 /* index directories of a CPU; real ones have four or five */

/* One kind of sharing: its distinct lists, and for each CPU the id it has by it. */
struct sharing {
	const char *list_file; /* below topology/ */
	const char *old_list_file;
	const char *id_file;
	VEC(const char *) lists;
	int32_t *ids;	/* per CPU; -1 unknown */
	bool *is_known; /* per CPU */
};

static void sharing_read(struct sharing *s, struct host *h)
{
	s->ids = arena_alloc(&h->arena, h->nrcpus_avail * sizeof(s->ids[0]));
	s->is_known = mem_zalloc(h->nrcpus_avail);
	for (uint32_t cpu = 0; cpu < h->nrcpus_avail; cpu++)
		s->ids[cpu] = -1;
	for (uint32_t cpu = 0; cpu < h->nrcpus_avail; cpu++) {
		struct cpu_list shared = { 0 };
		const char *list;
		int64_t id;

		if (s->is_known[cpu])
			continue;
		list = host_read_str(&h->arena, CPU_PATH "topology/%s", cpu, s->list_file);
		if (!list)
			list = host_read_str(&h->arena, CPU_PATH "topology/%s", cpu, s->old_list_file);
		if (!list)
			continue; /* offline, or an older kernel */
		id = host_read_num(-1, CPU_PATH "topology/%s", cpu, s->id_file);
		if (id < -1 || id > INT32_MAX)
			id = -1;
		vec_push(&s->lists, list);
		s->ids[cpu] = (int32_t)id;
		if (cpu_list_parse(&shared, list, NULL))
			continue;
		for (uint32_t i = 0; i < shared.cpus.nr; i++)
			if (shared.cpus.v[i] < h->nrcpus_avail) {
				s->is_known[shared.cpus.v[i]] = true;
				s->ids[shared.cpus.v[i]] = (int32_t)id;
			}
		cpu_list_fini(&shared);
	}
}

static const char **sharing_lists(struct sharing *s, struct host *h, uint32_t *nr)
{
	const char **lists = NULL;

	*nr = s->lists.nr;
	if (s->lists.nr)
		lists = arena_copy(&h->arena, s->lists.v, s->lists.nr * sizeof(s->lists.v[0]));
	vec_fini(&s->lists);
	free(s->is_known);
	return lists;
}

void host_read_topology(struct host *h)
{
	struct sharing package = { .list_file = "package_cpus_list",
				   .old_list_file = "core_siblings_list",
				   .id_file = "physical_package_id" };
	struct sharing core = { .list_file = "core_cpus_list", .old_list_file = "thread_siblings_list", .id_file = "core_id" };
	struct sharing die = { .list_file = "die_cpus_list", .old_list_file = "die_cpus_list", .id_file = "die_id" };

	sharing_read(&package, h);
	sharing_read(&core, h);
	/* Dies are an x86 notion for perf; elsewhere sysfs shows them without meaning. */
	if (h->arch && !strcmp(h->arch, "x86_64"))
		sharing_read(&die, h);
	h->cpus = arena_alloc(&h->arena, h->nrcpus_avail * sizeof(h->cpus[0]));
	for (uint32_t i = 0; i < h->nrcpus_avail; i++)
		h->cpus[i] = (struct host_cpu){ .core_id = core.ids[i], .socket_id = package.ids[i], .die_id = die.ids ? die.ids[i] : -1 };
	h->core_siblings = sharing_lists(&package, h, &h->nr_core_siblings);
	h->thread_siblings = sharing_lists(&core, h, &h->nr_thread_siblings);
	h->die_siblings = sharing_lists(&die, h, &h->nr_die_siblings);
}

struct found_cache {
	struct host_cache cache;
	uint32_t order;
};

static int cache_compare(const void *a, const void *b)
{
	const struct found_cache *x = a, *y = b;

	if (x->cache.level != y->cache.level)
		return x->cache.level < y->cache.level ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static bool cache_read(struct host *h, uint32_t cpu, uint32_t index, struct host_cache *c)
{
	char dir[64];

	snprintf(dir, sizeof(dir), CPU_PATH "cache/index%u", cpu, index);
	c->type = host_read_str(&h->arena, "%s/type", dir);
	if (!c->type)
		return false;
	c->level = (uint32_t)host_read_num(0, "%s/level", dir);
	c->line_size = (uint32_t)host_read_num(0, "%s/coherency_line_size", dir);
	c->sets = (uint32_t)host_read_num(0, "%s/number_of_sets", dir);
	c->ways = (uint32_t)host_read_num(0, "%s/ways_of_associativity", dir);
	c->size = host_read_str(&h->arena, "%s/size", dir);
	c->cpus = host_read_str(&h->arena, "%s/shared_cpu_list", dir);
	if (!c->size)
		c->size = "";
	if (!c->cpus)
		c->cpus = "";
	return true;
}

void host_read_caches(struct host *h)
{
	/* Bit i of a CPU: its cache of index i is one of those found already. */
	uint16_t *known = mem_zalloc(h->nrcpus_avail * sizeof(*known));
	VEC(struct found_cache) found = { 0 };

	for (uint32_t cpu = 0; cpu < h->nrcpus_avail; cpu++)
		for (uint32_t index = 0; index < CACHES_MAX; index++) {
			struct cpu_list shared = { 0 };
			struct found_cache f = { .order = found.nr };

			if (known[cpu] & 1u << index)
				continue;
			if (!cache_read(h, cpu, index, &f.cache))
				break;
			vec_push(&found, f);
			if (cpu_list_parse(&shared, f.cache.cpus, NULL))
				continue;
			for (uint32_t i = 0; i < shared.cpus.nr; i++)
				if (shared.cpus.v[i] < h->nrcpus_avail)
					known[shared.cpus.v[i]] |= (uint16_t)(1u << index);
			cpu_list_fini(&shared);
		}
	if (found.nr) {
		qsort(found.v, found.nr, sizeof(found.v[0]), cache_compare);
		h->caches = arena_alloc(&h->arena, found.nr * sizeof(h->caches[0]));
	}
	for (uint32_t i = 0; i < found.nr; i++)
		h->caches[i] = found.v[i].cache;
	h->nr_caches = found.nr;
	vec_fini(&found);
	free(known);
}
