/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a task waits for, by the system call that it is in, the sort of file that this is about, and what the kernel says of it.
 */
#include "model/wall_events.h"

#include <string.h>
#include <sys/stat.h>

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

static enum wall_class class_of_file(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFIFO:
		return WALL_PIPE;
	case S_IFSOCK:
		return WALL_NETWORK;
	case S_IFREG:
	case S_IFDIR:
	case S_IFBLK:
		return WALL_DISK;
	}
	return WALL_OTHER;
}

static const struct {
	const char *begin; /* of the name */
	enum wall_class class;
} calls[] = {
	{ "futex", WALL_FUTEX },    { "nanosleep", WALL_SLEEP }, { "clock_nanosleep", WALL_SLEEP }, { "poll", WALL_POLL },
	{ "ppoll", WALL_POLL },	    { "select", WALL_POLL },	 { "pselect", WALL_POLL },	    { "epoll_", WALL_POLL },
	{ "accept", WALL_NETWORK }, { "connect", WALL_NETWORK }, { "recv", WALL_NETWORK },	    { "sendto", WALL_NETWORK },
	{ "sendm", WALL_NETWORK },  { "fsync", WALL_DISK },	 { "fdatasync", WALL_DISK },	    { "sync", WALL_DISK },
	{ "msync", WALL_DISK },
};

/* Calls that a file is the first argument of; whatever it is, they wait for it. */
static const char *const file_calls[] = { "read",     "write",	   "pread",	"pwrite",	   "splice",   "sendfile", "tee",
					  "vmsplice", "fallocate", "ftruncate", "copy_file_range", "getdents", "readahead" };

static enum wall_class class_of_call(enum syscall_abi abi, uint32_t nr, uint32_t file_mode)
{
	const struct syscall_def *def = syscall_get(abi, nr);

	if (!def)
		return WALL_OTHER;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strncmp(def->name, calls[i].begin, strlen(calls[i].begin)))
			return calls[i].class;
	for (size_t i = 0; i < sizeof(file_calls) / sizeof(file_calls[0]); i++)
		if (!strncmp(def->name, file_calls[i], strlen(file_calls[i])) && strncmp(def->name, "readlink", 8))
			return class_of_file(file_mode);
	return WALL_OTHER;
}

static enum wall_class class_of(const struct recording *r, const struct wall_sample *s)
{
	if (s->kind != WALL_SAMPLE_LEFT || !s->state)
		return WALL_UNKNOWN;
	if (s->flags & WALL_SAMPLE_IN_FAULT)
		return s->state & STOPPED ? WALL_OTHER : WALL_FAULT;
	if (s->flags & WALL_SAMPLE_IN_IO)
		return WALL_DISK;
	return s->call == WALL_SAMPLE_NO_CALL ? WALL_OTHER : class_of_call(syscall_abi_of(r->info->arch), s->call, s->file_mode);
}

bool wall_events_read(const struct recording *r, const struct session_record *sr, struct sched_event *e, enum wall_class *class)
{
	struct wall_sample s;

	if (!sr->rec.sample.raw || sr->rec.sample.raw_size < sizeof(s) || !tracepoints_is_native(r->tracepoints))
		return false;
	memcpy(&s, sr->rec.sample.raw, sizeof(s));
	if (s.tid <= 0)
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
