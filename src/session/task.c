/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The task table. Fed by the session with FORK, EXEC, COMM, EXIT and MMAP records in time order.
 */
#include "session/machine.h"

#include <stdio.h>
#include <string.h>

#define FORGET_MIN 4096u /* tasks */
#define INDEX_BYTES 24u	 /* of an entry in a hash index, and what it is to grow by */

static void spend(struct task_table *t, uint64_t bytes)
{
	if (t->memory)
		budget_take(t->memory, bytes);
}

static uint32_t intern_comm(struct task_table *t, const char *comm)
{
	uint32_t nr_before = t->strings.entries.nr, id = strtab_intern(&t->strings, comm);

	if (t->strings.entries.nr > nr_before)
		spend(t, strtab_len(&t->strings, id) + 1 + 2 * sizeof(struct strtab_entry) + INDEX_BYTES);
	return id;
}

/* Empty, or what follows a frozen set. */
static struct map_set *new_map_set(struct task_table *t, const struct map_set *frozen)
{
	struct map_set *s = mem_alloc(sizeof(*s));

	*s = frozen ? map_set_successor(frozen) : (struct map_set){ .pool = &t->map_pool };
	s->generation = t->next_generation++;
	spend(t, sizeof(*s) + 2 * sizeof(s) + 16);
	vec_push(&t->map_sets, s);
	return s;
}

void task_table_init(struct task_table *t)
{
	memset(t, 0, sizeof(*t));
	strtab_init(&t->strings);
	t->next_generation = 1;
	/* The idle task is there from the start and no record ever names it. */
	task_table_comm(t, task_table_get(t, 0, 0), "swapper", false);
}

void task_table_fini(struct task_table *t)
{
	for (uint32_t i = 0; i < t->map_sets.nr; i++)
		free(t->map_sets.v[i]);
	map_pool_fini(&t->map_pool);
	vec_fini(&t->map_sets);
	vec_fini(&t->tasks);
	hindex_fini(&t->index);
	strtab_fini(&t->strings);
	arena_fini(&t->arena);
}

struct task *task_table_find(struct task_table *t, int32_t tid)
{
	struct task **recent = &t->recent[(uint32_t)tid % TASK_RECENT];

	if (*recent && (*recent)->tid == tid && !(*recent)->superseded)
		return *recent;

	uint32_t id = HINDEX_FIND_ITEM(&t->index, hash_u64((uint32_t)tid), &t->tasks, task, (*task)->tid == tid && !(*task)->superseded);

	if (id == HINDEX_NONE)
		return NULL;
	return *recent = t->tasks.v[id];
}

/* `old`: the task that had this tid before, or NULL. */
static struct task *new_task(struct task_table *t, int32_t pid, int32_t tid, struct task *old)
{
	struct task *task = t->spare ? t->spare : arena_alloc(&t->arena, sizeof(*task));
	char name[16];

	if (t->spare)
		t->spare = t->spare->leader;
	*task = (struct task){ .id = t->tasks.nr, .pid = pid, .tid = tid, .ppid = -1 };
	snprintf(name, sizeof(name), ":%d", tid);
	task->comm = intern_comm(t, name);
	spend(t, sizeof(*task) + 2 * sizeof(task) + INDEX_BYTES);
	vec_push(&t->tasks, task);
	if (old) {
		old->superseded = true;
		hindex_replace(&t->index, hash_u64((uint32_t)tid), old->id, task->id);
	} else {
		hindex_add(&t->index, hash_u64((uint32_t)tid), task->id);
	}
	return task;
}

/* A task whose process is unknown leads itself, until a record tells its pid. */
static void set_leader(struct task_table *t, struct task *task)
{
	if (task->pid == task->tid || task->pid < 0) {
		task->leader = task;
		if (!task->maps)
			task->maps = new_map_set(t, NULL);
	} else {
		task->leader = task_table_get(t, task->pid, task->pid);
	}
}

struct task *task_table_get(struct task_table *t, int32_t pid, int32_t tid)
{
	struct task *task;

	if (task_is_nameless(pid, tid))
		tid = pid;
	if (task_has_no_process(pid, tid))
		pid = -1;
	task = task_table_find(t, tid);
	if (task && (task->pid == pid || pid < 0)) {
		/* The pid was used for another task since: the process is the one that has it now. */
		if (task->leader->superseded || task->leader->pid != task->pid)
			set_leader(t, task);
		return task;
	}
	if (!task) {
		task = new_task(t, pid, tid, NULL);
	} else if (task->pid >= 0 && task->pid != task->tid) {
		/* The tid moved to another process without a FORK that we saw: it was reused. */
		task = new_task(t, pid, tid, task);
	} else {
		task->pid = pid;
	}
	set_leader(t, task);
	return task;
}

