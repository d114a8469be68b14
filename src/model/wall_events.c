/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Events of wall's BPF program as those of the scheduler, with what a task waits for: what the kernel says of it, or the system call that it is in.
 */
#include "model/wall_events.h"

#include <string.h>

#include "abi/syscalls.h"
#include "abi/wall_sample.h"

bool wall_events_is(const struct recording *r, int32_t event)
{
	const struct attr *a = event >= 0 ? &r->info->events.v[event].attr : NULL;

	return a && a->type == ATTR_TYPE_TRACEPOINT && a->config == WALL_SAMPLE_ID &&
	       !strcmp(r->info->events.v[event].name, WALL_SAMPLE_NAME);
}

/* Bits of the kernel's task states. */
enum { INTERRUPTIBLE = 0x1, UNINTERRUPTIBLE = 0x2, STOPPED = 0x4 | 0x8, ENDED = 0x10 | 0x20 | 0x80, NO_LOAD = 0x400 };

/* The scheduler's letter. */
static char letter_of(uint32_t state)
{
	if (!state)
		return 'R';
	if (state & ENDED)
		return 'X';
	if (state & INTERRUPTIBLE)
		return 'S';
	if (state & STOPPED)
		return 'T';
	return (state & UNINTERRUPTIBLE) && (state & NO_LOAD) ? 'I' : 'D';
}

static enum wall_class class_of(const struct recording *r, const struct wall_sample *s)
{
	if ((s->kind != WALL_SAMPLE_LEFT && s->kind != WALL_SAMPLE_WAITING) || !s->state)
		return WALL_UNKNOWN;
	if (s->flags & WALL_SAMPLE_IN_FAULT)
		return s->state & STOPPED ? WALL_OTHER : WALL_FAULT;
	if (s->flags & WALL_SAMPLE_IN_IO)
		return WALL_DISK;
	return s->call == WALL_SAMPLE_NO_CALL ? WALL_OTHER : wall_class_of_call(syscall_abi_of(r->info->arch), s->call, s->file_mode);
}

static bool read_raw(const struct recording *r, const struct session_record *sr, struct wall_sample *s)
{
	if (!sr->rec.sample.raw || sr->rec.sample.raw_size < sizeof(*s) || !tracepoints_is_native(r->tracepoints))
		return false;
	memcpy(s, sr->rec.sample.raw, sizeof(*s));
	return s->tid > 0 || s->kind == WALL_SAMPLE_LIMIT;
}

bool wall_events_is_limit(const struct recording *r, const struct session_record *sr)
{
	struct wall_sample s;

	return read_raw(r, sr, &s) && s.kind == WALL_SAMPLE_LIMIT;
}

bool wall_events_read_waiting(const struct recording *r, const struct session_record *sr, char *letter, enum wall_class *class)
{
	struct wall_sample s;

	if (!read_raw(r, sr, &s) || s.kind != WALL_SAMPLE_WAITING || !s.state)
		return false;
	*letter = letter_of(s.state);
	*class = class_of(r, &s);
	return true;
}

bool wall_events_read_taker(const struct recording *r, const struct session_record *sr, int32_t *tid)
{
	struct wall_sample s;

	if (!read_raw(r, sr, &s) || s.kind != WALL_SAMPLE_TAKEN)
		return false;
	*tid = s.tid;
	return true;
}

bool wall_events_read(const struct recording *r, const struct session_record *sr, struct sched_event *e, enum wall_class *class)
{
	struct wall_sample s;

	if (!read_raw(r, sr, &s))
		return false;
	*e = (struct sched_event){ .time_ns = sr->time_ns, .cpu = sr->rec.sample.cpu, .sample = &sr->rec.sample };
	*class = class_of(r, &s);
	switch (s.kind) {
	case WALL_SAMPLE_LEFT:
		e->kind = SCHED_SWITCH;
		e->tid = s.tid;
		e->state = letter_of(s.state);
		e->next_tid = s.next_tid;
		return true;
	case WALL_SAMPLE_BACK:
		e->kind = SCHED_SWITCH;
		e->next_tid = s.tid;
		e->state = 'R';
		return true;
	case WALL_SAMPLE_WOKEN:
	case WALL_SAMPLE_BORN:
		e->kind = s.kind == WALL_SAMPLE_BORN ? SCHED_WAKEUP_NEW : SCHED_WAKING;
		e->tid = s.tid;
		e->is_irq = s.flags & WALL_SAMPLE_IN_IRQ;
		return true;
	}
	return false;
}
