/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Truncated samples become wishes, once for each size of dump; a process with one such thread asks
 * for all of its threads. What becomes of the wishes is not known here.
 */
#include "capture/unwind_growth.h"

#include <string.h>

bool unwind_growth_replaces(struct unwind_stream *s, struct unwind_item *item, uint64_t id)
{
	bool is_large = item->event_nr == UINT32_MAX;
	struct deep_thread *t;
	struct grown_event e;

	if (is_large) {
		if (!stack_growth_find(s->growth, id, &e))
			return false;
		item->event_nr = e.event;
		item->id = e.original_id;
	}
	t = deep_threads_find(&s->deep, item->tid, false);
	return t && deep_thread_replaces(t, item->event_nr, is_large,
					 s->events.v[item->event_nr].max_credit);
}

/* Others of the process are in need: it will be, too. */
static void ask_for(struct unwind_stream *s, uint32_t pid, uint32_t tid)
{
	const struct growth_wish w = { .pid = pid, .tid = tid };

	if (deep_threads_find(&s->deep, tid, false))
		return;
	deep_threads_add(&s->deep, tid, false);
	stack_growth_want(s->growth, &w);
}

static void ask_for_siblings(struct unwind_stream *s, const struct task *task)
{
	const struct task_table *t = &s->machine.tasks;
	uint32_t nr = 0;

	for (uint32_t i = 0; i < t->tasks.nr && nr < STACK_GROWTH_MAX_THREADS; i++) {
		const struct task *other = t->tasks.v[i];

		if (other->leader != task->leader || other->exited || other->superseded)
			continue;
		ask_for(s, (uint32_t)task->leader->pid, (uint32_t)other->tid);
		nr++;
	}
}

void unwind_growth_ask(struct unwind_stream *s, const struct unwind_item *item)
{
	uint32_t pid = (uint32_t)item->task->leader->pid;
	const struct growth_wish w = { pid, item->tid, item->dumped, item->sp };
	struct deep_thread *t = deep_threads_find(&s->deep, item->tid, false);

	if (!t)
		t = deep_threads_add(&s->deep, item->tid, false);
	if (t->asked >= item->dumped)
		return;
	t->asked = item->dumped;
	stack_growth_want(s->growth, &w);
	if (deep_threads_find(&s->deep, pid, true))
		return;
	deep_threads_add(&s->deep, pid, true);
	ask_for_siblings(s, item->task);
}

void unwind_growth_expect(struct unwind_stream *s, const struct record_header *h)
{
	uint32_t ids[4]; /* pid, ppid, tid, ptid */

	if (h->size < sizeof(*h) + sizeof(ids))
		return;
	memcpy(ids, h + 1, sizeof(ids));
	stack_growth_stir(s->growth);
	if (ids[0] == ids[1] && deep_threads_find(&s->deep, ids[0], true))
		ask_for(s, ids[0], ids[2]);
}

void unwind_growth_forget(struct unwind_stream *s, uint32_t tid)
{
	struct deep_thread *process = deep_threads_find(&s->deep, tid, true), *t;

	if (process)
		deep_threads_forget(&s->deep, process);
	t = deep_threads_find(&s->deep, tid, false);
	if (t)
		deep_threads_forget(&s->deep, t);
	if (t || process)
		stack_growth_gone(s->growth, tid);
}

static void set_word(struct record_header *h, uint32_t pos, uint64_t value)
{
	if ((pos + 1) * 8u <= h->size - sizeof(*h))
		memcpy((uint8_t *)(h + 1) + pos * 8u, &value, sizeof(value));
}

void unwind_growth_rewrite(const struct sample_layout *l, struct record_header *h, uint64_t id)
{
	uint8_t *end = (uint8_t *)h + h->size;
	size_t size = l->id_all ? sample_id_size(l) : 0, fixed = 8;
	struct sample_id trailer;

	if (h->type == RECORD_LOST) {
		set_word(h, 0, id);
		fixed = 16;
	} else if (h->type == RECORD_THROTTLE || h->type == RECORD_UNTHROTTLE) {
		set_word(h, 1, id);
		set_word(h, 2, id);
		fixed = 24;
	}
	if (!size || h->size < sizeof(*h) + fixed + size ||
	    sample_id_decode(l, end, h->size - sizeof(*h), &trailer))
		return;
	trailer.id = trailer.stream_id = id;
	sample_id_encode(l, &trailer, end - size);
}

void unwind_growth_rename(struct unwind_stream *s, struct record_header *h, uint64_t id)
{
	struct grown_event e;

	if (stack_growth_find(s->growth, id, &e))
		unwind_growth_rewrite(&s->events.v[e.event].in, h, e.original_id);
}
