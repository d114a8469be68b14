/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/timeline_records.h"

#include "model/wall_events.h"

int timeline_read(struct timeline *t, struct sched_events *events, const struct session_record *sr, struct sched_event *e,
		  struct errbuf *eb)
{
	int ret = sched_events_read(events, sr, e, eb);

	if (ret <= 0)
		return ret;
	t->has_waking |= events->has_kind[SCHED_WAKING];
	if (!t->nr_switches)
		t->nr_recorded_cpus = events->has_kind[SCHED_MIGRATE] ? sched_events_cpus(events) : 0;
	return ret;
}

bool timeline_read_own(struct timeline *t, struct sched_events *events, const struct session_record *sr, struct sched_event *e,
		       enum wall_class *class, uint32_t *waiting)
{
	const struct recording *r = events->recording;
	int32_t tid;
	char letter;

	t->has_waking = true;
	*class = WALL_UNKNOWN;
	*waiting = TIMELINE_NONE;
	if (wall_events_is_limit(r, sr)) {
		if (!t->first_ns)
			t->first_ns = sr->time_ns;
		if (sr->time_ns > t->last_ns)
			t->last_ns = sr->time_ns;
	} else if (wall_events_read_waiting(r, sr, &letter, class)) {
		if (sr->task && sr->task->tid > 0 && timeline_begin_wait(t, sr->task, letter, t->first_ns))
			*waiting = timeline_track_of(t, sr->task);
	} else if (wall_events_read_taker(r, sr, &tid)) {
		return false;
	} else if (wall_events_read(r, sr, e, class)) {
		return true;
	} else {
		events->nr_malformed++;
	}
	return false;
}

uint32_t timeline_cpu_of_loss(const struct recording *r, const struct session_record *sr)
{
	bool has_cpu = sr->event >= 0 && r->info->events.v[sr->event].attr.sample_type & SAMPLE_CPU;

	return has_cpu ? sr->rec.id.cpu : TIMELINE_NONE;
}

void timeline_take_record(struct timeline *t, const struct recording *r, const struct session_record *sr)
{
	switch (sr->header->type) {
	case RECORD_LOST:
		timeline_lose(t, timeline_cpu_of_loss(r, sr));
		break;
	case RECORD_FORK:
		if (sr->task && sr->time_ns)
			timeline_begin_task(t, sr->task, sr->time_ns);
		break;
	default:
		break;
	}
}
