/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which CPUs share a core, a die, a package and a cache; NUMA nodes, their memory, and which blocks of physical memory belong to each.
 * sysfs repeats each list for every CPU in it; a list is read for its first CPU only, so that the cost grows with cores and caches, not
 * with CPUs squared.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "capture/header_info.h"
#include "kernel/cpus.h"

#define CPU_PATH "/sys/devices/system/cpu/cpu%u/"
#define CACHES_MAX 16 /* index directories of a CPU; real ones have four or five */
#define NODE_PATH "/sys/devices/system/node/node%u"
/* Bounds the bitmap: 2^24 blocks of 128 MiB are more than a physical address can name. */
#define BLOCKS_MAX (1u << 24)

/* One kind of sharing: its distinct lists, and for each CPU the id it has by it. */
struct sharing {
	const char *list_file; /* below topology/ */
	const char *old_list_file;
	const char *id_file;
	VEC(const char *) lists;
	int32_t *ids; /* per CPU; -1 unknown */
};

static void sharing_read(struct sharing *s, struct perfdata_info *info)
{
	bool *is_known = mem_zalloc(info->nrcpus_avail);

	for (uint32_t cpu = 0; cpu < info->nrcpus_avail; cpu++) {
		struct cpu_list shared = { 0 };
		const char *list;
		int64_t id;

		if (is_known[cpu])
			continue;
		list = host_read_str(info, CPU_PATH "topology/%s", cpu, s->list_file);
		if (!list)
			list = host_read_str(info, CPU_PATH "topology/%s", cpu, s->old_list_file);
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
			if (shared.cpus.v[i] < info->nrcpus_avail) {
				is_known[shared.cpus.v[i]] = true;
				s->ids[shared.cpus.v[i]] = (int32_t)id;
			}
		cpu_list_fini(&shared);
	}
	free(is_known);
}

void host_read_topology(struct perfdata_info *info)
{
	enum { PACKAGE, CORE, DIE, NR };
	struct sharing kinds[NR] = {
		[PACKAGE] = { "package_cpus_list", "core_siblings_list", "physical_package_id", { 0 }, NULL },
		[CORE] = { "core_cpus_list", "thread_siblings_list", "core_id", { 0 }, NULL },
		[DIE] = { "die_cpus_list", "die_cpus_list", "die_id", { 0 }, NULL },
	};
	/* Dies are an x86 notion for perf; elsewhere sysfs shows them without meaning. */
	bool has_dies = info->arch && !strcmp(info->arch, "x86_64");

	for (int k = 0; k < NR; k++) {
		kinds[k].ids = mem_alloc(info->nrcpus_avail * sizeof(kinds[k].ids[0]));
		memset(kinds[k].ids, 0xff, info->nrcpus_avail * sizeof(kinds[k].ids[0])); /* -1 */
		if (k != DIE || has_dies)
			sharing_read(&kinds[k], info);
	}
	for (uint32_t i = 0; i < info->nrcpus_avail; i++)
		vec_push(&info->cpus, ((struct perfdata_cpu){ kinds[CORE].ids[i], kinds[PACKAGE].ids[i], kinds[DIE].ids[i] }));
	for (uint32_t i = 0; i < kinds[PACKAGE].lists.nr; i++)
		vec_push(&info->core_siblings, kinds[PACKAGE].lists.v[i]);
	for (uint32_t i = 0; i < kinds[CORE].lists.nr; i++)
		vec_push(&info->thread_siblings, kinds[CORE].lists.v[i]);
	for (uint32_t i = 0; i < kinds[DIE].lists.nr; i++)
		vec_push(&info->die_siblings, kinds[DIE].lists.v[i]);
	for (int k = 0; k < NR; k++) {
		vec_fini(&kinds[k].lists);
		free(kinds[k].ids);
	}
	if (info->core_siblings.nr)
		info->features |= 1ULL << FEAT_CPU_TOPOLOGY;
}

struct found_cache {
	struct perfdata_cache cache;
	uint32_t order;
};

static int cache_compare(const void *a, const void *b)
{
	const struct found_cache *x = a, *y = b;

	return COMPARE(x->cache.level, y->cache.level) ?: COMPARE(x->order, y->order);
}

static bool cache_read(struct perfdata_info *info, uint32_t cpu, uint32_t index, struct perfdata_cache *c)
{
	char dir[64];

	snprintf(dir, sizeof(dir), CPU_PATH "cache/index%u", cpu, index);
	c->type = host_read_str(info, "%s/type", dir);
	if (!c->type)
		return false;
	c->level = (uint32_t)host_read_num(0, "%s/level", dir);
	c->line_size = (uint32_t)host_read_num(0, "%s/coherency_line_size", dir);
	c->sets = (uint32_t)host_read_num(0, "%s/number_of_sets", dir);
	c->ways = (uint32_t)host_read_num(0, "%s/ways_of_associativity", dir);
	c->size = host_read_str(info, "%s/size", dir);
	c->cpus = host_read_str(info, "%s/shared_cpu_list", dir);
	if (!c->size)
		c->size = "";
	if (!c->cpus)
		c->cpus = "";
	return true;
}

