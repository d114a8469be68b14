/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Decodes feature sections. Every count is compared with what is left of the section before
 * anything is allocated; strings are copied into the arena of the info.
 */
#include "perfdata/features.h"

#include <errno.h>
#include <string.h>

static const char *const feature_names[FEAT_LAST] = {
	[FEAT_TRACING_DATA] = "TRACING_DATA",
	[FEAT_BUILD_ID] = "BUILD_ID",
	[FEAT_HOSTNAME] = "HOSTNAME",
	[FEAT_OSRELEASE] = "OSRELEASE",
	[FEAT_VERSION] = "VERSION",
	[FEAT_ARCH] = "ARCH",
	[FEAT_NRCPUS] = "NRCPUS",
	[FEAT_CPUDESC] = "CPUDESC",
	[FEAT_CPUID] = "CPUID",
	[FEAT_TOTAL_MEM] = "TOTAL_MEM",
	[FEAT_CMDLINE] = "CMDLINE",
	[FEAT_EVENT_DESC] = "EVENT_DESC",
	[FEAT_CPU_TOPOLOGY] = "CPU_TOPOLOGY",
	[FEAT_NUMA_TOPOLOGY] = "NUMA_TOPOLOGY",
	[FEAT_BRANCH_STACK] = "BRANCH_STACK",
	[FEAT_PMU_MAPPINGS] = "PMU_MAPPINGS",
	[FEAT_GROUP_DESC] = "GROUP_DESC",
	[FEAT_AUXTRACE] = "AUXTRACE",
	[FEAT_STAT] = "STAT",
	[FEAT_CACHE] = "CACHE",
	[FEAT_SAMPLE_TIME] = "SAMPLE_TIME",
	[FEAT_MEM_TOPOLOGY] = "MEM_TOPOLOGY",
	[FEAT_CLOCKID] = "CLOCKID",
	[FEAT_DIR_FORMAT] = "DIR_FORMAT",
	[FEAT_BPF_PROG_INFO] = "BPF_PROG_INFO",
	[FEAT_BPF_BTF] = "BPF_BTF",
	[FEAT_COMPRESSED] = "COMPRESSED",
	[FEAT_CPU_PMU_CAPS] = "CPU_PMU_CAPS",
	[FEAT_CLOCK_DATA] = "CLOCK_DATA",
	[FEAT_HYBRID_TOPOLOGY] = "HYBRID_TOPOLOGY",
	[FEAT_PMU_CAPS] = "PMU_CAPS",
};

const char *feature_name(uint32_t feature)
{
	return feature < FEAT_LAST ? feature_names[feature] : NULL;
}

/* u32 length (padding included) and bytes. NULL and b->failed where it is cut or has no NUL. */
static const char *take_string(struct perfdata_info *info, struct bytes *b)
{
	uint32_t size = bytes_u32(b);
	const char *s = bytes_str(b, size);

	return s ? arena_str(&info->arena, s, strlen(s)) : NULL;
}
#define STRING_MIN 5 /* bytes that a string takes at least */

static int decode_tracing_data(struct perfdata_info *info, struct bytes *b)
{
	info->tracing_data_size = bytes_left(b);
	info->tracing_data = arena_copy(&info->arena, b->pos, bytes_left(b));
	return 0;
}

int feature_decode_build_id(struct perfdata_info *info, uint16_t misc, struct bytes *b)
{
	struct perfdata_build_id e = { .misc = misc & (MISC_CPUMODE_MASK), .size = BUILD_ID_MAX };
	const uint8_t *id, *size;

	e.pid = (int32_t)bytes_u32(b);
	id = bytes_take(b, BUILD_ID_MAX);
	size = bytes_take(b, 4); /* the size and three bytes of padding */
	e.filename = bytes_str(b, bytes_left(b));
	if (b->failed)
		return -EBADMSG;
	memcpy(e.id, id, BUILD_ID_MAX);
	if (misc & FEATURE_BUILD_ID_SIZED && *size <= BUILD_ID_MAX)
		e.size = *size;
	e.filename = arena_str(&info->arena, e.filename, strlen(e.filename));
	vec_push(&info->build_ids, e);
	return 0;
}

