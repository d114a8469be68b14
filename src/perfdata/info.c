/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata/info.h"

#include <errno.h>
#include <string.h>

#include "abi/record.h"

void perfdata_info_init(struct perfdata_info *info)
{
	memset(info, 0, sizeof(*info));
}

void perfdata_info_fini(struct perfdata_info *info)
{
	vec_fini(&info->events);
	vec_fini(&info->event_ids);
	hindex_fini(&info->event_id_index);
	vec_fini(&info->core_siblings);
	vec_fini(&info->thread_siblings);
	vec_fini(&info->die_siblings);
	vec_fini(&info->cpus);
	vec_fini(&info->numa_nodes);
	vec_fini(&info->pmus);
	vec_fini(&info->groups);
	vec_fini(&info->caches);
	vec_fini(&info->mem_nodes);
	vec_fini(&info->build_ids);
	vec_fini(&info->raw_features);
	arena_fini(&info->arena);
	memset(info, 0, sizeof(*info));
}

static int find_id(const struct perfdata_info *info, uint64_t id)
{
	uint32_t found = HINDEX_FIND_ITEM(&info->event_id_index, hash_u64(id), &info->event_ids, e, e->id == id);

	return found == HINDEX_NONE ? -ENOENT : (int)info->event_ids.v[found].event;
}

void perfdata_info_add_id(struct perfdata_info *info, uint64_t id, uint32_t event)
{
	/* Many equal ids would make one long run of the index. */
	if (find_id(info, id) >= 0)
		return;
	hindex_add(&info->event_id_index, hash_u64(id), info->event_ids.nr);
	vec_push(&info->event_ids, ((struct perfdata_event_id){ id, event }));
}

int perfdata_info_find_event(const struct perfdata_info *info, uint64_t id)
{
	/* Records that the recorder made up carry no id; perf gives them to the first event. */
	if (info->events.nr <= 1 || !id)
		return info->events.nr ? 0 : -ENOENT;
	return find_id(info, id);
}

/* Where its id stands is the same for all events of a recording, so the first event's layout finds it. */
int perfdata_info_event_of_record(const struct perfdata_info *info, const struct record_header *h)
{
	bool sample = h->type == RECORD_SAMPLE;
	uint64_t id;
	int event;

	if (!info->events.nr)
		return -1;
	if (!record_find_id(h, &info->events.v[0].layout, &id))
		return sample ? -1 : 0;
	/* Synthesised records carry id 0: any event's layout fits them. */
	event = id || sample ? perfdata_info_find_event(info, id) : 0;
	return event >= 0 ? event : sample ? -1 : 0;
}
