/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A state a task, which the next switch of the task ends.
 */
#include "model/switch_spans.h"

#include <string.h>

void switch_spans_init(struct switch_spans *s, uint32_t limit)
{
	memset(s, 0, sizeof(*s));
	s->limit = limit;
}

void switch_spans_fini(struct switch_spans *s)
{
	vec_fini(&s->v);
	vec_fini(&s->tasks);
	hindex_fini(&s->index);
}

static void set_state(struct switch_spans *s, int32_t tid, uint8_t state, uint64_t time_ns)
{
	const struct switch_task fresh = { .tid = tid, .state = SPAN_UNKNOWN };
	uint32_t i = HINDEX_INTERN(&s->index, hash_u64((uint32_t)tid), &s->tasks, other, other->tid == tid, fresh);
	struct switch_task *t = &s->tasks.v[i];

	if (t->state != SPAN_UNKNOWN && time_ns > t->since_ns) {
		if (s->v.nr < s->limit)
			vec_push(&s->v, ((struct switch_span){ t->since_ns, time_ns, tid, t->state }));
		else
			s->nr_left_out++;
	}
	t->state = state;
	t->since_ns = time_ns;
}

void switch_spans_see(struct switch_spans *s, const struct session_record *sr)
{
	uint32_t misc = sr->header->misc;

	switch (sr->header->type) {
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		if (!sr->task || sr->task->tid <= 0 || !sr->time_ns)
			break;
		set_state(s, sr->task->tid,
			  !(misc & MISC_SWITCH_OUT)	   ? SPAN_RUNNING
			  : misc & MISC_SWITCH_OUT_PREEMPT ? SPAN_PREEMPTED
							   : SPAN_UNKNOWN,
			  sr->time_ns);
		break;
	case RECORD_EXIT:
		if (sr->task && sr->time_ns)
			set_state(s, sr->task->tid, SPAN_UNKNOWN, sr->time_ns);
		break;
	case RECORD_LOST:
		/* What ended meanwhile is not known. */
		for (uint32_t i = 0; i < s->tasks.nr; i++)
			s->tasks.v[i].state = SPAN_UNKNOWN;
		break;
	}
}

static int by_task(const void *va, const void *vb)
{
	const struct switch_span *a = va, *b = vb;

	return COMPARE(a->tid, b->tid) ?: COMPARE(a->begin_ns, b->begin_ns);
}

void switch_spans_finish(struct switch_spans *s)
{
	vec_sort(&s->v, by_task);
}
