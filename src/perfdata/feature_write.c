/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Encodes feature sections, in native byte order and the way perf does: strings are padded with
 * NULs to a multiple of 64 bytes.
 */
#include <string.h>

#include "perfdata/features.h"

#define STRING_ALIGN 64u

static void put_u32(struct out *o, uint32_t v)
{
	out_mem(o, &v, sizeof(v));
}

static void put_u64(struct out *o, uint64_t v)
{
	out_mem(o, &v, sizeof(v));
}

static void put_padded(struct out *o, const char *s, size_t size)
{
	size_t len = strlen(s);
	char *room = out_room(o, size);

	memcpy(room, s, len);
	memset(room + len, 0, size - len);
	out_advance(o, size);
}

static size_t padded_size(const char *s)
{
	return (strlen(s) + STRING_ALIGN) & ~(size_t)(STRING_ALIGN - 1);
}

static void put_string(struct out *o, const char *s)
{
	s = s ? s : "";
	put_u32(o, (uint32_t)padded_size(s));
	put_padded(o, s, padded_size(s));
}

void feature_encode_build_id(const struct perfdata_build_id *e, uint32_t type, struct out *o)
{
	const char *filename = e->filename ? e->filename : "";
	struct record_header h = { .type = type, .misc = (uint16_t)(e->misc | FEATURE_BUILD_ID_SIZED) };
	uint8_t size[4] = { e->size };
	char cut[4096];

	if (strlen(filename) >= sizeof(cut)) { /* longer than any path of the kernel */
		memcpy(cut, filename, sizeof(cut) - 1);
		cut[sizeof(cut) - 1] = 0;
		filename = cut;
	}
	h.size = (uint16_t)(sizeof(h) + 4 + sizeof(e->id) + sizeof(size) + padded_size(filename));
	out_mem(o, &h, sizeof(h));
	put_u32(o, (uint32_t)e->pid);
	out_mem(o, e->id, sizeof(e->id));
	out_mem(o, size, sizeof(size));
	put_padded(o, filename, padded_size(filename));
}

static void encode_build_ids(const struct perfdata_info *info, struct out *o)
{
	for (uint32_t i = 0; i < info->build_ids.nr; i++)
		feature_encode_build_id(&info->build_ids.v[i], 0, o);
}

static void encode_nrcpus(const struct perfdata_info *info, struct out *o)
{
	put_u32(o, info->nrcpus_avail);
	put_u32(o, info->nrcpus_online);
}

static void encode_total_mem(const struct perfdata_info *info, struct out *o)
{
	put_u64(o, info->total_mem_kb);
}

static void encode_cmdline(const struct perfdata_info *info, struct out *o)
{
	put_u32(o, info->nr_cmdline);
	for (uint32_t i = 0; i < info->nr_cmdline; i++)
		put_string(o, info->cmdline[i]);
}

static void encode_event_desc(const struct perfdata_info *info, struct out *o)
{
	uint32_t attr_size = feature_attr_size(info);

	put_u32(o, info->events.nr);
	put_u32(o, attr_size);
	for (uint32_t i = 0; i < info->events.nr; i++) {
		const struct perfdata_event *e = &info->events.v[i];
		struct attr attr = e->attr;

		attr.size = attr_size;
		out_mem(o, &attr, attr_size);
		put_u32(o, e->nr_ids);
		put_string(o, e->name);
		if (e->nr_ids)
			out_mem(o, e->ids, e->nr_ids * sizeof(e->ids[0]));
	}
}

static void encode_cpu_topology(const struct perfdata_info *info, struct out *o)
{
	put_u32(o, info->core_siblings.nr);
	for (uint32_t i = 0; i < info->core_siblings.nr; i++)
		put_string(o, info->core_siblings.v[i]);
	put_u32(o, info->thread_siblings.nr);
	for (uint32_t i = 0; i < info->thread_siblings.nr; i++)
		put_string(o, info->thread_siblings.v[i]);
	/* One for each available CPU, as readers count them. */
	if (info->cpus.nr != info->nrcpus_avail)
		return;
	for (uint32_t i = 0; i < info->cpus.nr; i++) {
		put_u32(o, (uint32_t)info->cpus.v[i].core_id);
		put_u32(o, (uint32_t)info->cpus.v[i].socket_id);
	}
	if (!info->die_siblings.nr)
		return;
	put_u32(o, info->die_siblings.nr);
	for (uint32_t i = 0; i < info->die_siblings.nr; i++)
		put_string(o, info->die_siblings.v[i]);
	for (uint32_t i = 0; i < info->cpus.nr; i++)
		put_u32(o, (uint32_t)info->cpus.v[i].die_id);
}

static void encode_numa_topology(const struct perfdata_info *info, struct out *o)
{
	put_u32(o, info->numa_nodes.nr);
	for (uint32_t i = 0; i < info->numa_nodes.nr; i++) {
		const struct perfdata_numa_node *n = &info->numa_nodes.v[i];

		put_u32(o, n->node);
		put_u64(o, n->mem_total_kb);
		put_u64(o, n->mem_free_kb);
		put_string(o, n->cpus);
	}
}

static void encode_pmu_mappings(const struct perfdata_info *info, struct out *o)
{
	put_u32(o, info->pmus.nr);
	for (uint32_t i = 0; i < info->pmus.nr; i++) {
		put_u32(o, info->pmus.v[i].type);
		put_string(o, info->pmus.v[i].name);
	}
}

