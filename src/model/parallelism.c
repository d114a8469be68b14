/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tasks by tid, in one of three states. Switches of a task can be in the recording twice (of several events), so that states count and not
 * records.
 */
#include "model/parallelism.h"

void parallelism_fini(struct parallelism *p)
{
	vec_fini(&p->tasks);
	hindex_fini(&p->index);
}

static struct running_task *task_of(struct parallelism *p, int32_t tid)
{
	uint32_t id = HINDEX_INTERN(&p->index, hash_u64((uint32_t)tid), &p->tasks, t, t->tid == tid, ((struct running_task){ .tid = tid }));

	return &p->tasks.v[id];
}

static void set_state(struct parallelism *p, int32_t tid, enum running_state state)
{
	struct running_task *t;

	if (tid <= 0) /* idle CPUs, and what has no number */
		return;
	t = task_of(p, tid);
	p->nr_running += (state == RUNNING_YES) - (t->state == RUNNING_YES);
	t->state = (uint8_t)state;
}

/* It wrote a record itself. Beside switches that are all there this says nothing new: a sample between a task's arrival on a CPU and the record
 * of it does not count the task earlier than that record. */
static void set_seen(struct parallelism *p, int32_t tid)
{
	if (tid > 0 && task_of(p, tid)->state == RUNNING_UNKNOWN)
		set_state(p, tid, RUNNING_YES);
}

static void forget_states(struct parallelism *p)
{
	for (uint32_t i = 0; i < p->tasks.nr; i++)
		p->tasks.v[i].state = RUNNING_UNKNOWN;
	p->nr_running = 0;
	p->has_lost = true;
}

void parallelism_see(struct parallelism *p, const struct session_record *sr)
{
	const struct record_header *h = sr->header;
	bool is_live = sr->time_ns; /* not made up by the recorder for what was there before */

	switch (h->type) {
	case RECORD_SWITCH_CPU_WIDE:
		p->is_of_all_cpus = true;
		break;
	case RECORD_SWITCH:
		if (sr->task)
			set_state(p, sr->task->tid, h->misc & MISC_SWITCH_OUT ? RUNNING_NO : RUNNING_YES);
		break;
	case RECORD_COMM:
		if (sr->task && is_live && h->misc & MISC_COMM_EXEC)
			set_seen(p, sr->task->tid);
		break;
	case RECORD_FORK:
		if (!sr->task || !is_live)
			break;
		set_seen(p, (int32_t)sr->rec.task.ptid);
		set_state(p, sr->task->tid, RUNNING_NO);
		break;
	case RECORD_EXIT:
		if (sr->task)
			set_state(p, sr->task->tid, RUNNING_NO);
		break;
	case RECORD_LOST:
		forget_states(p);
		break;
	}
}

uint32_t parallelism_at_sample(struct parallelism *p, const struct task *task)
{
	uint32_t nr;

	set_seen(p, task->tid);
	nr = p->nr_running ? p->nr_running : 1;
	if (nr > p->max)
		p->max = nr;
	return nr;
}

bool parallelism_is_recorded(const struct perfdata_info *info)
{
	for (uint32_t i = 0; i < info->events.nr; i++)
		if (info->events.v[i].attr.flags & ATTR_CONTEXT_SWITCH)
			return true;
	return false;
}
