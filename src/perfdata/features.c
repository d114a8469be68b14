/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The table of features, and decoding. Every count is compared with the rest of the section before anything is allocated; strings are
 * copied into the arena of the info.
 */
#include "perfdata/header.h"

#include <errno.h>
#include <string.h>

/* clang-format off */
/* Offsets in struct perfdata_info, or in an item of a list. */
#define V { FIELD_VERSION, 0 }
#define U32(m) { FIELD_U32, offsetof(struct perfdata_info, m) }
#define U64(m) { FIELD_U64, offsetof(struct perfdata_info, m) }
#define STR(m) { FIELD_STRING, offsetof(struct perfdata_info, m) }
#define I(kind, type, m) { FIELD_##kind, offsetof(struct perfdata_##type, m) }
#define LIST(type, m) .list_at = offsetof(struct perfdata_info, m), .item_size = sizeof(struct perfdata_##type)

const struct feature_row feature_rows[FEAT_LAST] = {
	[FEAT_TRACING_DATA] = { .name = "TRACING_DATA" },
	[FEAT_BUILD_ID] = { .name = "BUILD_ID" },
	[FEAT_HOSTNAME] = { .name = "HOSTNAME", { STR(hostname) } },
	[FEAT_OSRELEASE] = { .name = "OSRELEASE", { STR(osrelease) } },
	[FEAT_VERSION] = { .name = "VERSION", { STR(version) } },
	[FEAT_ARCH] = { .name = "ARCH", { STR(arch) } },
	[FEAT_NRCPUS] = { .name = "NRCPUS", { U32(nrcpus_avail), U32(nrcpus_online) } },
	[FEAT_CPUDESC] = { .name = "CPUDESC", { STR(cpudesc) } },
	[FEAT_CPUID] = { .name = "CPUID", { STR(cpuid) } },
	[FEAT_TOTAL_MEM] = { .name = "TOTAL_MEM", { U64(total_mem_kb) } },
	[FEAT_CMDLINE] = { .name = "CMDLINE" },
	[FEAT_EVENT_DESC] = { .name = "EVENT_DESC" },
	[FEAT_CPU_TOPOLOGY] = { .name = "CPU_TOPOLOGY" },
	[FEAT_NUMA_TOPOLOGY] = { .name = "NUMA_TOPOLOGY", LIST(numa_node, numa_nodes),
		.item = { I(U32, numa_node, node), I(U64, numa_node, mem_total_kb), I(U64, numa_node, mem_free_kb), I(STRING, numa_node, cpus) } },
	[FEAT_BRANCH_STACK] = { .name = "BRANCH_STACK", { { FIELD_NOTHING, 0 } } },
	[FEAT_PMU_MAPPINGS] = { .name = "PMU_MAPPINGS", LIST(pmu, pmus), .item = { I(U32, pmu, type), I(STRING, pmu, name) } },
	[FEAT_GROUP_DESC] = { .name = "GROUP_DESC", LIST(group, groups),
		.item = { I(STRING, group, name), I(U32, group, leader_idx), I(U32, group, nr_members) } },
	[FEAT_AUXTRACE] = { .name = "AUXTRACE" },
	[FEAT_STAT] = { .name = "STAT", { { FIELD_NOTHING, 0 } } },
	[FEAT_CACHE] = { .name = "CACHE", { V }, LIST(cache, caches),
		.item = { I(U32, cache, level), I(U32, cache, line_size), I(U32, cache, sets), I(U32, cache, ways), I(STRING, cache, type),
			  I(STRING, cache, size), I(STRING, cache, cpus) } },
	[FEAT_SAMPLE_TIME] = { .name = "SAMPLE_TIME", { U64(first_sample_ns), U64(last_sample_ns) } },
	[FEAT_MEM_TOPOLOGY] = { .name = "MEM_TOPOLOGY" },
	[FEAT_CLOCKID] = { .name = "CLOCKID", { U64(clockid_res_ns) } },
	[FEAT_DIR_FORMAT] = { .name = "DIR_FORMAT" },
	[FEAT_BPF_PROG_INFO] = { .name = "BPF_PROG_INFO" },
	[FEAT_BPF_BTF] = { .name = "BPF_BTF" },
	[FEAT_COMPRESSED] = { .name = "COMPRESSED",
		{ U32(comp_version), U32(comp_type), U32(comp_level), U32(comp_ratio), U32(comp_mmap_len) } },
	[FEAT_CPU_PMU_CAPS] = { .name = "CPU_PMU_CAPS" },
	[FEAT_CLOCK_DATA] = { .name = "CLOCK_DATA", { V, U32(clockid), U64(clock_tod_ns), U64(clock_ref_ns) } },
	[FEAT_HYBRID_TOPOLOGY] = { .name = "HYBRID_TOPOLOGY" },
	[FEAT_PMU_CAPS] = { .name = "PMU_CAPS" },
};
/* clang-format on */