static int decode_build_ids(struct perfdata_info *info, struct bytes *b)
{
	info->build_ids.nr = 0;
	while (bytes_left(b)) {
		struct bytes entry;
		uint16_t misc, size;
		const void *body;

		bytes_u32(b); /* a type, often left 0 */
		misc = bytes_u16(b);
		size = bytes_u16(b);
		if (size < 8)
			return -EBADMSG;
		body = bytes_take(b, size - 8u);
		if (!body)
			return -EBADMSG;
		entry = bytes_of(body, size - 8u, b->swap);
		if (feature_decode_build_id(info, misc, &entry))
			return -EBADMSG;
	}
	return 0;
}

static int decode_nrcpus(struct perfdata_info *info, struct bytes *b)
{
	info->nrcpus_avail = bytes_u32(b);
	info->nrcpus_online = bytes_u32(b);
	return 0;
}

static int decode_total_mem(struct perfdata_info *info, struct bytes *b)
{
	info->total_mem_kb = bytes_u64(b);
	return 0;
}

static int decode_cmdline(struct perfdata_info *info, struct bytes *b)
{
	uint32_t nr = bytes_u32(b);

	if (!bytes_has(b, nr, STRING_MIN))
		return -EBADMSG;
	info->nr_cmdline = 0;
	info->cmdline = arena_alloc(&info->arena, nr * sizeof(info->cmdline[0]));
	for (uint32_t i = 0; i < nr && !b->failed; i++)
		info->cmdline[i] = take_string(info, b);
	if (!b->failed)
		info->nr_cmdline = nr;
	return 0;
}

/* The event of the info that the i-th description is of: the one with its first id, or the i-th. */
static struct perfdata_event *described_event(struct perfdata_info *info, uint32_t i, uint64_t id, bool has_id)
{
	struct perfdata_event *same_place = i < info->events.nr ? &info->events.v[i] : NULL;

	if (!has_id || (same_place && same_place->nr_ids && same_place->ids[0] == id))
		return same_place;
	/* Not seen in real files; the limit keeps hostile ones from quadratic work. */
	for (uint32_t k = 0; k < info->events.nr && k < 4096; k++)
		if (info->events.v[k].nr_ids && info->events.v[k].ids[0] == id)
			return &info->events.v[k];
	return same_place;
}

static int decode_event_desc(struct perfdata_info *info, struct bytes *b)
{
	uint32_t nr = bytes_u32(b);
	uint32_t attr_size = bytes_u32(b);

	if (b->failed || !bytes_has(b, nr, (size_t)attr_size + 4 + STRING_MIN))
		return -EBADMSG;
	for (uint32_t i = 0; i < nr; i++) {
		struct perfdata_event *e;
		const char *name;
		uint64_t id = 0;
		uint32_t nr_ids;

		bytes_take(b, attr_size);
		nr_ids = bytes_u32(b);
		name = take_string(info, b);
		if (!bytes_has(b, nr_ids, 8)) /* says no after a failed string, too */
			return -EBADMSG;
		if (nr_ids) {
			id = bytes_u64(b);
			bytes_take(b, (nr_ids - 1) * 8ul);
		}
		e = described_event(info, i, id, nr_ids > 0);
		if (e)
			e->name = name;
	}
	return 0;
}

static int decode_cpu_topology(struct perfdata_info *info, struct bytes *b)
{
	uint32_t nr;

	info->core_siblings.nr = info->thread_siblings.nr = info->die_siblings.nr = 0;
	info->cpus.nr = 0;
	nr = bytes_u32(b);
	for (uint32_t i = 0; i < nr && !b->failed; i++)
		vec_push(&info->core_siblings, take_string(info, b));
	nr = bytes_u32(b);
	for (uint32_t i = 0; i < nr && !b->failed; i++)
		vec_push(&info->thread_siblings, take_string(info, b));
	if (b->failed || !bytes_left(b) || !info->nrcpus_avail) /* perf before 4.9 ends here */
		return 0;
	nr = info->nrcpus_avail;
	if (!bytes_has(b, nr, 8))
		return -EBADMSG;
	for (uint32_t i = 0; i < nr; i++) {
		struct perfdata_cpu cpu = { .die_id = -1 };

		cpu.core_id = (int32_t)bytes_u32(b);
		cpu.socket_id = (int32_t)bytes_u32(b);
		vec_push(&info->cpus, cpu);
	}
	if (!bytes_left(b)) /* no dies on that machine, or perf before 5.3 */
		return 0;
	nr = bytes_u32(b);
	for (uint32_t i = 0; i < nr && !b->failed; i++)
		vec_push(&info->die_siblings, take_string(info, b));
	for (uint32_t i = 0; i < info->cpus.nr; i++)
		info->cpus.v[i].die_id = (int32_t)bytes_u32(b);
	return 0;
}