struct task *task_table_renew(struct task_table *t, int32_t tid)
{
	struct task *task = new_task(t, -1, tid, task_table_find(t, tid));

	set_leader(t, task);
	return task;
}

struct task *task_table_fork(struct task_table *t, int32_t pid, int32_t tid, int32_t ppid, int32_t ptid, bool clone_maps)
{
	struct task *parent = task_table_get(t, ppid, ptid);
	struct task *old = task_table_find(t, tid);

	if (task_is_nameless(pid, tid))
		return task_table_get(t, pid, tid);
	if (old == parent && pid == ppid)
		return parent; /* synthesised: a leader as its own parent */
	struct task *task = new_task(t, pid, tid, old);

	task->ppid = parent->tid;
	if (parent->comm_known) {
		task->comm = parent->comm;
		task->comm_known = true;
	}
	if (pid == tid && pid != ppid && clone_maps) {
		task->maps = parent->leader->maps;
		task->maps->frozen = true;
		task->jit = parent->leader->jit;
	}
	set_leader(t, task);
	return task;
}

void task_table_comm(struct task_table *t, struct task *task, const char *comm, bool exec)
{
	task->comm = intern_comm(t, comm);
	task->comm_known = true;
	if (exec) {
		/* The thread that calls exec leads the process from then on. The old maps stay until new ones cover them: samples taken
		 * inside execve itself still have callers in the old image. */
		if (!task->maps)
			task->maps = task->leader->maps;
		task->jit = NULL;
		task->pid = task->tid;
		task->leader = task;
	}
}

void task_table_exit(struct task_table *t, struct task *task)
{
	(void)t;
	/* Samples taken on the way out may still follow: the task stays until its tid is used again. */
	task->exited = true;
}

void task_table_touch(struct task_table *t, struct task *task)
{
	struct task *leader = task->leader;

	if (leader->maps->frozen)
		leader->maps = new_map_set(t, leader->maps);
	else
		leader->maps->generation = t->next_generation++;
}

void task_table_map(struct task_table *t, struct task *task, const struct map *m)
{
	task_table_touch(t, task);
	map_set_add(task->leader->maps, m);
}

static void mark_needed(struct task_table *t)
{
	for (uint32_t i = 0; i < t->tasks.nr; i++)
		t->tasks.v[i]->is_needed = false;
	for (uint32_t i = 0; i < t->tasks.nr; i++) {
		struct task *task = t->tasks.v[i];

		if (!task->is_old && !task->superseded)
			task->is_needed = task->leader->is_needed = true;
		task->is_old = task->exited;
	}
}

/* Those that are needed move up; everything that knows tasks by their place is made anew. */
static void keep_needed(struct task_table *t)
{
	struct strtab names;
	uint32_t kept = 0;

	strtab_init(&names);
	hindex_fini(&t->index);
	memset(t->recent, 0, sizeof(t->recent));
	for (uint32_t i = 0; i < t->tasks.nr; i++) {
		struct task *task = t->tasks.v[i];

		if (!task->is_needed) {
			task->leader = t->spare;
			t->spare = task;
			continue;
		}
		task->id = kept;
		task->comm = strtab_intern(&names, strtab_get(&t->strings, task->comm));
		if (!task->superseded)
			hindex_add(&t->index, hash_u64((uint32_t)task->tid), kept);
		t->tasks.v[kept++] = task;
	}
	t->tasks.nr = kept;
	strtab_fini(&t->strings);
	t->strings = names;
}

static void free_unused_maps(struct task_table *t)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->tasks.nr; i++)
		if (t->tasks.v[i]->maps)
			t->tasks.v[i]->maps->is_used = true;
	for (uint32_t i = 0; i < t->map_sets.nr; i++) {
		struct map_set *s = t->map_sets.v[i];

		if (s->is_used) {
			s->is_used = false;
			t->map_sets.v[kept++] = s;
			continue;
		}
		free(s);
	}
	t->map_sets.nr = kept;
	map_pool_keep(&t->map_pool, t->map_sets.v, kept);
}

void task_table_forget(struct task_table *t)
{
	if (t->tasks.nr < FORGET_MIN || t->tasks.nr < t->forget_at)
		return;
	mark_needed(t);
	keep_needed(t);
	free_unused_maps(t);
	t->forget_at = t->tasks.nr * 2;
}
