/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * NUMA nodes: their CPUs and memory, and which blocks of physical memory belong to each.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/vec.h"
#include "kernel/cpus.h"
#include "kernel/host_read.h"

#define NODE_PATH "/sys/devices/system/node/node%u"

/* Bounds the bitmap: 2^24 blocks of 128 MiB are more than a physical address can name. */
#define BLOCKS_MAX (1u << 24)

/* Node numbers are a list in the format of CPU lists. */
static void node_list(struct cpu_list *nodes)
{
	char text[4096];

	if (!io_read_line("/sys/devices/system/node/online", text, sizeof(text)))
		(void)!cpu_list_parse(nodes, text, NULL);
}

static uint64_t meminfo_kb(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	return p ? strtoull(p + strlen(key), NULL, 10) : 0;
}

void host_read_numa(struct host *h)
{
	struct cpu_list nodes = { 0 };

	node_list(&nodes);
	if (nodes.cpus.nr)
		h->numa_nodes = arena_alloc(&h->arena, nodes.cpus.nr * sizeof(h->numa_nodes[0]));
	for (uint32_t i = 0; i < nodes.cpus.nr; i++) {
		struct host_numa_node n = { .node = nodes.cpus.v[i] };
		char path[128];
		char *text;

		snprintf(path, sizeof(path), NODE_PATH "/meminfo", n.node);
		if (io_read_file(path, 1 << 16, &text, NULL))
			continue;
		n.mem_total_kb = meminfo_kb(text, "MemTotal:");
		n.mem_free_kb = meminfo_kb(text, "MemFree:");
		free(text);
		n.cpus = host_read_str(&h->arena, NODE_PATH "/cpulist", n.node);
		if (!n.cpus)
			n.cpus = "";
		h->numa_nodes[h->nr_numa_nodes++] = n;
	}
	cpu_list_fini(&nodes);
}

/* The numbers N of the memoryN entries of a node. */
static bool read_blocks(struct host *h, struct host_mem_node *m)
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

		m->bitmap = arena_alloc(&h->arena, size);
		memset(m->bitmap, 0, size);
	}
	for (uint32_t i = 0; i < blocks.nr; i++)
		m->bitmap[blocks.v[i] / 64] |= 1ull << blocks.v[i] % 64;
	vec_fini(&blocks);
	return m->nr_bits;
}

void host_read_memory(struct host *h)
{
	const char *block_size = host_read_str(&h->arena, "/sys/devices/system/memory/block_size_bytes");
	struct cpu_list nodes = { 0 };

	if (!block_size)
		return;
	h->mem_block_size = strtoull(block_size, NULL, 16); /* written without 0x */
	node_list(&nodes);
	if (nodes.cpus.nr)
		h->mem_nodes = arena_alloc(&h->arena, nodes.cpus.nr * sizeof(h->mem_nodes[0]));
	for (uint32_t i = 0; i < nodes.cpus.nr; i++) {
		struct host_mem_node m = { .node = nodes.cpus.v[i] };

		if (read_blocks(h, &m))
			h->mem_nodes[h->nr_mem_nodes++] = m;
	}
	cpu_list_fini(&nodes);
}
