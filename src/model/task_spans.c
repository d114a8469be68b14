/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records to a time line to a store.
 */
#include "model/task_spans.h"

#include <string.h>

#include "model/wall_events.h"

void task_spans_init(struct task_spans *s, const struct recording *r, struct machine *m)
{
	memset(s, 0, sizeof(*s));
	s->events.recording = r;
	timeline_init(&s->timeline, m);
	span_store_init(&s->store, SPAN_DEFAULT_LIMIT);
	span_store_watch(&s->store, &s->timeline);
}

void task_spans_fini(struct task_spans *s)
{
	span_store_fini(&s->store);
	timeline_fini(&s->timeline);
	sched_events_fini(&s->events);
}

void task_spans_note_wake(struct span_store *store, struct timeline *t, const struct session_record *sr, const struct sched_event *e,
			  const struct timeline_step *step)
{
	uint32_t waker = TIMELINE_NONE;

	if (!step->is_used)
		return;
	if (sr->task && sr->task->tid > 0)
		waker = timeline_track_of(t, sr->task);
	else if (sr->task && e->cpu < t->cpus.nr)
		waker = t->cpus.v[e->cpu].idle;
	span_store_wake(store, step->to, waker);
}

/* What `assay wall` records of each switch, in place of the tracepoints. */
static void take_own(struct task_spans *s, const struct session_record *sr)
{
	struct timeline_step step;
	enum wall_class class;
	struct sched_event e;
	char letter;
	int32_t tid;

	s->timeline.has_waking = true;
	if (wall_events_is_limit(s->events.recording, sr)) {
		s->first_ns = s->first_ns ? s->first_ns : sr->time_ns;
	} else if (wall_events_read_waiting(s->events.recording, sr, &letter, &class)) {
		if (sr->task && sr->task->tid > 0)
			timeline_begin_wait(&s->timeline, sr->task, letter, s->first_ns);
	} else if (!wall_events_read_taker(s->events.recording, sr, &tid) && wall_events_read(s->events.recording, sr, &e, &class) &&
		   timeline_add(&s->timeline, &e, &step)) {
		task_spans_note_wake(&s->store, &s->timeline, sr, &e, &step);
	}
}

static void take_sample(struct task_spans *s, const struct session_record *sr)
{
	struct timeline_step step;
	struct sched_event e;
	struct errbuf eb;

	if (wall_events_is(s->events.recording, sr->event)) {
		take_own(s, sr);
		return;
	}
	/* One whose format lacks fields, or that does not say its CPU, tells nothing. */
	errbuf_clear(&eb);
	if (sched_events_read(&s->events, sr, &e, &eb) <= 0 ||
	    !(s->events.recording->info->events.v[sr->event].attr.sample_type & SAMPLE_CPU))
		return;
	s->timeline.has_waking = s->events.has_kind[SCHED_WAKING];
	if (timeline_add(&s->timeline, &e, &step))
		task_spans_note_wake(&s->store, &s->timeline, sr, &e, &step);
}

void task_spans_take(struct task_spans *s, const struct session_record *sr)
{
	switch (sr->header->type) {
	case RECORD_SAMPLE:
		take_sample(s, sr);
		break;
	case RECORD_LOST:
		timeline_lose(&s->timeline, TIMELINE_NONE);
		break;
	case RECORD_FORK:
		if (sr->task && sr->time_ns)
			timeline_begin_task(&s->timeline, sr->task, sr->time_ns);
		break;
	default:
		break;
	}
}

bool task_spans_finish(struct task_spans *s)
{
	timeline_finish(&s->timeline);
	return s->timeline.nr_switches;
}
