/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records that describe the recording (HEADER_ATTR, HEADER_FEATURE …), which a pipe has instead of the file's header; and the names of
 * events.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "abi/event_names.h"
#include "abi/record.h"
#include "perfdata/header.h"
#include "perfdata/reader_state.h"
#include "perfdata/tracing_data.h"

#define NO_TRACEPOINT_NAME "unknown tracepoint" /* what event_name_of() says */

/* "sched:sched_switch" where the tracing data knows the event; NULL otherwise. */
static const char *tracepoint_name(struct perfdata_info *info, const struct tracing_data *t, const struct attr *attr)
{
	const struct tracing_event *te = tracing_data_find(t, attr->config);
	char name[256];

	if (!te)
		return NULL;
	snprintf(name, sizeof(name), "%s:%s", te->system, te->name);
	return arena_str(&info->arena, name, strlen(name));
}

static void name_tracepoints(struct perfdata_info *info)
{
	struct tracing_data t;
	bool parsed = false;

	if (!info->tracing_data)
		return;
	for (uint32_t i = 0; i < info->events.nr; i++) {
		struct perfdata_event *e = &info->events.v[i];
		const char *name;

		if (e->attr.type != ATTR_TYPE_TRACEPOINT || (e->name && strcmp(e->name, NO_TRACEPOINT_NAME)))
			continue;
		if (!parsed)
			tracing_data_init(&t, info->tracing_data, info->tracing_data_size);
		parsed = true;
		name = tracepoint_name(info, &t, &e->attr);
		if (name)
			e->name = name;
	}
	if (parsed)
		tracing_data_fini(&t);
}

void reader_settle_events(struct reader *r, uint32_t first)
{
	struct perfdata_info *info = &r->info;

	if (!first)
		name_tracepoints(info);
	for (uint32_t i = first; i < info->events.nr; i++) {
		struct perfdata_event *e = &info->events.v[i];
		int id_pos = sample_id_word(e->attr.sample_type);
		int trailer_pos = trailer_id_word(e->attr.sample_type);
		char name[EVENT_NAME_MAX];

		if (!e->name) {
			event_name_of(&e->attr, name, sizeof(name));
			e->name = arena_str(&info->arena, name, strlen(name));
		}
		for (uint32_t k = 0; k < e->nr_ids; k++)
			perfdata_info_add_id(info, e->ids[k], i);
		r->id_pos = !i || r->id_pos == id_pos ? id_pos : -1;
		r->trailer_id_pos = !i || r->trailer_id_pos == trailer_pos ? trailer_pos : -1;
	}
}

const struct sample_layout *reader_foreign_layout(const struct reader *r, const struct record_header *h)
{
	static const struct sample_layout none;
	const struct perfdata_event *events = r->info.events.v;
	uint32_t nr_words = (h->size - 8u) / 8;
	int event, word = -1;
	uint64_t id;

	if (!r->info.events.nr)
		return &none;
	if (r->info.events.nr == 1 || h->type >= RECORD_USER_FIRST)
		return &events[0].layout;
	if (h->type == RECORD_SAMPLE && r->id_pos >= 0)
		word = r->id_pos;
	else if (h->type != RECORD_SAMPLE && r->trailer_id_pos > 0 && events[0].layout.id_all)
		word = (int)nr_words - r->trailer_id_pos;
	if (word < 0 || (uint32_t)word >= nr_words)
		return &events[0].layout;
	memcpy(&id, (const uint8_t *)(h + 1) + (uint32_t)word * 8, 8);
	event = perfdata_info_find_event(&r->info, __builtin_bswap64(id));
	return &events[event < 0 ? 0 : event].layout;
}

static int take_attr(struct reader *r, struct bytes b)
{
	struct perfdata_event e = { 0 };

	if (attr_decode(&b, &e.attr))
		return -EBADMSG;
	e.layout = sample_layout_of(&e.attr);
	e.nr_ids = (uint32_t)(bytes_left(&b) / 8);
	if (e.nr_ids)
		e.ids = arena_alloc(&r->info.arena, e.nr_ids * sizeof(e.ids[0]));
	for (uint32_t i = 0; i < e.nr_ids; i++)
		e.ids[i] = bytes_u64(&b);
	vec_push(&r->info.events, e);
	reader_settle_events(r, r->info.events.nr - 1);
	return 0;
}

enum { UPDATE_UNIT = 0, UPDATE_SCALE = 1, UPDATE_NAME = 2, UPDATE_CPUS = 3 };

static int take_event_update(struct reader *r, struct bytes b)
{
	uint64_t what = bytes_u64(&b), id = bytes_u64(&b);
	int event = b.failed ? -EBADMSG : perfdata_info_find_event(&r->info, id);
	const char *text;

	if (b.failed)
		return -EBADMSG;
	if (event < 0 || (what != UPDATE_UNIT && what != UPDATE_NAME))
		return 0;
	text = bytes_str(&b, bytes_left(&b));
	if (!text)
		return -EBADMSG;
	text = arena_str(&r->info.arena, text, strlen(text));
	if (what == UPDATE_UNIT)
		r->info.events.v[event].unit = text;
	else
		r->info.events.v[event].name = text;
	return 0;
}

static void feature_damaged(struct reader *r, uint64_t feature, uint64_t off)
{
	const char *name = feature < FEAT_LAST ? feature_name((uint32_t)feature) : NULL;
	struct source_damage *d = &r->shown_damage;

	if (d->err)
		return;
	d->err = -EBADMSG;
	d->file_off = off;
	snprintf(d->text, sizeof(d->text), "%s is damaged at offset %" PRIu64 ": its feature %s cannot be read and is left out", r->path,
		 off, name ? name : "of an unknown kind");
}

static int take_feature(struct reader *r, struct bytes b, uint64_t off)
{
	uint64_t feature = bytes_u64(&b);

	if (b.failed)
		return -EBADMSG;
	/* perf's mark for "that was all": the next number, empty (older ones of ours were padded). */
	if (feature >= FEAT_LAST && bytes_left(&b) < 8)
		return 0;
	b.swap = r->info.foreign_order; /* its body is not turned by record_swap() */
	if (feature > UINT32_MAX || feature_decode(&r->info, (uint32_t)feature, b))
		feature_damaged(r, feature, off);
	return 0;
}

int reader_take_meta(struct reader *r, const struct source_record *rec)
{
	const struct record_header *h = rec->header;
	struct bytes b = bytes_of(h + 1, h->size - sizeof(*h), false);

	switch (h->type) {
	case RECORD_HEADER_ATTR:
		return r->info.pipe_mode ? take_attr(r, b) : 0;
	case RECORD_HEADER_FEATURE:
		return r->info.pipe_mode ? take_feature(r, b, rec->at) : 0;
	case RECORD_EVENT_UPDATE:
		return take_event_update(r, b);
	case RECORD_HEADER_BUILD_ID:
		r->info.features |= 1ULL << FEAT_BUILD_ID;
		return feature_decode_build_id(&r->info, h->misc, &b);
	default:
		return 0;
	}
}

void reader_take_tracing_data(struct reader *r, const void *data, size_t size)
{
	/* A recorder writes it once; again and again, each would be kept, and read for all events. */
	if (r->info.tracing_data)
		return;
	r->info.tracing_data = arena_copy(&r->info.arena, data, size);
	r->info.tracing_data_size = size;
	r->info.features |= 1ULL << FEAT_TRACING_DATA;
	name_tracepoints(&r->info);
}
