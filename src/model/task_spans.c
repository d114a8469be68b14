/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records to a time line to a store.
 */
#include "model/task_spans.h"

#include "model/timeline_records.h"
#include "model/wall_events.h"
#include "model/wall_spans.h"

#include <string.h>

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

static void take_sample(struct task_spans *s, const struct session_record *sr)
{
	struct timeline_step step;
	struct sched_event e;
	struct errbuf eb;

	/* One whose format lacks fields, or that does not say its CPU, tells nothing. */
	errbuf_clear(&eb);
	if (timeline_read(&s->timeline, &s->events, sr, &e, &eb) <= 0 ||
	    !(s->events.recording->info->events.v[sr->event].attr.sample_type & SAMPLE_CPU))
		return;
	if (timeline_add(&s->timeline, &e, &step))
		task_spans_note_wake(&s->store, &s->timeline, sr, &e, &step);
}

/* A sample of wall's program, which says what a task waits for. */
static void take_own(struct task_spans *s, const struct session_record *sr)
{
	struct timeline_step step;
	enum wall_class class;
	struct sched_event e;
	uint32_t waiting;

	s->is_own = true;
	if (timeline_read_own(&s->timeline, &s->events, sr, &e, &class, &waiting) && timeline_add(&s->timeline, &e, &step)) {
		task_spans_note_wake(&s->store, &s->timeline, sr, &e, &step);
		if (e.kind == SCHED_SWITCH)
			span_store_block(&s->store, step.from, wall_span_state(class));
	} else if (waiting != TIMELINE_NONE) {
		span_store_block(&s->store, waiting, wall_span_state(class));
	}
}

/* Other tasks than those that were recorded may run on a CPU: nothing is known of it as a whole. */
static bool is_of_task(void *ctx, const struct span_track *k)
{
	(void)ctx;
	return k->kind == SPAN_OF_TASK;
}

void task_spans_take(struct task_spans *s, const struct session_record *sr)
{
	if (sr->header->type != RECORD_SAMPLE)
		timeline_take_record(&s->timeline, s->events.recording, sr);
	else if (wall_events_is(s->events.recording, sr->event))
		take_own(s, sr);
	else
		take_sample(s, sr);
}

bool task_spans_finish(struct task_spans *s)
{
	timeline_finish(&s->timeline);
	if (s->is_own)
		span_store_keep(&s->store, is_of_task, NULL);
	return s->timeline.nr_switches;
}
