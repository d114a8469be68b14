/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/header_info.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"

#define BIT(feature) (1ULL << (feature))

static uint64_t clock_res_ns(clockid_t clock)
{
	struct timespec ts;

	return clock_getres(clock, &ts) ? 0 : timespec_ns(&ts);
}

static void set_event(struct perfdata_info *info, const struct event_fds *fds, uint32_t event)
{
	const struct event_spec *spec = &fds->list->events.v[event];
	struct perfdata_event e = { .attr = spec->attr, .name = spec->name };
	uint32_t nr = fds->first[event + 1] - fds->first[event];

	e.layout = sample_layout_of(&e.attr);
	e.ids = arena_alloc(&info->arena, (2 * (size_t)nr + 1) * sizeof(e.ids[0]));
	/* The tracker reports in the name of the first event. */
	for (uint32_t i = 0; i < fds->fds.nr; i++) {
		const struct event_fd *f = &fds->fds.v[i];

		if (f->fd >= 0 && (f->event == event || (!event && f->event == fds->list->events.nr)))
			e.ids[e.nr_ids++] = f->id;
	}
	vec_push(&info->events, e);
}

/* perf's word for a group without a name of its own. */
#define ANON_GROUP "{anon_group}"

static void set_groups(struct perfdata_info *info, const struct event_list *list)
{
	for (uint32_t i = 0; i < list->events.nr; i++) {
		const struct event_spec *spec = &list->events.v[i];
		struct perfdata_group g = { spec->group_name ? spec->group_name : ANON_GROUP, i, 0 };

		if (spec->group_leader != (int32_t)i)
			continue;
		for (uint32_t k = i; k < list->events.nr; k++)
			g.nr_members += list->events.v[k].group_leader == (int32_t)i;
		vec_push(&info->groups, g);
	}
	if (info->groups.nr)
		info->features |= BIT(FEAT_GROUP_DESC);
}

void header_info_set_events(struct perfdata_info *info, const struct event_fds *fds)
{
	for (uint32_t i = 0; i < fds->list->events.nr; i++)
		set_event(info, fds, i);
	info->features |= BIT(FEAT_EVENT_DESC);
	set_groups(info, fds->list);
}

void header_info_set_options(struct perfdata_info *info, const struct capture_options *o)
{
	info->version = ASSAY_VERSION;
	info->cmdline = o->cmdline;
	info->nr_cmdline = o->nr_cmdline;
	info->features |= BIT(FEAT_VERSION) | BIT(FEAT_CMDLINE);
	if (!o->config.has_clockid)
		return;
	info->clockid = (uint32_t)o->config.clockid;
	info->clockid_res_ns = clock_res_ns(o->config.clockid);
	/* One moment on both clocks: what turns recorded times into dates. */
	info->clock_ref_ns = clock_read_ns(o->config.clockid);
	info->clock_tod_ns = clock_read_ns(CLOCK_REALTIME);
	info->features |= BIT(FEAT_CLOCKID) | BIT(FEAT_CLOCK_DATA);
}
