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

int perfdata_info_find_event(const struct perfdata_info *info, uint64_t id)
{
	/* Records that the recorder made up carry no id; perf gives them to the first event. */
	if (info->events.nr == 1 || (!id && info->events.nr))
		return 0;
	for (uint32_t i = 0; i < info->events.nr; i++)
		for (uint32_t k = 0; k < info->events.v[i].nr_ids; k++)
			if (info->events.v[i].ids[k] == id)
				return (int)i;
	return -ENOENT;
}