void host_read_caches(struct perfdata_info *info)
{
	/* Bit i of a CPU: its cache of index i is one of those found already. */
	uint16_t *known = mem_zalloc(info->nrcpus_avail * sizeof(*known));
	VEC(struct found_cache) found = { 0 };

	for (uint32_t cpu = 0; cpu < info->nrcpus_avail; cpu++)
		for (uint32_t index = 0; index < CACHES_MAX; index++) {
			struct cpu_list shared = { 0 };
			struct found_cache f = { .order = found.nr };

			if (known[cpu] & 1u << index)
				continue;
			if (!cache_read(info, cpu, index, &f.cache))
				break;
			vec_push(&found, f);
			if (cpu_list_parse(&shared, f.cache.cpus, NULL))
				continue;
			for (uint32_t i = 0; i < shared.cpus.nr; i++)
				if (shared.cpus.v[i] < info->nrcpus_avail)
					known[shared.cpus.v[i]] |= (uint16_t)(1u << index);
			cpu_list_fini(&shared);
		}
	vec_sort(&found, cache_compare);
	if (found.nr)
		info->features |= 1ULL << FEAT_CACHE;
	for (uint32_t i = 0; i < found.nr; i++)
		vec_push(&info->caches, found.v[i].cache);
	vec_fini(&found);
	free(known);
}

/* Node numbers are a list in the format of CPU lists. */
static struct cpu_list node_list(void)
{
	struct cpu_list nodes = { 0 };
	char text[4096];

	if (!io_read_line("/sys/devices/system/node/online", text, sizeof(text)))
		(void)!cpu_list_parse(&nodes, text, NULL);
	return nodes;
}

static uint64_t meminfo_kb(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	return p ? strtoull(p + strlen(key), NULL, 10) : 0;
}

void host_read_numa(struct perfdata_info *info)
{
	struct cpu_list nodes = node_list();

	for (uint32_t i = 0; i < nodes.cpus.nr; i++) {
		struct perfdata_numa_node n = { .node = nodes.cpus.v[i] };
		char path[128];
		char *text;

		snprintf(path, sizeof(path), NODE_PATH "/meminfo", n.node);
		if (io_read_file(path, 1 << 16, &text, NULL))
			continue;
		n.mem_total_kb = meminfo_kb(text, "MemTotal:");
		n.mem_free_kb = meminfo_kb(text, "MemFree:");
		free(text);
		n.cpus = host_read_str(info, NODE_PATH "/cpulist", n.node);
		if (!n.cpus)
			n.cpus = "";
		vec_push(&info->numa_nodes, n);
	}
	cpu_list_fini(&nodes);
	if (info->numa_nodes.nr)
		info->features |= 1ULL << FEAT_NUMA_TOPOLOGY;
}

/* The numbers N of the memoryN entries of a node. */
static bool read_blocks(struct perfdata_info *info, struct perfdata_mem_node *m)
{
	VEC(uint32_t) blocks = { 0 };
	char path[128];
	struct dirent *de;
	DIR *dir;

	snprintf(path, sizeof(path), NODE_PATH, (unsigned)m->node);
	dir = opendir(path);
	if (!dir)
		return false;
	while ((de = readdir(dir))) {
		unsigned long v;

		if (strncmp(de->d_name, "memory", 6) || !isdigit((unsigned char)de->d_name[6]))
			continue;
		v = strtoul(de->d_name + 6, NULL, 10);
		if (v >= BLOCKS_MAX)
			continue;
		vec_push(&blocks, (uint32_t)v);
		if (v + 1 > m->nr_bits)
			m->nr_bits = v + 1;
	}
	closedir(dir);
	if (blocks.nr) {
		size_t size = (m->nr_bits + 63) / 64 * 8;

		m->bitmap = arena_alloc(&info->arena, size);
		memset(m->bitmap, 0, size);
	}
	for (uint32_t i = 0; i < blocks.nr; i++)
		m->bitmap[blocks.v[i] / 64] |= 1ull << blocks.v[i] % 64;
	vec_fini(&blocks);
	return m->nr_bits;
}

void host_read_memory(struct perfdata_info *info)
{
	const char *block_size = host_read_str(info, "/sys/devices/system/memory/block_size_bytes");
	struct cpu_list nodes = block_size ? node_list() : (struct cpu_list){ 0 };

	if (block_size)
		info->mem_block_size = strtoull(block_size, NULL, 16); /* written without 0x */
	for (uint32_t i = 0; i < nodes.cpus.nr; i++) {
		struct perfdata_mem_node m = { .node = nodes.cpus.v[i] };

		if (read_blocks(info, &m))
			vec_push(&info->mem_nodes, m);
	}
	cpu_list_fini(&nodes);
	if (info->mem_nodes.nr)
		info->features |= 1ULL << FEAT_MEM_TOPOLOGY;
}
