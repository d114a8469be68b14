/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which calls wait on a futex, which wake others there, and who woke whom.
 */
#include <string.h>

#include "model/pair_fields.h"

#define FUTEX_OPERATION 0x7f /* without the flags */

/* What operations of futex(2) do: wait on an address, wake others there, wake others at the second address. */
enum futex_effect { FUTEX_WAITS = 1, FUTEX_WAKES = 2, FUTEX_WAKES_SECOND = 4 };
static const uint8_t effects_by_op[] = {
	[0] = FUTEX_WAITS,			/* WAIT */
	[1] = FUTEX_WAKES,			/* WAKE */
	[3] = FUTEX_WAKES,			/* REQUEUE */
	[4] = FUTEX_WAKES,			/* CMP_REQUEUE */
	[5] = FUTEX_WAKES | FUTEX_WAKES_SECOND, /* WAKE_OP */
	[6] = FUTEX_WAITS,			/* LOCK_PI */
	[7] = FUTEX_WAKES,			/* UNLOCK_PI */
	[9] = FUTEX_WAITS,			/* WAIT_BITSET */
	[10] = FUTEX_WAKES,			/* WAKE_BITSET */
	[11] = FUTEX_WAITS,			/* WAIT_REQUEUE_PI */
	[12] = FUTEX_WAKES,			/* CMP_REQUEUE_PI */
	[13] = FUTEX_WAITS,			/* LOCK_PI2 */
};

uint8_t pair_futex_effects(const char *event_name)
{
	/* futex_waitv() names its addresses in memory, which a tracepoint does not have: it is known by that of its list, and its waker is not.
	 * The same holds for whom futex_requeue() wakes. */
	static const struct {
		const char *name;
		uint8_t effects;
	} calls[] = {
		{ "syscalls:sys_enter_futex_wait", FUTEX_WAITS },
		{ "syscalls:sys_enter_futex_waitv", FUTEX_WAITS },
		{ "syscalls:sys_enter_futex_wake", FUTEX_WAKES },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(event_name, calls[i].name))
			return calls[i].effects;
	return 0;
}

static void note_wake(struct pair_sums *s, const struct session_record *sr, uint64_t address)
{
	int32_t pid = sr->task->pid;
	uint32_t nr_before = s->wakes.nr;
	uint64_t h = hash_pair(address, (uint32_t)pid);
	uint32_t id = HINDEX_INTERN(&s->wake_index, h, &s->wakes, w, w->address == address && w->pid == pid,
				    ((struct pair_wake){ .pid = pid, .address = address }));
	struct pair_wake *w = &s->wakes.v[id];

	if (s->wakes.nr > nr_before)
		pair_sums_take_memory(s, sizeof(*w));
	w->task = profile_intern_task(s->profile, sr->task);
	w->stack = pair_sums_stack(s, sr);
	w->time_ns = sr->time_ns;
}

bool pair_futex_begins(struct pair_sums *s, const struct pair_event *e, const struct session_record *sr)
{
	uint64_t op = pair_fields_number(s, e->op, sr) & FUTEX_OPERATION;
	uint8_t effects = !e->op ? e->futex_effects : op < sizeof(effects_by_op) ? effects_by_op[op] : 0;

	if (effects & FUTEX_WAKES)
		note_wake(s, sr, pair_fields_number(s, e->object, sr));
	if (effects & FUTEX_WAKES_SECOND)
		note_wake(s, sr, pair_fields_number(s, e->other_address, sr));
	return effects & FUTEX_WAITS;
}

void pair_futex_ended(struct pair_sums *s, const struct session_record *sr, uint32_t row, uint64_t took_ns)
{
	uint64_t address = s->rows.v[row].object, h = hash_pair(address, (uint32_t)sr->task->pid);
	uint32_t id = HINDEX_FIND_ITEM(&s->wake_index, h, &s->wakes, w, w->address == address && w->pid == sr->task->pid);
	const struct pair_wake *wake = id == HINDEX_NONE ? NULL : &s->wakes.v[id];
	uint32_t nr_before;

	/* One from before the wait woke another. The end of a thread wakes those who join it without a call. */
	if (!wake || wake->time_ns < sr->time_ns - took_ns)
		return;
	h = hash_pair((uint64_t)row << 32 | wake->task, wake->stack);
	nr_before = s->wakers.nr;
	id = HINDEX_INTERN(&s->waker_index, h, &s->wakers, w, w->row == row && w->task == wake->task && w->stack == wake->stack,
			   ((struct pair_waker){ .row = row, .task = wake->task, .stack = wake->stack }));
	/* And as one of its group's. */
	if (s->wakers.nr > nr_before)
		pair_sums_take_memory(s, 2 * sizeof(*s->wakers.v));
	s->wakers.v[id].nr++;
	s->wakers.v[id].total_ns += took_ns;
}
