/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * /proc/TID/{stat,syscall} as events of the BPF program.
 */
#include "capture/wall_waiting.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "abi/wall_sample.h"
#include "base/clock.h"
#include "kernel/stopped_task.h"

#define END_OF_32_BITS (UINT64_C(1) << 32)

/* The kernel's bits of ps's letter; 0: it may run. */
static uint32_t state_of(char letter)
{
	switch (letter) {
	case 'S':
		return 0x1;
	case 'D':
		return 0x2;
	case 'T':
		return 0x4;
	case 't':
		return 0x8;
	}
	return 0;
}

/* Without asking a server that may not answer. */
static uint32_t file_mode(pid_t tid, uint64_t fd)
{
	struct statx x;
	char path[64];

	if (fd > INT32_MAX)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)tid, (int)fd);
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE | STATX_MODE, &x))
		return 0;
	return x.stx_mode;
}

static void explain(struct offcpu_event *e, const struct task_state *t)
{
	e->call = OFFCPU_NO_CALL;
	/* Of a 32-bit program: its calls have other numbers. */
	if (!t->place_known || (t->pc < END_OF_32_BITS && t->sp < END_OF_32_BITS))
		return;
	e->user_ip = t->pc;
	if (t->in_call) {
		e->call = (uint32_t)t->nr;
		e->file_mode = file_mode(t->tid, t->args[0]);
	} else {
		e->flags = OFFCPU_IN_FAULT;
	}
}

void wall_waiting_find(struct wall_waiting *w, const struct task_ids *tasks)
{
	for (uint32_t i = 0; i < tasks->ids.nr; i++) {
		struct wall_own_event own = { .e.kind = WALL_SAMPLE_WAITING };
		struct task_state t;

		if (tasks->ids.v[i] <= 0 || task_state_read(&t, 0, tasks->ids.v[i]) || !state_of(t.state))
			continue;
		task_state_read_wait(&t);
		own.e.tid = (uint32_t)t.tid;
		own.e.pid = (uint32_t)t.pid;
		own.e.state = state_of(t.state);
		explain(&own.e, &t);
		own.sp = t.sp;
		own.e.time_ns = clock_now_ns();
		vec_push(&w->v, own);
	}
}
