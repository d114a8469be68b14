/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * heatmap --run-queue: how long tasks were runnable before they ran, from the time line of a recording of the scheduler. A wait is at the time
 * when it ended. Waits whose begin is not known, because records or switches are missing, are not drawn.
 */
#include "cmd/heatmap.h"

#include <errno.h>

#include "model/sched_events.h"
#include "model/timeline.h"

struct queue_reader {
	struct heatmap_load *l;
	struct input *in;
	struct sched_events events;
	struct timeline t;
	uint64_t nr_left_out; /* by the filters */
};

/* Of the task that waited; CPU and time are those of the switch. */
static bool keeps(struct queue_reader *q, const struct session_record *sr, const struct task *task)
{
	const struct filter *f = &q->in->filter;
	struct profile *p = q->in->profile;

	return !filter_is_set(f) || (filter_keeps_sample(f, sr) && filter_keeps_task(f, p, profile_intern_task(p, task)));
}

static int add_wait(struct queue_reader *q, const struct session_record *sr, const struct timeline_track *k, struct errbuf *eb)
{
	if (k->is_idle || !k->is_delay_known || !k->delay_ns)
		return 0;
	if (!keeps(q, sr, k->task)) {
		q->nr_left_out++;
		return 0;
	}
	return heat_add(q->l->heat, sr->time_ns, k->delay_ns) ? 0 : heatmap_too_many(eb);
}

static int add_sample(struct queue_reader *q, const struct session_record *sr, struct errbuf *eb)
{
	struct timeline_step step;
	struct sched_event e;
	int ret = sched_events_read(&q->events, sr, &e, eb);

	if (ret <= 0)
		return ret;
	if (e.kind == SCHED_SWITCH && !(q->l->recording->info->events.v[sr->event].attr.sample_type & SAMPLE_CPU))
		return errbuf_set(eb, -ENODATA, "%s does not say on which CPU a switch was; 'assay sched record' records that",
				  input_name(q->in));
	q->t.has_waking = q->events.has_kind[SCHED_WAKING];
	if (!timeline_add(&q->t, &e, &step) || e.kind != SCHED_SWITCH || step.to == TIMELINE_NONE)
		return 0;
	return add_wait(q, sr, timeline_track(&q->t, step.to), eb);
}

static int add_all(struct queue_reader *q, struct errbuf *eb)
{
	struct session_record sr;
	int ret, err = 0;

	while (!err && (ret = input_next_recorded(q->in, &sr, eb)) > 0) {
		if (sr.header->type == RECORD_SAMPLE && sr.event >= 0)
			err = add_sample(q, &sr, eb);
		else if (sr.header->type == RECORD_LOST)
			timeline_lose(&q->t, TIMELINE_NONE);
		else if (sr.header->type == RECORD_FORK && sr.task && sr.time_ns)
			timeline_begin_task(&q->t, sr.task, sr.time_ns);
	}
	return err ? err : ret;
}

static void describe(struct queue_reader *q)
{
	struct heatmap_load *l = q->l;
	struct out o;

	out_init(&o, -1);
	heatmap_put_number(&o, l->heat->points.nr, "wait");
	out_str(&o, " of tasks for a CPU");
	heatmap_subtitle(l, &o);
	heatmap_note_queue(l, q->t.nr_gaps, sched_events_has(&q->events, SCHED_WAKING) || sched_events_has(&q->events, SCHED_WAKEUP));
	heatmap_note_filters(l, &q->in->filter, q->nr_left_out);
	l->advice = q->nr_left_out ? "no waits are left: --comms, --pid, --tid, --cpu, --time or --filter leave out all"
				   : "no task waited for a CPU";
}

int heatmap_load_queue(struct heatmap_load *l, struct input *in, struct errbuf *eb)
{
	struct queue_reader q = { .l = l, .in = in, .events.recording = l->recording };
	int err;

	timeline_init(&q.t, &in->session->machine);
	progress_init(&in->progress, "reading", in->session->source->total_bytes);
	err = add_all(&q, eb);
	progress_fini(&in->progress);
	if (!err && !q.t.nr_switches)
		err = errbuf_set(eb, -ENODATA, "%s has no events sched:sched_switch; 'assay sched record' records them", input_name(in));
	if (!err)
		describe(&q);
	sched_events_fini(&q.events);
	timeline_fini(&q.t);
	return err;
}
