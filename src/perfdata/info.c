/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Life and death of struct perfdata_info. What its fields mean on disk is in features.c
 * (reading) and feature_write.c (writing).
 */
#include "perfdata/info.h"

#include <errno.h>
#include <string.h>

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
	struct hindex_iter it = hindex_find(&info->event_id_index, hash_u64(id));

	for (uint32_t i; (i = hindex_next(&it)) != HINDEX_NONE;)
		if (info->event_ids.v[i].id == id)
			return (int)info->event_ids.v[i].event;
	return -ENOENT;
}

void perfdata_info_add_ids(struct perfdata_info *info, uint32_t event)
{
	const struct perfdata_event *e = &info->events.v[event];

	for (uint32_t i = 0; i < e->nr_ids; i++) {
		/* Many equal ids would make one long run of the index. */
		if (find_id(info, e->ids[i]) >= 0)
			continue;
		hindex_add(&info->event_id_index, hash_u64(e->ids[i]), info->event_ids.nr);
		vec_push(&info->event_ids, ((struct perfdata_event_id){ e->ids[i], event }));
	}
}

int perfdata_info_find_event(const struct perfdata_info *info, uint64_t id)
{
	/* Records that the recorder made up carry no id; perf gives them to the first event. */
	if (info->events.nr <= 1 || !id)
		return info->events.nr ? 0 : -ENOENT;
	return find_id(info, id);
}
