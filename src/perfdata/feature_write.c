/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Encodes feature sections, in native byte order and the way perf does: strings are padded with NULs to a multiple of 64 bytes.
 */
#include <string.h>

#include "perfdata/header.h"

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

static void encode_tracing_data(const struct perfdata_info *info, struct out *o)
{
	if (info->tracing_data_size)
		out_mem(o, info->tracing_data, info->tracing_data_size);
}

/* The features that are no rows of fields. */
static void (*const encoders[FEAT_LAST])(const struct perfdata_info *info, struct out *o) = {
	[FEAT_TRACING_DATA] = encode_tracing_data, [FEAT_BUILD_ID] = encode_build_ids,	      [FEAT_CMDLINE] = encode_cmdline,
	[FEAT_EVENT_DESC] = encode_event_desc,	   [FEAT_CPU_TOPOLOGY] = encode_cpu_topology, [FEAT_MEM_TOPOLOGY] = encode_mem_topology,
};

static void encode_fields(const struct feature_field *f, const uint8_t *from, struct out *o)
{
	for (; f->kind != FIELD_NONE; f++) {
		const char *s;

		if (f->kind == FIELD_U32 || f->kind == FIELD_U64) {
			out_mem(o, from + f->at, f->kind == FIELD_U32 ? 4 : 8);
		} else if (f->kind == FIELD_STRING) {
			memcpy(&s, from + f->at, sizeof(s));
			put_string(o, s);
		} else if (f->kind == FIELD_VERSION) {
			put_u32(o, 1);
		}
	}
}

static void encode_row(const struct perfdata_info *info, const struct feature_row *row, struct out *o)
{
	struct feature_list l;

	encode_fields(row->fields, (const uint8_t *)info, o);
	if (!row->list_at)
		return;
	l = feature_list_of(info, row);
	put_u32(o, l.nr);
	for (uint32_t i = 0; i < l.nr; i++)
		encode_fields(row->item, l.v + (size_t)i * row->item_size, o);
}

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
	/* These hold offsets into the file that they came from. */
	if (feature == FEAT_AUXTRACE || feature == FEAT_DIR_FORMAT)
		return false;
	if (feature < 64 && !(info->features & 1ULL << feature))
		return false;
	if (raw_encode(info, feature, o))
		return true;
	if (feature >= FEAT_LAST || (!encoders[feature] && !feature_is_row(&feature_rows[feature])))
		return false;
	if (encoders[feature])
		encoders[feature](info, o);
	else
		encode_row(info, &feature_rows[feature], o);
	return true;
}