static int decode_numa_topology(struct perfdata_info *info, struct bytes *b)
{
	uint32_t nr = bytes_u32(b);

	info->numa_nodes.nr = 0;
	for (uint32_t i = 0; i < nr && !b->failed; i++) {
		struct perfdata_numa_node node;

		node.node = bytes_u32(b);
		node.mem_total_kb = bytes_u64(b);
		node.mem_free_kb = bytes_u64(b);
		node.cpus = take_string(info, b);
		vec_push(&info->numa_nodes, node);
	}
	return 0;
}

static int decode_pmu_mappings(struct perfdata_info *info, struct bytes *b)
{
	uint32_t nr = bytes_u32(b);

	info->pmus.nr = 0;
	for (uint32_t i = 0; i < nr && !b->failed; i++) {
		struct perfdata_pmu pmu;

		pmu.type = bytes_u32(b);
		pmu.name = take_string(info, b);
		vec_push(&info->pmus, pmu);
	}
	return 0;
}

static int decode_group_desc(struct perfdata_info *info, struct bytes *b)
{
	uint32_t nr = bytes_u32(b);

	info->groups.nr = 0;
	for (uint32_t i = 0; i < nr && !b->failed; i++) {
		struct perfdata_group group;

		group.name = take_string(info, b);
		group.leader_idx = bytes_u32(b);
		group.nr_members = bytes_u32(b);
		vec_push(&info->groups, group);
	}
	return 0;
}

static int decode_cache(struct perfdata_info *info, struct bytes *b)
{
	uint32_t version = bytes_u32(b);
	uint32_t nr = bytes_u32(b);

	if (!b->failed && version != 1)
		return -EOPNOTSUPP;
	info->caches.nr = 0;
	for (uint32_t i = 0; i < nr && !b->failed; i++) {
		struct perfdata_cache c;

		c.level = bytes_u32(b);
		c.line_size = bytes_u32(b);
		c.sets = bytes_u32(b);
		c.ways = bytes_u32(b);
		c.type = take_string(info, b);
		c.size = take_string(info, b);
		c.cpus = take_string(info, b);
		vec_push(&info->caches, c);
	}
	return 0;
}

static int decode_sample_time(struct perfdata_info *info, struct bytes *b)
{
	info->first_sample_ns = bytes_u64(b);
	info->last_sample_ns = bytes_u64(b);
	return 0;
}

static int decode_mem_topology(struct perfdata_info *info, struct bytes *b)
{
	uint64_t version = bytes_u64(b), nr;

	if (!b->failed && version != 1)
		return -EOPNOTSUPP;
	info->mem_nodes.nr = 0;
	info->mem_block_size = bytes_u64(b);
	nr = bytes_u64(b);
	for (uint64_t i = 0; i < nr && !b->failed; i++) {
		struct perfdata_mem_node node;
		uint64_t nr_words;

		node.node = bytes_u64(b);
		bytes_u64(b); /* the bits once more */
		node.nr_bits = bytes_u64(b);
		nr_words = node.nr_bits / 64 + (node.nr_bits % 64 != 0);
		if (!bytes_has(b, nr_words, 8))
			return -EBADMSG;
		node.bitmap = arena_alloc(&info->arena, nr_words * 8);
		for (uint64_t k = 0; k < nr_words; k++)
			node.bitmap[k] = bytes_u64(b);
		vec_push(&info->mem_nodes, node);
	}
	return 0;
}

static int decode_clockid(struct perfdata_info *info, struct bytes *b)
{
	info->clockid_res_ns = bytes_u64(b);
	return 0;
}

static int decode_clock_data(struct perfdata_info *info, struct bytes *b)
{
	uint32_t version = bytes_u32(b);

	if (!b->failed && version != 1)
		return -EOPNOTSUPP;
	info->clockid = bytes_u32(b);
	info->clock_tod_ns = bytes_u64(b);
	info->clock_ref_ns = bytes_u64(b);
	return 0;
}

