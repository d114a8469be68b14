/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tasks over time: who a pid/tid is at the current moment of the stream.
 *
 * A task is never freed and never becomes another: a reused tid gives a new task. Threads share the map set of their
 * process leader. Only who asks for it (task_table_forget) loses those that exited: a recorder that runs for days.
 */
#ifndef ASSAY_SESSION_TASK_H
#define ASSAY_SESSION_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/record.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "session/maps.h"

struct task {
	uint32_t id; /* index in the table */
	int32_t pid, tid, ppid; /* ppid: the thread that forked it, by tid, as perf has it; -1: unknown */
	uint32_t comm; /* string id; ":TID" until known */
	bool comm_known;
	bool superseded; /* its tid belongs to a newer task */
	bool exited;
	bool is_old, is_needed; /* task_table_forget()'s: had exited the last time; marked this time */
	struct task *leader; /* itself for a process leader */
	struct map_set *maps; /* of the leader only */
};

struct task_table {
	struct arena arena;
	struct strtab strings; /* comms */
	VEC(struct task *) tasks;
	struct map_pool map_pool;
	VEC(struct map_set *) map_sets;
	struct hindex index; /* by tid */
	struct task *last; /* found last time */
	uint32_t next_generation;
	struct task *spare; /* forgotten ones, by their `leader` */
	uint32_t forget_at; /* tasks */
	struct budget *memory; /* what tasks, names and maps are taken from, borrowed; NULL: nothing limits them */
};

void task_table_init(struct task_table *t);
void task_table_fini(struct task_table *t);

/* The current task of that tid, made if unknown. A pid of -1 is not known; nor are the others that abi/record.h says. */
struct task *task_table_get(struct task_table *t, int32_t pid, int32_t tid);
struct task *task_table_find(struct task_table *t, int32_t tid);
/* `clone_maps` false: the child begins with no maps (synthesised records list them). */
struct task *task_table_fork(struct task_table *t, int32_t pid, int32_t tid, int32_t ppid, int32_t ptid, bool clone_maps);
void task_table_comm(struct task_table *t, struct task *task, const char *comm, bool exec);
void task_table_exit(struct task_table *t, struct task *task);
/* Lets go of processes that exited, their maps and names: all at once, when they have become as many as the others, so that it costs
 * next to nothing to call. What exited a moment ago stays, because samples of its last moments may follow. Nobody may hold a task. */
void task_table_forget(struct task_table *t);
void task_table_map(struct task_table *t, struct task *task, const struct map *m);

static inline const struct map_set *task_maps(const struct task *task)
{
	return task->leader->maps;
}

#endif
