/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a record does to a session: to the machine (machine.h), and to what the session counts.
 */
#include "session/effects.h"

#include "session/session.h"

static void apply_sample(struct session *s, struct session_record *sr)
{
	struct sample *sample = &sr->rec.sample;

	if (!(s->info->events.v[sr->event].layout.sample_type & SAMPLE_PERIOD))
		sample->period = s->info->events.v[sr->event].attr.sample_period;
	if (!s->stats.first_sample_ns)
		s->stats.first_sample_ns = sr->time_ns;
	s->stats.last_sample_ns = sr->time_ns;
}

static void apply_lost(struct session *s, struct session_record *sr)
{
	if (sr->header->type == RECORD_LOST)
		s->stats.nr_lost_events += sr->rec.lost.lost;
	else
		s->stats.nr_lost_samples += sr->rec.lost.lost;
	if (sr->header->type == RECORD_LOST_SAMPLES && sr->event >= 0) {
		while (s->lost_by_event.nr <= (uint32_t)sr->event)
			vec_push(&s->lost_by_event, 0);
		s->lost_by_event.v[sr->event] += sr->rec.lost.lost;
	}
}

static void apply_throttle(struct session *s, struct session_record *sr)
{
	(void)sr;
	s->stats.nr_throttled++;
}

/* A task that was gone already has the tid -1 there, so the value does not tell. */
static bool trailer_has_task(const struct session *s, const struct session_record *sr)
{
	const struct sample_layout *l = sr->event >= 0 ? &s->info->events.v[sr->event].layout : NULL;

	return l && l->id_all && (l->sample_type & SAMPLE_TID);
}

void session_apply(struct session *s, struct session_record *sr)
{
	static void (*const effects[])(struct session *, struct session_record *) = {
		[RECORD_LOST] = apply_lost,
		[RECORD_LOST_SAMPLES] = apply_lost,
		[RECORD_THROTTLE] = apply_throttle,
		[RECORD_SAMPLE] = apply_sample,
	};
	uint32_t type = sr->header->type;

	sr->task = machine_apply(&s->machine, &sr->rec);
	if (type < sizeof(effects) / sizeof(*effects) && effects[type])
		effects[type](s, sr);
	/* What names no task itself happened in the one that its trailer names. */
	if (!sr->task && type != RECORD_SAMPLE && trailer_has_task(s, sr))
		sr->task = task_table_get(&s->machine.tasks, (int32_t)sr->rec.id.pid, (int32_t)sr->rec.id.tid);
}