static int decode_compressed(struct perfdata_info *info, struct bytes *b)
{
	info->comp_version = bytes_u32(b);
	info->comp_type = bytes_u32(b);
	info->comp_level = bytes_u32(b);
	info->comp_ratio = bytes_u32(b);
	info->comp_mmap_len = bytes_u32(b);
	return 0;
}

static int decode_nothing(struct perfdata_info *info, struct bytes *b)
{
	(void)info;
	(void)b;
	return 0;
}

static int (*const decoders[FEAT_LAST])(struct perfdata_info *info, struct bytes *b) = {
	[FEAT_TRACING_DATA] = decode_tracing_data,
	[FEAT_BUILD_ID] = decode_build_ids,
	[FEAT_NRCPUS] = decode_nrcpus,
	[FEAT_TOTAL_MEM] = decode_total_mem,
	[FEAT_CMDLINE] = decode_cmdline,
	[FEAT_EVENT_DESC] = decode_event_desc,
	[FEAT_CPU_TOPOLOGY] = decode_cpu_topology,
	[FEAT_NUMA_TOPOLOGY] = decode_numa_topology,
	[FEAT_BRANCH_STACK] = decode_nothing,
	[FEAT_PMU_MAPPINGS] = decode_pmu_mappings,
	[FEAT_GROUP_DESC] = decode_group_desc,
	[FEAT_STAT] = decode_nothing,
	[FEAT_CACHE] = decode_cache,
	[FEAT_SAMPLE_TIME] = decode_sample_time,
	[FEAT_MEM_TOPOLOGY] = decode_mem_topology,
	[FEAT_CLOCKID] = decode_clockid,
	[FEAT_COMPRESSED] = decode_compressed,
	[FEAT_CLOCK_DATA] = decode_clock_data,
};

/* Features that are one string, and where it goes. */
static const char **string_of(struct perfdata_info *info, uint32_t feature)
{
	switch (feature) {
	case FEAT_HOSTNAME:
		return &info->hostname;
	case FEAT_OSRELEASE:
		return &info->osrelease;
	case FEAT_VERSION:
		return &info->version;
	case FEAT_ARCH:
		return &info->arch;
	case FEAT_CPUDESC:
		return &info->cpudesc;
	case FEAT_CPUID:
		return &info->cpuid;
	default:
		return NULL;
	}
}

/* A section that turned out to be damaged half-way: nobody shall meet its half-filled lists.
 * Build-ids are whole each, those before the damage stay. */
static void forget(struct perfdata_info *info, uint32_t feature)
{
	switch (feature) {
	case FEAT_CPU_TOPOLOGY:
		info->core_siblings.nr = info->thread_siblings.nr = info->die_siblings.nr = 0;
		info->cpus.nr = 0;
		break;
	case FEAT_NUMA_TOPOLOGY:
		info->numa_nodes.nr = 0;
		break;
	case FEAT_PMU_MAPPINGS:
		info->pmus.nr = 0;
		break;
	case FEAT_GROUP_DESC:
		info->groups.nr = 0;
		break;
	case FEAT_CACHE:
		info->caches.nr = 0;
		break;
	case FEAT_MEM_TOPOLOGY:
		info->mem_nodes.nr = 0;
		break;
	default:
		break;
	}
	if (feature < 64)
		info->features &= ~(1ULL << feature);
}

static void keep_raw(struct perfdata_info *info, uint32_t feature, const struct bytes *b)
{
	struct perfdata_raw_feature raw = { .feature = feature, .size = bytes_left(b) };

	raw.data = arena_copy(&info->arena, b->pos, raw.size);
	vec_push(&info->raw_features, raw);
}

int feature_decode(struct perfdata_info *info, uint32_t feature, struct bytes b)
{
	const char **string = string_of(info, feature);
	const struct bytes whole = b;
	int err = 0;

	if (string) {
		const char *s = take_string(info, &b);

		if (s)
			*string = s;
	} else if (feature < FEAT_LAST && decoders[feature]) {
		err = decoders[feature](info, &b);
	} else {
		err = -EOPNOTSUPP;
	}
	if (err == -EOPNOTSUPP && !b.failed) {
		keep_raw(info, feature, &whole);
	} else if (err || b.failed) {
		forget(info, feature);
		return -EBADMSG;
	}
	if (feature < 64)
		info->features |= 1ULL << feature;
	return 0;
}