static void encode_group_desc(const struct perfdata_info *info, struct out *o)
{
	put_u32(o, info->groups.nr);
	for (uint32_t i = 0; i < info->groups.nr; i++) {
		put_string(o, info->groups.v[i].name);
		put_u32(o, info->groups.v[i].leader_idx);
		put_u32(o, info->groups.v[i].nr_members);
	}
}

static void encode_cache(const struct perfdata_info *info, struct out *o)
{
	put_u32(o, 1); /* version */
	put_u32(o, info->caches.nr);
	for (uint32_t i = 0; i < info->caches.nr; i++) {
		const struct perfdata_cache *c = &info->caches.v[i];

		put_u32(o, c->level);
		put_u32(o, c->line_size);
		put_u32(o, c->sets);
		put_u32(o, c->ways);
		put_string(o, c->type);
		put_string(o, c->size);
		put_string(o, c->cpus);
	}
}

static void encode_sample_time(const struct perfdata_info *info, struct out *o)
{
	put_u64(o, info->first_sample_ns);
	put_u64(o, info->last_sample_ns);
}

static void encode_mem_topology(const struct perfdata_info *info, struct out *o)
{
	put_u64(o, 1); /* version */
	put_u64(o, info->mem_block_size);
	put_u64(o, info->mem_nodes.nr);
	for (uint32_t i = 0; i < info->mem_nodes.nr; i++) {
		const struct perfdata_mem_node *n = &info->mem_nodes.v[i];

		put_u64(o, n->node);
		put_u64(o, n->nr_bits);
		put_u64(o, n->nr_bits);
		if (n->nr_bits)
			out_mem(o, n->bitmap, (n->nr_bits + 63) / 64 * 8);
	}
}

static void encode_clockid(const struct perfdata_info *info, struct out *o)
{
	put_u64(o, info->clockid_res_ns);
}

static void encode_clock_data(const struct perfdata_info *info, struct out *o)
{
	put_u32(o, 1); /* version */
	put_u32(o, info->clockid);
	put_u64(o, info->clock_tod_ns);
	put_u64(o, info->clock_ref_ns);
}

static void encode_compressed(const struct perfdata_info *info, struct out *o)
{
	put_u32(o, info->comp_version);
	put_u32(o, info->comp_type);
	put_u32(o, info->comp_level);
	put_u32(o, info->comp_ratio);
	put_u32(o, info->comp_mmap_len);
}

static void encode_tracing_data(const struct perfdata_info *info, struct out *o)
{
	if (info->tracing_data_size)
		out_mem(o, info->tracing_data, info->tracing_data_size);
}

static void encode_nothing(const struct perfdata_info *info, struct out *o)
{
	(void)info;
	(void)o;
}

static void (*const encoders[FEAT_LAST])(const struct perfdata_info *info, struct out *o) = {
	[FEAT_TRACING_DATA] = encode_tracing_data,
	[FEAT_BUILD_ID] = encode_build_ids,
	[FEAT_NRCPUS] = encode_nrcpus,
	[FEAT_TOTAL_MEM] = encode_total_mem,
	[FEAT_CMDLINE] = encode_cmdline,
	[FEAT_EVENT_DESC] = encode_event_desc,
	[FEAT_CPU_TOPOLOGY] = encode_cpu_topology,
	[FEAT_NUMA_TOPOLOGY] = encode_numa_topology,
	[FEAT_BRANCH_STACK] = encode_nothing,
	[FEAT_PMU_MAPPINGS] = encode_pmu_mappings,
	[FEAT_GROUP_DESC] = encode_group_desc,
	[FEAT_STAT] = encode_nothing,
	[FEAT_CACHE] = encode_cache,
	[FEAT_SAMPLE_TIME] = encode_sample_time,
	[FEAT_MEM_TOPOLOGY] = encode_mem_topology,
	[FEAT_CLOCKID] = encode_clockid,
	[FEAT_COMPRESSED] = encode_compressed,
	[FEAT_CLOCK_DATA] = encode_clock_data,
};

uint32_t feature_attr_size(const struct perfdata_info *info)
{
	for (uint32_t i = 0; i < info->events.nr; i++)
		if (info->events.v[i].attr.config3 || info->events.v[i].attr.config4)
			return sizeof(struct attr);
	return ATTR_SIZE_VER7;
}

static bool raw_encode(const struct perfdata_info *info, uint32_t feature, struct out *o)
{
	for (uint32_t i = 0; i < info->raw_features.nr; i++) {
		const struct perfdata_raw_feature *raw = &info->raw_features.v[i];

		if (raw->feature != feature || info->foreign_order)
			continue;
		if (raw->size)
			out_mem(o, raw->data, raw->size);
		return true;
	}
	return false;
}

bool feature_encode(const struct perfdata_info *info, uint32_t feature, struct out *o)
{
	/* These speak of places in the file that they came from. */
	if (feature == FEAT_AUXTRACE || feature == FEAT_DIR_FORMAT)
		return false;
	if (feature < 64 && !(info->features & 1ULL << feature))
		return false;
	if (raw_encode(info, feature, o))
		return true;
	switch (feature) {
	case FEAT_HOSTNAME:
		put_string(o, info->hostname);
		return true;
	case FEAT_OSRELEASE:
		put_string(o, info->osrelease);
		return true;
	case FEAT_VERSION:
		put_string(o, info->version);
		return true;
	case FEAT_ARCH:
		put_string(o, info->arch);
		return true;
	case FEAT_CPUDESC:
		put_string(o, info->cpudesc);
		return true;
	case FEAT_CPUID:
		put_string(o, info->cpuid);
		return true;
	default:
		if (feature >= FEAT_LAST || !encoders[feature])
			return false;
		encoders[feature](info, o);
		return true;
	}
}
