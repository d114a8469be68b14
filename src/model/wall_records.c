/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which record is what.
 */
#include "model/wall_records.h"

#include "model/task_spans.h"
#include "model/timeline_records.h"
#include "model/wall_events.h"

void wall_records_init(struct wall_records *r, const struct recording *recording, struct machine *m, struct profile *p)
{
	*r = (struct wall_records){ .recording = recording, .events = { .recording = recording } };
	timeline_init(&r->timeline, m);
	wall_init(&r->wall, p, &r->timeline);
}

void wall_records_fini(struct wall_records *r)
{
	wall_fini(&r->wall);
	sched_events_fini(&r->events);
	timeline_fini(&r->timeline);
}

void wall_records_keep_spans(struct wall_records *r, struct span_store *spans)
{
	span_store_watch(spans, &r->timeline);
	r->spans = spans;
}

bool wall_records_is_clock(const struct wall_records *r, int32_t event)
{
	const struct attr *a = event >= 0 ? &r->recording->info->events.v[event].attr : NULL;

	return a && (a->type == ATTR_TYPE_HARDWARE || (a->type == ATTR_TYPE_SOFTWARE && a->config == CONFIG_CPU_CLOCK));
}

/* An event that the time line took. */
static void add_step(struct wall_records *r, const struct session_record *sr, const struct sched_event *e, const struct timeline_step *step,
		     enum wall_class class)
{
	if (r->spans)
		task_spans_note_wake(r->spans, &r->timeline, sr, e, step);
	wall_add(&r->wall, sr, e, step, class);
}

/* A sample of a thread of which nothing is known yet: it runs. */
static void see_running(struct wall_records *r, const struct session_record *sr)
{
	uint32_t track = sr->task && sr->task->tid > 0 ? timeline_track_of(&r->timeline, sr->task) : TIMELINE_NONE;
	struct sched_event e = {
		.kind = SCHED_SWITCH, .time_ns = sr->time_ns, .cpu = sr->rec.sample.cpu, .state = 'R', .next_tid = sr->rec.sample.tid
	};
	struct timeline_step step;

	if (track == TIMELINE_NONE || timeline_track(&r->timeline, track)->is_seen || sr->rec.sample.tid == 0)
		return;
	if (timeline_add(&r->timeline, &e, &step))
		wall_add(&r->wall, sr, &e, &step, WALL_UNKNOWN);
}

/* A sample of any event of a thread that was off its CPU for all that is known. Records of waits are made for threads that do not run. */
static void see_again(struct wall_records *r, const struct session_record *sr)
{
	const struct attr *a = &r->recording->info->events.v[sr->event].attr;

	if (!sr->task || sr->task->tid <= 0 || sr->rec.sample.tid <= 0 || !(a->sample_type & SAMPLE_CPU) ||
	    (a->type == ATTR_TYPE_SOFTWARE && a->config == CONFIG_BPF_OUTPUT))
		return;
	if (timeline_see(&r->timeline, sr->task, sr->rec.sample.cpu, sr->time_ns))
		wall_see(&r->wall, timeline_track_of(&r->timeline, sr->task), sr->time_ns);
}

static void add_taker(struct wall_records *r, const struct session_record *sr, int32_t tid)
{
	const struct task *task = task_table_find(&r->timeline.machine->tasks, tid);

	if (task && sr->task && sr->task->tid > 0)
		wall_add_taker(&r->wall, timeline_track_of(&r->timeline, task), timeline_track_of(&r->timeline, sr->task), sr->time_ns);
}

static void add_waiting(struct wall_records *r, const struct session_record *sr, char letter, enum wall_class class)
{
	if (!sr->task || sr->task->tid <= 0 || !timeline_begin_wait(&r->timeline, sr->task, letter, r->wall.first_ns))
		return;
	r->has_waiting = true;
	wall_add_waiting(&r->wall, sr, timeline_track_of(&r->timeline, sr->task), letter, class);
}

static void add_own(struct wall_records *r, const struct session_record *sr)
{
	struct timeline_step step;
	enum wall_class class;
	struct sched_event e;
	int32_t tid;
	char letter;

	r->timeline.has_waking = r->has_own = true;
	if (wall_events_is_limit(r->recording, sr))
		wall_add_limit(&r->wall, sr->time_ns);
	else if (wall_events_read_waiting(r->recording, sr, &letter, &class))
		add_waiting(r, sr, letter, class);
	else if (wall_events_read_taker(r->recording, sr, &tid))
		add_taker(r, sr, tid);
	else if (!wall_events_read(r->recording, sr, &e, &class))
		r->events.nr_malformed++;
	else if (timeline_add(&r->timeline, &e, &step))
		add_step(r, sr, &e, &step, class);
}

static int add_sample(struct wall_records *r, const struct session_record *sr, struct errbuf *eb)
{
	struct timeline_step step;
	struct sched_event e;
	int ret;

	if (wall_events_is(r->recording, sr->event)) {
		add_own(r, sr);
		return 0;
	}
	ret = timeline_read(&r->timeline, &r->events, sr, &e, eb);
	if (ret < 0)
		return ret;
	if (!ret) {
		if (sr->event >= 0)
			see_again(r, sr);
		if (wall_records_is_clock(r, sr->event)) {
			see_running(r, sr);
			wall_add_sample(&r->wall, sr);
		}
		return 0;
	}
	if (timeline_add(&r->timeline, &e, &step))
		add_step(r, sr, &e, &step, WALL_UNKNOWN);
	return 0;
}

int wall_records_take(struct wall_records *r, const struct session_record *sr, struct errbuf *eb)
{
	if (sr->header->type == RECORD_SAMPLE)
		return add_sample(r, sr, eb);
	timeline_take_record(&r->timeline, r->recording, sr);
	return 0;
}

bool wall_records_end(struct wall_records *r)
{
	/* A sample is a switch for the time line where it is the first thing that is known of a thread, but says nothing by itself. */
	if (!r->has_own && !sched_events_has(&r->events, SCHED_SWITCH))
		return false;
	if (!r->timeline.nr_switches && !r->has_waiting)
		return false;
	if (r->wall.last_ns > r->timeline.last_ns)
		r->timeline.last_ns = r->wall.last_ns;
	timeline_finish(&r->timeline);
	return true;
}