const char *feature_name(uint32_t feature)
{
	return feature < FEAT_LAST ? feature_rows[feature].name : NULL;
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

/* The features that are no rows of fields. */
static int (*const decoders[FEAT_LAST])(struct perfdata_info *info, struct bytes *b) = {
	[FEAT_TRACING_DATA] = decode_tracing_data, [FEAT_BUILD_ID] = decode_build_ids,	      [FEAT_CMDLINE] = decode_cmdline,
	[FEAT_EVENT_DESC] = decode_event_desc,	   [FEAT_CPU_TOPOLOGY] = decode_cpu_topology, [FEAT_MEM_TOPOLOGY] = decode_mem_topology,
};

static int decode_fields(struct perfdata_info *info, struct bytes *b, const struct feature_field *f, uint8_t *to)
{
	for (; f->kind != FIELD_NONE; f++) {
		uint32_t v32;
		uint64_t v64;
		const char *s;

		switch (f->kind) {
		case FIELD_U32:
			v32 = bytes_u32(b);
			memcpy(to + f->at, &v32, sizeof(v32));
			break;
		case FIELD_U64:
			v64 = bytes_u64(b);
			memcpy(to + f->at, &v64, sizeof(v64));
			break;
		case FIELD_STRING:
			s = take_string(info, b);
			if (s)
				memcpy(to + f->at, &s, sizeof(s));
			break;
		case FIELD_VERSION:
			if (bytes_u32(b) != 1 && !b->failed)
				return -EOPNOTSUPP;
			break;
		default:
			break;
		}
	}
	return 0;
}

static void empty_list(struct perfdata_info *info, const struct feature_row *row)
{
	struct feature_list l = feature_list_of(info, row);

	l.nr = 0;
	memcpy((uint8_t *)info + row->list_at, &l, sizeof(l));
}

static void decode_list(struct perfdata_info *info, struct bytes *b, const struct feature_row *row)
{
	struct feature_list l = feature_list_of(info, row);
	uint32_t nr = bytes_u32(b);

	l.nr = 0;
	for (uint32_t i = 0; i < nr && !b->failed; i++) {
		if (l.nr == l.cap) {
			l.cap = vec_next_cap(l.cap, (uint64_t)l.nr + 1);
			l.v = mem_realloc(l.v, l.cap, row->item_size);
		}
		memset(l.v + (size_t)l.nr * row->item_size, 0, row->item_size);
		decode_fields(info, b, row->item, l.v + (size_t)l.nr++ * row->item_size);
	}
	memcpy((uint8_t *)info + row->list_at, &l, sizeof(l));
}

static int decode_row(struct perfdata_info *info, struct bytes *b, const struct feature_row *row)
{
	int err = decode_fields(info, b, row->fields, (uint8_t *)info);

	if (!err && row->list_at)
		decode_list(info, b, row);
	return err;
}

/* Drops the lists of a damaged section. Build-ids before the damage stay. */
static void forget(struct perfdata_info *info, uint32_t feature)
{
	if (feature == FEAT_CPU_TOPOLOGY)
		info->core_siblings.nr = info->thread_siblings.nr = info->die_siblings.nr = info->cpus.nr = 0;
	else if (feature == FEAT_MEM_TOPOLOGY)
		info->mem_nodes.nr = 0;
	else if (feature < FEAT_LAST && feature_rows[feature].list_at)
		empty_list(info, &feature_rows[feature]);
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
	const struct bytes whole = b;
	int err = -EOPNOTSUPP;

	if (feature < FEAT_LAST && decoders[feature])
		err = decoders[feature](info, &b);
	else if (feature < FEAT_LAST && feature_is_row(&feature_rows[feature]))
		err = decode_row(info, &b, &feature_rows[feature]);
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
