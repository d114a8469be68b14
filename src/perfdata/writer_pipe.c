/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Pipe mode: the contents of a file's header go first, as records; build-ids, known at the end, follow the data.
 */
#include <errno.h>
#include <string.h>

#include "abi/event_names.h"
#include "perfdata/header.h"
#include "perfdata/stat_record.h"
#include "perfdata/writer_state.h"

#define RECORD_MAX 65528u

static void put_attr(struct out *o, const struct perfdata_event *e, uint32_t attr_size)
{
	struct attr attr = e->attr;
	struct record_header h = { .type = RECORD_HEADER_ATTR };
	uint32_t nr_ids = (RECORD_MAX - (uint32_t)sizeof(h) - attr_size) / 8;

	/* More ids than a record holds (some 8000 CPUs × threads): perf has no way to say that either. */
	if (nr_ids > e->nr_ids)
		nr_ids = e->nr_ids;
	attr.size = attr_size;
	h.size = (uint16_t)(sizeof(h) + attr_size + nr_ids * 8);
	out_mem(o, &h, sizeof(h));
	out_mem(o, &attr, attr_size);
	if (nr_ids)
		out_mem(o, e->ids, nr_ids * 8ul);
}

static void put_updates(struct out *o, const struct perfdata_event *e)
{
	uint64_t id = e->nr_ids ? e->ids[0] : 0;
	char name[EVENT_NAME_MAX];

	event_name_of(&e->attr, name, sizeof(name));
	if (e->name && strcmp(e->name, name))
		stat_update_encode(o, &(struct stat_update){ .id = id, .kind = STAT_UPDATE_NAME, .text = e->name });
	if (e->unit && *e->unit)
		stat_update_encode(o, &(struct stat_update){ .id = id, .kind = STAT_UPDATE_UNIT, .text = e->unit });
}

/* perf sends only these as records. */
static bool goes_through_pipe(uint32_t feature)
{
	switch (feature) {
	case FEAT_TRACING_DATA:
	case FEAT_BUILD_ID:
	case FEAT_BRANCH_STACK:
	case FEAT_AUXTRACE:
	case FEAT_STAT:
	case FEAT_CACHE:
	case FEAT_DIR_FORMAT:
	case FEAT_HYBRID_TOPOLOGY:
		return false;
	default:
		return feature < FEAT_LAST;
	}
}

static void put_feature_record(struct out *o, uint64_t feature, const void *data, size_t size)
{
	struct record_header h = { .type = RECORD_HEADER_FEATURE };

	h.size = (uint16_t)(sizeof(h) + sizeof(feature) + size);
	out_mem(o, &h, sizeof(h));
	out_mem(o, &feature, sizeof(feature));
	if (size)
		out_mem(o, data, size);
}

/* Lengthens the NUL padding of a string's section, which says its length first. */
static void lengthen_string(struct out *body, uint32_t nr)
{
	uint32_t len;

	if (!nr || body->len < sizeof(len))
		return;
	memcpy(&len, body->buf, sizeof(len));
	len += nr;
	memcpy(body->buf, &len, sizeof(len));
	memset(out_room(body, nr), 0, nr);
	out_advance(body, nr);
}

static void put_features_padded(struct out *o, const struct perfdata_info *info, uint32_t padding)
{
	struct out body;

	out_init(&body, -1);
	for (uint32_t feature = 0; feature < FEAT_LAST; feature++) {
		body.len = 0;
		if (!goes_through_pipe(feature) || !feature_encode(info, feature, &body))
			continue;
		if (feature == FEAT_VERSION)
			lengthen_string(&body, padding);
		if (body.len <= RECORD_MAX - 16)
			put_feature_record(o, feature, body.buf, body.len);
	}
	/* The end mark stays empty: for newer perfs its number is that of a feature, and they read its body. */
	put_feature_record(o, FEAT_LAST, NULL, 0);
	out_fini(&body);
}

/* Sections have odd sizes, and most have no padding: one string pads them all to a multiple of 8. */
static void put_features(struct out *o, const struct perfdata_info *info)
{
	struct out trial;

	out_init(&trial, -1);
	put_features_padded(&trial, info, 0);
	put_features_padded(o, info, -(o->len + trial.len) & 7);
	out_fini(&trial);
}

static void put_tracing_data(struct out *o, const struct perfdata_info *info)
{
	static const uint8_t padding[8];
	struct record_header h = { .type = RECORD_HEADER_TRACING_DATA, .size = 16 };
	uint32_t fixed[2] = { 0 };

	/* The size with its padding: perf compares that with what it has read. */
	fixed[0] = (uint32_t)((info->tracing_data_size + 7) & ~7ull);
	if (!info->tracing_data_size || info->tracing_data_size > INT32_MAX)
		return;
	out_mem(o, &h, sizeof(h));
	out_mem(o, fixed, sizeof(fixed));
	out_mem(o, info->tracing_data, info->tracing_data_size);
	out_mem(o, padding, -info->tracing_data_size & 7);
}

int writer_pipe_start(struct writer *w)
{
	const struct perfdata_info info = writer_info(w, w->info);
	uint64_t head[2] = { HEADER_MAGIC, HEADER_SIZE_PIPE };
	uint32_t attr_size = feature_attr_size(&info);
	struct out o;
	int err;

	out_init(&o, -1);
	out_mem(&o, head, sizeof(head));
	for (uint32_t i = 0; i < info.events.nr; i++)
		put_attr(&o, &info.events.v[i], attr_size);
	for (uint32_t i = 0; i < info.events.nr; i++)
		put_updates(&o, &info.events.v[i]);
	put_features(&o, &info);
	put_tracing_data(&o, &info);
	err = writer_put(w, o.buf, o.len, 0);
	out_fini(&o);
	return err;
}

/* perf 7 ends at a record whose size is no multiple of 8; the name takes the padding. */
static void put_build_id(struct out *o, const struct perfdata_build_id *id)
{
	size_t start = o->len, padding;
	struct record_header h;

	feature_encode_build_id(id, RECORD_HEADER_BUILD_ID, o);
	padding = -(o->len - start) & 7;
	memset(out_room(o, padding), 0, padding);
	out_advance(o, padding);
	memcpy(&h, o->buf + start, sizeof(h));
	h.size = (uint16_t)(o->len - start);
	memcpy(o->buf + start, &h, sizeof(h));
}

int writer_pipe_finish(struct writer *w, const struct perfdata_info *info)
{
	struct out o;
	int err = 0;

	out_init(&o, -1);
	for (uint32_t i = 0; i < info->build_ids.nr; i++)
		put_build_id(&o, &info->build_ids.v[i]);
	if (o.len)
		err = writer_put(w, o.buf, o.len, 0);
	out_fini(&o);
	return err;
}
